package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Temporary buffers that are named: so many of the largest, without those that are so many times smaller than the largest, which explain nothing and change
// with every edit.
const (
	maxBuffers = 10
	maxSmaller = 16
)

// memory reads the buffer assignment: the companion file, else the one inside the proto.
func (out *measuring) memory(r *reader, s *dump.Stage) {
	v := out.Variant
	buffers, ok := out.bufferAssignment(r, s)
	if !ok {
		v.Missing = append(v.Missing, string(dump.KindBufferAssignment))
		out.reportedSpaces()
		return
	}
	color := artifacts.AllColors
	if out.module.Backend() == "tpu" {
		color = 0 // the other memory spaces of a TPU are on the chip
	}
	total := buffers.Totals(color)
	v.Facts[MemoryTemp] = float64(total.Temp)
	v.Facts[MemoryArgument] = float64(total.Argument)
	v.Facts[MemoryOutput] = float64(total.Output + total.Alias) // as XLA's memory analysis counts
	v.Facts[MemoryAlias] = float64(total.Alias)
	v.Facts[MemoryConstant] = float64(total.Constant)
	v.Facts[MemoryPeak] = float64(total.Total)
	v.Facts[MemoryAllocation] = float64(total.Largest)
	out.spaces(r, buffers)
	v.Buffers = r.buffers(buffers.Largest(maxBuffers))
}

func (out *measuring) memoryReport() (report *artifacts.MemoryReport, ok bool) {
	if f := out.module.Companion(dump.KindMemoryReport); f != nil {
		return readCompanion(out, f, artifacts.ReadMemoryReport)
	}
	if f := out.module.Companion(dump.KindMemoryReportProto); f != nil {
		return readCompanion(out, f, artifacts.ReadMemoryReportProto)
	}
	return nil, false
}

func (out *measuring) bufferAssignment(r *reader, s *dump.Stage) (buffers *artifacts.Buffers, ok bool) {
	if f := out.module.Companion(dump.KindBufferAssignment); f != nil {
		report, _ := out.memoryReport()
		return readCompanion(out, f, func(data []byte) (*artifacts.Buffers, error) {
			buffers, err := artifacts.ReadBufferAssignment(data)
			if err == nil {
				err = buffers.Complete(r.m, report)
			}
			return buffers, err
		})
	}
	inProto := func(data []byte) (*artifacts.Buffers, error) {
		return artifacts.ReadBufferAssignmentProto(data, maxBuffers)
	}
	if proto := s.File(dump.KindHLOProto); proto != nil {
		if buffers, ok = readFile(out, r, proto, out.best(s), inProto); ok && buffers != nil {
			return buffers, ok
		}
	}
	if f := out.module.Companion(dump.KindBufferProto); f != nil {
		buffers, ok = readCompanion(out, f, inProto)
	}
	return buffers, ok && buffers != nil
}

// readFile reads a file of a stage. What is open for the module is not opened again: a file that is mapped twice counts twice.
func readFile[T any](out *measuring, r *reader, f, open *dump.File, read func([]byte) (T, error)) (value T, ok bool) {
	if f != open {
		return readCompanion(out, f, read)
	}
	value, err := read(r.m.Source())
	if err != nil {
		out.unreadable(f, err)
	}
	return value, err == nil
}

// readCompanion reads one companion file. An error becomes a problem of the module.
func readCompanion[T any](out *measuring, f *dump.File, read func([]byte) (T, error)) (value T, ok bool) {
	err := f.Read(func(data []byte) (err error) {
		value, err = read(data)
		return err
	})
	if err != nil {
		out.unreadable(f, err)
	}
	return value, err == nil
}

// countRun counts what a run is given, gives back and touches: its price depends on that beside the launches.
func (out *measuring) countRun() {
	f := out.Variant.Facts
	f[RunArguments] = float64(len(out.Variant.Params))
	f[RunResults] = float64(strings.Count(out.Variant.Result, "["))
	if _, known := f[MemoryArgument]; known {
		f[RunTouched] = f[MemoryArgument] + f[MemoryOutput] + f[MemoryTemp] - f[MemoryAlias]
	}
}

// buffers names the given allocations by what the model keeps in them.
func (r *reader) buffers(largest []artifacts.Value) []Buffer {
	byName := make(map[string]hlo.InstrID, len(largest))
	for _, b := range largest {
		byName[b.Name] = hlo.NoInstr
	}
	r.m.FindInstrs(byName)
	list := make([]Buffer, 0, len(largest))
	for _, b := range largest {
		if b.Size < largest[0].Size/maxSmaller {
			continue
		}
		named := Buffer{Bytes: b.Size, Shape: b.Shape}
		if id := byName[b.Name]; id != hlo.NoInstr {
			md := r.metadata(id)
			named.OpName, named.Source = cmp.Or(md.OpName, r.owners()[id].Op), r.sources.locate(md)
			named.Shape = r.shape(leaf(r.m, r.m.Instrs[id].Shape, b.Index))
		}
		list = append(list, named)
	}
	return list
}

