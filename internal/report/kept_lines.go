package report

import (
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// formLines holds the lines of forms and kernels that were written: a model repeats its layers, and a loop that is unrolled repeats itself.
type formLines struct {
	forms   keptLines[*facts.Form]
	kernels keptLines[formAtSite]
}

// formAtSite is all that a kernel's lines depend on but for its name.
type formAtSite struct {
	form *facts.Form
	site *facts.Site
}

func newFormLines() *formLines {
	return &formLines{keptLines[*facts.Form]{most: 1 << 20}, keptLines[formAtSite]{most: 1 << 19}}
}

// forget makes room for the forms of another program where little is left. Programs of one dump share forms.
func (f *formLines) forget() {
	f.forms.forget()
	f.kernels.forget()
}

// keptLines are lines that were written once, by what they depend on.
type keptLines[T comparable] struct {
	at   map[T][2]int
	kept []byte
	most int // bounds how much is kept, in bytes
}

func (k *keptLines[T]) forget() {
	if len(k.kept) < k.most/2 {
		return
	}
	clear(k.at)
	k.kept = k.kept[:0]
}

// again writes the lines that were kept of a thing; it returns false where none were.
func (k *keptLines[T]) again(l *jsonLines, of T) bool {
	at := k.at[of]
	l.out = append(l.out, k.kept[at[0]:at[1]]...)
	return at[1] > 0
}

// seen tells whether a thing comes for the second time at least: to keep what never comes again costs more than to write it.
func (k *keptLines[T]) seen(of T) bool {
	const enough = 1 << 12
	_, known := k.at[of]
	if !known && len(k.at) < enough {
		k.make()
		k.at[of] = [2]int{}
	}
	return known
}

func (k *keptLines[T]) make() {
	if k.at == nil {
		k.at = map[T][2]int{}
	}
}

// write writes the lines of a thing, which follow on others, and keeps them while there is room.
func (k *keptLines[T]) write(l *jsonLines, of T, lines func(*jsonLines)) {
	if len(k.kept) >= k.most {
		lines(l)
		return
	}
	k.make()
	if begin := len(k.kept); cap(k.kept)-begin < begin/4 {
		k.kept = slices.Grow(k.kept, begin)
	}
	begin := len(k.kept)
	apart := jsonLines{out: k.kept, depth: l.depth, begun: true}
	lines(&apart)
	k.kept, k.at[of] = apart.out, [2]int{begin, len(apart.out)}
	l.out = append(l.out, k.kept[begin:]...)
}
