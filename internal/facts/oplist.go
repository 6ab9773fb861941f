package facts

import (
	"iter"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// OpList is the operations in a kernel, in order. A large program has hundreds of thousands of them: kept are numbers into tables
// that the kernels of one module share, and an [Op] is only put together when one is asked for.
type OpList struct {
	body    *body
	origins []hlo.MetadataID // of each operation
}

// body is what the operations in a kernel say but for where they come from.
type body struct {
	tables *opTables
	refs   []opRef
	from   []int32 // the operands of all of them, one after the other
}

// opTables holds what operations say, each text once.
type opTables struct {
	opcodes []string  // by hlo.Opcode
	shapes  []string  // by hlo.ShapeID
	layouts []string  // likewise
	origins []origins // by hlo.MetadataID
}

// origins is where an operation comes from.
type origins struct {
	opName string
	source hlo.Location
}

type opRef struct {
	shape          hlo.ShapeID
	opcode         hlo.Opcode
	from, operands uint32 // where in body.from its operands stand, and how many
}

// ListOf makes a list of operations. What Attrs hold is not kept.
func ListOf(ops ...Op) OpList {
	t := &opTables{}
	l := OpList{body: &body{tables: t}}
	for i, op := range ops {
		t.opcodes, t.shapes, t.layouts = append(t.opcodes, op.Opcode), append(t.shapes, op.Shape), append(t.layouts, op.Layout)
		t.origins = append(t.origins, origins{op.OpName, op.Source})
		l.body.refs = append(l.body.refs, opRef{hlo.ShapeID(i), hlo.Opcode(i), uint32(len(l.body.from)), uint32(len(op.From))})
		l.body.from = append(l.body.from, op.From...)
		l.origins = append(l.origins, hlo.MetadataID(i))
	}
	return l
}

// Len is the number of operations.
func (l OpList) Len() int { return len(l.origins) }

// At is the i-th operation.
func (l OpList) At(i int) Op {
	ref := l.body.refs[i]
	t := l.body.tables
	from, end := &t.origins[l.origins[i]], ref.from+ref.operands
	return Op{
		Opcode: t.opcodes[ref.opcode], OpName: from.opName, Shape: t.shapes[ref.shape], Layout: t.layouts[ref.shape], Source: from.source,
		From: l.body.from[ref.from:end:end],
	}
}

// All yields the operations in order.
func (l OpList) All() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for i := range l.origins {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Slice is a copy of the list.
func (l OpList) Slice() []Op { return slices.AppendSeq(make([]Op, 0, l.Len()), l.All()) }

// opKind is what two operations of a module have in common that say the same and come from the same place.
type opKind struct {
	shape  hlo.ShapeID
	origin hlo.MetadataID
	opcode hlo.Opcode
}

// distinct yields the operations that differ in opcode, shape or origin from those seen, in this list and in others of the module.
func (l OpList) distinct(seen map[opKind]bool) iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for i, from := range l.origins {
			ref := &l.body.refs[i]
			kind := opKind{ref.shape, from, ref.opcode}
			if seen[kind] {
				continue
			}
			if seen[kind] = true; !yield(l.At(i)) {
				return
			}
		}
	}
}
