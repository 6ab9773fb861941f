package artifacts

import (
	"bytes"
	"strings"
)

// LiveRange is the point of the schedule at which a module's live buffers need the most memory.
type LiveRange struct {
	Peak int64 // bytes live then, arguments and results included
}

// ReadLiveRange reads a -live-range.txt, or the same text at the end of an older -buffer-assignment.txt.
func ReadLiveRange(data []byte) (*LiveRange, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	start := bytes.Index(data, []byte("HloLiveRange (max "))
	if start < 0 {
		return nil, syntaxError(1, `live ranges begin with "HloLiveRange"`)
	}
	l := lines{rest: string(data[start:]), n: bytes.Count(data[:start], []byte("\n"))}
	r := &LiveRange{}
	var ranges []string
	for line := range l.all() {
		if entry, ok := strings.CutPrefix(line, "    "); ok {
			ranges = append(ranges, entry)
		}
		if position, ok := strings.CutPrefix(line, "  Live ranges at "); ok {
			at, _, ok := cutInt(position)
			if !ok {
				return nil, l.errorf("cannot read the peak's position %q", position)
			}
			return r, r.readPeak(&l, liveAt(ranges, at))
		}
	}
	return nil, l.errorf("the peak is missing: the file was cut off")
}

// liveAt counts the buffers that are live at a position, of lines such as "copy.1{}:16-43".
func liveAt(ranges []string, at int64) (n int) {
	for _, entry := range ranges {
		_, span, _ := strings.Cut(entry, "}:")
		from, rest, ok := cutInt(span)
		to, ended := wholeInt(strings.TrimPrefix(rest, "-"))
		if ok && ended && from <= at && at <= to {
			n++
		}
	}
	return n
}

// readPeak adds up the buffers that are live at the peak:
//
//	copy.1{}: 96 bytes (cumulative: 96 bytes)
func (r *LiveRange) readPeak(l *lines, want int) error {
	for n := 0; ; n++ {
		line, ok := l.next()
		entry, isEntry := strings.CutPrefix(line, "    ")
		if !ok || !isEntry {
			if n < want {
				return l.errorf("the file lists %d of the %d buffers that are live at the peak: it was cut off", n, want)
			}
			return r.checkPeak(l, line)
		}
		bytes, ok := liveBytes(entry)
		if !ok {
			return l.errorf("cannot read the live buffer %q", entry)
		}
		r.Peak += bytes
		if _, cumulative, ok := strings.Cut(entry, "(cumulative: "); ok {
			if sum, _, ok := cutInt(cumulative); !ok || sum != r.Peak {
				return l.errorf("the buffers come to %d bytes, not to %q", r.Peak, cumulative)
			}
		}
	}
}

// checkPeak compares the buffers with the sum that the newest versions write after them.
func (r *LiveRange) checkPeak(l *lines, line string) error {
	total, ok := strings.CutPrefix(line, "  Stack trace breakdown for peak usage: ")
	if !ok {
		return nil
	}
	digits := strings.ReplaceAll(strings.TrimSuffix(total, " bytes"), " ", "") // "4 849 664 bytes"
	if n, ok := wholeInt(digits); !ok || n != r.Peak {
		return l.errorf("the live buffers come to %d bytes, not to %q", r.Peak, total)
	}
	return nil
}

func liveBytes(entry string) (int64, bool) {
	name, size, ok := strings.Cut(entry, ": ")
	if _, index, indexed := strings.Cut(name, "{"); !ok || name == "" || indexed && !strings.HasSuffix(index, "}") {
		return 0, false
	}
	bytes, size, ok := cutInt(size)
	return bytes, ok && strings.HasPrefix(size, " bytes")
}
