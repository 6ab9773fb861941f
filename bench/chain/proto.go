package chain

import (
	"bufio"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields that are written, by their numbers in hlo.proto.
const (
	protoModule = 1 // of HloProto

	moduleName, moduleEntryName, moduleComputations, moduleEntry, moduleSchedule = 1, 2, 3, 6, 7

	computationName, computationInstructions, computationID, computationRoot = 1, 2, 5, 6

	instrName, instrOpcode, instrShape, instrMetadata, instrParam, instrTupleIndex = 1, 2, 3, 7, 9, 13
	instrID, instrOperands, instrPredecessors, instrCallees                        = 35, 36, 37, 38

	scheduleSequences, sequenceKey, sequenceValue, sequenceIDs = 1, 1, 2, 1

	shapeType, shapeElements, tupleType = 2, 4, 13
)

// protoModuleOf is a serialized module, cut into what is copied and what is not.
type protoModuleOf struct {
	rest         []field // of the module
	computations []protoComputation
	entry        int64 // the id of the entry computation
	schedule     []sequence
	numbering    numbering
	results      [][]byte // the shapes of the entry's results
	tuple        bool     // its root is a tuple of them
}

type protoComputation struct {
	id, root     int64
	name         string
	rest         []field
	instructions []protoInstruction
}

type protoInstruction struct {
	id, param                     int64
	name, opcode                  string
	shape                         []byte
	operands, predecessors, calls []int64
	rest                          []field
}

type sequence struct {
	computation int64
	ids         []int64
}

// numbering keeps the ids of copies apart. In newer files an instruction's id holds that of its computation.
type numbering struct {
	nested                 bool
	instrs, comps, inEntry int64 // behind the largest id of each kind
}

func (n *numbering) comp(id int64, k int) int64 { return id + int64(k)*n.comps }

func (n *numbering) instr(id int64, k int, entry bool) int64 {
	switch {
	case !n.nested:
		return id + int64(k)*n.instrs
	case entry:
		return id + int64(k)*n.inEntry
	}
	return id + int64(k)*n.comps<<32
}

func writeProto(w io.Writer, src []byte, copies int) error {
	m, err := splitProto(src)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	s := &stream{w: out}
	s.message(protoModule, func(s *stream) { m.write(s, copies) })
	if s.err != nil {
		return s.err
	}
	return out.Flush()
}

// splitProto cuts an HloProto whose first field is the module.
func splitProto(src []byte) (*protoModuleOf, error) {
	outer, err := fieldsOf(src)
	if err != nil || len(outer) == 0 || outer[0].number != protoModule {
		return nil, errForm
	}
	fields, err := fieldsOf(outer[0].body)
	if err != nil {
		return nil, err
	}
	m := &protoModuleOf{}
	for _, f := range fields {
		switch f.number {
		case moduleComputations:
			c, err := readComputation(f.body)
			if err != nil {
				return nil, err
			}
			m.computations = append(m.computations, c)
		case moduleSchedule:
			if m.schedule, err = readSchedule(f.body); err != nil {
				return nil, err
			}
		case moduleEntry:
			m.entry = int64(f.value)
			m.rest = append(m.rest, f)
		default:
			m.rest = append(m.rest, f)
		}
	}
	return m, m.prepare()
}

// prepare finds what copies are told apart by, and what the entry computation returns.
func (m *protoModuleOf) prepare() error {
	n := &m.numbering
	for _, c := range m.computations {
		n.comps = max(n.comps, c.id+1)
		for _, in := range c.instructions {
			n.instrs = max(n.instrs, in.id+1)
			n.nested = n.nested || in.id>>32 != 0
			if c.id == m.entry {
				n.inEntry = max(n.inEntry, in.id&(1<<32-1)+1)
			}
			if c.id == m.entry && in.id == c.root {
				m.results, m.tuple = resultsOf(in.shape)
			}
		}
	}
	if len(m.results) == 0 {
		return fmt.Errorf("%w: no entry computation", errForm)
	}
	return nil
}

func readComputation(message []byte) (c protoComputation, err error) {
	fields, err := fieldsOf(message)
	for _, f := range fields {
		switch f.number {
		case computationName:
			c.name = string(f.body)
		case computationInstructions:
			in, err := readInstruction(f.body)
			if err != nil {
				return c, err
			}
			c.instructions = append(c.instructions, in)
		case computationID:
			c.id = int64(f.value)
		case computationRoot:
			c.root = int64(f.value)
		default:
			c.rest = append(c.rest, f)
		}
	}
	return c, err
}

func readInstruction(message []byte) (in protoInstruction, err error) {
	fields, err := fieldsOf(message)
	for _, f := range fields {
		switch f.number {
		case instrName:
			in.name = string(f.body)
		case instrOpcode:
			in.opcode = string(f.body)
			in.rest = append(in.rest, f)
		case instrShape:
			in.shape = f.body
			in.rest = append(in.rest, f)
		case instrID:
			in.id = int64(f.value)
		case instrOperands:
			in.operands = append(in.operands, f.numbers()...)
		case instrPredecessors:
			in.predecessors = append(in.predecessors, f.numbers()...)
		case instrCallees:
			in.calls = append(in.calls, f.numbers()...)
		case instrParam:
			in.param = int64(f.value)
			in.rest = append(in.rest, f)
		default:
			in.rest = append(in.rest, f)
		}
	}
	return in, err
}

func readSchedule(message []byte) ([]sequence, error) {
	entries, err := fieldsOf(message)
	var list []sequence
	for _, entry := range entries {
		fields, err := fieldsOf(entry.body)
		if err != nil {
			return nil, err
		}
		var s sequence
		for _, f := range fields {
			switch f.number {
			case sequenceKey:
				s.computation = int64(f.value)
			case sequenceValue:
				ids, err := fieldsOf(f.body)
				if err != nil {
					return nil, err
				}
				for _, f := range ids {
					s.ids = append(s.ids, f.numbers()...)
				}
			}
		}
		list = append(list, s)
	}
	return list, err
}

// resultsOf lists the shapes in a tuple's ShapeProto; any other shape is the only result.
func resultsOf(shape []byte) (results [][]byte, tuple bool) {
	fields, _ := fieldsOf(shape)
	for _, f := range fields {
		switch {
		case f.number == shapeType && f.kind == protowire.VarintType:
			tuple = f.value == tupleType
		case f.number == shapeElements:
			results = append(results, f.body)
		}
	}
	if !tuple {
		results = [][]byte{shape}
	}
	return results, tuple
}
