package artifacts

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Buffers is a module's buffer assignment.
type Buffers struct {
	Allocations []Allocation

	lines  int     // of the text, 0 of a proto
	values []Value // of all allocations, one after the other
}

// Allocation is one block of memory.
type Allocation struct {
	Index       int64
	Size        int64
	Color       int64 // memory space; 0 is the device's main memory
	Parameter   int64 // the number of the entry parameter in it, -1 for none
	Constant    bool
	ThreadLocal bool
	LiveOut     bool // maybe-live-out: a result
	Values      []Value
}

// Value is a buffer inside an allocation. Values whose lives do not overlap share bytes.
type Value struct {
	ID     int64
	Name   string  // the instruction that defines it, without %
	Index  []int64 // which leaf of the instruction's result
	Size   int64
	Offset int64
	Shape  string // with layout; "" from a proto
}

// Temp reports whether the allocation is scratch memory, as in XLA's memory statistics: without parameter, result, constant or thread-local value.
// A scratch allocation may hold tables of pointers among other values.
func (a *Allocation) Temp() bool {
	return a.Parameter < 0 && !a.Constant && !a.LiveOut && !a.ThreadLocal
}

// Complete returns an error if the allocations do not add up to the memory report, which may be empty, or if a value that the module makes has no buffer.
func (b *Buffers) Complete(m *hlo.Module, report []MemorySpace) error {
	for _, space := range report {
		if got := b.Totals(space.Color).Total; got != space.Bytes {
			return syntaxError(b.lines, "the file ends after %d bytes of allocations, and the memory usage report says %d: it was cut off, or is another module's",
				got, space.Bytes)
		}
	}
	held := map[string]int{} // values by the instruction that defines them
	for i := range b.Allocations {
		for j := range b.Allocations[i].Values {
			held[b.Allocations[i].Values[j].Name]++
		}
	}
	for id := range unfused(m) {
		if n := makes(m, id); n > 0 && held[m.InstrName(id)] < n {
			return syntaxError(b.lines, "the file ends without a buffer for %s, an instruction of the module: it was cut off, or is another module's", m.InstrName(id))
		}
	}
	return nil
}

// unfused iterates over the instructions with results in buffers: all that the entry reaches, also through a reduction in a fusion, but those in the
// fusion itself, in an asynchronous computation, and parameters of a called computation.
func unfused(m *hlo.Module) iter.Seq[hlo.InstrID] {
	type part struct {
		comp  hlo.CompID
		fused bool
	}
	return func(yield func(hlo.InstrID) bool) {
		seen, todo := map[part]bool{}, []part{{m.Entry, false}}
		for len(todo) > 0 {
			p := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[p] {
				continue
			}
			seen[p] = true
			first, end := m.Body(p.comp)
			for id := first; id < end; id++ {
				op := m.Instrs[id].Opcode
				if !p.fused && (op != hlo.OpParameter || p.comp == m.Entry) && !yield(id) {
					return
				}
				if op == hlo.OpAsyncStart {
					continue
				}
				for _, c := range m.Callees(id) {
					enters := op == hlo.OpCall || op == hlo.OpWhile || op == hlo.OpConditional // it runs them as the computation that it stands in is run
					todo = append(todo, part{c, op == hlo.OpFusion || p.fused && enters})
				}
			}
		}
	}
}

// makes returns how many values an instruction makes at least, by the rules of XLA's dataflow analysis: its result, and what a tuple holds that does
// not come from an operand or from a computation that it calls.
func makes(m *hlo.Module, id hlo.InstrID) int {
	op, result := m.Instrs[id].Opcode, m.Shape(m.Instrs[id].Shape)
	switch op { // the result is in the buffers of the operands, or of the computations that it calls
	case hlo.OpGetTupleElement, hlo.OpBitcast, hlo.OpCall, hlo.OpOptBarrier, hlo.OpAddDependency, hlo.OpDomain, hlo.OpAsyncUpdate:
		return 0
	}
	if strings.HasSuffix(m.OpcodeName(op), "-done") {
		return 0
	}
	if result.Type != hlo.Tuple || op == hlo.OpTuple || op == hlo.OpWhile || op == hlo.OpConditional {
		return 1
	}
	lent := -1 // the element that is the operand, or what an asynchronous computation returns
	deep := true
	switch op {
	case hlo.OpCopyStart:
		lent = 1
	case hlo.OpAsyncStart:
		lent, deep = 1, false
	case hlo.OpAllGatherStart, hlo.OpCollectivePermuteStart, hlo.OpSend:
		lent = 0
	}
	n := 1
	for i, e := range result.Elements {
		if i == lent {
			continue
		}
		n++
		if deep {
			n += elements(m, e)
		}
	}
	return n
}

