package artifacts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/wire"
)

// ReadBufferAssignmentProto reads the buffer assignment in a serialized HloProto. Only the values that Largest(named) returns
// get a name and an index, which are elsewhere in the file. It returns nil if the proto has no buffer assignment or is a bare
// HloModuleProto, which has other fields with the same numbers, and more of them.
func ReadBufferAssignmentProto(hloProto []byte, named int) (*Buffers, error) {
	var module, assignment []byte
	bare := false
	err := wire.Each(hloProto, func(f wire.Field) error {
		switch f.Number {
		case 1: // HloModuleProto hlo_module = 1
			module = f.Bytes
		case 3: // BufferAssignmentProto buffer_assignment = 3
			assignment = f.Bytes
		case 4: // HloModuleProto.host_program_shape
			bare = true
		}
		return nil
	})
	if err != nil || assignment == nil || bare {
		return nil, err
	}
	p := protoBuffers{
		buffers: &Buffers{Allocations: make([]Allocation, 0, count(assignment, 3))},
		logical: make([]logicalBuffer, 0, count(assignment, 1)),
	}
	if err := wire.Each(assignment, p.readField); err != nil {
		return nil, fmt.Errorf("buffer assignment: %w", err)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p.buffers, p.name(module, p.buffers.largest(named))
}

// count returns how many fields of a message have a number.
func count(message []byte, number int) (n int) {
	for of := range wire.Fields(message) {
		if of == number {
			n++
		}
	}
	return n
}

// protoBuffers reads a BufferAssignmentProto.
type protoBuffers struct {
	buffers *Buffers
	logical []logicalBuffer // sorted by id once all are read
}

// logicalBuffer is a LogicalBufferProto.
type logicalBuffer struct {
	id        int64
	definedAt []byte // a Location
}

func (p *protoBuffers) readField(f wire.Field) error {
	switch f.Number {
	case 1: // repeated LogicalBufferProto logical_buffers = 1
		return p.readLogical(f.Bytes)
	case 3: // repeated BufferAllocationProto buffer_allocations = 3
		return p.readAllocation(f.Bytes)
	}
	return nil
}

func (p *protoBuffers) readLogical(data []byte) error {
	var b logicalBuffer
	err := wire.Each(data, func(f wire.Field) error {
		switch f.Number {
		case 1: // int64 id = 1
			b.id = f.Int()
		case 3: // Location defined_at = 3
			b.definedAt = f.Bytes
		}
		return nil
	})
	p.logical = append(p.logical, b)
	return err
}

func (p *protoBuffers) readAllocation(data []byte) error {
	a := Allocation{Parameter: -1, Values: make([]Value, 0, count(data, 9))}
	var parameter int64
	var isParameter bool
	err := wire.Each(data, func(f wire.Field) (err error) {
		switch f.Number {
		case 1: // int64 index = 1
			a.Index = f.Int()
		case 2: // int64 size = 2
			a.Size = f.Int()
		case 3: // bool is_thread_local = 3
			a.ThreadLocal = f.Bool()
		case 5: // bool is_entry_computation_parameter = 5
			isParameter = f.Bool()
		case 6: // int64 parameter_number = 6
			parameter = f.Int()
		case 7: // bool maybe_live_out = 7
			a.LiveOut = f.Bool()
		case 8: // int64 color = 8
			a.Color = f.Int()
		case 9: // repeated Assigned assigned = 9
			var v Value
			v, err = readAssigned(f.Bytes)
			a.Values = append(a.Values, v)
		case 11: // bool is_tuple = 11
			a.Tuple = f.Bool()
		case 12: // bool is_constant = 12
			a.Constant = f.Bool()
		}
		return err
	})
	if isParameter {
		a.Parameter = parameter
	}
	p.buffers.Allocations = append(p.buffers.Allocations, a)
	return err
}

func readAssigned(data []byte) (v Value, err error) {
	err = wire.Each(data, func(f wire.Field) error {
		switch f.Number {
		case 1: // int64 logical_buffer_id = 1
			v.ID = f.Int()
		case 2: // int64 offset = 2
			v.Offset = f.Int()
		case 3: // int64 size = 3
			v.Size = f.Int()
		}
		return nil
	})
	return v, err
}

// check returns an error if an allocation refers to a buffer that is not in the file.
func (p *protoBuffers) check() error {
	slices.SortStableFunc(p.logical, func(a, b logicalBuffer) int { return cmp.Compare(a.id, b.id) })
	for i := range p.buffers.Allocations {
		a := &p.buffers.Allocations[i]
		for _, v := range a.Values {
			if p.find(v.ID) == nil {
				return fmt.Errorf("allocation %d holds the buffer %d, which is not in the file", a.Index, v.ID)
			}
		}
	}
	return nil
}

// find returns the logical buffer with an id. XLA numbers them without gaps.
func (p *protoBuffers) find(id int64) *logicalBuffer {
	if len(p.logical) == 0 {
		return nil
	}
	if at := id - p.logical[0].id; at >= 0 && at < int64(len(p.logical)) && p.logical[at].id == id {
		return &p.logical[at]
	}
	at, found := slices.BinarySearchFunc(p.logical, id, func(b logicalBuffer, id int64) int { return cmp.Compare(b.id, id) })
	if !found {
		return nil
	}
	return &p.logical[at]
}

// name sets the instruction and index that define each value.
func (p *protoBuffers) name(module []byte, values []located) error {
	names := map[int64]string{}
	defined := make([]int64, len(values)) // the ids of instructions
	for i, l := range values {
		err := wire.Each(p.find(l.ID).definedAt, func(f wire.Field) (err error) {
			switch f.Number {
			case 2: // string instruction_name = 2, until 2022
				l.Name = string(f.Bytes)
			case 3: // repeated int64 shape_index = 3
				l.Index, err = f.Ints(l.Index)
			case 4: // int64 instruction_id = 4
				defined[i] = f.Int()
			}
			return err
		})
		if err != nil {
			return err
		}
		if l.Name == "" {
			names[defined[i]] = ""
		}
	}
	hlo.NamesInProto(module, names)
	for i, l := range values {
		l.Name = cmp.Or(l.Name, names[defined[i]])
	}
	return nil
}

// MemoryReport is a memory usage report. The text form rounds the sizes of allocations; only its totals are exact.
type MemoryReport struct {
	Spaces []MemorySpace
}

// spaces returns the memory spaces; none if the report is nil.
func (r *MemoryReport) spaces() []MemorySpace {
	if r == nil {
		return nil
	}
	return r.Spaces
}

// MemorySpace is one kind of memory.
type MemorySpace struct {
	Color int64
	Bytes int64
}

// ReadMemoryReport reads a -memory-usage-report.txt of any version. Versions before 2026 write only the sum over all memory spaces.
func ReadMemoryReport(data []byte) (*MemoryReport, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	r := &MemoryReport{}
	for line := range l.all() {
		var err error
		if total, ok := strings.CutPrefix(line, "Total bytes used: "); ok {
			_, err = readBytes(&l, total)
			return r, err
		}
		if space, ok := strings.CutPrefix(line, "Memory Space: "); ok {
			if err = r.readSpace(&l, space); err != nil {
				return nil, err
			}
		}
	}
	if len(r.Spaces) == 0 && len(data) > 0 {
		return nil, syntaxError(1, `a memory usage report says "Total bytes used" or "Memory Space"`)
	}
	return r, nil
}

// readSpace reads "default (color=0)" and the total on the next line.
func (r *MemoryReport) readSpace(l *lines, s string) error {
	f := fields{s, true}
	name, m := f.until(" (color="), MemorySpace{}
	if m.Color = f.int(); !f.ok || f.rest != ")" {
		return l.errorf("cannot read the memory space %q", s)
	}
	line, _ := l.next()
	total, ok := strings.CutPrefix(line, "Total bytes: ")
	if !ok {
		return l.errorf("the memory space %s has no total", name)
	}
	var err error
	m.Bytes, err = readBytes(l, total)
	r.Spaces = append(r.Spaces, m)
	return err
}

// readBytes reads "69632 (68.0KiB)".
func readBytes(l *lines, s string) (int64, error) {
	n, _, ok := cutInt(s)
	if !ok {
		return 0, l.errorf("cannot read the number of bytes in %q", s)
	}
	return n, nil
}

// ReadMemoryReportProto reads a -memory-usage-report.pb.
func ReadMemoryReportProto(data []byte) (*MemoryReport, error) {
	r := &MemoryReport{}
	err := wire.Each(data, func(f wire.Field) error {
		if f.Number != 1 { // repeated MemorySpaceAllocationEntry memory_space_allocation_entries = 1
			return nil
		}
		var m MemorySpace
		err := wire.Each(f.Bytes, func(f wire.Field) error {
			switch f.Number {
			case 1: // int64 total_bytes = 1
				m.Bytes = f.Int()
			case 2: // int32 memory_space_color = 2
				m.Color = f.Int()
			}
			return nil
		})
		r.Spaces = append(r.Spaces, m)
		return err
	})
	return r, err
}