// Lifetime is an array in the device's memory, from the step of the schedule that makes it to the last one that reads it.
type Lifetime struct {
	Name     string // of the instruction that makes it
	OpName   string
	Shape    string
	Source   hlo.Location
	Bytes    int64
	From, To int // places in the entry computation, both included
}

// Schedule holds the arrays that are alive at each step of the entry computation. It knows the schedule, but not which arrays share bytes: XLA may
// reserve more memory, because its allocations leave gaps.
type Schedule struct {
	Steps     int
	Lifetimes []Lifetime // in the order in which they begin
	at        map[string]int
}

// Schedule follows every array through the entry computation. It returns nil unless the module is open; see [Options.KeepModules].
func (v *Variant) Schedule() *Schedule {
	if v.Module == nil {
		return nil
	}
	l := newLiveness(v.Module, v.Module.Entry)
	l.follow()
	s := &Schedule{Steps: len(l.values), at: map[string]int{}}
	src := newSources(v.Module, newInterner())
	for i := range l.arrays {
		a := &l.arrays[i]
		if a.bytes == 0 {
			continue
		}
		md := v.Module.Metadata(a.made)
		s.Lifetimes = append(s.Lifetimes, Lifetime{
			Name: v.Module.InstrName(a.made), OpName: md.OpName, Shape: v.Module.ShapeText(v.Module.Instrs[a.made].Shape), Source: src.locate(md),
			Bytes: a.bytes, From: a.from, To: a.to,
		})
	}
	for i := range l.values {
		s.at[v.Module.InstrName(l.first+hlo.InstrID(i))] = i
	}
	return s
}

// Step is the place of an instruction in the entry computation, -1 for an instruction in a loop or branch.
func (s *Schedule) Step(name string) int {
	if at, ok := s.at[name]; ok {
		return at
	}
	return -1
}

// Live returns how many bytes are alive at each step.
func (s *Schedule) Live() []int64 {
	grows := make([]int64, s.Steps+1)
	for _, l := range s.Lifetimes {
		grows[l.From] += l.Bytes
		grows[l.To+1] -= l.Bytes
	}
	for i := 1; i < len(grows); i++ {
		grows[i] += grows[i-1]
	}
	return grows[:s.Steps]
}

// Peak returns the first step at which the most bytes are alive, and how many.
func (s *Schedule) Peak() (step int, bytes int64) {
	for i, n := range s.Live() {
		if n > bytes {
			step, bytes = i, n
		}
	}
	return step, bytes
}

// liveness follows the arrays of one computation.
type liveness struct {
	m      *hlo.Module
	comp   hlo.CompID
	first  hlo.InstrID
	values [][]int32 // of every instruction the arrays that its result consists of, a tuple's one after another
	arrays []liveArray
}

type liveArray struct {
	made     hlo.InstrID
	bytes    int64
	from, to int
}

func newLiveness(m *hlo.Module, c hlo.CompID) *liveness {
	first, end := m.Body(c)
	return &liveness{m: m, comp: c, first: first, values: make([][]int32, end-first)}
}

func (l *liveness) follow() {
	for i := range l.values {
		id := l.first + hlo.InstrID(i)
		for _, operand := range l.m.Operands(id) {
			l.touch(l.of(operand), i)
		}
		l.values[i] = l.result(id, i)
	}
	root := l.m.Comps[l.comp].Root
	l.touch(l.of(root), len(l.values)-1)
	if l.comp == l.m.Entry {
		l.aliases(root)
	}
	for i := range l.values {
		l.reuse(l.first+hlo.InstrID(i), i)
	}
}

// reuse ends the operands of a fusion or an update one step sooner that nothing else reads any more: the result takes their place.
func (l *liveness) reuse(id hlo.InstrID, at int) {
	switch l.m.Instrs[id].Opcode {
	case hlo.OpFusion, hlo.OpDynamicUpdateSlice, hlo.OpScatter:
	default:
		return
	}
	for _, made := range l.values[at] {
		for _, operand := range l.m.Operands(id) {
			read := l.of(operand)
			if len(read) == 1 && l.arrays[read[0]].to == at && l.arrays[read[0]].from < at && l.arrays[read[0]].bytes == l.arrays[made].bytes {
				l.arrays[read[0]].to--
				break
			}
		}
	}
}

func (l *liveness) of(id hlo.InstrID) []int32 { return l.values[id-l.first] }

