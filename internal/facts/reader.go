package facts

import (
	"cmp"
	"hash/maphash"
	"iter"
	"slices"
	"sync"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// reader answers questions about one module's instructions.
type reader struct {
	m        *hlo.Module
	sources  *sources
	interner *interner // of values that modules have in common
	shapes   []string  // by ShapeID, the text without layout
	sizes    []int64   // by ShapeID, of all arrays in it
	analyses
	launched
}

// analyses are what is found out about a whole module, each when it is first asked for.
type analyses struct {
	alike  func() *hlo.Alike
	prints func() *hlo.Prints
	costs  func() *price.Costs  // XLA's cost analysis
	order  func() []hlo.CompID  // the computations in the order of the file
	noted  func() []hlo.InstrID // see notable
	bodies func() []bodySize    // by hlo.CompID
	walk   func() (*walk, error)
	values func() *values
	users  func() *hlo.Users
	owners func() *owners
	metas  func() []hlo.Metadata // by MetadataID
	stacks func() []*Stack       // likewise; see sources.frames
}

// launched is what is known of the launches that were looked at.
type launched struct {
	forms     map[formKey]*Form
	productOf map[uint64]Product       // by hlo.Alike.Call
	inside    map[hlo.CompID][]FusedOp // see operations
	ops       [][]madeOp               // by metadata; see op
	fresh     []Op                     // room for the next descriptions of operations
	from      []int32                  // room for the origins of the next operations: most have one or two operands
	meter     *price.Meter             // see work
	family    price.Family             // what the module was compiled for
	steps     int                      // how many more follow takes, of a module that was made to take very many
	rewrites  map[hlo.InstrID]string   // the state that a launch writes whole
}

func readerOf(m *hlo.Module, from *interner) *reader {
	shapes := m.ShapeIDs()
	r := &reader{
		m: m, sources: newSources(m, from), interner: from, shapes: make([]string, shapes), sizes: make([]int64, shapes),
		launched: launched{
			forms: map[formKey]*Form{}, inside: map[hlo.CompID][]FusedOp{}, ops: make([][]madeOp, m.MetadataIDs()),
			productOf: map[uint64]Product{}, rewrites: map[hlo.InstrID]string{}, steps: 64 * len(m.Instrs),
		},
	}
	r.analyses = analyses{
		alike:  sync.OnceValue(m.Alike),
		prints: sync.OnceValue(func() *hlo.Prints { return r.alike().Prints() }),
		costs:  sync.OnceValue(func() *price.Costs { return price.Analyze(r.alike(), r.users(), nil) }),
		order:  sync.OnceValue(func() []hlo.CompID { return inOrder(m) }),
		noted:  sync.OnceValue(r.newNotable),
		users:  sync.OnceValue(m.Users),
		bodies: sync.OnceValue(func() []bodySize { return bodies(m) }),
		walk:   sync.OnceValues(r.newWalk),
		values: sync.OnceValue(func() *values { return newValues(m) }),
		owners: sync.OnceValue(r.newOwners),
		metas:  sync.OnceValue(r.newMetas),
		stacks: sync.OnceValue(func() []*Stack { return phrase.Map(r.metas(), r.sources.frames) }),
	}
	for id := range r.sizes {
		r.sizes[id] = r.m.ShapeBytes(hlo.ShapeID(id))
	}
	return r
}

// shape is the shape's text without layout.
func (r *reader) shape(id hlo.ShapeID) string {
	if r.shapes[id] == "" {
		r.shapes[id] = r.interner.word(r.m.ShapeText(id))
	}
	return r.shapes[id]
}

// metadata is an instruction's metadata.
func (r *reader) metadata(id hlo.InstrID) hlo.Metadata { return r.metas()[r.m.MetadataID(id)] }

// newMetas decodes all metadata, in the order in which the source first says it.
func (r *reader) newMetas() []hlo.Metadata {
	list := make([]hlo.Metadata, r.m.MetadataIDs())
	for id := range list {
		list[id] = r.m.MetadataByID(hlo.MetadataID(id))
		r.sources.trace(&list[id])
	}
	return list
}

func (r *reader) opcode(id hlo.InstrID) string { return r.m.OpcodeName(r.m.Instrs[id].Opcode) }

// newNotable lists the instructions that facts look at one by one, in the order of the file. There are few among many.
func (r *reader) newNotable() (list []hlo.InstrID) {
	for _, comp := range r.order() {
		for id, end := r.m.Body(comp); id < end; id++ {
			switch r.m.Instrs[id].Opcode {
			case hlo.OpConstant, hlo.OpConvert, hlo.OpTranspose, hlo.OpDot, hlo.OpRaggedDot, hlo.OpScaledDot, hlo.OpConvolution, hlo.OpCustomCall:
				list = append(list, id)
				continue
			}
			if len(r.m.Callees(id)) > 0 {
				list = append(list, id)
			}
		}
	}
	return list
}

// notable yields the wanted ones of the notable instructions, in the order of the file.
func (r *reader) notable(wanted func(hlo.InstrID) bool) iter.Seq[hlo.InstrID] {
	return func(yield func(hlo.InstrID) bool) {
		for _, id := range r.noted() {
			if wanted(id) && !yield(id) {
				return
			}
		}
	}
}

// inOrder lists the computations in the order of the file.
func inOrder(m *hlo.Module) []hlo.CompID {
	byPlace := func(a, b hlo.CompID) int { return cmp.Compare(m.Comps[a].Source.Start, m.Comps[b].Source.Start) }
	order := make([]hlo.CompID, len(m.Comps))
	for c := range order {
		order[c] = hlo.CompID(c)
	}
	if !slices.IsSortedFunc(order, byPlace) {
		slices.SortFunc(order, byPlace)
	}
	return order
}

// interner keeps one copy of equal values: a model repeats its layers, and the programs of a run have files, scopes and shapes in common.
// Several goroutines may use it. What it returns must not be changed.
type interner struct {
	seed    maphash.Seed
	held    sync.Mutex // of words and fusions
	words   map[string]string
	fusions map[string][]string // the settings of fusions by their backend_config
	sites   internTable[Site]
	stacks  internTable[Stack]
	forms   internTable[Form]
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), words: map[string]string{}, fusions: map[string][]string{}}
}

