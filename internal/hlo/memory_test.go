//go:build !race

package hlo

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Under the race detector, which allocates memory of its own, the figures mean nothing: this file is left out.

// The number of bytes that a reader may allocate in all, and that the module may keep, for each byte of a file. The instructions below
// have about ten bytes each; one of a real module has more than a hundred.
const (
	maxAllocated = 64
	maxKept      = 32
)

// tuplesInTuples has a shape in every other byte, and may take three times as much.
const tuplesInTuples = "tuples in tuples"

// TestMemoryIsBoundedByTheFile reads modules that are nested, repeated, wide and deep in every way that the formats allow.
func TestMemoryIsBoundedByTheFile(t *testing.T) {
	for name, src := range map[string]string{
		"nested bodies":         entryOf(repeated(5000, reduceWithBody)),
		"bodies in bodies":      entryOf("  y = " + nestedCall(maxNesting-2) + "\n"),
		"many bodies in bodies": entryOf(repeated(300, func(i int) string { return fmt.Sprintf("  y%d = %s\n", i, nestedCall(60)) })),
		"many computations":     repeated(30_000, func(i int) string { return fmt.Sprintf("c%d { p = f32[] parameter(0) }\n", i) }) + entryOf(""),
		"one long computation":  entryOf(repeated(100_000, func(i int) string { return fmt.Sprintf("y%d=s8[]x()\n", i) })),
		"many operands":         entryOf("  y = f32[] tuple(p" + strings.Repeat(",p", 200_000) + ")\n"),
		"operands in operands":  entryOf("  y = " + strings.Repeat("f32[] negate(", maxNesting-2) + "f32[] p" + strings.Repeat(")", maxNesting-2) + "\n"),
		"many callees":          "c { p = f32[] parameter(0) }\n" + entryOf("  y = f32[] custom-call(), called_computations={c"+strings.Repeat(",c", 200_000)+"}\n"),
		"many shapes":           entryOf("  y = (s8[1]" + repeated(100_000, func(i int) string { return fmt.Sprintf(",s8[%d]", i) }) + ") x()\n"),
		tuplesInTuples: entryOf(repeated(300, func(i int) string {
			return fmt.Sprintf("  y%d = %ss8[%d]%s x()\n", i, strings.Repeat("(", 60), i, strings.Repeat(")", 60))
		})),
		"many dimensions":             entryOf("  y = s8[1" + strings.Repeat(",1", 200_000) + "] x()\n"),
		"many tiles":                  entryOf("  y = s8[1]{0:T" + strings.Repeat("(1)", 100_000) + "} x()\n"),
		"many opcodes":                entryOf(repeated(60_000, func(i int) string { return fmt.Sprintf("y%d=s8[]x%d()\n", i, i) })),
		"many attributes":             entryOf("  y = s8[] x()" + repeated(100_000, func(i int) string { return fmt.Sprintf(",a%d=1", i) }) + "\n"),
		"much metadata":               entryOf(repeated(50_000, func(i int) string { return fmt.Sprintf("y%d=s8[]x(),metadata={%d}\n", i, i) })),
		"elements of tuples":          entryOf("  t = (s8[],s8[]) x()\n  y = s8[] x(t#0" + strings.Repeat(",t#1", 100_000) + ")\n"),
		"many starts":                 entryOf(repeated(20_000, func(i int) string { return fmt.Sprintf("y%d=((f32[]),f32[]) negate-start(p)\n", i) })),
		"indented lines":              entryOf(strings.Repeat("\n  ", 300_000)),
		"braces at line ends":         entryOf(strings.Repeat("\n}/*", 1) + strings.Repeat("\n}", 300_000) + "*/"),
		"aliases":                     "HloModule m, input_output_alias={{0}:(0,{})" + strings.Repeat(",{0}:(0,{})", 50_000) + "}\n" + entryOf(""),
		"rows of tables":              "HloModule m\n\nFileNames\n" + repeated(50_000, func(i int) string { return fmt.Sprintf("%d \"\"\n", i+1) }) + entryOf(""),
		"frontend attributes":         "HloModule m, frontend_attributes={" + repeated(50_000, func(i int) string { return fmt.Sprintf("a%d=1,", i) }) + "}\n" + entryOf(""),
		"proto, many computations":    protoModule(repeated(30_000, func(i int) string { return protoComputation(i+1, protoInstruction(1, "")) })),
		"proto, one long computation": protoModule(protoComputation(1, repeated(100_000, func(i int) string { return protoInstruction(i+1, "") }))),
		"proto, empty instructions":   protoModule(protoComputation(1, protoInstruction(1, "")) + protoComputation(2, strings.Repeat("\x12\x00", 300_000))),
		"proto, many operands":        protoModule(protoComputation(1, protoInstruction(1, "")+protoInstruction(2, bytesField(36, strings.Repeat("\x01", 300_000))))),
		"proto, many shapes":          protoModule(protoComputation(1, repeated(50_000, func(i int) string { return protoInstructionOf(i+1, protoShape(i)) }))),
		"proto, wide shapes":          protoModule(protoComputation(1, protoInstructionOf(1, "\x10\x0d"+repeated(100_000, func(i int) string { return bytesField(4, protoShape(i)) })))),
		"proto, deep shapes":          protoModule(protoComputation(1, protoInstructionOf(1, deepShape(maxShapeDepth-1)))),
		"proto, many opcodes":         protoModule(protoComputation(1, repeated(60_000, func(i int) string { return protoInstruction(i+1, bytesField(2, fmt.Sprint("x", i))) }))),
		"proto, control predecessors": protoModule(repeated(20_000, func(i int) string { return protoComputation(i+1, protoInstruction(1, bytesField(37, "\x01"))) })),
		"proto, schedule": protoModule(protoComputation(1, repeated(50_000, func(i int) string { return protoInstruction(i+1, "") }))) +
			bytesField(7, bytesField(1, "\x08\x01"+bytesField(2, bytesField(1, repeated(50_000, func(i int) string { return string(protowire.AppendVarint(nil, uint64(i+1))) }))))),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m, err := Parse([]byte(src), name)
		runtime.ReadMemStats(&after)
		allocated := int64(after.TotalAlloc - before.TotalAlloc)
		runtime.GC()
		runtime.ReadMemStats(&after)
		kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		runtime.KeepAlive(m)
		size := int64(len(src))
		if name == tuplesInTuples {
			size *= 3
		}
		if allocated > maxAllocated*size+1<<17 || kept > maxKept*size+1<<16 {
			t.Errorf("%s: %d bytes were allocated and %d kept for a file of %d (%v)", name, allocated, kept, len(src), err)
		}
	}
}

