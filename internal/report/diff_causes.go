package report

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/phrase"
)

const (
	maxCauses = 6 // causes that are shown unless all are wanted
	maxGrown  = 3 // buffers that grew, likewise

	maxFollowing = 24 // kernels that follow from the causes, before their sum stands for them
)

// following is how many rows the kernels that differ would take.
func following(v *diff.Variant) int {
	k := &v.Kernels
	return len(k.Split) + len(k.Merged) + len(k.Changed) + len(k.Moved) + len(k.Unrolled) + len(k.Removed) + len(k.Added)
}

// followingSum is "kernels that follow from it: 8 split, 2 merged, 20 changed, 4 new, 12 gone".
func followingSum(k *diff.Kernels) string {
	text := ""
	for _, part := range []struct {
		n    int
		word string
	}{
		{len(k.Split), "split"}, {len(k.Merged), "merged"}, {len(k.Unrolled), "unrolled"}, {len(k.Changed), "changed"},
		{len(k.Moved), "moved"}, {len(k.Added), "new"}, {len(k.Removed), "gone"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %s %s", phrase.Number(float64(part.n)), part.word)
		}
	}
	return "kernels that follow from it: " + strings.TrimPrefix(text, ", ")
}

// causeBlocks say what brought the changes about: the place of the model, what changed there, and how many kernels follow from it.
func causeBlocks(v *diff.Variant, o Options) []block {
	var lines []line
	for i := range v.Causes {
		if i == maxCauses && !o.All {
			lines = append(lines, in(dim, "… "+phrase.Some(len(v.Causes)-i, "more cause")+" (--all lists them)"))
			break
		}
		lines = append(lines, causeLine(&v.Causes[i]))
	}
	return []block{list{lines}}
}

// causeLine is "· an optimization_barrier is new   train.py:99   jit(step)/optimization_barrier   1 kernel → 2".
func causeLine(c *diff.Cause) line {
	l := in(warn, "·").and(" ").in(strong, c.Title)
	for _, part := range []string{location(c.Source), c.OpName} {
		if part != "" {
			l = l.and("   ").in(name, part)
		}
	}
	if len(c.Before)+len(c.After) > 0 {
		l = l.in(dim, "   "+phrase.Some(len(c.Before), "kernel")+" → "+phrase.Number(float64(len(c.After))))
	}
	return l
}

// bufferLines are the temporary buffers that are new or grew.
func bufferLines(v *diff.Variant, o Options) []line {
	var lines []line
	for i := range v.Buffers {
		b := &v.Buffers[i]
		if i == maxGrown && !o.All {
			break
		}
		l := in(warn, "~").and(" ")
		if b.Old == 0 {
			l = l.and("new buffer ").in(name, shortShape(b.New.Shape)).and(", " + phrase.Bytes(float64(b.New.Bytes)))
		} else {
			was, is := phrase.Apart(float64(b.Old), float64(b.New.Bytes), "bytes")
			l = l.and("buffer ").in(name, shortShape(b.New.Shape)).and(" grew " + was + " → " + is)
		}
		for _, part := range []string{location(b.New.Source), b.New.OpName} {
			if part != "" {
				l = l.and("   ").in(name, part)
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// unrollLines are the kernels of loops that now stand several times in the program.
func unrollLines(unrolled []diff.Unroll) []line {
	var lines []line
	for i := range unrolled {
		u := &unrolled[i]
		lines = append(lines, kernelTitle(&u.One).and("   of a loop's body, now "+phrase.Some(len(u.Copies), "time")+" in the program"))
	}
	return lines
}
