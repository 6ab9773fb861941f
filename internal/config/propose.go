package config

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Propose returns the text of a rule file for a model's dump at path, or for the command run that made it, if run is not "".
func Propose(rep *facts.Report, model, path, run string) string {
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=https://raw.githubusercontent.com/xlagate/xlagate/main/docs/xlagate.schema.json\n")
	text, of := "from a dump", " of "
	for _, s := range []string{rep.Toolchain.Framework, rep.Toolchain.Backend, rep.Toolchain.Device} {
		if s != "" {
			text += of + s
			of = " "
		}
	}
	fmt.Fprintf(&b, "# %s: %s, %s left out; limits are at least a tenth above what it holds\n", text,
		phrase.Counted(float64(len(rep.Programs)), "", "programs"), phrase.Counted(float64(len(rep.Helpers)), "", "one-op helpers"))
	packs, holds := Packs(rep)
	fmt.Fprintf(&b, "version: 1\nextends: [%s]   # %s against the accepted baseline\nbaseline: .xlagate\n", strings.Join(packs, ", "), phrase.List(holds, "and"))
	fmt.Fprintf(&b, "targets:\n  - name: %s\n", strings.TrimSuffix(model+"/"+rep.Toolchain.Backend, "/"))
	if run != "" {
		fmt.Fprintf(&b, "    capture: { run: %q }\n", run)
	} else {
		fmt.Fprintf(&b, "    dump: %q   # or let xlagate run it: capture: { run: \"python train.py --steps 2\" }\n", path)
	}
	if why, devices := Unpriced(rep); why != "" {
		fmt.Fprintf(&b, "    # device: %s   # %s: name the device that steps are priced on; without a price, check exits 3\n", devices[0], why)
	}
	if rules := proposed(rep); rules != "" {
		b.WriteString("rules:\n" + rules)
	}
	return b.String()
}

// Packs returns the rule packs for a dump, and what they hold.
func Packs(rep *facts.Report) (packs, holds []string) {
	packs, holds = []string{"recommended"}, []string{"time", "memory", "guarantees"}
	if rep.Clusters != nil {
		packs, holds = append(packs, "tensorflow"), append(holds, "clusters", "collectives outside XLA", "compilations")
	}
	switch rep.Toolchain.Backend {
	case "gpu":
		packs, holds = append(packs, "gpu"), append(holds, "the size of the code")
	case "tpu":
		packs, holds = append(packs, "tpu"), append(holds, "types", "rematerialization", "cycles")
	}
	return packs, holds
}

// proposed returns the entries under `rules:`: two budgets, the number of compilations, the calls that must remain and, as comments, more limits of
// one program.
func proposed(rep *facts.Report) string {
	var b strings.Builder
	if most, known := largest(rep, facts.PriceStep); known {
		fmt.Fprintf(&b, "  - { rule: max-step-time, max: %s }   # predicted at init: %s\n", roomFor(most, limitTimeUnits), phrase.Nanoseconds(most))
	}
	if most, known := largest(rep, facts.MemoryPeak); known {
		fmt.Fprintf(&b, "  - { rule: max-peak-bytes, max: %s }   # at init: %s\n", roomFor(most, limitSizeUnits), phrase.Bytes(most))
	}
	mostCompiled := 0
	for _, p := range rep.Programs {
		n := 0
		for _, v := range p.Variants {
			n += max(1, len(v.Modules))
		}
		mostCompiled = max(mostCompiled, n)
	}
	switch {
	case mostCompiled == 1:
		b.WriteString("  - { rule: no-recompilation, max_variants: 1 }\n")
	case mostCompiled > 1: // a number would allow it to every program
		b.WriteString("  - { rule: no-recompilation }   # no program more often than in the baseline; `xlagate inspect` says what differs\n")
	}
	if rep.Clusters != nil && rep.Clusters.Ran {
		outside := map[string]bool{}
		for _, op := range rep.Clusters.Unclustered {
			if !op.System {
				outside[op.Op] = true
			}
		}
		fmt.Fprintf(&b, "  - { rule: no-unclustered-ops, allow: [%s] }\n", strings.Join(slices.Sorted(maps.Keys(outside)), ", "))
	}
	if onCPU := Fallbacks(rep); len(onCPU) > 0 { // the pack allows that Python reads a number
		names := strings.Join(phrase.Map(append([]string{logs.ScalarRead}, onCPU...), strconv.Quote), ", ")
		fmt.Fprintf(&b, "  - { rule: no-cpu-fallback, allow: [%s] }   # what PyTorch/XLA ran on the CPU at init\n", names)
	}
	for _, p := range rep.Programs {
		requireHandWritten(&b, p)
	}
	examples(&b, rep)
	return b.String()
}

