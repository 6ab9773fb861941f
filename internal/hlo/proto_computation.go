package hlo

import "slices"

// shortestInstruction is the length in bytes of an instruction with an opcode of one letter and an empty shape.
const shortestInstruction = 5

// computation reads an HloComputationProto and appends it to the module.
func (r *protoReader) computation(body Range) {
	m, w := r.m, r.walk(body)
	const usual = 256 // bytes of an instruction in a long computation
	r.bodies = slices.Grow(r.bodies[:0], body.Len()/usual)
	for w.next() {
		if w.body.Len() < shortestInstruction {
			r.fail(w.body.Start, "an instruction has no opcode or no shape")
		}
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
	if r.hasOrder { // control predecessors are named by the ids
		if m.ids == nil {
			m.ids = make(map[CompID][]int64)
		}
		m.ids[CompID(len(m.Comps))] = slices.Clone(r.ids)
	}
	m.Comps = append(m.Comps, comp)
}

// computationWalk iterates over the instructions of an HloComputationProto and keeps its other fields.
type computationWalk struct {
	fields
	id, root     int64
	name, thread Range
}

func (r *protoReader) walk(body Range) computationWalk {
	return computationWalk{fields: fieldsOf(r.src, body)}
}

// next goes to the next instruction.
func (w *computationWalk) next() bool {
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

func (r *protoReader) opcode(spelling Range) Opcode {
	s := text(r.src).spelling(int(spelling.Start), int(spelling.End))
	n := r.opcodes.find(r.src, s)
	if n < 0 {
		op, ok := LookupOpcode(r.m.Text(spelling))
		if !ok {
			op, ok = r.unknownOpcode(r.m.Text(spelling))
		}
		if !ok {
			r.fail(spelling.Start, tooManyOpcodes)
		}
		n = int32(op)
		r.opcodes.add(r.src, s, n)
	}
	return Opcode(n)
}

// sequences holds the schedule: the order of the instructions of each computation.
type sequences struct {
	at    idTable // indexes of list, by the computation's id
	list  []Range // HloScheduleProto.InstructionSequence
	ids   []int64 // of the computations, by index of list
	used  []bool  // the computation is in the file, by index of list
	order []int64 // the ids of the current computation in the order in which they run
}

// findSequences reads the map from computation to sequence. The reader sorts the instructions of a scheduled module into the order in which
// they run, as the text prints them.
func (r *protoReader) findSequences(schedule Range) {
	r.m.Header.IsScheduled = schedule.Len() > 0
	s, f := &r.schedule, fieldsOf(r.src, schedule)
	for f.next() {
		if f.tag != 1<<3|wireBytes { // sequences
			continue
		}
		computation, ids := int64(0), Range{}
		e := fieldsOf(r.src, f.body)
		for e.next() {
			switch e.tag {
			case 1<<3 | wireVarint: // key
				computation = int64(e.value)
			case 2<<3 | wireBytes: // value
				ids = e.body
			}
		}
		s.ids, s.list = append(s.ids, computation), append(s.list, ids)
		r.finished(&e, "the schedule", Range{})
	}
	r.finished(&f, "the schedule", Range{})
	s.used = make([]bool, len(s.ids))
	s.at.reset(len(s.ids))
	for at, id := range slices.Backward(s.ids) { // the last of several counts
		if !s.at.add(id, int32(at)) {
			s.used[at] = true
		}
	}
}

// sequence reads the ids of one computation in the order in which they run.
func (r *protoReader) sequence(body Range) []int64 {
	ids := slices.Grow(r.schedule.order[:0], len(r.ids))
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag == 1<<3|wireBytes || f.tag == 1<<3|wireVarint { // instruction_ids, packed or not
			ids = appendNumbers(ids, &f)
		}
	}
	r.finished(&f, "the schedule", Range{})
	r.schedule.order = ids
	return ids
}

// reorder sorts the instructions of the current computation into the order of the schedule, if it has one.
func (r *protoReader) reorder(id int64, comp *Computation) {
	at := r.schedule.at.find(id)
	if at < 0 {
		return
	}
	r.schedule.used[at] = true
	ids := r.sequence(r.schedule.list[at])
	name := r.m.Text(comp.Name)
	if len(ids) != len(r.ids) {
		r.fail(comp.Name.Start, "the schedule of computation %s lists %d of its %d instructions", name, len(ids), len(r.ids))
	}
	if slices.Equal(ids, r.ids) {
		return
	}
	r.instructions.reset(len(ids))
	for at, id := range ids {
		if !r.instructions.add(id, int32(at)) {
			r.fail(comp.Name.Start, "the schedule of computation %s lists the id %d twice", name, id)
		}
	}
	r.permute(comp)
}

// permute moves every instruction to the index that r.instructions has for its id, and renumbers the operands.
func (r *protoReader) permute(comp *Computation) {
	m := r.m
	body := m.Instrs[comp.First:]
	place := make([]InstrID, len(body))
	for i, id := range r.ids {
		to := r.instructions.find(id)
		if to < 0 {
			in := &body[i]
			r.fail(in.name, "the schedule of computation %s leaves out %s", m.Text(comp.Name), m.nameOf(comp.First+InstrID(i)))
		}
		place[i] = comp.First + InstrID(to)
	}
	for i := range body {
		operands := listAt(m.operands, body[i].operands)
		for k, operand := range operands {
			if operands[k] = place[operand-comp.First]; operands[k] >= place[i] {
				r.fail(body[i].name, "the schedule runs %s before its operand", m.nameOf(comp.First+InstrID(i)))
			}
		}
	}
	before := slices.Clone(body)
	for i, to := range place {
		body[to-comp.First] = before[i]
	}
	r.ids, r.schedule.order = r.schedule.order, r.ids
	comp.Root = place[comp.Root-comp.First]
}