// elements returns how many values a tuple holds, with the tuples in it; none in an array.
func elements(m *hlo.Module, id hlo.ShapeID) (n int) {
	for _, e := range m.Shape(id).Elements {
		n += 1 + elements(m, e)
	}
	return n
}

// Totals are sums in bytes over the allocations of one memory space or of all.
type Totals struct {
	Total       int64 // every allocation
	Argument    int64 // entry parameters, aliased ones included
	Output      int64 // results, without parameters
	Alias       int64 // parameters that a result reuses
	Constant    int64
	ThreadLocal int64
	Temp        int64 // scratch memory
	Largest     int64 // the largest single allocation: what has to fit into memory in one piece
}

// AllColors stands for all memory spaces in [Buffers.Totals].
const AllColors int64 = -1

// Totals sums the allocations in one memory space; AllColors sums all.
func (b *Buffers) Totals(color int64) Totals {
	var t Totals
	for i := range b.Allocations {
		a := &b.Allocations[i]
		if color != AllColors && a.Color != color {
			continue
		}
		addIf := func(sum *int64, is bool) {
			if is {
				*sum += a.Size
			}
		}
		t.Total, t.Largest = t.Total+a.Size, max(t.Largest, a.Size)
		addIf(&t.Argument, a.Parameter >= 0)
		addIf(&t.Output, a.LiveOut && a.Parameter < 0)
		addIf(&t.Alias, a.LiveOut && a.Parameter >= 0)
		addIf(&t.Constant, a.Constant)
		addIf(&t.ThreadLocal, a.ThreadLocal)
		addIf(&t.Temp, a.Temp())
	}
	return t
}

// Covered returns how many bytes of a memory space hold, at any time, a value that counts.
func (b *Buffers) Covered(color int64, counts func(*Value) bool) (bytes int64) {
	for i := range b.Allocations {
		a := &b.Allocations[i]
		if a.Color != color {
			continue
		}
		var spans [][2]int64 // from where to where in the allocation
		for j := range a.Values {
			if v := &a.Values[j]; counts(v) {
				spans = append(spans, [2]int64{v.Offset, v.Offset + v.Size})
			}
		}
		slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		covered := int64(0) // up to where
		for _, s := range spans {
			bytes += max(0, s[1]-max(covered, s[0]))
			covered = max(covered, s[1])
		}
	}
	return bytes
}

// Colors lists the memory spaces in use.
func (b *Buffers) Colors() []int64 {
	colors := phrase.Map(b.Allocations, func(a Allocation) int64 { return a.Color })
	slices.Sort(colors)
	return slices.Compact(colors)
}

// Largest returns the n largest values in scratch memory, the largest first. Of values with the same place and size it returns the first that is defined.
func (b *Buffers) Largest(n int) []Value {
	return phrase.Map(b.largest(n), func(l located) Value {
		v := *l.Value
		v.Name, v.Shape = strings.Clone(v.Name), strings.Clone(v.Shape) // do not hold on to the whole file
		return v
	})
}

// located is a value with its place.
type located struct {
	*Value
	allocation int64
}

func (b *Buffers) largest(n int) []located {
	var list []located
	for i := range b.Allocations {
		a := &b.Allocations[i]
		if !a.Temp() {
			continue
		}
		for j := range a.Values {
			l := located{&a.Values[j], a.Index}
			if n > 0 && len(list) == n && list[n-1].before(l) < 0 {
				continue
			}
			at, known := slices.BinarySearchFunc(list, l, located.before)
			switch {
			case !known:
				list = slices.Insert(list, at, l)
				list = list[:min(len(list), n)]
			case l.ID < list[at].ID:
				list[at] = l
			}
		}
	}
	return list
}

