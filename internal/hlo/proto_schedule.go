package hlo

import "slices"

// schedule brings the instructions of the scheduled computations into the order that they run in, which is also the order
// in which the text prints them.
func (r *protoReader) schedule(body Range) {
	r.m.Header.IsScheduled = body.Len() > 0
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // sequences
			r.sequence(f.body)
		}
	}
	r.finished(&f, "the schedule", Range{})
}

// sequence reads one entry of the map from computation to HloScheduleProto.InstructionSequence.
func (r *protoReader) sequence(entry Range) {
	var computation int64
	var ids Range
	f := fieldsOf(r.src, entry)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // key
			computation = int64(f.value)
		case 2<<3 | wireBytes: // value
			ids = f.body
		}
	}
	r.finished(&f, "the schedule", Range{})
	c := CompID(r.computations.find(computation))
	if c == NoComp {
		r.fail(entry.Start, "the schedule names a computation (id %d) that is not in the file", computation)
	}
	r.reorder(c, r.sequenceIDs(ids))
}

func (r *protoReader) sequenceIDs(sequence Range) []int64 {
	ids := r.sequenced[:0]
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
	r.sequenced = ids
	return ids
}

// reorder permutes a computation's instructions into the order of ids.
func (r *protoReader) reorder(c CompID, ids []int64) {
	first, end := r.m.Body(c)
	if len(ids) != int(end-first) {
		r.fail(r.m.Comps[c].Name.Start, "the schedule of computation %s lists %d of its %d instructions",
			r.m.CompName(c), len(ids), end-first)
	}
	if slices.Equal(ids, r.ids[first:end]) {
		return
	}
	r.instructions.reset(len(ids))
	for at, id := range ids {
		if !r.instructions.add(id, int32(first)+int32(at)) {
			r.fail(r.m.Comps[c].Name.Start, "the schedule of computation %s lists the id %d twice", r.m.CompName(c), id)
		}
	}
	r.permute(c)
}

// permute moves every instruction to the place that r.instructions has for its id, and renames the operands.
func (r *protoReader) permute(c CompID) {
	m := r.m
	first, end := m.Body(c)
	body := m.Instrs[first:end]
	place := make([]InstrID, len(body))
	for i := range body {
		place[i] = InstrID(r.instructions.find(r.ids[int(first)+i]))
		if place[i] == NoInstr {
			r.fail(body[i].Attrs.Start, "the schedule of computation %s leaves out %s", m.CompName(c), m.Text(body[i].Name))
		}
	}
	r.renameOperands(place, first, body)
	before := slices.Clone(body)
	for i, to := range place {
		body[to-first] = before[i]
	}
	copy(r.ids[first:end], r.sequenced)
	m.Comps[c].Root = place[m.Comps[c].Root-first]
}

func (r *protoReader) renameOperands(place []InstrID, first InstrID, body []Instruction) {
	for i := range body {
		s := body[i].operands
		operands := r.m.operands[s.start : s.start+s.n]
		for k, operand := range operands {
			operands[k] = place[operand-first]
			if operands[k] >= place[i] {
				r.fail(body[i].Attrs.Start, "the schedule runs %s before its operand", r.m.Text(body[i].Name))
			}
		}
	}
}
