package facts

import (
	"iter"

	"github.com/xlagate/xlagate/internal/hlo"
)

// reader answers questions about one module's instructions, each text made once.
type reader struct {
	m       *hlo.Module
	sources *sources
	tables  *opTables // of the operations in kernels
	words   map[string]string
	metas   []hlo.Metadata        // by MetadataID
	decoded []bool                // those in metas that were asked for
	ids     arena[hlo.MetadataID] // of the operations in kernels
	forms   map[formKey]*Form
	kinds   map[opKind]int32 // of the operations in kernels: what they say in tables.said
	coded   []hlo.Opcode     // by kind
	flow    flow             // see operations
	lists   sharedLists
	shapes  []string     // by ShapeID, without layout
	order   []hlo.CompID // see inOrder
	sizes   []int64      // by ShapeID, of all arrays in it
	seen    []bool       // see operandBytes
	same    *hlo.Alike   // see alike
	costs   *hlo.Costs   // see price
	walked  *walk        // see walk
	hashes  *hlo.Prints  // see prints
}

func newReader(m *hlo.Module) *reader {
	metas, shapes := m.MetadataIDs(), m.ShapeIDs()
	r := &reader{
		m: m, sources: newSources(m), words: map[string]string{}, forms: map[formKey]*Form{}, kinds: map[opKind]int32{}, metas: make([]hlo.Metadata, metas), decoded: make([]bool, metas),
		tables: &opTables{origins: make([]origins, metas)},
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
		r.shapes[id] = r.m.ShapeText(id)
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
	r.metas[meta], r.decoded[meta] = md, true
	r.tables.origins[meta] = origins{md.OpName, r.sources.locate(md)}
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
	k := Kernel{
		Form: r.form(l), Name: r.m.InstrName(l.id), Times: l.place.times, InLoop: l.place.loop != hlo.NoInstr, InEntry: !l.place.inner,
	}
	if k.InLoop {
		k.Loop = r.metadata(l.place.loop).OpName
	}
	if k.body != nil {
		k.Ops = OpList{k.body, r.originsIn(l, len(k.body.refs))}
	}
	r.name(&k, l)
	return k
}

// name fills in what the model calls the launch: its own metadata, else the wrapper's, else that of its last operation.
func (r *reader) name(k *Kernel, l launch) {
	md := r.metadata(l.id)
	if md.OpName == "" && l.async != hlo.NoInstr {
		md = r.metadata(l.async)
	}
	if md.OpName == "" && l.moves != hlo.NoInstr {
		md = r.metadata(l.moves)
	}
	k.OpName, k.OpType, k.Source = md.OpName, md.OpType, r.sources.locate(md)
	for i := k.Ops.Len() - 1; i >= 0 && (k.OpName == "" || k.Source.File == ""); i-- {
		op := k.Ops.At(i)
		if k.OpName == "" {
			k.OpName = op.OpName
		}
		if k.Source.File == "" && op.OpName == k.OpName {
			k.Source = op.Source
		}
	}
}