// before compares two places; larger values come first.
func (l located) before(o located) int {
	return cmp.Or(cmp.Compare(o.Size, l.Size), cmp.Compare(l.allocation, o.allocation), cmp.Compare(l.Offset, o.Offset))
}

// ReadBufferAssignment reads a -buffer-assignment.txt of any version. It returns an error if the file records a total and the allocations do not add up to it.
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
	if strings.HasPrefix(line, " ") {
		if len(b.Allocations) == 0 {
			return l.unknown("a value stands before the first allocation")
		}
		a := &b.Allocations[len(b.Allocations)-1]
		read := readOldValue
		value, named := strings.CutPrefix(line, " value: <")
		if named {
			read = func(_ *lines, value string) (Value, bool) { return readValue(value) }
		}
		v, ok := read(l, value)
		if !ok {
			return l.unknown("cannot read the value %q", strings.TrimSpace(line))
		}
		b.values = append(b.values, v)
		a.Values = b.values[len(b.values)-len(a.Values)-1:]
		return nil
	}
	a, ok := readAllocation(line)
	if !ok {
		return l.unknown("cannot read the allocation %q", line)
	}
	b.Allocations = append(b.Allocations, a)
	return nil
}

// checkTotal compares the allocations with the sum that older versions write after them.
func (b *Buffers) checkTotal(l *lines) error {
	line, more := l.next()
	for more && line == "" {
		line, more = l.next()
	}
	total, found := strings.CutPrefix(line, "Total bytes used: ")
	if !found {
		return nil
	}
	want, _, ok := cutInt(total)
	if !ok {
		return l.unknown("cannot read the total %q", total)
	}
	if got := b.Totals(AllColors).Total; got != want {
		return l.errorf("the allocations come to %d bytes, not to the %d bytes that the file says", got, want)
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
	for _, flag := range [...]struct {
		word string
		is   *bool
	}{{"constant", &a.Constant}, {"thread-local", &a.ThreadLocal}, {"maybe-live-out", &a.LiveOut}, {"preallocated-temp", new(bool)}} {
		if rest, ok := strings.CutPrefix(f.rest, flag.word); ok && rest != "" && (rest[0] == ',' || rest[0] == ':') {
			f.rest, *flag.is = rest, true
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
		f.has(" at ShapeIndex {}") // before 2020
	case f.has("shape |"):
		f.until("| at ShapeIndex {")
		f.until("}")
	case f.has("output shape is |"):
		f.until("|")
	default:
		f.ok = false
	}
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

// readOldValue reads the forms of 2019, the second from its first line to the one with the place:
//
//	fusion.1[](#1 @0) [0,4]: f32[]
//
//	4 fusion.1 @0, positions:
//	…
//	[0,4]: f32[]
func readOldValue(l *lines, s string) (v Value, ok bool) {
	name, place, ok := strings.Cut(strings.TrimLeft(s, " "), " [")
	id := ""
	if first, several := strings.CutSuffix(name, ", positions:"); several {
		id, name, _ = strings.Cut(first, " ")
		for !ok && l.rest != "" {
			s, _ = l.next()
			place, ok = strings.CutPrefix(s, " [")
		}
	} else {
		name, id, _ = strings.Cut(name, "](#")
		name = strings.Replace(name, "[", "{", 1) + "} " + strings.TrimSuffix(id[strings.IndexByte(id, ' ')+1:], ")")
		id, _, _ = strings.Cut(id, " ")
	}
	f := fields{id, ok}
	v.ID = f.int()
	f.rest = place
	v.Offset = f.int()
	f.skip(",")
	v.Size = f.int()
	f.skip("]: ")
	v.Shape = f.rest
	return v, f.ok && v.readName(name)
}

// readName reads "inputs.6{1} (phi) @0".
func (v *Value) readName(s string) bool {
	at := strings.LastIndex(s, " @")
	if at < 0 {
		return false
	}
	if _, rest, ok := cutInt(s[at+2:]); !ok || rest != "" {
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
