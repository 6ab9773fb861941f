package report

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// inspectPage is what a dump holds: its programs with their variants, kernels and memory, clusters, and what could not be read.
func inspectPage(r *facts.Report, o Options) page {
	p := page{Title: in(name, r.Dump)}
	var lead line // "jax 0.10.2, cpu: 10 modules, 2 programs, 8 one-op helpers left out (--all)"
	if t := tools(r.Toolchain); t != "" {
		lead = in(strong, t).and(": ")
	}
	lead = lead.and(phrase.Some(len(r.Modules), "module file") + ", " + phrase.Some(len(r.Programs), "program"))
	if n := len(r.Helpers); n > 0 && !o.All {
		lead = lead.and(", " + phrase.Some(n, "one-op helper") + " left out (--all lists them)")
	}
	if n := len(r.Problems); n > 0 {
		lead = lead.and(", ").in(bad, phrase.Some(n, "problem"))
	}
	p.add(para{lead})
	for _, prog := range r.Programs {
		p.add(programSection(prog, len(r.Programs) > 1, o))
	}
	p.add(profileSection(r.Profile, o))
	for i := range r.Passes {
		p.add(passSection(&r.Passes[i], o))
	}
	p.add(drawingSection(r.Drawings))
	p.add(clusterSection(r.Clusters))
	p.add(logSection(r.Logs))
	if o.All {
		helpers := table{Head: []string{"helper", "signature", "compiled"}, Bare: true}
		for _, h := range r.Helpers {
			for _, v := range h.Variants {
				helpers.Rows = append(helpers.Rows, []line{in(name, h.Name), in(name, shortSignature(v.Signature, maxSignature)), say(phrase.Times(max(1, len(v.Modules))))})
			}
		}
		modules := table{Head: []string{"stage", "computations", "instructions", "kernels", "file"}, Right: []bool{false, true, true, true}}
		modules.Rows = each(r.Modules, func(m *facts.ModuleInfo) []line {
			return []line{in(name, m.Stage), count(m.Computations), count(m.Instructions), count(m.Kernels), in(name, m.File)}
		})
		p.add(titled(in(strong, "one-op helpers"), helpers), titled(in(strong, "module files"), modules))
	}
	p.add(titled(in(bad, "could not read"), problemBlocks(each(r.Problems, func(p *facts.Problem) *result.Problem {
		return &result.Problem{File: p.File, Message: p.Message, Fix: p.Fix}
	}))...))
	ignored := each(r.Ignored, func(f *string) line { return in(name, *f) })
	p.add(titled(in(dim, "unknown kind: ").and(phrase.Some(len(ignored), "file")), list{atMost(ignored, maxProblems, "file", "")}))
	return p
}

func programSection(p *facts.Program, several bool, o Options) section {
	s, compiled := section{Title: in(strong, p.Name).and("   " + phrase.Some(len(p.Variants), "variant"))}, 0
	for _, v := range p.Variants {
		compiled += max(1, len(v.Modules))
	}
	if compiled > 1 {
		s.Title = s.Title.and(": compiled " + phrase.Times(compiled))
	}
	if p.Main && several {
		s.Title = s.Title.in(dim, "   the main program")
	}
	s.add(table{Head: []string{"argument", "over the variants", ""}, Rows: argumentRows(changes.Explain(p)), Bare: true})
	signatures := phrase.Map(p.Variants, func(v *facts.Variant) string { return v.Signature })
	signatures = distinct(signatures, maxName)
	shown := o.shown(len(p.Variants), maxVariants)
	for i, v := range p.Variants[:shown] {
		title := in(name, signatures[i]).and("   ").in(dim, strings.Join(v.Modules, ", "))
		if len(p.Variants) > 1 {
			s.add(section{Title: title, Blocks: variantBlocks(p, v, o)})
		} else {
			s.add(append([]block{para{title}}, variantBlocks(p, v, o)...)...)
		}
	}
	s.add(more(len(p.Variants)-shown, "variant"))
	return s
}

func argumentRows(arguments []changes.ArgumentChange) [][]line {
	const maxValues = 6 // of one argument that are shown
	var rows [][]line
	for _, a := range arguments {
		values := a.Values
		if n := len(values); n > maxValues {
			values = append(append([]string{}, values[:maxValues]...), fmt.Sprintf("… %d more", n-maxValues))
		}
		rows = append(rows, []line{in(name, a.Name), in(name, strings.Join(values, " → ")), say(a.Detail)})
	}
	return rows
}

func variantBlocks(p *facts.Program, v *facts.Variant, o Options) []block {
	var s section
	if slices.Contains(v.Missing, string(dump.StageAfter)) {
		s.add(para{in(warn, "not optimized: ").and("the file holds the input of XLA; each operation is counted as a kernel, which is not what the device runs")})
	}
	if v.Reached != "" {
		s.add(para{in(warn, "measured "+v.Reached+": ").and("the compiler dumped no final module, so later passes are not counted")})
	}
	s.add(list{factLines(v)})
	if len(v.Unstable) > 0 {
		s.add(para{in(warn, "differs from compile to compile: ").in(name, strings.Join(v.Unstable, ", "))})
	}
	s.add(para{labelled(dim, "not dumped: ", strings.Join(v.Missing, ", "))})
	if o.All {
		t := table{Head: []string{"kernel", "bytes", "source", "name"}, Right: []bool{false, true}, Rows: each(v.Kernels, kernelRow)}
		s.add(titled(say("kernels, in schedule order"), t))
	} else if len(p.Variants) <= 2 {
		s.add(hotSection(v), launchSection(v), codeSection(v))
	}
	return s.Blocks
}

