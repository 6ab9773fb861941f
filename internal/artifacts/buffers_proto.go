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
	var module, assignment, shape []byte
	err := wire.Scan(hloProto, wire.Fields{{1, "hlo_module", &module}, {3, "buffer_assignment", &assignment}, {4, "host_program_shape", &shape}})
	if err != nil || assignment == nil || shape != nil { // a HloModuleProto has a shape
		return nil, err
	}
	p := protoBuffers{
		buffers: &Buffers{Allocations: make([]Allocation, 0, count(assignment, 3))},
		logical: make([]logicalBuffer, 0, count(assignment, 1)),
	}
	p.buffers.values = make([]Value, 0, cap(p.logical))
	if err := p.read(assignment); err != nil {
		return nil, fmt.Errorf("buffer assignment: %w", err)
	}
	slices.SortStableFunc(p.logical, func(a, b logicalBuffer) int { return cmp.Compare(a.id, b.id) })
	for i := range p.buffers.Allocations {
		a := &p.buffers.Allocations[i]
		for _, v := range a.Values {
			if p.find(v.ID) == nil {
				return nil, fmt.Errorf("allocation %d holds the buffer %d, which is not in the file", a.Index, v.ID)
			}
		}
	}
	return p.buffers, p.name(module, p.buffers.largest(named))
}

// count returns how many fields of a message have a number.
func count(message []byte, number int) (n int) {
	for of := range wire.Bodies(message) {
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

// read reads the buffers and the allocations. There are many: they share the tables of their fields.
func (p *protoBuffers) read(assignment []byte) error {
	var buffer logicalBuffer
	var value Value
	var a Allocation
	var isParameter bool
	var parameter int64
	bufferFields := wire.Fields{{1, "id", &buffer.id}, {3, "defined_at", &buffer.definedAt}}
	valueFields := wire.Fields{{1, "logical_buffer_id", &value.ID}, {2, "offset", &value.Offset}, {3, "size", &value.Size}}
	allocationFields := wire.Fields{
		{1, "index", &a.Index}, {2, "size", &a.Size}, {3, "is_thread_local", &a.ThreadLocal}, {5, "is_entry_computation_parameter", &isParameter},
		{6, "parameter_number", &parameter}, {7, "maybe_live_out", &a.LiveOut}, {8, "color", &a.Color}, {12, "is_constant", &a.Constant},
		{9, "assigned", func(r *wire.Reader) error {
			value = Value{}
			err := r.Message(valueFields)
			p.buffers.values = append(p.buffers.values, value)
			return err
		}},
	}
	return wire.Scan(assignment, wire.Fields{
		{1, "logical_buffers", func(r *wire.Reader) error {
			buffer = logicalBuffer{}
			err := r.Message(bufferFields)
			p.logical = append(p.logical, buffer)
			return err
		}},
		{3, "buffer_allocations", func(r *wire.Reader) error {
			before := len(p.buffers.values)
			a, isParameter, parameter = Allocation{}, false, 0
			err := r.Message(allocationFields)
			a.Values = p.buffers.values[before:]
			if a.Parameter = -1; isParameter {
				a.Parameter = parameter
			}
			p.buffers.Allocations = append(p.buffers.Allocations, a)
			return err
		}},
	})
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
		location := wire.Fields{{2, "instruction_name", &l.Name}, {3, "shape_index", &l.Index}, {4, "instruction_id", &defined[i]}} // the name until 2022
		if err := wire.Scan(p.find(l.ID).definedAt, location); err != nil {
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

// MemorySpace is one kind of memory with its total in a memory usage report. The text form rounds the sizes of allocations; only its totals are exact.
type MemorySpace struct {
	Color int64
	Bytes int64
}

// ReadMemoryReport reads a -memory-usage-report.txt of any version. Versions before 2026 write only the sum over all memory spaces.
func ReadMemoryReport(data []byte) (spaces []MemorySpace, err error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	for line := range l.all() {
		if total, ok := strings.CutPrefix(line, "Total bytes used: "); ok {
			n, err := readBytes(&l, total)
			return append(spaces, MemorySpace{AllColors, n}), err
		}
		if space, ok := strings.CutPrefix(line, "Memory Space: "); ok {
			m, err := readSpace(&l, space)
			if err != nil {
				return nil, err
			}
			spaces = append(spaces, m)
		}
	}
	if len(spaces) == 0 && len(data) > 0 {
		return nil, syntaxError(1, `a memory usage report says "Total bytes used" or "Memory Space"`)
	}
	return spaces, nil
}

// readSpace reads "default (color=0)" and the total on the next line.
func readSpace(l *lines, s string) (m MemorySpace, err error) {
	f := fields{s, true}
	name := f.until(" (color=")
	if m.Color = f.int(); !f.ok || f.rest != ")" {
		return m, l.unknown("cannot read the memory space %q", s)
	}
	line, _ := l.next()
	total, ok := strings.CutPrefix(line, "Total bytes: ")
	if !ok {
		return m, l.errorf("the memory space %s has no total", name)
	}
	m.Bytes, err = readBytes(l, total)
	return m, err
}

// readBytes reads "69632 (68.0KiB)".
func readBytes(l *lines, s string) (int64, error) {
	n, _, ok := cutInt(s)
	if !ok {
		return 0, l.unknown("cannot read the number of bytes in %q", s)
	}
	return n, nil
}

// ReadMemoryReportProto reads a -memory-usage-report.pb.
func ReadMemoryReportProto(data []byte) (spaces []MemorySpace, err error) {
	err = wire.Scan(data, wire.Fields{{1, "memory_space_allocation_entries", func(entry []byte) error {
		var m MemorySpace
		err := wire.Scan(entry, wire.Fields{{1, "total_bytes", &m.Bytes}, {2, "memory_space_color", &m.Color}})
		spaces = append(spaces, m)
		return err
	}}})
	return spaces, err
}
