package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// inspectPage is what a dump holds: its programs with their variants, kernels and memory, clusters, and what could not be read.
func inspectPage(r *facts.Report, o Options) page {
	p := page{Title: in(name, r.Dump)}
	p.add(para{inspectLead(r, o)})
	for _, prog := range r.Programs {
		p.add(programSection(prog, len(r.Programs) > 1, o))
	}
	p.add(profileSection(r.Profile, o))
	p.add(passSections(r.Passes, o)...)
	p.add(drawingSection(r.Drawings))
	p.add(clusterSection(r.Clusters))
	p.add(logSection(r.Logs))
	if o.All {
		p.add(helperSection(r.Helpers), moduleSection(r.Modules))
	}
	p.add(problemSection(r.Problems), ignoredSection(r.Ignored))
	return p
}

// inspectLead is "jax 0.10.2, cpu: 10 modules, 2 programs, 8 one-op helpers left out (--all)".
func inspectLead(r *facts.Report, o Options) line {
	var l line
	if t := tools(r.Toolchain); t != "" {
		l = in(strong, t).and(": ")
	}
	l = l.and(phrase.Some(len(r.Modules), "module file") + ", " + phrase.Some(len(r.Programs), "program"))
	if n := len(r.Helpers); n > 0 && !o.All {
		l = l.and(", " + phrase.Some(n, "one-op helper") + " left out (--all lists them)")
	}
	if n := len(r.Problems); n > 0 {
		l = l.and(", ").in(bad, phrase.Some(n, "problem"))
	}
	return l
}

func programSection(p *facts.Program, several bool, o Options) section {
	s := section{Title: in(strong, p.Name).and("   " + phrase.Some(len(p.Variants), "variant") + compiledWord(p))}
	if p.Main && several {
		s.Title = s.Title.in(dim, "   the main program")
	}
	s.add(table{Head: []string{"argument", "over the variants", ""}, Rows: argumentRows(diff.Explain(p)), Bare: true})
	signatures := phrase.Map(p.Variants, func(v *facts.Variant) string { return v.Signature })
	signatures = distinct(signatures, maxName)
	shown := o.shown(len(p.Variants), maxVariants)
	for i, v := range p.Variants[:shown] {
		s.add(describeVariant(p, v, signatures[i], o)...)
	}
	s.add(more(len(p.Variants)-shown, "variant"))
	return s
}

// compiledWord says how often a program was compiled when that is more often than once.
func compiledWord(p *facts.Program) string {
	n := 0
	for _, v := range p.Variants {
		n += max(1, len(v.Modules))
	}
	if n < 2 {
		return ""
	}
	return ": compiled " + phrase.Times(n)
}

// maxValues bounds the values of one argument that are shown.
const maxValues = 6

func argumentRows(changes []diff.ArgumentChange) [][]line {
	var rows [][]line
	for _, a := range changes {
		values := a.Values
		if n := len(values); n > maxValues {
			values = append(append([]string{}, values[:maxValues]...), fmt.Sprintf("… %d more", n-maxValues))
		}
		rows = append(rows, []line{in(name, a.Name), in(name, strings.Join(values, " → ")), say(a.Detail)})
	}
	return rows
}

// describeVariant is a variant with its facts, in a section of its own when there are several.
func describeVariant(p *facts.Program, v *facts.Variant, signature string, o Options) []block {
	title := in(name, signature).and("   ").in(dim, strings.Join(v.Modules, ", "))
	if len(p.Variants) > 1 {
		return []block{section{Title: title, Blocks: variantBlocks(p, v, o)}}
	}
	return append([]block{para{title}}, variantBlocks(p, v, o)...)
}

func variantBlocks(p *facts.Program, v *facts.Variant, o Options) []block {
	var s section
	if slices.Contains(v.Missing, string(dump.StageAfter)) {
		s.add(para{in(warn, "not optimized: ").and("the file holds the input of XLA; each operation is counted as a kernel, which is not what the device runs")})
	}
	if v.Reached != "" {
		s.add(para{in(warn, "measured "+v.Reached+": ").and("the compiler dumped no final module, so later passes are not counted")})
	}
	s.add(list{factLines(v)}, partBars(v.Facts, v.Facts))
	if len(v.Unstable) > 0 {
		s.add(para{in(warn, "differs from compile to compile: ").in(name, strings.Join(v.Unstable, ", "))})
	}
	if len(v.Missing) > 0 {
		s.add(para{in(dim, "not dumped: ").and(strings.Join(v.Missing, ", "))})
	}
	if o.All {
		s.add(titled(say("kernels, in schedule order"), kernelTable(v.Kernels)))
	} else if len(p.Variants) <= 2 {
		s.add(hotSection(v), launchSection(v), codeSection(v))
	}
	return s.Blocks
}

