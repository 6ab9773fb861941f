package artifacts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

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