func (l *liveness) touch(arrays []int32, at int) {
	for _, a := range arrays {
		l.arrays[a].to = max(l.arrays[a].to, at)
	}
}

// result lists the arrays of an instruction's result: those of its operands, where it makes none of its own.
func (l *liveness) result(id hlo.InstrID, at int) []int32 {
	operands := l.m.Operands(id)
	switch op := l.m.Instrs[id].Opcode; op {
	case hlo.OpTuple:
		var all []int32
		for _, o := range operands {
			all = append(all, l.of(o)...)
		}
		return all
	case hlo.OpGetTupleElement:
		if start, n := l.element(operands[0], int(l.m.Instrs[id].Param)); start+n <= len(l.of(operands[0])) {
			return l.of(operands[0])[start : start+n]
		}
	case hlo.OpBitcast, hlo.OpOptBarrier, hlo.OpWhile, hlo.OpDomain, hlo.OpAddDependency, hlo.OpAllReduceDone, hlo.OpAsyncUpdate:
		if len(operands) > 0 && len(l.of(operands[0])) == l.leaves(l.m.Instrs[id].Shape) {
			l.inside(id, at)
			return l.of(operands[0])
		}
	}
	l.inside(id, at)
	return l.own(id, l.m.Instrs[id].Shape, at, nil)
}

// element is where the arrays of a tuple's element begin, and how many they are.
func (l *liveness) element(tuple hlo.InstrID, index int) (start, n int) {
	elements := l.m.Shape(l.m.Instrs[tuple].Shape).Elements
	for i, e := range elements {
		if n = l.leaves(e); i == index {
			return start, n
		}
		start += n
	}
	return start, 0
}

func (l *liveness) leaves(id hlo.ShapeID) (n int) {
	s := l.m.Shape(id)
	if s.Type != hlo.Tuple {
		return 1
	}
	for _, e := range s.Elements {
		n += l.leaves(e)
	}
	return n
}

// own makes new arrays for a result. Those in another memory than the device's main one take nothing.
func (l *liveness) own(id hlo.InstrID, shape hlo.ShapeID, at int, to []int32) []int32 {
	s := l.m.Shape(shape)
	if s.Type == hlo.Tuple {
		for _, e := range s.Elements {
			to = l.own(id, e, at, to)
		}
		return to
	}
	a := liveArray{made: id, bytes: l.m.ShapeBytes(shape), from: at, to: at}
	if strings.Contains(s.Layout, "S(") {
		a.bytes = 0
	}
	if op := l.m.Instrs[id].Opcode; op == hlo.OpParameter && l.comp == l.m.Entry || op == hlo.OpConstant {
		a.from, a.to = 0, len(l.values)-1 // set aside for the whole run
	}
	l.arrays = append(l.arrays, a)
	return append(to, int32(len(l.arrays)-1))
}

// inside adds what a loop, a branch or a call needs beside its operands and result, while it runs.
func (l *liveness) inside(id hlo.InstrID, at int) {
	switch l.m.Instrs[id].Opcode {
	case hlo.OpWhile, hlo.OpConditional, hlo.OpCall:
	default:
		return
	}
	var most int64
	for _, c := range l.m.Callees(id) {
		if c < l.comp { // callees come first; anything else is a broken module
			most = max(most, peakInside(l.m, c))
		}
	}
	l.arrays = append(l.arrays, liveArray{made: id, bytes: most, from: at, to: at})
}

// peakInside is the most that a called computation has alive at once beside its parameters and its result.
func peakInside(m *hlo.Module, c hlo.CompID) int64 {
	l := newLiveness(m, c)
	l.follow()
	lent := slices.Clone(l.of(m.Comps[c].Root))
	for i, arrays := range l.values {
		if m.Instrs[l.first+hlo.InstrID(i)].Opcode == hlo.OpParameter {
			lent = append(lent, arrays...)
		}
	}
	for _, a := range lent {
		l.arrays[a].bytes = 0
	}
	s := Schedule{Steps: len(l.values)}
	for _, a := range l.arrays {
		s.Lifetimes = append(s.Lifetimes, Lifetime{Bytes: a.bytes, From: a.from, To: a.to})
	}
	_, bytes := s.Peak()
	return bytes
}

// aliases drops results that are in the memory of a donated argument.
func (l *liveness) aliases(root hlo.InstrID) {
	results := l.of(root)
	for _, alias := range l.m.Header.Aliases {
		at, n := 0, 0
		if len(alias.Output) > 0 {
			at, n = l.element(root, int(alias.Output[0]))
		}
		if len(alias.Output) > 1 || n > 1 || at >= len(results) {
			continue
		}
		if a := &l.arrays[results[at]]; l.m.Instrs[a.made].Opcode != hlo.OpParameter {
			a.bytes = 0
		}
	}
}
