package hlo

import "slices"

// sequences says where in the schedule the order of each computation stands.
type sequences struct {
	at    idTable // places in list, by the computation's id
	list  []Range // HloScheduleProto.InstructionSequence
	ids   []int64 // by place: of the computations
	used  []bool  // by place: the computation is in the file
	order []int64 // the ids of the computation at hand, in the order that they run in
	rest  fields  // what could not be read
}

// findSequences reads the map from computation to sequence. A scheduled module's instructions are brought into the order that they
// run in, which is also the order in which the text prints them.
func (r *protoReader) findSequences(schedule Range) {
	r.m.Header.IsScheduled = schedule.Len() > 0
	s, f := &r.schedule, fieldsOf(r.src, schedule)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // sequences
			computation, ids := sequence(&f)
			s.ids, s.list = append(s.ids, computation), append(s.list, ids)
		}
	}
	s.rest = f
	s.used = make([]bool, len(s.ids))
	s.at.reset(len(s.ids))
	for at, id := range slices.Backward(s.ids) { // of several the last counts
		if !s.at.add(id, int32(at)) {
			s.used[at] = true
		}
	}
}

// sequence reads one entry of the map.
func sequence(f *fields) (computation int64, ids Range) {
	e := fieldsOf(f.src, f.body)
	for e.next() {
		switch e.tag {
		case 1<<3 | wireVarint: // key
			computation = int64(e.value)
		case 2<<3 | wireBytes: // value
			ids = e.body
		}
	}
	f.broken = e.broken
	return computation, ids
}

// scheduleUsed refuses a schedule that is damaged or for what is not there.
func (r *protoReader) scheduleUsed() {
	s := &r.schedule
	r.finished(&s.rest, "the schedule", Range{})
	if at := slices.Index(s.used, false); at >= 0 {
		r.fail(s.list[at].Start, "the schedule names a computation (id %d) that is not in the file", s.ids[at])
	}
}

// sequenceIDs reads the ids of one sequence.
func (r *protoReader) sequenceIDs(sequence Range) []int64 {
	ids := slices.Grow(r.schedule.order[:0], len(r.ids))
	f := fieldsOf(r.src, sequence)
	for f.next() {
		if f.tag != 1<<3|wireBytes && f.tag != 1<<3|wireVarint { // instruction_ids
			continue
		}
		for p := fieldsOf(r.src, f.body); p.more(); {
			ids = append(ids, int64(p.varint()))
			f.broken = p.broken
		}
	}
	r.finished(&f, "the schedule", Range{})
	r.schedule.order = ids
	return ids
}

// reorder permutes the instructions of the computation that was just read into the order of the schedule, if it has one.
func (r *protoReader) reorder(id int64, comp *Computation) {
	at := r.schedule.at.find(id)
	if at < 0 {
		return
	}
	r.schedule.used[at] = true
	ids := r.sequenceIDs(r.schedule.list[at])
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

// permute moves every instruction to the place that r.instructions has for its id, and renames the operands.
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
	r.renameOperands(place, comp.First, body)
	before := slices.Clone(body)
	for i, to := range place {
		body[to-comp.First] = before[i]
	}
	r.ids, r.schedule.order = r.schedule.order, r.ids
	comp.Root = place[comp.Root-comp.First]
}

func (r *protoReader) renameOperands(place []InstrID, first InstrID, body []Instruction) {
	for i := range body {
		operands := list(r.m.operands, body[i].operands)
		for k, operand := range operands {
			operands[k] = place[operand-first]
			if operands[k] >= place[i] {
				r.fail(body[i].name, "the schedule runs %s before its operand", r.m.nameOf(first+InstrID(i)))
			}
		}
	}
}
