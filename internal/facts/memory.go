package facts

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// maxBuffers is how many of the largest temporary buffers are named.
const maxBuffers = 10

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
	v.Facts[MemoryAllocation] = float64(largestAllocation(buffers, color))
	out.spaces(buffers)
	v.Buffers = r.buffers(buffers.Largest(maxBuffers))
}

// spaceNames are what a TPU's memory reports call its memory spaces.
var spaceNames = map[int64]string{0: "default", 1: "vmem", 2: "smem", 3: "hbm", 4: "host"}

// spaces says how much of each memory space the allocations take, where there is more than one.
func (out *measuring) spaces(buffers *artifacts.Buffers) {
	colors, tpu := buffers.Colors(), out.module.Backend() == "tpu"
	if !tpu && (len(colors) == 0 || colors[len(colors)-1] == 0) {
		return
	}
	for _, color := range colors {
		out.space(color, buffers.Totals(color).Total)
	}
}

// space says how much of one memory space is used.
func (out *measuring) space(color, bytes int64) {
	name, known := spaceNames[color]
	if !known || color != 0 && out.module.Backend() != "tpu" {
		name = fmt.Sprintf("color_%d", color)
	}
	out.Variant.Facts[MemorySpace.Of(name)] = float64(bytes)
}

// reportedSpaces reads the use of each memory space from the memory usage report, which TPU dumps may hold without a buffer assignment. Both have
// the same numbers.
func (out *measuring) reportedSpaces() {
	if out.module.Backend() != "tpu" {
		return
	}
	report, _ := out.memoryReport()
	if report == nil {
		return
	}
	for _, s := range report.Spaces {
		out.space(s.Color, s.Bytes)
	}
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

// largestAllocation is the largest single block: what has to fit into memory in one piece.
func largestAllocation(buffers *artifacts.Buffers, color int64) int64 {
	var most int64
	for i := range buffers.Allocations {
		if a := &buffers.Allocations[i]; color == artifacts.AllColors || a.Color == color {
			most = max(most, a.Size)
		}
	}
	return most
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
	out.reading(f)
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
		named := Buffer{Bytes: b.Size, Shape: b.Shape}
		if id := byName[b.Name]; id != hlo.NoInstr {
			md := r.metadata(id)
			named.OpName, named.Source = md.OpName, r.sources.locate(md)
			named.Shape = r.shape(leaf(r.m, r.m.Instrs[id].Shape, b.Index))
		}
		list = append(list, named)
	}
	return list
}