// factLines are the key facts, each line one family. What was not dumped is left out.
func factLines(v *facts.Variant) []line {
	kernels := line(nil)
	if total, ok := v.Facts[facts.KernelsTotal]; ok {
		kernels = say("kernels ").in(strong, phrase.Number(total))
		if hasLaunches(v.Facts) {
			kernels = kernels.and(" (" + phrase.Some(int(v.Facts[facts.KernelsWeighted]), "launch") + ")")
		}
		kinds := map[string]float64{}
		for fact, n := range v.Facts {
			if kind, ok := facts.KernelKind.Member(fact); ok && n > 0 {
				kinds[kind] = n
			}
		}
		counts := phrase.Map(byCount(kinds), func(kind string) string { return phrase.Number(kinds[kind]) + " " + kind })
		kernels = kernels.and(prefixed(": ", strings.Join(counts, ", ")))
		for _, fact := range sortedKeys(v.Facts) {
			if thread, ok := facts.Thread.Member(fact); ok {
				kernels = kernels.and(fmt.Sprintf("   on %s %s", thread, phrase.Some(int(v.Facts[fact]), "launch")))
			}
		}
	}
	structure := joinFacts(v.Facts, facts.FusionsTotal, facts.LoopsWhile, facts.CopiesCount, facts.TransposesCount)
	if len(structure) > 0 {
		structure = structure.with("   ", collectiveLine(v.Facts))
	}
	memory := joinFacts(v.Facts, facts.MemoryTemp, facts.MemoryArgument, facts.MemoryOutput, facts.MemoryPeak, facts.MemoryHeld, facts.MemoryConstant)
	cost := joinFacts(v.Facts, v.Facts.OfRun(facts.CostFlops), v.Facts.OfRun(facts.CostBytes), facts.CostTranscendentals, facts.CostCycles)
	lines := []line{priceLine(v), kernels, structure, memory.with("   ", donation(v)), cost}
	return phrase.Filter(lines, func(l line) bool { return len(l) > 0 })
}

func joinFacts(f facts.Values, names ...facts.ID) line {
	known := phrase.Filter(names, func(n facts.ID) bool { _, ok := f[n]; return ok })
	parts := phrase.Map(known, func(n facts.ID) string { return factLabel(n) + " " + value(n, f[n]) })
	return say(strings.Join(parts, "   "))
}

// collectiveLine is "collectives: 2 all-gather (64.0 MiB)".
func collectiveLine(f facts.Values) line {
	var parts []string
	for _, fact := range sortedKeys(f) {
		if kind, ok := facts.CollectiveCount.Member(fact); ok && f[fact] > 0 {
			part := phrase.Number(f[fact]) + " " + kind
			if bytes, ok := f[facts.CollectiveBytes.Of(kind)]; ok {
				part += " (" + phrase.Bytes(bytes) + ")"
			}
			parts = append(parts, part)
		}
	}
	return say(prefixed("collectives ", strings.Join(parts, ", ")))
}

// donation is "aliased 2 of 4 parameters".
func donation(v *facts.Variant) line {
	if len(v.Params) == 0 {
		return nil
	}
	aliased, donated := 0, 0
	for i := range v.Params {
		if v.Params[i].Aliased {
			aliased++
		} else if v.Params[i].Donated {
			donated++
		}
	}
	l := say(fmt.Sprintf("aliased %d of %s", aliased, phrase.Some(len(v.Params), "parameter")))
	switch {
	case donated > 0:
		return l.in(warn, fmt.Sprintf(" (%d donated but not aliased)", donated))
	case aliased == 0:
		return l.in(dim, " (nothing donated)")
	}
	return l
}

// maxHot is how many of the kernels that move the most are shown.
const maxHot = 5

// hotSection names the kernels that move the most bytes, as often as they are known to run; those that are equal but for the numbers in their names together.
func hotSection(v *facts.Variant) section {
	title, weights := weighed(v)
	var weighty []int // kernels
	for i, w := range weights {
		if w != 0 {
			weighty = append(weighty, i)
		}
	}
	sum := func(kernels []int) (all float64) {
		for _, i := range kernels {
			all += weights[i]
		}
		return all
	}
	alike := phrase.Group(weighty, func(i int) [2]string { return [2]string{v.Kernels[i].Print, v.Kernels[i].OpName} })
	slices.SortStableFunc(alike, func(a, b []int) int { return cmp.Compare(sum(b), sum(a)) })
	t := table{Head: []string{"share", "kernel", "source", "name"}, Right: []bool{true}, Bare: true}
	for _, kernels := range alike[:min(maxHot, len(alike))] {
		k := &v.Kernels[kernels[0]]
		what := in(name, does(k))
		if n := len(kernels); n > 1 {
			what = what.and(fmt.Sprintf(" ×%d", n))
		}
		t.Rows = append(t.Rows, []line{say(percent(sum(kernels), sum(weighty))), what, in(name, location(k.Source)), in(name, modelName(k))})
	}
	return titled(in(dim, title), t)
}

// byCount sorts the keys of counts, most first.
func byCount[N int | float64](counts map[string]N) []string {
	keys := sortedKeys(counts)
	sort.SliceStable(keys, func(i, j int) bool { return counts[keys[i]] > counts[keys[j]] })
	return keys
}
