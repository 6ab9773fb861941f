package hlo

// computation reads an HloComputationProto and appends it to the module.
func (r *protoReader) computation(body Range) {
	m := r.m
	comp := Computation{Source: body, First: InstrID(len(m.Instrs))}
	id, root, f := r.computationFields(body, &comp)
	comp.Count = int32(len(r.bodies))
	r.instructions.reset(len(r.bodies))
	r.ids, r.hasOrder = r.ids[:0], false
	for _, b := range r.bodies {
		r.instruction(b)
	}
	r.finished(&f, "computation", comp.Name)
	comp.Root = comp.First + InstrID(r.instructions.find(root))
	if comp.Root < comp.First {
		r.fail(body.Start, "the root (id %d) of computation %s is not in it", root, m.Text(comp.Name))
	}
	if !r.computations.add(id, int32(len(m.Comps))) {
		r.fail(body.Start, "computation %s has the id %d of an earlier one", m.Text(comp.Name), id)
	}
	r.reorder(id, &comp)
	if r.hasOrder {
		m.keepIDs(CompID(len(m.Comps)), r.ids)
	}
	m.Comps = append(m.Comps, comp)
}

// computationFields finds the instructions and reads the rest.
func (r *protoReader) computationFields(body Range, comp *Computation) (id, root int64, f fields) {
	r.bodies = r.bodies[:0]
	f = fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // name
			comp.Name = f.body
		case 2<<3 | wireBytes: // instructions
			r.bodies = append(r.bodies, f.body)
		case 5<<3 | wireVarint: // id
			id = int64(f.value)
		case 6<<3 | wireVarint: // root_id
			root = int64(f.value)
		case 8<<3 | wireBytes: // execution_thread
			if string(r.src[f.body.Start:f.body.End]) != "main" {
				comp.Thread = f.body
			}
		}
	}
	return id, root, f
}

// keepIDs notes the ids by which control predecessors are named.
func (m *Module) keepIDs(c CompID, ids []int64) {
	if m.ids == nil {
		m.ids = make(map[CompID][]int64)
	}
	m.ids[c] = append([]int64(nil), ids...)
}

func (r *protoReader) opcode(spelling Range) Opcode {
	s := text(r.src).spelling(int(spelling.Start), int(spelling.End))
	n := r.opcodes.find(r.src, s)
	if n < 0 {
		n = int32(r.resolve(spelling))
		r.opcodes.add(r.src, s, n)
	}
	return Opcode(n)
}

func (r *protoReader) resolve(spelling Range) Opcode {
	m, name := r.m, r.m.Text(spelling)
	if op, ok := LookupOpcode(name); ok {
		return op
	}
	op := len(opcodeNames) + len(m.unknown)
	if op >= int(noOpcode) {
		r.fail(spelling.Start, "there are too many opcodes that no version of XLA knows")
	}
	m.unknown = append(m.unknown, name)
	return Opcode(op)
}
