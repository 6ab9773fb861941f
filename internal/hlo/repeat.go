package hlo

// Original is the computation whose instructions c has: c itself, or an earlier one that is spelled like it but for names. Only a
// computation that calls no other and is part of one operation (of a fusion, a reduction, a sort) shares another's instructions.
func (m *Module) Original(c CompID) CompID { return m.Instrs[m.Comps[c].First].Comp }

// repeated enters a computation that shares the instructions of another.
func (m *Module) repeated(c CompID, name, source Range) CompID {
	original := &m.Comps[c]
	m.Comps = append(m.Comps, Computation{
		Name: name, Source: source, First: original.First, Count: original.Count, Root: original.Root,
	})
	return CompID(len(m.Comps) - 1)
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
	m.place(c, m.instructionsLike(original, c))
}

// instructionsLike are the instructions of a computation that shares those of another, as they stand in its own place.
func (m *Module) instructionsLike(original, c CompID) []Instruction {
	if m.Format == FormatProto {
		return m.moved(original, c)
	}
	_, names, _ := m.template(original).match(text(m.src), int(m.Comps[c].Source.Start), nil)
	return m.renamed(original, c, names)
}

// place gives a computation the instructions of another, of which the caller changed what is not the same.
func (m *Module) place(c CompID, instrs []Instruction) {
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
		for i, in := range m.instructionsLike(original, CompID(c)) {
			name := m.src[in.name : in.name+uint32(in.nameLen)]
			if _, wanted := byName[string(name)]; wanted {
				byName[string(name)] = m.Comps[c].First + InstrID(i)
			}
		}
	}
}

// gain is how many bytes were compared with what they are like, and with what they are not.
type gain struct{ saved, wasted int }

// worthIt tells whether to compare more, after so many bytes were read: a quarter of them may have been compared in vain, and as many
// as were not.
func (g *gain) worthIt(read int) bool { return g.wasted <= g.saved+read/4+1<<16 }
