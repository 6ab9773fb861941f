package facts

import (
	"iter"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// reader answers questions about one module's instructions, each text made once.
type reader struct {
	m       *hlo.Module
	sources *sources
	tables  *opTables // of the operations in kernels
	words   map[string]string
	metas   []hlo.Metadata // by MetadataID
	decoded []bool         // those in metas that were asked for
	stock   *stock         // what this module has in common with others
	forms   map[formKey]formed
	sites   map[siteKey]*Site
	lists   map[opList]OpList
	origins []byte           // of the list at hand, see ops
	origin  hlo.MetadataID   // the last in origins
	kinds   map[opKind]int32 // of the operations in kernels: what they say in tables.Said
	coded   []hlo.Opcode     // by kind
	flow    flow             // see operations
	counts  []int            // by opcode, of the operations at hand; see doing
	counted []hlo.Opcode     // those that are not 0 there
	list    []string         // of the operands at hand, see operandShapes
	shapes  []string         // by ShapeID, without layout
	order   []hlo.CompID     // see inOrder
	sizes   []int64          // by ShapeID, of all arrays in it
	seen    []bool           // see operandBytes
	same    *hlo.Alike       // see alike
	costs   *price.Prices    // see price
	meter   *price.Meter     // see work
	walked  *walk            // see walk
	hashes  *hlo.Prints      // see prints
}

// readerOf measures from a stock; from one of its own where none is given.
func readerOf(m *hlo.Module, from *stock) *reader {
	if from == nil {
		from = newStock()
	}
	metas, shapes := m.MetadataIDs(), m.ShapeIDs()
	r := &reader{
		m: m, sources: newSources(m, from), stock: from, words: map[string]string{}, forms: map[formKey]formed{}, sites: map[siteKey]*Site{}, lists: map[opList]OpList{},
		kinds: map[opKind]int32{}, metas: make([]hlo.Metadata, metas), decoded: make([]bool, metas), tables: &opTables{Origins: make([]*opOrigin, metas)},
		shapes: make([]string, shapes), sizes: make([]int64, shapes),
	}
	for id := range r.sizes {
		r.sizes[id] = r.m.ShapeBytes(hlo.ShapeID(id))
	}
	return r
}

// shape is the shape's text without layout.
func (r *reader) shape(id hlo.ShapeID) string {
	if r.shapes[id] == "" {
		r.shapes[id] = r.stock.word(r.m.ShapeText(id))
	}
	return r.shapes[id]
}

// intern keeps one copy of a name that many instructions share.
func (r *reader) intern(s string) string {
	if known, ok := r.words[s]; ok {
		return known
	}
	r.words[s] = s
	return s
}

// metadata decodes an instruction's metadata, once for all instructions that share it.
func (r *reader) metadata(id hlo.InstrID) hlo.Metadata {
	meta := r.m.MetadataID(id)
	r.decode(meta)
	return r.metas[meta]
}

func (r *reader) decode(meta hlo.MetadataID) {
	if r.decoded[meta] {
		return
	}
	md := r.m.MetadataByID(meta)
	md.OpName, md.OpType = r.intern(md.OpName), r.intern(md.OpType)
	r.sources.trace(&md)
	r.metas[meta], r.decoded[meta] = md, true
}

// eachMetadata yields all metadata, each once, in the order in which the source first says it.
func (r *reader) eachMetadata() iter.Seq[hlo.Metadata] {
	return func(yield func(hlo.Metadata) bool) {
		for meta := range r.metas {
			r.decode(hlo.MetadataID(meta))
			if !yield(r.metas[meta]) {
				return
			}
		}
	}
}

func (r *reader) opcode(id hlo.InstrID) string { return r.m.OpcodeName(r.m.Instrs[id].Opcode) }

// kernel describes one launch.
func (r *reader) kernel(l launch) Kernel {
	f := r.form(l)
	k := Kernel{Form: f.form}
	if f.body != nil {
		k.Ops = r.ops(f.body, r.m.Callees(l.id))
	}
	k.Site = r.site(l, k.Ops)
	return k
}

// siteKey tells sites apart where the metadata says all.
type siteKey struct {
	meta   hlo.MetadataID
	loop   hlo.InstrID
	times  int64
	guess  int64
	branch string
	inner  bool
}

// site is where a launch stands, and what the model calls it: its own metadata, else the wrapper's, else that of its last operation.
func (r *reader) site(l launch, ops OpList) *Site {
	meta := r.naming(l)
	key := siteKey{meta, l.place.loop, l.place.times, l.place.guess, l.place.branch, l.place.inner}
	if known := r.sites[key]; known != nil {
		return known
	}
	md := &r.metas[meta]
	at := Site{
		OpName: md.OpName, OpType: md.OpType,
		Times: l.place.times, Guess: l.place.guess, Branch: l.place.branch, InLoop: l.place.loop != hlo.NoInstr, InEntry: !l.place.inner,
	}
	if at.InLoop {
		at.Loop = r.metadata(l.place.loop).OpName
	}
	at.from(r.sources.frames(*md))
	if at.OpName == "" || at.Source.File == "" {
		at.complete(ops)
		return r.stock.site(at)
	}
	r.sites[key] = r.stock.site(at)
	return r.sites[key]
}

// naming is the metadata that names a launch.
func (r *reader) naming(l launch) hlo.MetadataID {
	meta := r.m.MetadataID(l.id)
	for _, other := range []hlo.InstrID{l.async, l.moves} {
		if r.decode(meta); r.metas[meta].OpName == "" && other != hlo.NoInstr {
			meta = r.m.MetadataID(other)
		}
	}
	r.decode(meta)
	return meta
}

// from sets the line, and those that called it.
func (at *Site) from(stack *Stack) { at.Source, at.Stack = stack.at(), stack }

// complete takes from the operations what the launch itself does not say, the last first.
func (at *Site) complete(ops OpList) {
	for op := range ops.backward() {
		if at.OpName == "" {
			at.OpName = op.OpName
		}
		if at.Source.File == "" && op.OpName == at.OpName {
			at.from(op.Stack)
		}
		if at.OpName != "" && at.Source.File != "" {
			return
		}
	}
}

// instructionNames are the names of launches, cut from one text.
func (r *reader) instructionNames(launches []launch, kernels []Kernel) {
	length := 0
	for _, l := range launches {
		length += r.m.NameLen(l.id)
	}
	var all strings.Builder
	all.Grow(length)
	for _, l := range launches {
		all.WriteString(r.m.InstrName(l.id))
	}
	left := all.String()
	for i, l := range launches {
		n := r.m.NameLen(l.id)
		kernels[i].Name, left = left[:n], left[n:]
	}
}

// reach makes a table long enough for an index.
func reach[T any](table []T, index int) []T {
	if index < len(table) {
		return table
	}
	return append(table, make([]T, index+1-len(table))...)
}
