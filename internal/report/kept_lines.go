package report

import "github.com/xlagate/xlagate/internal/facts"

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
	at, known := k.at[of]
	if known {
		l.out = append(l.out, k.kept[at[0]:at[1]]...)
	}
	return known
}

// write writes the lines of a thing, which follow on others, and keeps them while there is room.
func (k *keptLines[T]) write(l *jsonLines, of T, lines func(*jsonLines)) {
	begin := len(k.kept)
	apart := jsonLines{out: k.kept, depth: l.depth, begun: true}
	lines(&apart)
	l.out = append(l.out, apart.out[begin:]...)
	if k.kept = apart.out[:begin]; begin >= k.most {
		return
	}
	if k.at == nil {
		k.at = map[T][2]int{}
	}
	k.kept, k.at[of] = apart.out, [2]int{begin, len(apart.out)}
}