// internTable holds the values of one type by their hash. Of two values with one hash the later one stays.
type internTable[T any] struct {
	held sync.Mutex
	at   map[uint64]*T
}

// keep returns the value with a hash that is the wanted one, or else keeps what is made.
func (s *internTable[T]) keep(sum uint64, wanted func(*T) bool, made func() *T) *T {
	s.held.Lock()
	defer s.held.Unlock()
	if known := s.at[sum]; known != nil && wanted(known) {
		return known
	}
	if s.at == nil {
		s.at = map[uint64]*T{}
	}
	value := made()
	s.at[sum] = value
	return value
}

// intern returns the known value that equals one, or keeps that, made of words that are kept.
func intern[T comparable](s *interner, table *internTable[T], value T, ofWords func(T) T) *T {
	return table.keep(maphash.Comparable(s.seed, value), func(known *T) bool { return *known == value }, func() *T {
		kept := ofWords(value)
		return &kept
	})
}

func (s *interner) word(w string) string {
	if w == "" {
		return ""
	}
	s.held.Lock()
	defer s.held.Unlock()
	kept, known := s.words[w]
	if !known {
		s.words[w], kept = w, w
	}
	return kept
}

func (s *interner) list(words []string) []string {
	for i, w := range words {
		words[i] = s.word(w)
	}
	return words
}

// maxSettings bounds the bytes of a backend_config whose settings are kept, and how many are. Those of real fusions have less than a kilobyte.
const maxSettings = 4096

// settings are those in the backend_config of a fusion, of which there are few.
func (s *interner) settings(config string) []string {
	if len(config) > maxSettings {
		return s.list(hlo.SettingsIn(config))
	}
	s.held.Lock()
	settings, known := s.fusions[config]
	s.held.Unlock()
	if !known {
		settings = s.list(hlo.SettingsIn(config))
		s.held.Lock()
		if len(s.fusions) < maxSettings {
			s.fusions[config] = settings
		}
		s.held.Unlock()
	}
	return settings
}

func (s *interner) place(l hlo.Location) hlo.Location {
	l.File, l.Function = s.word(l.File), s.word(l.Function)
	return l
}

func (s *interner) site(at Site) *Site {
	return intern(s, &s.sites, at, func(at Site) Site {
		at.OpType, at.Loop, at.Source = s.word(at.OpType), s.word(at.Loop), s.place(at.Source)
		return at
	})
}

func (s *interner) stack(at Stack) *Stack {
	return intern(s, &s.stacks, at, func(at Stack) Stack { return Stack{s.place(at.Location), at.Caller, s.place(at.Library)} })
}

// formHead holds the fields in which most forms differ.
type formHead struct {
	print, out, layout, attrs, axes string
	bytes, flops                    int64
	trips                           Trips
}

func (s *interner) form(f Form) *Form {
	sum := maphash.Comparable(s.seed, formHead{f.Print, f.Out, f.Layout, f.Attrs, f.Axes, f.Bytes, f.Flops, f.Trips})
	return s.forms.keep(sum, f.equal, func() *Form {
		for _, text := range []*string{&f.Kind, &f.Root, &f.Layout, &f.Target, &f.Attrs, &f.Groups, &f.Axes, &f.Family, &f.Function} {
			*text = s.word(*text)
		}
		return &f
	})
}
