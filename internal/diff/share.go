package diff

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// share puts every change of the ledger down to a cause.
func (b *blame) share() {
	k := &b.v.Kernels
	for i := range k.Split {
		s := b.put([]facts.Kernel{k.Split[i].One}, k.Split[i].Many)
		s.split = append(s.split, &k.Split[i])
	}
	for i := range k.Unrolled {
		s := b.put([]facts.Kernel{k.Unrolled[i].One}, k.Unrolled[i].Copies)
		s.unroll = append(s.unroll, &k.Unrolled[i])
	}
	for i := range k.Merged {
		b.put(k.Merged[i].Many, []facts.Kernel{k.Merged[i].One})
	}
	for _, c := range append(slices.Clone(k.Changed), k.Moved...) {
		b.put([]facts.Kernel{c.Old}, []facts.Kernel{c.New})
	}
	for i := range k.Added {
		b.put(nil, k.Added[i:i+1])
	}
	for i := range k.Removed {
		b.put(k.Removed[i:i+1], nil)
	}
}

// put puts one change down to its cause.
func (b *blame) put(before, after []facts.Kernel) *suspect {
	at := b.byLines(after)
	if at < 0 {
		at = b.byScopes(slices.Concat(after, before))
	}
	if at < 0 {
		at = b.around(slices.Concat(after, before))
	}
	if at < 0 {
		at = b.heaviest()
	}
	s := &b.suspects[at]
	s.Before, s.After = append(s.Before, before...), append(s.After, after...)
	return s
}

// better is the weightier of two suspects; -1 stands for none.
func (b *blame) better(best, at int) int {
	if best < 0 || b.suspects[at].weight > b.suspects[best].weight {
		return at
	}
	return best
}

// byLines finds the weightiest edit on a line of the operations in the kernels.
func (b *blame) byLines(kernels []facts.Kernel) int {
	best := -1
	for i := range kernels {
		for _, op := range opsOf(&kernels[i]) {
			if at, ok := b.byLine[line(op.Source)]; ok {
				best = b.better(best, at)
			}
		}
	}
	return best
}

// byScopes finds the weightiest edit in a scope of the operations in the kernels.
func (b *blame) byScopes(kernels []facts.Kernel) int {
	best := -1
	for i := range kernels {
		for _, op := range opsOf(&kernels[i]) {
			for _, scope := range []string{scopeOf(op.OpName), op.OpName} {
				if at, ok := b.byScope[scope]; ok {
					best = b.better(best, at)
				}
			}
		}
	}
	return best
}

// around finds the edit in the nearest scope around a kernel.
func (b *blame) around(kernels []facts.Kernel) int {
	for i := range kernels {
		if at, ok := b.enclosing(scopeOf(kernels[i].OpName)); ok {
			return at
		}
	}
	return -1
}

func (b *blame) heaviest() int {
	best := 0
	for i := range b.suspects {
		best = b.better(best, i)
	}
	return best
}
