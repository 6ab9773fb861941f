package hlo

import "slices"

// computation reads an HloComputationProto and appends it to the module.
func (r *protoReader) computation(body Range) {
	m, w := r.m, r.walk(body)
	const usual = 256 // bytes of an instruction in a long computation
	r.bodies = slices.Grow(r.bodies[:0], body.Len()/usual)
	for w.next() {
		r.bodies = append(r.bodies, w.body)
	}
	comp := Computation{
		Name: w.name, Source: body, Thread: w.thread, First: InstrID(len(m.Instrs)), Count: int32(len(r.bodies)),
	}
	r.instructions.reset(len(r.bodies))
	r.ids, r.hasOrder = slices.Grow(r.ids[:0], len(r.bodies)), false
	for _, b := range r.bodies {
		r.instruction(b)
	}
	r.finished(&w.fields, "computation", w.name)
	comp.Root = comp.First + InstrID(r.instructions.find(w.root))
	if comp.Root < comp.First {
		r.fail(body.Start, "the root (id %d) of computation %s is not in it", w.root, m.Text(w.name))
	}
	if !r.computations.add(w.id, int32(len(m.Comps))) {
		r.fail(body.Start, "computation %s has the id %d of an earlier one", m.Text(w.name), w.id)
	}
	r.reorder(w.id, &comp)
	if r.hasOrder {
		m.keepIDs(CompID(len(m.Comps)), r.ids)
	}
	m.Comps = append(m.Comps, comp)
}

// computationWalk walks an HloComputationProto from instruction to instruction, and notes what else it says.
type computationWalk struct {
	fields
	id, root     int64
	name, thread Range
}

func (r *protoReader) walk(body Range) computationWalk {
	return computationWalk{fields: fieldsOf(r.src, body)}
}

// next goes to the next instruction. Nearly all have a length of one or two bytes: these are read in place.
func (w *computationWalk) next() bool {
	if at := w.at; at >= 0 && at <= len(w.src)-3 && w.src[at] == 2<<3|byte(wireBytes) {
		size, start := int(w.src[at+1]), at+2
		if size >= 0x80 {
			size, start = size&0x7f|int(w.src[at+2])<<7, at+3
		}
		if size < 0x80<<7 && size <= len(w.src)-start {
			w.tag, w.body, w.at = 2<<3|wireBytes, Range{uint32(start), uint32(start + size)}, start+size
			return true
		}
	}
	for w.fields.next() {
		switch w.tag {
		case 1<<3 | wireBytes: // name
			w.name = w.body
		case 2<<3 | wireBytes: // instructions
			return true
		case 5<<3 | wireVarint: // id
			w.id = int64(w.value)
		case 6<<3 | wireVarint: // root_id
			w.root = int64(w.value)
		case 8<<3 | wireBytes: // execution_thread
			if string(w.src[w.body.Start:w.body.End]) != "main" {
				w.thread = w.body
			}
		}
	}
	return false
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
	name := r.m.Text(spelling)
	if op, ok := LookupOpcode(name); ok {
		return op
	}
	op, ok := r.unknownOpcode(name)
	if !ok {
		r.fail(spelling.Start, tooManyOpcodes)
	}
	return op
}