// factLines are the key facts, each line one family. What was not dumped is left out.
func factLines(v *facts.Variant) []line {
	lines := priceLines(v)
	if total, ok := v.Facts[facts.KernelsTotal]; ok {
		l := say("kernels ").in(strong, phrase.Number(total))
		if hasLaunches(v.Facts) {
			l = l.and(" (" + phrase.Some(int(v.Facts[facts.KernelsWeighted]), "launch") + ")")
		}
		if kinds := kindCounts(v.Facts); kinds != "" {
			l = l.and(": ").and(kinds)
		}
		lines = append(lines, l)
	}
	if l := joinFacts(v.Facts, facts.FusionsTotal, facts.LoopsWhile, facts.CopiesCount, facts.TransposesCount); len(l) > 0 {
		lines = append(lines, l.with("   ", collectiveLine(v.Facts)))
	}
	l := joinFacts(v.Facts, facts.MemoryTemp, facts.MemoryArgument, facts.MemoryOutput, facts.MemoryPeak, facts.MemoryConstant)
	if l = l.with("   ", donation(v)); len(l) > 0 {
		lines = append(lines, l)
	}
	if l := joinFacts(v.Facts, v.Facts.OfRun(facts.CostFlops), v.Facts.OfRun(facts.CostBytes), facts.CostTranscendentals, facts.CostCycles); len(l) > 0 {
		lines = append(lines, l)
	}
	return lines
}

func joinFacts(f facts.Values, names ...facts.ID) line {
	var parts []string
	for _, n := range names {
		if v, ok := f[n]; ok {
			parts = append(parts, factLabel(n)+" "+value(n, v))
		}
	}
	if len(parts) == 0 {
		return nil
	}
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
	if len(parts) == 0 {
		return nil
	}
	return say("collectives " + strings.Join(parts, ", "))
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

// kernelTable lists every kernel.
func kernelTable(kernels []facts.Kernel) table {
	t := table{Head: []string{"kernel", "bytes", "source", "name"}, Right: []bool{false, true}}
	for i := range kernels {
		t.Rows = append(t.Rows, kernelRow(&kernels[i]))
	}
	return t
}

// maxHot is how many of the kernels that move the most are shown.
const maxHot = 5

// hot is kernels that are equal but for the numbers in their names, with what they move together.
type hot struct {
	*facts.Kernel
	count  int
	weight float64
}

// hotSection names the kernels that move the most bytes, as often as they are known to run.
func hotSection(v *facts.Variant) section {
	byPrint := map[string]*hot{}
	var all []*hot
	var total float64
	title, weights := weighed(v)
	for i := range v.Kernels {
		k := &v.Kernels[i]
		if weights[i] == 0 {
			continue
		}
		key := k.Print + "\x00" + k.OpName
		h := byPrint[key]
		if h == nil {
			h = &hot{Kernel: k}
			byPrint[key] = h
			all = append(all, h)
		}
		h.count++
		h.weight += weights[i]
		total += weights[i]
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].weight > all[j].weight })
	t := table{Head: []string{"share", "kernel", "source", "name"}, Right: []bool{true}, Bare: true}
	for _, h := range all[:min(maxHot, len(all))] {
		what := in(name, does(h.Kernel))
		if h.count > 1 {
			what = what.and(fmt.Sprintf(" ×%d", h.count))
		}
		t.Rows = append(t.Rows, []line{say(percent(h.weight, total)), what, in(name, location(h.Source)), in(name, modelName(h.Kernel))})
	}
	if total == 0 {
		return section{}
	}
	return section{Title: in(dim, title), Blocks: []block{t}}
}

// byCount sorts the keys of counts, most first.
func byCount[N int | float64](counts map[string]N) []string {
	keys := sortedKeys(counts)
	sort.SliceStable(keys, func(i, j int) bool { return counts[keys[i]] > counts[keys[j]] })
	return keys
}

// clusterSection is what TensorFlow's autoclustering did.
func clusterSection(c *tensorflow.Clusters) section {
	if c == nil {
		return section{}
	}
	s := section{Title: in(strong, "clusters").and("   " + clusterSum(c))}
	t := table{Head: []string{"cluster", "operations", "function", "most of them", "module"}, Right: []bool{false, true}, Bare: true}
	t.Rows = each(c.Clusters, func(k *tensorflow.Cluster) []line {
		return []line{in(name, k.Name), count(k.Size), in(name, k.Function), in(name, mostOps(k.Ops)), in(name, k.Module)}
	})
	s.add(t, unclusteredTable(c.Unclustered), collectiveTable(c.Collectives), rewriteTable(c.Rewrites))
	return s
}