func entryOf(body string) string { return "ENTRY e {\n  p = f32[] parameter(0)\n" + body + "}\n" }

func repeated(n int, part func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(part(i))
	}
	return b.String()
}

// reduceWithBody is a reduction as XLA prints it in its canonical form.
func reduceWithBody(i int) string {
	return fmt.Sprintf("  r%d = f32[] reduce(f32[] p, f32[] p), dimensions={}, to_apply=\n  {\n    tmp_0 = f32[] parameter(0)\n"+
		"    tmp_1 = f32[] parameter(1)\n    ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)\n  }\n", i)
}

func nestedCall(depth int) string {
	return strings.Repeat("f32[] call(p), to_apply={p=f32[] parameter(0) x=", depth) + "f32[] negate(p)" + strings.Repeat("}", depth)
}

func bytesField(number protowire.Number, body string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), body))
}

func numberField(number protowire.Number, n int) string {
	return string(protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), uint64(n)))
}

func protoModule(computations string) string {
	return bytesField(1, "m") + computations + numberField(6, 1)
}

func protoComputation(id int, instructions string) string {
	return bytesField(3, bytesField(1, "c")+instructions+numberField(5, id)+numberField(6, 1))
}

func protoInstruction(id int, fields string) string {
	return bytesField(2, bytesField(1, "a")+bytesField(2, "x")+bytesField(3, protoShape(1))+numberField(35, id)+fields)
}

func protoInstructionOf(id int, shape string) string {
	return bytesField(2, bytesField(1, "a")+bytesField(2, "x")+bytesField(3, shape)+numberField(35, id))
}

func protoShape(n int) string { return numberField(2, int(S8)) + numberField(3, n) }

func deepShape(depth int) string {
	shape := protoShape(1)
	for range depth {
		shape = numberField(2, int(Tuple)) + bytesField(4, shape)
	}
	return shape
}
