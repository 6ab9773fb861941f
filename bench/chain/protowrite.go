package chain

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// write writes the module in the order of its fields: the copies of all computations but the entry, and the entry with the
// instructions of all copies.
func (m *protoModuleOf) write(s *stream, copies int) {
	m.writeRest(s, 0, moduleComputations)
	for k := range copies {
		for i := range m.computations {
			if c := &m.computations[i]; c.id != m.entry {
				s.write(appendMessage(nil, moduleComputations, m.copied(c, k)))
			}
		}
	}
	for i := range m.computations {
		if c := &m.computations[i]; c.id == m.entry {
			s.message(moduleComputations, func(s *stream) { m.writeEntry(s, c, copies) })
		}
	}
	m.writeRest(s, moduleComputations, moduleSchedule)
	if len(m.schedule) > 0 {
		s.message(moduleSchedule, func(s *stream) { m.writeSchedule(s, copies) })
	}
	m.writeRest(s, moduleSchedule, protowire.MaxValidNumber)
}

// writeRest writes what all copies share of the fields between two.
func (m *protoModuleOf) writeRest(s *stream, above, below protowire.Number) {
	for _, f := range m.rest {
		if above < f.number && f.number < below {
			s.write(f.raw)
		}
	}
}

// copied is copy k of a computation that is not the entry.
func (m *protoModuleOf) copied(c *protoComputation, k int) []byte {
	b := appendText(nil, computationName, c.name+suffix(k))
	for i := range c.instructions {
		b = appendMessage(b, computationInstructions, m.instruction(&c.instructions[i], k, false))
	}
	for _, f := range c.rest {
		b = append(b, f.raw...)
	}
	b = appendNumber(b, computationID, m.numbering.comp(c.id, k))
	return appendNumber(b, computationRoot, m.numbering.instr(c.root, k, false))
}

func (m *protoModuleOf) writeEntry(s *stream, c *protoComputation, copies int) {
	s.write(appendText(nil, computationName, c.name))
	for k := range copies {
		for i := range c.instructions {
			in := &c.instructions[i]
			message := m.instruction(in, k, true)
			if k > 0 && in.opcode == "parameter" {
				message = m.carried(c, in, k)
			}
			s.write(appendMessage(nil, computationInstructions, message))
		}
	}
	for _, f := range c.rest {
		s.write(f.raw)
	}
	s.write(appendNumber(nil, computationID, c.id))
	s.write(appendNumber(nil, computationRoot, m.numbering.instr(c.root, copies-1, true)))
}

// instruction is an instruction of copy k.
func (m *protoModuleOf) instruction(in *protoInstruction, k int, entry bool) []byte {
	b := appendText(nil, instrName, in.name+suffix(k))
	for _, f := range in.rest {
		b = append(b, f.raw...)
	}
	b = appendNumber(b, instrID, m.numbering.instr(in.id, k, entry))
	b = m.appendInstrs(b, instrOperands, in.operands, k, entry)
	b = m.appendInstrs(b, instrPredecessors, in.predecessors, k, entry)
	if len(in.calls) == 0 {
		return b
	}
	calls := make([]int64, len(in.calls))
	for i, id := range in.calls {
		calls[i] = m.numbering.comp(id, k)
	}
	return appendNumbers(b, instrCallees, calls)
}

func (m *protoModuleOf) appendInstrs(b []byte, number protowire.Number, ids []int64, k int, entry bool) []byte {
	if len(ids) == 0 {
		return b
	}
	list := make([]int64, len(ids))
	for i, id := range ids {
		list[i] = m.numbering.instr(id, k, entry)
	}
	return appendNumbers(b, number, list)
}

// carried is the instruction that gives copy k the value of a parameter: what the copy before it returned.
func (m *protoModuleOf) carried(c *protoComputation, in *protoInstruction, k int) []byte {
	opcode, operand, n := "bitcast", in.id, int(in.param)
	same := n < len(m.results) && bytes.Equal(m.results[n], in.shape)
	if same {
		operand = c.root
	}
	b := appendText(nil, instrName, in.name+suffix(k))
	if same && m.tuple {
		opcode = "get-tuple-element"
		b = appendNumber(b, instrTupleIndex, in.param)
	}
	b = appendMessage(appendText(b, instrOpcode, opcode), instrShape, in.shape)
	for _, f := range in.rest {
		if f.number == instrMetadata {
			b = append(b, f.raw...)
		}
	}
	b = appendNumber(b, instrID, m.numbering.instr(in.id, k, true))
	return m.appendInstrs(b, instrOperands, []int64{operand}, k-1, true)
}

func (m *protoModuleOf) writeSchedule(s *stream, copies int) {
	for _, seq := range m.schedule {
		if seq.computation == m.entry {
			s.message(scheduleSequences, func(s *stream) { m.writeEntrySequence(s, seq, copies) })
			continue
		}
		for k := range copies {
			b := appendNumber(nil, sequenceKey, m.numbering.comp(seq.computation, k))
			ids := m.appendInstrs(nil, sequenceIDs, seq.ids, k, false)
			s.write(appendMessage(nil, scheduleSequences, appendMessage(b, sequenceValue, ids)))
		}
	}
}

func (m *protoModuleOf) writeEntrySequence(s *stream, seq sequence, copies int) {
	s.write(appendNumber(nil, sequenceKey, seq.computation))
	s.message(sequenceValue, func(s *stream) {
		for k := range copies {
			s.write(m.appendInstrs(nil, sequenceIDs, seq.ids, k, true))
		}
	})
}
