package artifacts

import "strings"

// ReadBufferAssignment reads a -buffer-assignment.txt of any version. It returns an error if the file records a total and the allocations
// do not add up to it.
func ReadBufferAssignment(data []byte) (*Buffers, error) {
	if err := whole(data); err != nil {
		return nil, err
	}
	l := lines{rest: string(data)}
	if first, _ := l.next(); first != "BufferAssignment:" {
		return nil, syntaxError(1, `a buffer assignment begins with "BufferAssignment:"`)
	}
	b := &Buffers{}
	for line := range l.all() {
		if line == "" {
			break
		}
		if err := b.readLine(&l, line); err != nil {
			return nil, err
		}
	}
	b.lines = l.n
	return b, b.checkTotal(&l)
}

func (b *Buffers) readLine(l *lines, line string) error {
	if value, ok := strings.CutPrefix(line, " value: <"); ok {
		if len(b.Allocations) == 0 {
			return l.errorf("a value stands before the first allocation")
		}
		a := &b.Allocations[len(b.Allocations)-1]
		v, ok := readValue(value)
		if !ok {
			return l.errorf("cannot read the value %q", value)
		}
		a.Values = append(a.Values, v)
		return nil
	}
	a, ok := readAllocation(line)
	if !ok {
		return l.errorf("cannot read the allocation %q", line)
	}
	b.Allocations = append(b.Allocations, a)
	return nil
}

// checkTotal compares the allocations with the sum that older versions write after them.
func (b *Buffers) checkTotal(l *lines) error {
	for line := range l.all() {
		if line == "" {
			continue
		}
		total, found := strings.CutPrefix(line, "Total bytes used: ")
		if !found {
			break
		}
		want, _, ok := cutInt(total)
		if !ok {
			return l.errorf("cannot read the total %q", total)
		}
		if got := b.Totals(AllColors).Total; got != want {
			return l.errorf("the allocations come to %d bytes, not to the %d bytes that the file says", got, want)
		}
		break
	}
	return nil
}

// readAllocation reads
//
//	allocation 0: size 6144, color 1, page 0, parameter 0, shape |f32[2,16]| at ShapeIndex {}, maybe-live-out:
//
// Versions before 2023 print the allocation's address before its size.
func readAllocation(line string) (a Allocation, ok bool) {
	f := fields{line, true}
	f.skip("allocation ")
	a.Index = f.int()
	f.skip(": ")
	if strings.HasPrefix(f.rest, "0x") {
		f.until(", ")
	}
	f.skip("size ")
	a.Size, a.Parameter = f.int(), -1
	for f.ok && f.rest != ":" {
		f.skip(", ")
		a.readAttribute(&f)
	}
	return a, f.ok && a.Size >= 0
}

// readAttribute reads one of the attributes after an allocation's size.
func (a *Allocation) readAttribute(f *fields) {
	for word, flag := range a.flags() {
		if rest, ok := strings.CutPrefix(f.rest, word); ok && rest != "" && (rest[0] == ',' || rest[0] == ':') {
			if f.rest = rest; flag != nil {
				*flag = true
			}
			return
		}
	}
	switch {
	case f.has("color "):
		a.Color = f.int()
	case f.has("page "):
		f.int()
	case f.has("parameter "):
		a.Parameter = f.int()
		f.ok = f.ok && a.Parameter >= 0
	case f.has("shape |"):
		f.until("| at ShapeIndex {")
		f.until("}")
	case f.has("output shape is |"):
		f.until("|")
	default:
		f.ok = false
	}
}

func (a *Allocation) flags() map[string]*bool {
	return map[string]*bool{"constant": &a.Constant, "thread-local": &a.ThreadLocal, "maybe-live-out": &a.LiveOut, "preallocated-temp": nil}
}

// readValue reads the part after "<" in
//
//	value: <79 inputs.6{1} (phi) @0> (size=8192,offset=0): f32[64,32]{1,0}
func readValue(s string) (v Value, ok bool) {
	f := fields{s, true}
	v.ID = f.int()
	name := f.until("> (size=")
	v.Size = f.int()
	f.skip(",offset=")
	v.Offset = f.int()
	f.skip("): ")
	v.Shape = f.rest
	return v, f.ok && v.readName(strings.TrimPrefix(name, " "))
}

// readName reads "inputs.6{1} (phi) @0".
func (v *Value) readName(s string) bool {
	at := strings.LastIndex(s, " @")
	if at < 0 {
		return false
	}
	if _, ok := wholeInt(s[at+2:]); !ok {
		return false
	}
	name, index, indexed := strings.Cut(strings.TrimSuffix(s[:at], " (phi)"), "{")
	v.Name = strings.TrimPrefix(name, "%")
	if !indexed {
		return name != ""
	}
	list, ok := strings.CutSuffix(index, "}")
	if ok {
		v.Index, ok = intList(list)
	}
	return ok && name != ""
}
