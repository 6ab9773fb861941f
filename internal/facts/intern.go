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
	kinds    internTable[opKind]
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

// intern returns the known value that equals one, or keeps that, after it was made of words that are kept.
func intern[T comparable](s *interner, table *internTable[T], value T, words func(*T)) *T {
	sum := maphash.Comparable(s.seed, value)
	if known := table.find(sum); known != nil && *known == value {
		return known
	}
	words(&value)
	return table.put(sum, value)
}

func (s *interner) word(w string) string {
	if w == "" {
		return ""
	}
	return *intern(s, &s.words, w, func(*string) {})
}

func (s *interner) place(l hlo.Location) hlo.Location {
	l.File, l.Function = s.word(l.File), s.word(l.Function)
	return l
}

func (s *interner) site(at Site) *Site {
	return intern(s, &s.sites, at, func(at *Site) {
		at.OpType, at.Loop, at.Source = s.word(at.OpType), s.word(at.Loop), s.place(at.Source)
	})
}

func (s *interner) origin(opName string, from *Stack) *opOrigin {
	return intern(s, &s.origins, opOrigin{opName, from}, func(*opOrigin) {})
}

func (s *interner) stack(l hlo.Location, caller *Stack) *Stack {
	return intern(s, &s.stacks, Stack{l, caller}, func(at *Stack) { at.Location = s.place(l) })
}

func (s *interner) kind(k opKind) *opKind {
	return intern(s, &s.kinds, k, func(k *opKind) { *k = opKind{s.word(k.Opcode), s.word(k.Shape), s.word(k.Layout)} })
}

func (s *interner) product(p Product) *Product {
	return intern(s, &s.products, p, func(p *Product) {
		p.Opcode, p.Shape, p.Precision, p.OpName, p.Source = s.word(p.Opcode), s.word(p.Shape), s.word(p.Precision), s.word(p.OpName), s.place(p.Source)
	})
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
