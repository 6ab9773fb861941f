package facts

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// The temporary buffers that are named: the maxBuffers largest. A buffer that is more than maxSmaller times smaller than the largest explains nothing, and
// changes with every edit.
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
		if out.module.Backend() != "tpu" {
			return
		}
		for _, s := range out.memoryReport() { // it has the same numbers
			if s.Color != artifacts.AllColors {
				out.space(s.Color, s.Bytes)
			}
		}
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

func (out *measuring) memoryReport() (report []artifacts.MemorySpace) {
	if f := out.module.Companion(dump.KindMemoryReport); f != nil {
		report, _ = readCompanion(out, f, artifacts.ReadMemoryReport)
	} else if f := out.module.Companion(dump.KindMemoryReportProto); f != nil {
		report, _ = readCompanion(out, f, artifacts.ReadMemoryReportProto)
	}
	return report
}

func (out *measuring) bufferAssignment(r *reader, s *dump.Stage) (buffers *artifacts.Buffers, ok bool) {
	if f := out.module.Companion(dump.KindBufferAssignment); f != nil {
		report := out.memoryReport()
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
			named.OpName, named.Source = cmp.Or(md.OpName, r.owner(id).Op), r.sources.locate(md)
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
	made     hlo.InstrID
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
	l := liveIn(v.Module.Arrays(), v.Module, v.Module.Entry)
	s := &Schedule{Steps: l.steps, at: map[string]int{}}
	src := newSources(v.Module, newInterner())
	for _, a := range l.list {
		if a.Bytes == 0 {
			continue
		}
		md := v.Module.Metadata(a.made)
		a.Name, a.OpName, a.Source = v.Module.InstrName(a.made), md.OpName, src.locate(md)
		a.Shape = v.Module.ShapeText(v.Module.Instrs[a.made].Shape)
		s.Lifetimes = append(s.Lifetimes, a)
	}
	for i := range l.steps {
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
	*hlo.Arrays
	m     *hlo.Module
	comp  hlo.CompID
	first hlo.InstrID
	steps int
	at    map[hlo.Array]int32 // where an array is in the list
	list  []Lifetime          // without what names them
}

// liveIn follows the arrays of a computation.
func liveIn(arrays *hlo.Arrays, m *hlo.Module, c hlo.CompID) *liveness {
	first, end := m.Body(c)
	l := &liveness{Arrays: arrays, m: m, comp: c, first: first, steps: int(end - first), at: map[hlo.Array]int32{}}
	for step := range l.steps {
		id := first + hlo.InstrID(step)
		for _, operand := range m.Operands(id) {
			l.touch(operand, step)
		}
		l.result(id, step)
	}
	root := m.Comps[c].Root
	l.touch(root, l.steps-1)
	if c == m.Entry {
		l.aliases(root)
	}
	for step := range l.steps {
		l.reuse(first+hlo.InstrID(step), step)
	}
	return l
}

// live is an array of the computation, as far as it was followed.
func (l *liveness) live(a hlo.Array) *Lifetime { return &l.list[l.at[a]] }

func (l *liveness) touch(id hlo.InstrID, step int) {
	for _, a := range l.Of(id) {
		l.live(a).To = max(l.live(a).To, step)
	}
}

// reuse ends the operands of a fusion or an update one step sooner that nothing else reads any more: the result takes their place.
func (l *liveness) reuse(id hlo.InstrID, step int) {
	switch l.m.Instrs[id].Opcode {
	case hlo.OpFusion, hlo.OpDynamicUpdateSlice, hlo.OpScatter:
	default:
		return
	}
	for _, made := range l.Of(id) {
		for _, operand := range l.m.Operands(id) {
			read := l.Of(operand)
			if len(read) != 1 {
				continue
			}
			if a := l.live(read[0]); a.To == step && a.From < step && a.Bytes == l.live(made).Bytes {
				a.To--
				break
			}
		}
	}
}

// result adds the arrays that an instruction makes: a loop and a view make none. One in another memory than the device's main one takes nothing.
func (l *liveness) result(id hlo.InstrID, step int) {
	all, operands := l.Of(id), l.m.Operands(id)
	if len(all) == 0 || all[0].Instr != id {
		return
	}
	l.inside(id, step)
	op := l.m.Instrs[id].Opcode
	switch op {
	case hlo.OpBitcast, hlo.OpWhile, hlo.OpAllReduceDone, hlo.OpAsyncUpdate:
		if len(operands) > 0 && len(l.Of(operands[0])) == len(all) {
			for n, from := range l.Of(operands[0]) {
				l.at[all[n]] = l.at[from]
			}
			return
		}
	}
	for _, array := range all {
		shape := l.Shape(array)
		a := Lifetime{made: id, Bytes: l.m.ShapeBytes(shape), From: step, To: step}
		if strings.Contains(l.m.Shape(shape).Layout, "S(") {
			a.Bytes = 0
		}
		if op == hlo.OpParameter && l.comp == l.m.Entry || op == hlo.OpConstant {
			a.From, a.To = 0, l.steps-1 // set aside for the whole run
		}
		l.at[array] = int32(len(l.list))
		l.list = append(l.list, a)
	}
}

// inside adds what a loop, a branch or a call needs beside its operands and result, while it runs.
func (l *liveness) inside(id hlo.InstrID, step int) {
	switch l.m.Instrs[id].Opcode {
	case hlo.OpWhile, hlo.OpConditional, hlo.OpCall:
		var most int64
		for _, c := range l.m.Callees(id) {
			most = max(most, peakInside(l.Arrays, l.m, c))
		}
		l.list = append(l.list, Lifetime{made: id, Bytes: most, From: step, To: step})
	}
}

// peakInside is the most that a called computation has alive at once beside its parameters and its result.
func peakInside(arrays *hlo.Arrays, m *hlo.Module, c hlo.CompID) int64 {
	l := liveIn(arrays, m, c)
	for _, id := range append(m.Params(c), m.Comps[c].Root) {
		if id != hlo.NoInstr {
			for _, a := range l.Of(id) {
				l.live(a).Bytes = 0
			}
		}
	}
	s := Schedule{Steps: l.steps, Lifetimes: l.list}
	_, bytes := s.Peak()
	return bytes
}

// aliases drops results that are in the memory of a donated argument.
func (l *liveness) aliases(root hlo.InstrID) {
	for _, alias := range l.m.Header.Aliases {
		results := l.Of(root)
		if len(alias.Output) > 0 {
			results = l.Element(root, int(alias.Output[0]))
		}
		if len(alias.Output) > 1 || len(results) != 1 {
			continue
		}
		if a := l.live(results[0]); l.m.Instrs[a.made].Opcode != hlo.OpParameter {
			a.Bytes = 0
		}
	}
}

// spaceNames are what a TPU's memory reports call its memory spaces, but for that of the host.
var spaceNames = map[int64]string{0: "default", 1: "vmem", 2: "smem", 3: "hbm", hostColor: "host"}

// hostColor is the memory space of the host on every back end, as XLA numbers it: S(5) in a layout.
const hostColor = 5

// MemoryHost is what is in the memory of the host: values that the model offloads.
const MemoryHost ID = "memory.spaces.host"

// spaces says how much of each memory space the allocations take, where there is more than one.
func (out *measuring) spaces(r *reader, buffers *artifacts.Buffers) {
	colors, tpu := buffers.Colors(), out.module.Backend() == "tpu"
	if !tpu && (len(colors) == 0 || colors[len(colors)-1] == 0) {
		return
	}
	for _, color := range colors {
		out.space(color, buffers.Totals(color).Total)
	}
	if tpu {
		fetched := r.fetched()
		made := buffers.Covered(1, func(v *artifacts.Value) bool { return !fetched[v.Name] })
		out.Variant.Facts[MemoryHeld] = float64(buffers.Totals(0).Total + made)
	}
}

// fetched are the values of a TPU's fast memory that are only moved there from the main memory, and so are there too; the others are made there.
func (r *reader) fetched() map[string]bool {
	names := map[string]bool{}
	for i := range r.m.Instrs {
		id, operands, callees := hlo.InstrID(i), r.m.Operands(hlo.InstrID(i)), r.m.Callees(hlo.InstrID(i))
		if len(operands) == 0 || strings.Contains(r.m.Shape(r.m.Instrs[operands[0]].Shape).Layout, "S(") {
			continue
		}
		switch r.m.Instrs[i].Opcode {
		case hlo.OpAsyncStart:
			names[r.m.InstrName(id)] = len(callees) > 0 && copied(r.m.Instrs[r.m.Comps[callees[0]].Root].Opcode)
		case hlo.OpCopy, hlo.OpCopyStart:
			names[r.m.InstrName(id)] = true
		}
	}
	return names
}

// space says how much of one memory space is used.
func (out *measuring) space(color, bytes int64) {
	name, known := spaceNames[color]
	if !known || color != 0 && color != hostColor && out.module.Backend() != "tpu" {
		name = fmt.Sprintf("color_%d", color)
	}
	out.Variant.Facts[MemorySpace.Of(name)] = float64(bytes)
}
