package facts

import (
	"iter"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Stack is a line of the model's own and those that called it. Where a dump holds no stacks, or no line of the model in one, it is the
// one line that is known. What stacks have in common they share.
type Stack struct {
	hlo.Location
	Caller *Stack // nil for the outermost
}

// All yields the lines, the innermost first.
func (s *Stack) All() iter.Seq[hlo.Location] {
	return func(yield func(hlo.Location) bool) {
		for ; s != nil && yield(s.Location); s = s.Caller {
		}
	}
}

// at is the innermost line, nothing where there is none.
func (s *Stack) at() hlo.Location {
	if s == nil {
		return hlo.Location{}
	}
	return s.Location
}

// called is the line that called the innermost one, nothing where it is not known.
func (s *Stack) called() hlo.Location {
	if s == nil {
		return hlo.Location{}
	}
	return s.Caller.at()
}

// frames gathers the lines of several stacks, each once.
type frames struct {
	seen  map[hlo.Location]bool
	whole map[*Stack]bool // these, and so all that called them
	list  []hlo.Location
}

func newFrames() *frames { return &frames{seen: map[hlo.Location]bool{}, whole: map[*Stack]bool{}} }

func (f *frames) add(s *Stack) {
	for ; s != nil && !f.whole[s]; s = s.Caller {
		f.whole[s] = true
		f.place(s.Location)
	}
}

func (f *frames) place(l hlo.Location) {
	if l.File != "" && !f.seen[lineOf(l)] {
		f.seen[lineOf(l)] = true
		f.list = append(f.list, l)
	}
}

// Frames is every line of the model that leads to a kernel: from the one that it is named after outwards, then the same of each
// operation in it, each line once.
func (k *Kernel) Frames() []hlo.Location {
	f := newFrames()
	f.place(k.Source)
	f.add(k.Stack)
	for op := range k.Ops.kept() {
		f.add(k.Ops.List.Body.Tables.Origins[op.origin].Stack)
	}
	return f.list
}

// Frames is every line of the model that leads to the statement, each once.
func (s *Statement) Frames() []hlo.Location {
	f := newFrames()
	f.place(s.Source)
	for _, stack := range s.Stacks {
		f.add(stack)
	}
	return f.list
}
