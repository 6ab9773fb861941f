package hlo

// Original is the computation whose instructions c has: c itself, or an earlier one that is spelled like it but for names. Only a
// computation that is part of one operation (of a fusion, a reduction, a sort) shares another's instructions. What these call need not
// be what c calls, but has the same original; see SharedCalls.
func (m *Module) Original(c CompID) CompID { return m.Instrs[m.Comps[c].First].Comp }

// SharedCalls is what a computation calls that shares another's instructions: one computation for each of those that call any.
func (m *Module) SharedCalls(c CompID) []CompID { return list(m.callees, m.Comps[c].calls) }

// repeated enters a computation that shares the instructions of another, and calls other computations that are alike.
func (m *Module) repeated(c CompID, name, source Range, calls []CompID) CompID {
	original, at := &m.Comps[c], uint32(0)
	if len(calls) > 0 {
		at = uint32(len(m.callees))
		m.callees = append(append(m.callees, CompID(len(calls))), calls...)
	}
	m.Comps = append(m.Comps, Computation{
		Name: name, Source: source, First: original.First, Count: original.Count, Root: original.Root, calls: at,
	})
	return CompID(len(m.Comps) - 1)
}

// callsOne tells whether an instruction calls one computation that is part of it. If not, and it calls any, the computation that it
// stands in shares no instructions.
func (m *Module) callsOne(in *Instruction) bool {
	callees := list(m.callees, in.callees)
	return len(callees) == 1 && callees[0] >= 0 && in.Opcode.isOnePiece()
}

// isOnePiece tells whether what an operation calls is part of it. What others call runs by itself: its instructions are spoken of by
// their own names.
func (op Opcode) isOnePiece() bool {
	switch op {
	case OpFusion, OpMap, OpReduce, OpReduceWindow, OpScatter, OpSelectAndScatter, OpSort, OpAllReduce, OpReduceScatter:
		return true
	}
	return false
}

// separateRun gives the computations that run by themselves instructions of their own.
func (m *Module) separateRun() {
	m.separate(m.Entry)
	for c := range m.Comps {
		if m.Original(CompID(c)) != CompID(c) {
			continue
		}
		for i, end := m.Body(CompID(c)); i < end; i++ {
			if m.Instrs[i].callees == 0 || m.Instrs[i].Opcode.isOnePiece() {
				continue
			}
			for _, callee := range m.Callees(i) {
				m.separate(callee)
			}
		}
	}
}

// separate gives a computation that shares the instructions of another some of its own.
func (m *Module) separate(c CompID) {
	original := m.Original(c)
	if original == c {
		return
	}
	calls := m.SharedCalls(c)
	m.Comps[c].calls = 0
	m.place(c, m.instructionsLike(original, c, calls), calls)
}

// instructionsLike are the instructions of a computation that shares those of another, as they stand in its own place.
func (m *Module) instructionsLike(original, c CompID, calls []CompID) []Instruction {
	if m.Format == FormatProto {
		return m.moved(original, c)
	}
	match := textMatch{t: m.src, calls: func(spelling, CompID) bool { return true }}
	match.computation(m.template(original), int(m.Comps[c].Source.Start))
	return m.renamed(original, c, match.names, calls)
}

// place gives a computation the instructions of another, of which the caller changed what is not the same but for what they call.
func (m *Module) place(c CompID, instrs []Instruction, calls []CompID) {
	comp := &m.Comps[c]
	shift := InstrID(len(m.Instrs)) - comp.First
	for _, in := range instrs {
		in.Comp = c
		if in.operands > 0 {
			operands := list(m.operands, in.operands)
			in.operands = uint32(len(m.operands))
			m.operands = append(m.operands, InstrID(len(operands)))
			for _, o := range operands {
				m.operands = append(m.operands, o+shift)
			}
		}
		if in.callees > 0 {
			in.callees = uint32(len(m.callees))
			m.callees, calls = append(m.callees, 1, calls[0]), calls[1:]
		}
		m.Instrs = append(m.Instrs, in)
	}
	comp.First, comp.Root = comp.First+shift, comp.Root+shift
}

// findShared is FindInstrs for names that stand in computations that share the instructions of another.
func (m *Module) findShared(byName map[string]InstrID) {
	for c := range m.Comps {
		original := m.Original(CompID(c))
		if original == CompID(c) {
			continue
		}
		for i, in := range m.instructionsLike(original, CompID(c), m.SharedCalls(CompID(c))) {
			name := m.src[in.name : in.name+uint32(in.nameLen)]
			if _, wanted := byName[string(name)]; wanted {
				byName[string(name)] = m.Comps[c].First + InstrID(i)
			}
		}
	}
}

// gain is how many bytes were compared with what they are like, and with what they are not, since reading began at a place.
type gain struct{ saved, wasted, start int }

// worthIt tells whether to compare more at a place: a quarter of what was read may have been compared in vain, and as much as was not.
func (g *gain) worthIt(at int) bool { return g.wasted <= g.saved+(at-g.start)/4+1<<16 }

// often tells whether much of what was read up to a place says the same again, or too little was read of so many bytes to tell.
func (g *gain) often(at, of int) bool {
	read := at - g.start
	return read < of/16 || g.saved > read/16
}
