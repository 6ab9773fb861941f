package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// maxOperations bounds the operations that are named in a row.
const maxOperations = 7

// kernelWhat says what a kernel does: "loop add, 2 multiply, tanh".
func kernelWhat(k *facts.Kernel) string {
	ops := k.OperationsWithin(maxOperations)
	if ops == k.Kind {
		return k.Kind
	}
	return k.Kind + " " + ops
}

// maxShape bounds the shapes that are shown in full.
const maxShape = 48

// shortShape counts the arrays of a long tuple.
func shortShape(shape string) string {
	if len(shape) <= maxShape || !strings.HasPrefix(shape, "(") {
		return shape
	}
	return "(" + phrase.Some(len(hlo.ShapeText(shape).Elements()), "array") + ")"
}

// does is what a kernel does and makes: "loop add, tanh → f32[8,128]".
func does(k *facts.Kernel) string { return kernelWhat(k) + " → " + shortShape(k.Out) }

// kernelRow describes a kernel in the cells what, size, where and name.
func kernelRow(k *facts.Kernel) []line {
	what := in(name, does(k))
	if k.Groups != "" {
		what = what.and(" in groups of ").in(name, k.Groups)
	}
	if k.Times > 1 {
		what = what.and(" ×" + phrase.Number(float64(k.Times)))
	}
	return []line{what, say(phrase.Bytes(float64(k.Bytes))), in(name, location(k.Source)), in(name, modelName(k))}
}

// kernelCells are the cells that end a row about a kernel: what it does, where, and its name.
func kernelCells(k *facts.Kernel) []line {
	return []line{in(name, does(k)), in(name, location(k.Source)), in(name, modelName(k))}
}

// modelName is what the model calls a kernel, else what the compiler does.
func modelName(k *facts.Kernel) string {
	return cmp.Or(k.OpName, k.OpType, k.Name)
}

// location is the place in the model with the file's own name; "" when it is not known.
func location(l hlo.Location) string {
	return shortPlace(result.Source{File: l.File, Line: int(l.Line)})
}

// opLine is an operation with its place in the model.
func opLine(o facts.Op) string {
	if at := location(o.Source); at != "" {
		return opText(o) + "  " + at
	}
	return opText(o)
}

// opText is what an operation does and its name in the model.
func opText(o facts.Op) string {
	text := o.Opcode + " " + shortShape(o.Shape)
	if o.OpName != "" {
		text += "  " + clean(o.OpName)
	}
	return text
}

// kindCounts is "14 loop, 3 library, 2 dot" from the facts of a variant, most first.
func kindCounts(f facts.Values) string {
	kinds := map[string]float64{}
	for fact, n := range f {
		if kind, ok := facts.KernelKind.Member(fact); ok && n > 0 {
			kinds[kind] = n
		}
	}
	parts := phrase.Map(byCount(kinds), func(kind string) string { return phrase.Number(kinds[kind]) + " " + kind })
	return strings.Join(parts, ", ")
}

// maxSignature bounds the arguments that are shown beside a program's name.
const maxSignature = 48

// shortSignature keeps the arguments of a signature that fit into n runes, and counts the others.
func shortSignature(signature string, n int) string {
	if utf8.RuneCountInString(signature) <= n {
		return signature
	}
	arguments := hlo.ShapeText(signature).Elements()
	kept, used := 0, 2
	for kept < len(arguments) {
		used += utf8.RuneCountInString(arguments[kept]) + 2
		if used > n-10 {
			break
		}
		kept++
	}
	left := phrase.Number(float64(len(arguments)-kept)) + " more"
	if kept == 0 {
		return "(" + phrase.Some(len(arguments), "argument") + ")"
	}
	return "(" + strings.Join(arguments[:kept], ", ") + ", … " + left + ")"
}

