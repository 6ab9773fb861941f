package report

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// clusterSection is what TensorFlow's autoclustering did.
func clusterSection(c *tensorflow.Clusters) section {
	if c == nil {
		return section{}
	}
	s := section{Title: in(strong, "clusters").and("   " + clusterSum(c))}
	t := table{Head: []string{"cluster", "operations", "function", "most of them", "module"}, Right: []bool{false, true}, Bare: true}
	for i := range c.Clusters {
		k := &c.Clusters[i]
		t.Rows = append(t.Rows, []line{in(name, k.Name), say(phrase.Number(float64(k.Size))), in(name, k.Function), in(name, mostOps(k.Ops)), in(name, k.Module)})
	}
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
	return fmt.Sprintf("%s, %s in them, %d left out, %d of the system", phrase.Some(len(c.Clusters), "cluster"), phrase.Some(c.Clustered, "operation"), len(c.Unclustered)-system, system)
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
	t := table{Head: []string{"outside of XLA", "node", "function", "parts", "line"}, Bare: true}
	for i := range collectives {
		o := &collectives[i]
		t.Rows = append(t.Rows, []line{in(warn, "outside of XLA ").in(name, o.Op), in(name, o.Node), in(name, o.Function), say(o.Place()), in(name, location(o.Source))})
	}
	return t
}

// rewriteTable lists what Grappler did to the model's operations before clustering.
func rewriteTable(rewrites []tensorflow.Rewrite) table {
	t := table{Head: []string{"Grappler", "node", "function", "what", "line"}, Bare: true}
	for i := range rewrites {
		r := &rewrites[i]
		what := r.What
		if r.Optimizer != "" {
			what += " by " + r.Optimizer
		}
		t.Rows = append(t.Rows, []line{in(dim, "Grappler ").in(name, r.Op), in(name, r.Node), in(name, r.Function), say(what), in(name, location(r.Source))})
	}
	return t
}

// logSection is what the compile logs said.
func logSection(l *tensorflow.Logs) section {
	if l == nil {
		return section{}
	}
	var lines []line
	for _, m := range l.Misses {
		lines = append(lines, say("retraced ").in(name, m.Program).and(" ").in(name, location(m.Where)).and(": ").and(m.Reason))
	}
	took := map[string]float64{}
	for _, n := range l.Notes {
		if n.Kind == tensorflow.NoteCompileTime {
			took[n.Program] += n.Value
			continue
		}
		lines = append(lines, in(name, n.Kind).and(" ").in(name, strings.TrimSpace(n.Program+" "+n.Op)).and(" ").in(name, location(n.Where)).and(": ").and(n.Message))
	}
	for _, program := range byCount(l.Compiles) {
		lines = append(lines, say("compiled "+times(l.Compiles[program])+": ").in(name, program).and(compileTime(took[program])))
	}
	return filledSection(in(strong, "logs"), list{lines})
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
			t.Rows = append(t.Rows, []line{in(name, p.Name), in(name, shortSignature(v.Signature, maxSignature)), say(times(max(1, len(v.Modules))))})
		}
	}
	return filledSection(in(strong, "one-op helpers"), t)
}

func moduleSection(modules []facts.ModuleInfo) section {
	t := table{Head: []string{"stage", "computations", "instructions", "kernels", "file"}, Right: []bool{false, true, true, true}}
	for i := range modules {
		m := &modules[i]
		count := func(n int) line { return say(phrase.Number(float64(n))) }
		t.Rows = append(t.Rows, []line{in(name, m.Stage), count(m.Computations), count(m.Instructions), count(m.Kernels), in(name, m.File)})
	}
	return filledSection(in(strong, "module files"), t)
}

// problemSection says what could not be read.
func problemSection(problems []facts.Problem) section {
	if len(problems) == 0 {
		return section{}
	}
	s := section{Title: in(bad, "could not look")}
	var list []*result.Problem
	for _, p := range problems {
		list = append(list, &result.Problem{File: p.File, Message: p.Message, Fix: p.Fix})
	}
	s.add(problemBlocks(list)...)
	return s
}

func ignoredSection(files []string) section {
	var lines []line
	for i, f := range files {
		if i == maxProblems {
			lines = append(lines, say("… and "+phrase.Some(len(files)-i, "more file")))
			break
		}
		lines = append(lines, in(name, f))
	}
	return filledSection(in(dim, "of no known kind: ").and(phrase.Some(len(files), "file")), list{lines})
}

// filledSection is a section with one block, or nothing when the block holds nothing.
func filledSection(title line, b block) section {
	if blank(b) {
		return section{}
	}
	return section{Title: title, Blocks: []block{b}}
}
