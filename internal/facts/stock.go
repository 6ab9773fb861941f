package facts

import (
	"hash/maphash"
	"sync"

	"github.com/xlagate/xlagate/internal/hlo"
)

// stock keeps one copy of what is said again and again: a model repeats its layers, and the programs of a run have files, scopes and
// shapes in common. Several modules may be measured from one stock at once. What comes from it must not be changed.
type stock struct {
	seed     maphash.Seed
	words    shelf[string]
	sites    shelf[Site]
	origins  shelf[opOrigin]
	stacks   shelf[Stack]
	said     shelf[opSaid]
	products shelf[Product]
	forms    shelf[Form]
}

func newStock() *stock { return &stock{seed: maphash.MakeSeed()} }

// shelf is what is in stock of one kind, by a hash of its content. Of two things with one hash the later one stays.
type shelf[T any] struct {
	held sync.Mutex
	at   map[uint64]*T
}

func (s *shelf[T]) find(sum uint64) *T {
	s.held.Lock()
	defer s.held.Unlock()
	return s.at[sum]
}

func (s *shelf[T]) put(sum uint64, thing T) *T {
	s.held.Lock()
	defer s.held.Unlock()
	if s.at == nil {
		s.at = map[uint64]*T{}
	}
	s.at[sum] = &thing
	return &thing
}

// onShelf is what equals a thing; nil where nothing does yet.
func onShelf[T comparable](s *stock, shelf *shelf[T], thing T) (sum uint64, known *T) {
	sum = maphash.Comparable(s.seed, thing)
	if known = shelf.find(sum); known == nil || *known != thing {
		return sum, nil
	}
	return sum, known
}

func (s *stock) word(w string) string {
	if w == "" {
		return ""
	}
	sum, known := onShelf(s, &s.words, w)
	if known == nil {
		known = s.words.put(sum, w)
	}
	return *known
}

func (s *stock) place(l hlo.Location) hlo.Location {
	l.File, l.Function = s.word(l.File), s.word(l.Function)
	return l
}

func (s *stock) site(at Site) *Site {
	sum, known := onShelf(s, &s.sites, at)
	if known == nil {
		at.OpName, at.OpType, at.Loop, at.Source = s.word(at.OpName), s.word(at.OpType), s.word(at.Loop), s.place(at.Source)
		known = s.sites.put(sum, at)
	}
	return known
}

func (s *stock) origin(opName string, from *Stack) *opOrigin {
	sum, known := onShelf(s, &s.origins, opOrigin{opName, from})
	if known == nil {
		known = s.origins.put(sum, opOrigin{s.word(opName), from})
	}
	return known
}

func (s *stock) stack(l hlo.Location, caller *Stack) *Stack {
	sum, known := onShelf(s, &s.stacks, Stack{l, caller})
	if known == nil {
		known = s.stacks.put(sum, Stack{s.place(l), caller})
	}
	return known
}

func (s *stock) says(o opSaid) *opSaid {
	sum, known := onShelf(s, &s.said, o)
	if known == nil {
		known = s.said.put(sum, opSaid{s.word(o.Opcode), s.word(o.Shape), s.word(o.Layout)})
	}
	return known
}

func (s *stock) product(p Product) *Product {
	sum, known := onShelf(s, &s.products, p)
	if known == nil {
		p.Opcode, p.Shape, p.Precision, p.OpName, p.Source = s.word(p.Opcode), s.word(p.Shape), s.word(p.Precision), s.word(p.OpName), s.place(p.Source)
		known = s.products.put(sum, p)
	}
	return known
}

// formHead is what most forms are told apart by.
type formHead struct {
	print, out, layout, attrs, axes string
	bytes, flops, length, most      int64
}

func (s *stock) form(f Form) *Form {
	sum := maphash.Comparable(s.seed, formHead{f.Print, f.Out, f.Layout, f.Attrs, f.Axes, f.Bytes, f.Flops, f.Length, f.Most})
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
