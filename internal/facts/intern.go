package facts

import (
	"hash/maphash"
	"sync"

	"github.com/xlagate/xlagate/internal/hlo"
)

// interner keeps one copy of equal values: a model repeats its layers, and the programs of a run have files, scopes and shapes in common.
// Several goroutines may use it. What it returns must not be changed.
type interner struct {
	seed     maphash.Seed
	words    internTable[string]
	sites    internTable[Site]
	origins  internTable[opOrigin]
	stacks   internTable[Stack]
	said     internTable[opSaid]
	products internTable[Product]
	forms    internTable[Form]
}

func newInterner() *interner { return &interner{seed: maphash.MakeSeed()} }

// internTable holds the values of one type by their hash. Of two values with one hash the later one stays.
type internTable[T any] struct {
	held sync.Mutex
	at   map[uint64]*T
}

func (s *internTable[T]) find(sum uint64) *T {
	s.held.Lock()
	defer s.held.Unlock()
	return s.at[sum]
}

func (s *internTable[T]) put(sum uint64, value T) *T {
	s.held.Lock()
	defer s.held.Unlock()
	if s.at == nil {
		s.at = map[uint64]*T{}
	}
	s.at[sum] = &value
	return &value
}

// lookup returns the hash of a value and the known value that equals it, nil where none does.
func lookup[T comparable](s *interner, table *internTable[T], value T) (sum uint64, known *T) {
	sum = maphash.Comparable(s.seed, value)
	if known = table.find(sum); known == nil || *known != value {
		return sum, nil
	}
	return sum, known
}

func (s *interner) word(w string) string {
	if w == "" {
		return ""
	}
	sum, known := lookup(s, &s.words, w)
	if known == nil {
		known = s.words.put(sum, w)
	}
	return *known
}

func (s *interner) place(l hlo.Location) hlo.Location {
	l.File, l.Function = s.word(l.File), s.word(l.Function)
	return l
}

func (s *interner) site(at Site) *Site {
	sum, known := lookup(s, &s.sites, at)
	if known == nil {
		at.OpType, at.Loop, at.Source = s.word(at.OpType), s.word(at.Loop), s.place(at.Source)
		known = s.sites.put(sum, at)
	}
	return known
}

func (s *interner) origin(opName string, from *Stack) *opOrigin {
	sum, known := lookup(s, &s.origins, opOrigin{opName, from})
	if known == nil {
		known = s.origins.put(sum, opOrigin{opName, from})
	}
	return known
}

func (s *interner) stack(l hlo.Location, caller *Stack) *Stack {
	sum, known := lookup(s, &s.stacks, Stack{l, caller})
	if known == nil {
		known = s.stacks.put(sum, Stack{s.place(l), caller})
	}
	return known
}

func (s *interner) says(o opSaid) *opSaid {
	sum, known := lookup(s, &s.said, o)
	if known == nil {
		known = s.said.put(sum, opSaid{s.word(o.Opcode), s.word(o.Shape), s.word(o.Layout)})
	}
	return known
}

func (s *interner) product(p Product) *Product {
	sum, known := lookup(s, &s.products, p)
	if known == nil {
		p.Opcode, p.Shape, p.Precision, p.OpName, p.Source = s.word(p.Opcode), s.word(p.Shape), s.word(p.Precision), s.word(p.OpName), s.place(p.Source)
		known = s.products.put(sum, p)
	}
	return known
}

// formHead holds the fields in which most forms differ.
type formHead struct {
	print, out, layout, attrs, axes string
	bytes, flops                    int64
	trips                           Trips
}

func (s *interner) form(f Form) *Form {
	sum := maphash.Comparable(s.seed, formHead{f.Print, f.Out, f.Layout, f.Attrs, f.Axes, f.Bytes, f.Flops, f.Trips})
	if known := s.forms.find(sum); known != nil && known.equal(&f) {
		return known
	}
	for _, text := range []*string{&f.Kind, &f.Root, &f.Layout, &f.Target, &f.Attrs, &f.Groups, &f.Axes, &f.Family, &f.Function} {
		*text = s.word(*text)
	}
	for i := range f.Config {
		f.Config[i] = s.word(f.Config[i])
	}
	return s.forms.put(sum, f)
}