// distinct shortens the signatures of a program's variants to what differs. A single one is only shortened.
func distinct(signatures []string, n int) []string {
	counts := map[string]int{}
	split := make([][]string, len(signatures))
	for i, s := range signatures {
		split[i] = hlo.ShapeText(s).Elements()
		for _, a := range split[i] {
			counts[a]++
		}
	}
	out := make([]string, len(signatures))
	for i, arguments := range split {
		telling := phrase.Filter(arguments, func(a string) bool { return counts[a] < len(signatures) })
		same := len(arguments) - len(telling)
		if len(signatures) < 2 || len(telling) == 0 || same < 2 {
			out[i] = shortSignature(signatures[i], n)
			continue
		}
		short := strings.TrimSuffix(shortSignature("("+strings.Join(telling, ", ")+")", n), ")")
		out[i] = short + ", " + phrase.Number(float64(same)) + " the same)"
	}
	return out
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// maxMeasured is how many of the instructions that took longest are shown.
const maxMeasured = 20

// profileSection lists the kernels that took longest, with their lines of the model.
func profileSection(p *facts.Profile, o Options) section {
	if p == nil {
		return section{}
	}
	s := section{Title: in(strong, "measured").and("   " + profileSum(p))}
	t := table{Head: []string{"share", "own time", "ran", "rate", "kernel", "source", "name"}, Right: []bool{true, true, true, true}}
	for i := range p.Hot[:o.shown(len(p.Hot), maxMeasured)] {
		t.Rows = append(t.Rows, hotRow(&p.Hot[i], p.Time))
	}
	s.add(t, more(len(p.Hot)-len(t.Rows), "instruction"))
	for _, m := range p.Unknown {
		s.add(para{in(warn, "not in the dump: ").in(name, m.Name).and(" ran for " + phrase.Nanoseconds(float64(m.Time)))})
	}
	return s
}

func profileSum(p *facts.Profile) string {
	sum := phrase.Nanoseconds(float64(p.Time)) + " on " + phrase.Some(len(p.Devices), "device")
	runs := phrase.Map(byCount(p.Runs), func(program string) string { return program + " ran " + phrase.Times(p.Runs[program]) })
	if len(runs) > 0 {
		sum += ": " + strings.Join(runs, ", ")
	}
	return sum
}

func hotRow(h *facts.HotKernel, total time.Duration) []line {
	cells := []line{say(percent(float64(h.Self), float64(total))), say(phrase.Nanoseconds(float64(h.Self))), say(fmt.Sprintf("%d×", h.Count))}
	if h.Kernel == nil {
		return append(cells, line{}, in(name, h.Name), line{}, in(dim, "the dumped module launches no such kernel"))
	}
	label := in(name, modelName(h.Kernel))
	if h.Ambiguous {
		label = label.in(dim, " (ambiguous: several modules have an instruction of this name)")
	}
	return append(cells, say(rate(h)), in(name, does(h.Kernel)), in(name, location(h.Kernel.Source)), label)
}

// rate is how fast a kernel moved its bytes: what it reads and writes once, over the time of one run.
func rate(h *facts.HotKernel) string {
	if h.Self <= 0 || h.Kernel.Bytes <= 0 || h.Ambiguous || h.Kernel.Class == facts.ClassControl {
		return ""
	}
	return phrase.Bytes(float64(h.Kernel.Bytes)*float64(h.Count)/h.Self.Seconds()) + "/s"
}

// drawingSection is what was drawn of modules that were dumped in no other form.
func drawingSection(drawings []facts.Drawing) section {
	t := table{Head: []string{"drawn only", "computation", "stage", "instructions drawn", "fusions", "kernels", ""}, Right: []bool{false, false, false, true, true, true}}
	for i := range drawings {
		d := &drawings[i]
		note := line{}
		if d.Why != "" {
			note = in(warn, "not exact: "+d.Why)
		}
		if d.Main {
			note = say("the main program").with("; ", note)
		}
		t.Rows = append(t.Rows, []line{in(name, d.Module), in(name, d.Name), in(name, d.Stage+" ("+d.Format+")"), count(d.Nodes), count(d.Fusions), count(d.Kernels), note})
	}
	if len(t.Rows) == 0 {
		return section{}
	}
	return section{Title: in(strong, "drawings").and("   a drawing can be counted; it has no types, sizes, memory, cost or donation"), Blocks: []block{t}}
}

// codeSection lists what kernels take of a multiprocessor: those that spill first, then those that fill least of it.
func codeSection(v *facts.Variant) section {
	if v.Unassembled != "" {
		return section{Title: in(dim, "registers and occupancy are unknown: "+v.Unassembled)}
	}
	kernels := assembled(v)
	if len(kernels) == 0 {
		return section{}
	}
	t := table{Head: []string{"registers", "spilled", "shared", "occupancy", "limited by", "kernel", "source", "name"}, Right: []bool{true, true, true, true}, Bare: true}
	for _, k := range kernels[:min(len(kernels), maxHot)] {
		share, limit := occupancy(k)
		cells := []line{say(registerCount(k.Code.Registers)), spilled(k), say(sharedMemory(sharedBytes(k))), say(share), in(dim, limit)}
		t.Rows = append(t.Rows, append(cells, kernelCells(k)...))
	}
	return section{Title: in(dim, "registers and occupancy, the lowest of "+phrase.Some(len(kernels), "kernel")), Blocks: []block{t}}
}

// assembled are the kernels whose code is known, each code once.
func assembled(v *facts.Variant) []*facts.Kernel {
	var kernels []*facts.Kernel
	seen := map[*facts.Code]bool{}
	for i := range v.Kernels {
		if k := &v.Kernels[i]; k.Code != nil && !seen[k.Code] {
			seen[k.Code] = true
			kernels = append(kernels, k)
		}
	}
	slices.SortStableFunc(kernels, func(a, b *facts.Kernel) int {
		return cmp.Or(cmp.Compare(b.Spilled(), a.Spilled()), cmp.Compare(fills(a), fills(b)), cmp.Compare(b.Code.Registers, a.Code.Registers))
	})
	return kernels
}

// fills is a kernel's occupancy; that of one which is not known counts as full.
func fills(k *facts.Kernel) float64 {
	if k.Occupancy != nil {
		return k.Occupancy.Share()
	}
	return 1
}

// occupancy is "6.25 % occupied" and "limited by shared memory".
func occupancy(k *facts.Kernel) (share, limit string) {
	o := k.Occupancy
	if o == nil {
		return "", ""
	}
	if o.Limited != "" {
		limit = "limited by " + o.Limited
	}
	return phrase.Number(100*o.Share()) + " % occupied", limit
}

func registerCount(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d registers", n)
}

func spilled(k *facts.Kernel) line {
	if k.Spilled() == 0 {
		return nil
	}
	return in(warn, phrase.Bytes(float64(k.Spilled()))+" spilled")
}

// sharedBytes is the shared memory of a block: what the code reserves, and what the launch adds.
func sharedBytes(k *facts.Kernel) int64 {
	if k.Plan == nil {
		return k.Code.Shared
	}
	return k.Code.Shared + k.Plan.Shared
}

// launchSection names the launches that use next to nothing of the device.
func launchSection(v *facts.Variant) section {
	tiny := slices.SortedStableFunc(v.KernelsThat((*facts.Kernel).Tiny), func(a, b *facts.Kernel) int { return cmp.Compare(b.Bytes, a.Bytes) })
	t := table{Head: []string{"grid", "block", "shared", "moved", "kernel", "source", "name"}, Right: []bool{false, false, true, true}, Bare: true}
	for _, k := range tiny[:min(len(tiny), maxHot)] {
		cells := []line{in(name, "grid "+triple(k.Plan.Grid)), in(name, "block "+triple(k.Plan.Block)), say(sharedMemory(k.Plan.Shared)), say(phrase.Bytes(float64(k.Bytes)))}
		t.Rows = append(t.Rows, append(cells, kernelCells(k)...))
	}
	if len(tiny) == 0 {
		return section{}
	}
	known := phrase.Number(v.Facts[facts.LaunchesKnown])
	return section{Title: in(dim, phrase.Number(float64(len(tiny)))+" of "+known+" launches use little of the device: a single warp, or a single block for a large array"), Blocks: []block{t}}
}

func triple(n [3]int64) string {
	if n[1] <= 1 && n[2] <= 1 {
		return fmt.Sprint(n[0])
	}
	return fmt.Sprintf("%d×%d×%d", n[0], n[1], n[2])
}

func sharedMemory(n int64) string {
	if n <= 0 {
		return ""
	}
	return phrase.Bytes(float64(n)) + " shared"
}
