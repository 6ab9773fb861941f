package diff

import (
	"cmp"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// compareBuffers finds the temporary buffers that are new or grew. A buffer is known by what the model keeps in it.
func compareBuffers(old, fresh []facts.Buffer) []BufferChange {
	exact, named := map[facts.Buffer]int{}, map[string][]int64{}
	for _, b := range old {
		exact[bare(b)]++
	}
	var left []facts.Buffer
	for _, b := range fresh {
		if exact[bare(b)]--; exact[bare(b)] < 0 {
			left = append(left, b)
		}
	}
	for _, b := range old {
		if exact[bare(b)]--; exact[bare(b)] >= 0 {
			named[b.OpName] = append(named[b.OpName], b.Bytes)
		}
	}
	var out []BufferChange
	for _, b := range left {
		c := BufferChange{New: b}
		if list := named[b.OpName]; len(list) > 0 && b.OpName != "" {
			c.Old, named[b.OpName] = list[0], list[1:]
		}
		if b.Bytes > c.Old {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b BufferChange) int { return cmp.Compare(b.New.Bytes-b.Old, a.New.Bytes-a.Old) })
	return out
}

// bare is a buffer without its place in the source, which a stored baseline does not know.
func bare(b facts.Buffer) facts.Buffer {
	return facts.Buffer{Bytes: b.Bytes, Shape: b.Shape, OpName: b.OpName}
}