// Fallbacks lists the operations without a lowering that PyTorch/XLA ran on the CPU.
func Fallbacks(rep *facts.Report) (list []string) {
	if rep.Logs == nil {
		return nil
	}
	for _, n := range rep.Logs.Notes {
		if n.Kind == logs.Fallback && n.Op != logs.ScalarRead && !slices.Contains(list, n.Op) {
			list = append(list, n.Op)
		}
	}
	slices.Sort(list)
	return list
}

// largest returns the largest value of a fact over all programs. It is unknown if one of them lacks the fact: a limit could not be checked there.
func largest(rep *facts.Report, fact facts.ID) (most float64, known bool) {
	for _, p := range rep.Programs {
		for _, v := range p.Variants {
			n, ok := v.Facts[fact]
			if !ok {
				return 0, false
			}
			most = max(most, n)
		}
	}
	return most, most > 0
}

// Unpriced says why the step of a program has no price, and which devices it may be priced on; "" if all have one.
func Unpriced(rep *facts.Report) (why string, devices []string) {
	for _, p := range rep.Programs {
		for _, v := range p.Variants {
			if !v.Facts.Known(facts.PriceStep) {
				return rep.Unpriced(v)
			}
		}
	}
	return "", nil
}

// requireHandWritten adds rules that require the calls of hand-written kernels, whatever the kernels are called.
func requireHandWritten(b *strings.Builder, p *facts.Program) {
	if len(p.Variants) == 0 {
		return
	}
	everywhere := handWritten(p.Variants[0])
	for _, v := range p.Variants[1:] {
		called := handWritten(v)
		maps.DeleteFunc(everywhere, func(target string, _ []string) bool { return called[target] == nil })
	}
	for _, target := range slices.Sorted(maps.Keys(everywhere)) {
		of := strings.Map(printable, strings.Join(everywhere[target], ", "))
		fmt.Fprintf(b, "  - { rule: required-custom-calls, program: %q, calls: [{ call: %q }] }   # %s\n", p.Name, target, of)
	}
}

// handWritten lists the functions of the kernels that were written by hand, by what calls them.
func handWritten(v *facts.Variant) map[string][]string {
	functions := map[string][]string{}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if k.Written != nil && !slices.Contains(functions[k.Target], k.Function) {
			functions[k.Target] = append(functions[k.Target], k.Function)
		}
	}
	return functions
}

// The units of limits, the largest first.
var (
	limitTimeUnits = scale{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}
	limitSizeUnits = scale{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}
)

// headroom is the factor between what a dump holds and a proposed limit.
const headroom = 1.1

// roomFor returns a limit with headroom for an amount, rounded up to two significant digits.
func roomFor(amount float64, units scale) string {
	amount *= headroom
	of := units[len(units)-1]
	for _, u := range units {
		if amount >= u.factor {
			of = u
			break
		}
	}
	n := amount / of.factor
	step := math.Pow(10, math.Floor(math.Log10(max(n, 1)))-1)
	if of.factor == 1 { // there is no part of a byte or nanosecond
		step = max(step, 1)
	}
	n = math.Ceil(n/step-1e-9) * step
	return strings.TrimSuffix(strconv.FormatFloat(n, 'f', max(0, int(math.Round(-math.Log10(step)))), 64), ".0") + of.suffix
}

// WithHeadroom returns the limit that init proposes for an amount. varies reports whether the unit is one of sizes or times. For any other unit, the limit is
// the amount.
func WithHeadroom(amount float64, unit string) (limit float64, varies bool) {
	switch unit {
	case "bytes":
		limit, varies = sizeUnits.parse(roomFor(amount, limitSizeUnits))
	case "nanoseconds":
		limit, varies = timeUnits.parse(roomFor(amount, limitTimeUnits))
	default:
		limit = amount
	}
	return limit, varies
}

// examples adds comments with limits on the program that takes longest: its kernels and its temporary memory.
func examples(b *strings.Builder, rep *facts.Report) {
	stable := phrase.Filter(rep.Programs, func(p *facts.Program) bool { return len(p.Variants) > 0 && !p.IsCluster() }) // the name of a cluster is not
	if len(stable) == 0 {
		return
	}
	p := slices.MaxFunc(stable, func(p, q *facts.Program) int {
		return cmp.Compare(p.Variants[0].Facts[facts.PriceStep], q.Variants[0].Facts[facts.PriceStep])
	})
	v := p.Variants[0]
	var lines []string
	if kernels, ok := v.Facts[facts.KernelsTotal]; ok {
		lines = append(lines, fmt.Sprintf("- { rule: max-kernels, program: %q, max: %.0f }", p.Name, kernels))
	}
	if temp := v.Facts[facts.MemoryTemp]; temp > 0 {
		lines = append(lines, fmt.Sprintf("- { rule: max-temp-bytes, program: %q, max: %s }", p.Name, roomFor(temp, limitSizeUnits)))
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "  # Limits of your own on what `xlagate inspect` counts, if you want to hold them:\n  # %s\n", strings.Join(lines, "\n  # "))
	}
}

// printable drops the characters that end a comment in YAML.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
		return -1
	}
	return r
}
