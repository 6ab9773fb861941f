package report

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

const (
	maxDiffKernels = 8   // rows of one kind that are shown unless all are wanted
	maxWhat        = 160 // runes that say how a kernel changed
	maxOpLines     = 24  // operations that are shown of one kernel
)

// kernelBlocks shows the kernels that differ, one row each; below a changed kernel, the operations that were removed and added.
func kernelBlocks(v *changes.Variant, o Options) []block {
	var s section
	k := &v.Kernels
	s.add(regroupBlocks("→ %d kernels", k.Split, '-', '+', o)...)
	s.add(regroupBlocks("← %d kernels", k.Merged, '+', '-', o)...)
	s.add(changeBlocks(k.Changed, o)...)
	s.add(changeBlocks(k.Moved, o)...)
	s.add(list{each(k.Unrolled, func(u *changes.Regroup) line {
		return kernelTitle(&u.One).and("   from a loop body, now " + phrase.Some(len(u.Many), "copy") + " in the program")
	})})
	s.add(sideTable(in(bad, "-"), k.Removed, o)...)
	s.add(sideTable(in(good, "+"), k.Added, o)...)
	return s.Blocks
}

// sideTable lists kernels that only one side has. Those that differ only in the compiler's numbering are one row, unless all are wanted.
func sideTable(mark line, kernels []facts.Kernel, o Options) []block {
	t := table{Head: []string{"kernel", "bytes", "source", "name"}, Right: []bool{false, true}, Bare: true}
	groups := phrase.Group(each(kernels, func(k *facts.Kernel) *facts.Kernel { return k }), func(k *facts.Kernel) any {
		if o.All {
			return k
		}
		return strings.Join([]string{kernelWhat(k), k.Out, k.OpName, location(k.Source), fmt.Sprint(k.Times, k.Bytes)}, "\x00")
	})
	shown := o.shown(len(groups), maxDiffKernels)
	for _, g := range groups[:shown] {
		row := kernelRow(g[0])
		row[0] = mark.with(" ", row[0])
		if len(g) > 1 {
			row[0] = row[0].and(fmt.Sprintf(", %d of them", len(g)))
		}
		t.Rows = append(t.Rows, row)
	}
	return []block{t, more(len(groups)-shown, "kind of kernel")}
}

func changeBlocks(kernels []changes.KernelChange, o Options) []block {
	var blocks []block
	shown := o.shown(len(kernels), maxDiffKernels)
	for i := range kernels[:shown] {
		c := &kernels[i]
		s := section{Title: kernelTitle(&c.New).and("   " + cut(strings.Join(c.What, ", "), maxWhat))}
		s.add(operationDiff(&c.Old, &c.New))
		blocks = append(blocks, folded(s))
	}
	return append(blocks, more(len(kernels)-shown, "changed kernel"))
}

// folded folds a section, or returns its title alone when it is empty.
func folded(s section) block {
	if len(s.Blocks) == 0 {
		return para{s.Title}
	}
	s.Fold = true
	return s
}

// kernelTitle is "~ loop add, tanh → f32[8,128]   model.py:3   gelu".
func kernelTitle(k *facts.Kernel) line {
	return in(warn, "~").and(" ").in(name, does(k)).names(location(k.Source), modelName(k))
}

// regroupBlocks are kernels that were split or merged: the one kernel, what separates the parts, and the parts.
func regroupBlocks(form string, regroups []changes.Regroup, one, many byte, o Options) []block {
	var blocks []block
	shown := o.shown(len(regroups), maxDiffKernels)
	for i := range regroups[:shown] {
		g := &regroups[i]
		s := section{Title: kernelTitle(&g.One).and("   " + fmt.Sprintf(form, len(g.Many)))}
		if why := changes.SplitBy(g.Between); why != "" {
			s.add(para{in(dim, "split ").and(why)})
		}
		l := listing{[]listed{kernelLine(one, &g.One)}}
		for j := range g.Many {
			l.Lines = append(l.Lines, kernelLine(many, &g.Many[j]))
		}
		s.add(l)
		blocks = append(blocks, folded(s))
	}
	return append(blocks, more(len(regroups)-shown, "regrouped kernel"))
}

func kernelLine(mark byte, k *facts.Kernel) listed {
	return listed{mark, []string{does(k), location(k.Source), modelName(k)}}
}

// operationDiff shows the operations that are in one of two kernels only, whatever their order and the lines that they are at.
func operationDiff(old, fresh *facts.Kernel) listing {
	var out listing
	for _, side := range []struct {
		mark     byte
		k, other *facts.Kernel
	}{{'-', old, fresh}, {'+', fresh, old}} {
		there := map[string]int{}
		for _, o := range side.other.Ops {
			there[opText(*o.Op)]++
		}
		for _, o := range side.k.Ops {
			if text := opText(*o.Op); there[text] > 0 {
				there[text]--
			} else {
				out.Lines = append(out.Lines, listed{side.mark, splitCells(opText(*o.Op) + "  " + location(o.Source))})
			}
		}
	}
	if len(out.Lines) > maxOpLines {
		out.Lines = append(out.Lines[:maxOpLines], listed{' ', []string{"… more operations differ"}})
	}
	return out
}

const (
	maxCauses = 6 // causes that are shown unless all are wanted
	maxGrown  = 3 // buffers that grew, likewise

	maxFollowing = 24 // kernels that follow from the causes; more are only counted
)

// causeLine is "· an optimization_barrier is new   train.py:99   jit(step)/optimization_barrier   1 kernel → 2".
func causeLine(c *changes.Cause) line {
	l := in(warn, "·").and(" ").in(strong, c.Title)
	l = l.names(location(c.Source), c.OpName)
	if len(c.Before)+len(c.After) > 0 {
		l = l.in(dim, "   "+phrase.Some(len(c.Before), "kernel")+" → "+phrase.Number(float64(len(c.After))))
	}
	return l
}

func bufferLines(v *changes.Variant, o Options) []line {
	return each(v.Buffers[:o.shown(len(v.Buffers), maxGrown)], func(b *changes.BufferChange) line {
		l := in(warn, "~").and(" ")
		if b.Old == 0 {
			l = l.and("new buffer ").in(name, shortShape(b.New.Shape)).and(", " + phrase.Bytes(float64(b.New.Bytes)))
		} else {
			was, is := phrase.Apart(float64(b.Old), float64(b.New.Bytes), "bytes")
			l = l.and("buffer ").in(name, shortShape(b.New.Shape)).and(" grew " + was + " → " + is)
		}
		return l.names(location(b.New.Source), b.New.OpName)
	})
}
