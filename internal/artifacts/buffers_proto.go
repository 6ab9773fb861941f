package artifacts

import (
	"errors"
	"fmt"
)

// ReadBufferAssignmentProto reads the buffer assignment inside a serialized HloProto. It is nil when the proto holds none, and of a
// HloModuleProto that was stored by itself: that has other fields of the same numbers, and more of them.
func ReadBufferAssignmentProto(hloProto []byte) (*Buffers, error) {
	var module, assignment []byte
	bare := false
	err := message(hloProto, func(f field) error {
		switch f.num {
		case 1: // HloModuleProto hlo_module = 1
			module = f.bytes
		case 3: // BufferAssignmentProto buffer_assignment = 3
			assignment = f.bytes
		case 4: // HloModuleProto.host_program_shape
			bare = true
		}
		return nil
	})
	if err != nil || assignment == nil || bare {
		return nil, err
	}
	p := protoBuffers{logical: map[int64]logicalBuffer{}, buffers: &Buffers{}}
	if err := message(assignment, p.readField); err != nil {
		return nil, fmt.Errorf("buffer assignment: %w", err)
	}
	if err := p.nameByID(module); err != nil {
		return nil, err
	}
	return p.buffers, p.assign()
}

// protoBuffers reads a BufferAssignmentProto.
type protoBuffers struct {
	logical  map[int64]logicalBuffer
	buffers  *Buffers
	assigned [][]assigned     // by allocation
	names    map[int64]string // by the ids of instructions
	named    int              // how many of them were found
}

// logicalBuffer is a LogicalBufferProto.
type logicalBuffer struct {
	name        string
	instruction int64 // where there is no name
	index       []int64
}

// assigned is a BufferAllocationProto.Assigned.
type assigned struct{ buffer, offset, size int64 }

func (p *protoBuffers) readField(f field) error {
	switch f.num {
	case 1: // repeated LogicalBufferProto logical_buffers = 1
		return p.readLogical(f.bytes)
	case 3: // repeated BufferAllocationProto buffer_allocations = 3
		return p.readAllocation(f.bytes)
	}
	return nil
}

func (p *protoBuffers) readLogical(data []byte) error {
	var id int64
	var b logicalBuffer
	err := message(data, func(f field) error {
		switch f.num {
		case 1: // int64 id = 1
			id = f.int()
		case 3: // Location defined_at = 3
			return message(f.bytes, b.readLocation)
		}
		return nil
	})
	p.logical[id] = b
	return err
}

func (b *logicalBuffer) readLocation(f field) (err error) {
	switch f.num {
	case 2: // string instruction_name = 2, until 2022
		b.name = string(f.bytes)
	case 3: // repeated int64 shape_index = 3
		b.index, err = f.ints(b.index)
	case 4: // int64 instruction_id = 4
		b.instruction = f.int()
	}
	return err
}

func (p *protoBuffers) readAllocation(data []byte) error {
	a := Allocation{Parameter: -1}
	var parameter int64
	var isParameter bool
	var values []assigned
	err := message(data, func(f field) (err error) {
		switch f.num {
		case 1: // int64 index = 1
			a.Index = f.int()
		case 2: // int64 size = 2
			a.Size = f.int()
		case 3: // bool is_thread_local = 3
			a.ThreadLocal = f.bool()
		case 5: // bool is_entry_computation_parameter = 5
			isParameter = f.bool()
		case 6: // int64 parameter_number = 6
			parameter = f.int()
		case 7: // bool maybe_live_out = 7
			a.LiveOut = f.bool()
		case 8: // int64 color = 8
			a.Color = f.int()
		case 9: // repeated Assigned assigned = 9
			var v assigned
			v, err = readAssigned(f.bytes)
			values = append(values, v)
		case 10: // repeated int64 parameter_shape_index = 10
			a.ParamIndex, err = f.ints(a.ParamIndex)
		case 11: // bool is_tuple = 11
			a.Tuple = f.bool()
		case 12: // bool is_constant = 12
			a.Constant = f.bool()
		}
		return err
	})
	if isParameter {
		a.Parameter = parameter
	}
	p.buffers.Allocations = append(p.buffers.Allocations, a)
	p.assigned = append(p.assigned, values)
	return err
}

func readAssigned(data []byte) (a assigned, err error) {
	err = message(data, func(f field) error {
		switch f.num {
		case 1: // int64 logical_buffer_id = 1
			a.buffer = f.int()
		case 2: // int64 offset = 2
			a.offset = f.int()
		case 3: // int64 size = 3
			a.size = f.int()
		}
		return nil
	})
	return a, err
}

// nameByID finds the names of the instructions that buffers name by id only.
func (p *protoBuffers) nameByID(module []byte) error {
	p.names = map[int64]string{}
	running := map[int64]bool{} // the computations that hold them, where ids tell
	for _, b := range p.logical {
		if b.name == "" {
			p.names[b.instruction] = ""
			running[computationOf(b.instruction)] = true
		}
	}
	if len(p.names) == 0 {
		return nil
	}
	err := p.nameIn(module, func(computation int64) bool { return running[computation] })
	if err != nil || p.named >= len(p.names) {
		return err
	}
	return p.nameIn(module, func(int64) bool { return true })
}

// computationOf is the id of the computation that an instruction stands in, which newer files write into the upper half of its own.
func computationOf(instruction int64) int64 { return instruction >> 32 }

// nameIn finds names in some of the computations: most are inside of fusions and have no buffers. Which computation it is its first
// instruction tells.
func (p *protoBuffers) nameIn(module []byte, wanted func(computation int64) bool) error {
	return message(module, func(f field) error {
		if f.num != 3 { // repeated HloComputationProto computations = 3
			return nil
		}
		first := true
		err := message(f.bytes, func(f field) error {
			if f.num != 2 { // repeated HloInstructionProto instructions = 2
				return nil
			}
			name, id, err := instruction(f.bytes)
			if err == nil && first && !wanted(computationOf(id)) {
				return errUnwanted
			}
			first = false
			if known, wanted := p.names[id]; wanted {
				if p.names[id] = string(name); known == "" {
					p.named++
				}
			}
			return err
		})
		if errors.Is(err, errUnwanted) {
			return nil
		}
		return err
	})
}

var errUnwanted = errors.New("no buffers are in this computation")

func instruction(data []byte) (name []byte, id int64, err error) {
	err = message(data, func(f field) error {
		switch f.num {
		case 1: // string name = 1
			name = f.bytes
		case 35: // int64 id = 35
			id = f.int()
		}
		return nil
	})
	return name, id, err
}

// assign puts the values into their allocations.
func (p *protoBuffers) assign() error {
	for i, list := range p.assigned {
		a := &p.buffers.Allocations[i]
		for _, v := range list {
			b, ok := p.logical[v.buffer]
			if !ok {
				return fmt.Errorf("allocation %d holds the buffer %d, which is not in the file", a.Index, v.buffer)
			}
			name := b.name
			if name == "" {
				name = p.names[b.instruction]
			}
			a.Values = append(a.Values, Value{ID: v.buffer, Name: name, Index: b.index, Size: v.size, Offset: v.offset})
		}
	}
	return nil
}
