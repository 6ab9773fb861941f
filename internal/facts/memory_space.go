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
