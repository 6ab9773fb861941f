package facts

import (
	"iter"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// reader answers questions about one module's instructions, each text made once.
type reader struct {
	m       *hlo.Module
	sources *sources
	tables  *opTables // of the operations in kernels
	words   map[string]string
	metas   []hlo.Metadata // by MetadataID
	decoded []bool         // those in metas that were asked for
	flow    flow           // of the kernel at hand
	lists   sharedLists
	same    *hlo.Alike  // see alike
	costs   *hlo.Costs  // see price
	hashes  *hlo.Prints // see prints
}

func newReader(m *hlo.Module) *reader {
	metas, shapes := m.MetadataIDs(), m.ShapeIDs()
	return &reader{
		m: m, sources: newSources(m), words: map[string]string{}, metas: make([]hlo.Metadata, metas), decoded: make([]bool, metas),
		tables: &opTables{shapes: make([]string, shapes), layouts: make([]string, shapes), origins: make([]origins, metas)},
	}
}

// shape is the shape's text without layout.
func (r *reader) shape(id hlo.ShapeID) string {
	if r.tables.shapes[id] == "" {
		r.tables.shapes[id], r.tables.layouts[id] = r.m.ShapeText(id), r.m.Shape(id).Layout
	}
	return r.tables.shapes[id]
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
	if !r.decoded[meta] {
		md := r.m.MetadataByID(meta)
		md.OpName, md.OpType = r.intern(md.OpName), r.intern(md.OpType)
		r.metas[meta], r.decoded[meta] = md, true
		r.tables.origins[meta] = origins{md.OpName, r.sources.locate(md)}
	}
	return r.metas[meta]
}

// eachMetadata yields the metadata of all instructions, in order, each once.
func (r *reader) eachMetadata() iter.Seq[hlo.Metadata] {
	return func(yield func(hlo.Metadata) bool) {
		seen := make([]bool, len(r.metas))
		for id := range r.m.Instrs {
			meta := r.m.MetadataID(hlo.InstrID(id))
			if seen[meta] {
				continue
			}
			if seen[meta] = true; !yield(r.metadata(hlo.InstrID(id))) {
				return
			}
		}
	}
}

func (r *reader) opcode(id hlo.InstrID) string { return r.m.OpcodeName(r.m.Instrs[id].Opcode) }

// kernel describes one launch.
func (r *reader) kernel(l launch) Kernel {
	k := Kernel{
		Name: r.m.InstrName(l.id), Class: l.class, Times: l.place.times, InLoop: l.place.loop != hlo.NoInstr,
		InEntry: !l.place.inner, Fusion: r.m.Instrs[l.id].Opcode == hlo.OpFusion,
		Out: r.shape(r.result(l)), Layout: r.m.Shape(r.result(l)).Layout, Root: r.opcode(l.id),
	}
	k.In = r.operandShapes(l.id)
	if k.InLoop {
		k.Loop = r.metadata(l.place.loop).OpName
	}
	k.Kind = r.kind(l)
	r.describe(&k, l)
	r.name(&k, l)
	k.Bytes = r.bytes(l)
	if flops := r.price().Instr(l.id).Flops; flops > 0 && l.class != ClassControl {
		k.Flops = int64(flops)
	}
	r.print(&k, l)
	return k
}

// describe fills in what the launch does.
func (r *reader) describe(k *Kernel, l launch) {
	switch r.m.Instrs[l.id].Opcode {
	case hlo.OpFusion, hlo.OpCall:
		r.describeBody(k, l)
	case hlo.OpCustomCall:
		k.Target, _ = r.m.Attr(l.id, "custom_call_target")
		k.Do = []string{"custom-call"}
	case hlo.OpWhile, hlo.OpConditional:
	default:
		k.Do = []string{plainOpcode(k.Root)}
	}
	if l.moves != hlo.NoInstr {
		k.Target = plainOpcode(r.opcode(l.moves))
		k.Groups = r.groups(l.moves)
	}
	k.Attrs = r.attrs(l)
}

// describeBody collects the operations of a fusion or small call, through the fusions and calls inside it.
func (r *reader) describeBody(k *Kernel, l launch) {
	k.Ops = r.operations(l)
	k.Do = r.doing(k.Ops.refs)
	if n := k.Ops.Len(); len(k.Do) == 0 && n > 0 {
		k.Do = []string{k.Ops.At(n - 1).Opcode} // a broadcast alone is what such a kernel does
	}
	if callees := r.m.Callees(l.id); len(callees) > 0 {
		k.Root = r.opcode(r.root(callees[0], 0))
	}
}

// ref makes sure that the tables hold what an operation says.
func (r *reader) ref(id hlo.InstrID) opRef {
	t, in, meta := r.tables, &r.m.Instrs[id], r.m.MetadataID(id)
	if t.shapes[in.Shape] == "" {
		r.shape(in.Shape)
	}
	if t.opcodes = reach(t.opcodes, int(in.Opcode)); t.opcodes[in.Opcode] == "" {
		t.opcodes[in.Opcode] = r.m.OpcodeName(in.Opcode)
	}
	if !r.decoded[meta] {
		r.metadata(id)
	}
	return opRef{shape: in.Shape, origin: meta, opcode: in.Opcode}
}

// root is the operation that makes a computation's result: behind bitcasts, and inside a nested fusion. A computation that
// returns several results has the tuple as its root.
func (r *reader) root(c hlo.CompID, depth int) hlo.InstrID {
	id := r.m.Comps[c].Root
	for ; depth < maxDepth; depth++ {
		operands, callees := r.m.Operands(id), r.m.Callees(id)
		switch op := r.m.Instrs[id].Opcode; {
		case op == hlo.OpBitcast && len(operands) == 1:
			id = operands[0]
		case op == hlo.OpTuple && len(operands) == 1:
			id = operands[0]
		case op == hlo.OpFusion && len(callees) == 1:
			id = r.m.Comps[callees[0]].Root
		default:
			return id
		}
	}
	return id
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

// kind is the fusion's kind, the family of the operation, or its opcode.
func (r *reader) kind(l launch) string {
	op := r.m.Instrs[l.id].Opcode
	switch {
	case l.class == ClassCollective:
		return "collective"
	case l.class == ClassCopy:
		return "copy"
	case op == hlo.OpFusion && l.class == ClassLibrary:
		return "library"
	case op == hlo.OpFusion:
		return r.fusionKind(l.id)
	case op == hlo.OpRng, op == hlo.OpRngBitGenerator:
		return "rng"
	}
	return r.opcode(l.id)
}

// fusionKind is loop, input, output or custom.
func (r *reader) fusionKind(id hlo.InstrID) string {
	kind, _ := r.m.Attr(id, "kind")
	return strings.ToLower(strings.TrimPrefix(kind, "k"))
}

// bytes is what a launch reads and writes, each buffer once; a collective's is what it moves.
func (r *reader) bytes(l launch) int64 {
	if l.moves != hlo.NoInstr {
		return r.moved(l.moves)
	}
	all := r.operandBytes(l.id) + r.m.ShapeBytes(r.m.Instrs[l.id].Shape)
	switch r.m.Instrs[l.id].Opcode {
	case hlo.OpCopyStart:
		return 2 * r.operandBytes(l.id)
	case hlo.OpFusion, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice, hlo.OpGather, hlo.OpScatter:
		// XLA's own count knows which part of an operand is read, but counts what is read twice twice.
		if bytes := r.price().Instr(l.id).BytesAccessed; bytes > 0 {
			return min(int64(bytes), all)
		}
	}
	return all
}

// price is XLA's cost analysis of the module, made once.
func (r *reader) price() *hlo.Costs {
	if r.costs == nil {
		r.costs = r.alike().Costs(nil)
	}
	return r.costs
}

func (r *reader) operandBytes(id hlo.InstrID) int64 {
	var n int64
	operands := r.m.Operands(id)
	for i, o := range operands {
		if !slices.Contains(operands[:i], o) {
			n += r.m.ShapeBytes(r.m.Instrs[o].Shape)
		}
	}
	return n
}
