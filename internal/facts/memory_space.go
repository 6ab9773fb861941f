package facts

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/hlo"
)

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
		out.Variant.Facts[MemoryHeld] = float64(buffers.Totals(0).Total + buffers.Covered(1, r.isMade()))
	}
}

// isMade tells the values of a TPU's fast memory that are made there from those that are fetched from the main memory, and so are there too.
func (r *reader) isMade() func(*artifacts.Value) bool {
	fetched := map[string]bool{}
	for id := range r.m.Instrs {
		if id := hlo.InstrID(id); r.fetches(id) {
			fetched[r.m.InstrName(id)] = true
		}
	}
	return func(v *artifacts.Value) bool { return !fetched[v.Name] }
}

// fetches reports whether an instruction only moves a value, from the main memory.
func (r *reader) fetches(id hlo.InstrID) bool {
	in, operands := &r.m.Instrs[id], r.m.Operands(id)
	if len(operands) == 0 || strings.Contains(r.m.Shape(r.m.Instrs[operands[0]].Shape).Layout, "S(") {
		return false
	}
	if in.Opcode == hlo.OpAsyncStart {
		callees := r.m.Callees(id)
		return len(callees) > 0 && copied(r.m.Instrs[r.m.Comps[callees[0]].Root].Opcode)
	}
	return in.Opcode == hlo.OpCopy || in.Opcode == hlo.OpCopyStart
}

// space says how much of one memory space is used.
func (out *measuring) space(color, bytes int64) {
	name, known := spaceNames[color]
	if !known || color != 0 && color != hostColor && out.module.Backend() != "tpu" {
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
	if report, _ := out.memoryReport(); report != nil {
		for _, s := range report.Spaces {
			if s.Color != artifacts.AllColors {
				out.space(s.Color, s.Bytes)
			}
		}
	}
}