func clusterSum(c *tensorflow.Clusters) string {
	if !c.Ran {
		return "autoclustering did not run: " + phrase.Some(c.Graphs, "graph") + ", none after MarkForCompilation"
	}
	system := 0
	for i := range c.Unclustered {
		if c.Unclustered[i].System {
			system++
		}
	}
	return fmt.Sprintf("%s with %s; %d left out, %d of the system", phrase.Some(len(c.Clusters), "cluster"), phrase.Some(c.Clustered, "operation"), len(c.Unclustered)-system, system)
}

// maxOps bounds the operations that are named of a cluster.
const maxOps = 4

func mostOps(ops map[string]int) string {
	var parts []string
	for i, op := range byCount(ops) {
		if i == maxOps {
			parts = append(parts, phrase.Some(len(ops)-maxOps, "more kind"))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", ops[op], op))
	}
	return strings.Join(parts, ", ")
}

// unclusteredTable names the model's operations that no cluster took; those of the system are always outside.
func unclusteredTable(ops []tensorflow.UnclusteredOp) table {
	t := table{Head: []string{"left out", "node", "function", "why"}, Bare: true}
	for i := range ops {
		if u := &ops[i]; !u.System {
			t.Rows = append(t.Rows, []line{in(warn, "left out ").in(name, u.Op), in(name, u.Node), in(name, u.Function), say(u.Reason)})
		}
	}
	return t
}

// collectiveTable lists the collectives in TensorFlow's own graph, with what they part.
func collectiveTable(collectives []tensorflow.Collective) table {
	return table{Head: []string{"outside of XLA", "node", "function", "parts", "line"}, Bare: true, Rows: each(collectives, func(o *tensorflow.Collective) []line {
		return []line{in(warn, "outside of XLA ").in(name, o.Op), in(name, o.Node), in(name, o.Function), say(o.Place()), in(name, location(o.Source))}
	})}
}

// rewriteTable lists what Grappler did to the model's operations before clustering.
func rewriteTable(rewrites []tensorflow.Rewrite) table {
	return table{Head: []string{"Grappler", "node", "function", "what", "line"}, Bare: true, Rows: each(rewrites, func(r *tensorflow.Rewrite) []line {
		what := r.What
		if r.Optimizer != "" {
			what += " by " + r.Optimizer
		}
		return []line{in(dim, "Grappler ").in(name, r.Op), in(name, r.Node), in(name, r.Function), say(what), in(name, location(r.Source))}
	})}
}

// logSection is what the compile logs said.
func logSection(l *tensorflow.Logs) section {
	if l == nil {
		return section{}
	}
	lines := phrase.Map(l.Misses, func(m tensorflow.CacheMiss) line {
		return say("retraced ").in(name, m.Program).and(" ").in(name, location(m.Where)).and(": ").and(m.Reason)
	})
	took := map[string]float64{}
	for _, n := range l.Notes {
		if n.Kind == logs.CompileTime {
			took[n.Program] += n.Value
			continue
		}
		lines = append(lines, in(name, string(n.Kind)).and(" ").in(name, strings.TrimSpace(n.Program+" "+n.Op)).and(" ").in(name, location(n.Where)).and(": ").and(n.Message))
	}
	for _, program := range byCount(l.Compiles) {
		lines = append(lines, say("compiled "+phrase.Times(l.Compiles[program])+": ").in(name, program).and(compileTime(took[program])))
	}
	return titled(in(strong, "logs"), list{lines})
}

// compileTime is how long all compilations of a program took; nothing where the log does not say it.
func compileTime(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf("   %.3g s in all", seconds)
}

func helperSection(helpers []*facts.Program) section {
	t := table{Head: []string{"helper", "signature", "compiled"}, Bare: true}
	for _, p := range helpers {
		for _, v := range p.Variants {
			t.Rows = append(t.Rows, []line{in(name, p.Name), in(name, shortSignature(v.Signature, maxSignature)), say(phrase.Times(max(1, len(v.Modules))))})
		}
	}
	return titled(in(strong, "one-op helpers"), t)
}

func moduleSection(modules []facts.ModuleInfo) section {
	t := table{Head: []string{"stage", "computations", "instructions", "kernels", "file"}, Right: []bool{false, true, true, true}}
	t.Rows = each(modules, func(m *facts.ModuleInfo) []line {
		return []line{in(name, m.Stage), count(m.Computations), count(m.Instructions), count(m.Kernels), in(name, m.File)}
	})
	return titled(in(strong, "module files"), t)
}

// problemSection says what could not be read.
func problemSection(problems []facts.Problem) section {
	if len(problems) == 0 {
		return section{}
	}
	return section{Title: in(bad, "could not read"), Blocks: problemBlocks(each(problems, func(p *facts.Problem) *result.Problem {
		return &result.Problem{File: p.File, Message: p.Message, Fix: p.Fix}
	}))}
}

func ignoredSection(files []string) section {
	lines := each(files, func(f *string) line { return in(name, *f) })
	return titled(in(dim, "unknown kind: ").and(phrase.Some(len(files), "file")), list{atMost(lines, maxProblems, "file", "")})
}

// passSections show what each compiler pass changed, module by module.
func passSections(modules []facts.ModulePasses, o Options) []block {
	var out []block
	for i := range modules {
		if s := passSection(&modules[i], o); len(s.Title) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// passSection lists the passes that changed a module. XLA also dumps a module where a pipeline begins.
func passSection(m *facts.ModulePasses, o Options) section {
	t := table{Head: []string{"after", "instructions", "fusions", "collectives", "what changed"}, Right: []bool{false, true, true, true}}
	changed := 0
	for i := range m.Stages {
		var before *facts.PassStage
		if i > 0 {
			before = &m.Stages[i-1]
		}
		same := before != nil && !m.Stages[i].Changed(before)
		if before != nil && !same {
			changed++
		}
		if !same || o.All {
			t.Rows = append(t.Rows, passRow(&m.Stages[i], before))
		}
	}
	if len(m.Stages) == 0 {
		return section{}
	}
	title := in(strong, "passes").and("   ").in(name, m.Module).and(fmt.Sprintf("   %s dumped, the module changed %s", phrase.Some(len(m.Stages), "stage"), phrase.Times(changed)))
	return section{Title: title, Blocks: []block{t}}
}

func passRow(s, before *facts.PassStage) []line {
	counts := []line{count(s.Instructions), count(s.Fusions), count(s.Collectives)}
	what := line{}
	if before != nil {
		counts = []line{step(before.Instructions, s.Instructions), step(before.Fusions, s.Fusions), step(before.Collectives, s.Collectives)}
		what = opcodeChanges(s, before)
	}
	return append([]line{in(name, passName(s))}, append(counts, what)...)
}

func step(before, now int) line {
	if before == now {
		return count(now)
	}
	return count(before).and(" → ").in(strong, phrase.Number(float64(now)))
}

// passName is "0032 algsimp (simplification)"; a stage that is no pass keeps its label.
func passName(s *facts.PassStage) string {
	switch {
	case s.Kind != dump.StagePass:
		return s.Label
	case s.Pass.After == "":
		return fmt.Sprintf("%04d %s", s.Pass.Number, s.Pass.Pipeline)
	}
	return fmt.Sprintf("%04d %s (%s)", s.Pass.Number, s.Pass.After, s.Pass.Pipeline)
}

// maxOpcodeChanges bounds the opcodes that are named of one pass.
const maxOpcodeChanges = 5

// opcodeChanges is "+3 fusion, −12 add", the largest changes first.
func opcodeChanges(s, before *facts.PassStage) line {
	if !s.Changed(before) {
		return in(dim, "nothing")
	}
	delta := map[string]int{}
	for op, n := range s.Opcodes {
		delta[op] += n
	}
	for op, n := range before.Opcodes {
		delta[op] -= n
	}
	ops := sortedKeys(delta)
	sort.SliceStable(ops, func(i, j int) bool { return abs(delta[ops[i]]) > abs(delta[ops[j]]) })
	var parts []string
	for _, op := range ops {
		if n := delta[op]; n > 0 {
			parts = append(parts, fmt.Sprintf("+%d %s", n, op))
		} else if n < 0 {
			parts = append(parts, fmt.Sprintf("−%d %s", -n, op))
		}
	}
	if len(parts) > maxOpcodeChanges {
		parts = append(parts[:maxOpcodeChanges], phrase.Some(len(parts)-maxOpcodeChanges, "more opcode"))
	}
	if len(parts) == 0 {
		return say("shapes, attributes, order or connections")
	}
	return say(strings.Join(parts, ", "))
}

func abs(n int) int { return max(n, -n) }
