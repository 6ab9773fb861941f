package report

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

const (
	maxDiffKernels = 8   // rows of one kind that are shown unless all are wanted
	maxWhat        = 160 // runes that say how a kernel changed
	maxOpLines     = 24  // operations that are shown of one kernel
)

// kernelBlocks are the kernels that differ: a row each, and below those that changed the operations that left and came.
func kernelBlocks(v *diff.Variant, o Options) []block {
	var s section
	k := &v.Kernels
	s.add(regroupBlocks("→ %d kernels", k.Split, '-', o)...)
	s.add(regroupBlocks("← %d kernels", k.Merged, '+', o)...)
	s.add(changeBlocks(k.Changed, o)...)
	s.add(changeBlocks(k.Moved, o)...)
	s.add(list{unrollLines(k.Unrolled)})
	s.add(sideTable(in(bad, "-"), k.Removed, o)...)
	s.add(sideTable(in(good, "+"), k.Added, o)...)
	return s.Blocks
}

// sideTable lists kernels that one side alone has.
func sideTable(mark line, kernels []facts.Kernel, o Options) []block {
	t := table{Head: []string{"kernel", "bytes", "source", "name"}, Right: []bool{false, true}, Bare: true}
	groups := alike(kernels, o)
	for i, g := range groups {
		if i == maxDiffKernels && !o.All {
			return []block{t, more(len(groups)-i, "kind of kernel")}
		}
		row := kernelRow(g.Kernel)
		row[0] = mark.with(" ", row[0])
		if g.count > 1 {
			row[0] = row[0].and(fmt.Sprintf(", %d of them", g.count))
		}
		t.Rows = append(t.Rows, row)
	}
	return []block{t}
}

// alike groups kernels that read the same but for the compiler's numbering, unless all are wanted.
func alike(kernels []facts.Kernel, o Options) []hot {
	var out []hot
	at := map[string]int{}
	for i := range kernels {
		k := &kernels[i]
		key := strings.Join([]string{kernelWhat(k), k.Out, k.OpName, location(k.Source), fmt.Sprint(k.Times, k.Bytes)}, "\x00")
		j, ok := at[key]
		if !ok || o.All {
			at[key] = len(out)
			out = append(out, hot{Kernel: k, count: 1})
			continue
		}
		out[j].count++
	}
	return out
}

func more(n int, noun string) para {
	return para{in(dim, "… "+phrase.Some(n, "more "+noun)+" (--all lists them)")}
}

func changeBlocks(changes []diff.KernelChange, o Options) []block {
	var blocks []block
	for i := range changes {
		if i == maxDiffKernels && !o.All {
			return append(blocks, more(len(changes)-i, "changed kernel"))
		}
		c := &changes[i]
		s := section{Title: kernelTitle(&c.New).and("   " + cut(strings.Join(c.What, ", "), maxWhat))}
		s.add(operationDiff(opLines(&c.Old), opLines(&c.New)))
		blocks = append(blocks, folded(s))
	}
	return blocks
}

// folded hides what lies below a title, where there is anything.
func folded(s section) block {
	if len(s.Blocks) == 0 {
		return para{s.Title}
	}
	s.Fold = true
	return s
}

// kernelTitle is "~ loop add, tanh → f32[8,128]   model.py:3   gelu".
func kernelTitle(k *facts.Kernel) line {
	l := in(warn, "~").and(" ").in(name, does(k))
	if at := location(k.Source); at != "" {
		l = l.and("   ").in(name, at)
	}
	return l.and("   ").in(name, modelName(k))
}

// regroupBlocks are kernels that were split or merged: the one, what stands between the many, and the many below it.
func regroupBlocks(form string, regroups []diff.Regroup, one byte, o Options) []block {
	many := byte('+')
	if one == '+' {
		many = '-'
	}
	var blocks []block
	for i := range regroups {
		if i == maxDiffKernels && !o.All {
			return append(blocks, more(len(regroups)-i, "regrouped kernel"))
		}
		g := &regroups[i]
		s := section{Title: kernelTitle(&g.One).and("   " + fmt.Sprintf(form, len(g.Many)))}
		if len(g.Between) > 0 {
			s.add(para{in(dim, "between them: ").and(strings.Join(g.Between, "; "))})
		}
		var l listing
		l.Lines = append(l.Lines, kernelLine(one, &g.One))
		for j := range g.Many {
			l.Lines = append(l.Lines, kernelLine(many, &g.Many[j]))
		}
		s.add(l)
		blocks = append(blocks, folded(s))
	}
	return blocks
}

func kernelLine(mark byte, k *facts.Kernel) listed {
	return listed{mark, []string{does(k), location(k.Source), modelName(k)}}
}

// operationDiff is what left and what came of two kernels' operations; operations on both sides are left out.
func operationDiff(old, fresh []string) listing {
	var out listing
	for _, l := range lineDiff(old, fresh).Lines {
		if l.Mark == ' ' {
			continue
		}
		if len(out.Lines) == maxOpLines {
			out.Lines = append(out.Lines, listed{' ', []string{"… more operations differ"}})
			break
		}
		out.Lines = append(out.Lines, l)
	}
	return out
}
