package facts

import (
	"iter"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// OpList is the operations in a kernel, in order. A large program has hundreds of thousands of them: kept are numbers into tables
// that the kernels of one module share, and an [Op] is only put together when one is asked for.
type OpList struct {
	tables *opTables
	refs   []opRef
	from   []int32 // the operands of all of them, one after the other
}

// opTables holds what operations say, each text once.
type opTables struct {
	opcodes []string // by hlo.Opcode
	shapes  []string // by hlo.ShapeID
	layouts []string // likewise
	origins []origins
}

// origins is where an operation comes from, by hlo.MetadataID.
type origins struct {
	opName string
	source hlo.Location
}

type opRef struct {
	shape          hlo.ShapeID
	origin         hlo.MetadataID
	opcode         hlo.Opcode
	from, operands uint32 // where in OpList.from its operands stand, and how many
}

// ListOf makes a list of operations. What Attrs hold is not kept.
func ListOf(ops ...Op) OpList {
	l := OpList{tables: &opTables{}}
	t := l.tables
	for i, op := range ops {
		t.opcodes, t.shapes, t.layouts = append(t.opcodes, op.Opcode), append(t.shapes, op.Shape), append(t.layouts, op.Layout)
		t.origins = append(t.origins, origins{op.OpName, op.Source})
		l.refs = append(l.refs, opRef{hlo.ShapeID(i), hlo.MetadataID(i), hlo.Opcode(i), uint32(len(l.from)), uint32(len(op.From))})
		l.from = append(l.from, op.From...)
	}
	return l
}

// Len is the number of operations.
func (l OpList) Len() int { return len(l.refs) }

// At is the i-th operation.
func (l OpList) At(i int) Op {
	ref := l.refs[i]
	t := l.tables
	origin, end := &t.origins[ref.origin], ref.from+ref.operands
	return Op{
		Opcode: t.opcodes[ref.opcode], OpName: origin.opName, Shape: t.shapes[ref.shape], Layout: t.layouts[ref.shape], Source: origin.source,
		From: l.from[ref.from:end:end],
	}
}

// All yields the operations in order.
func (l OpList) All() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for i := range l.refs {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Slice is a copy of the list.
func (l OpList) Slice() []Op { return slices.AppendSeq(make([]Op, 0, l.Len()), l.All()) }

// distinct yields the operations that differ in opcode, shape or origin from those seen, in this list and in others of the module.
func (l OpList) distinct(seen map[opRef]bool) iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for i, ref := range l.refs {
			ref.from, ref.operands = 0, 0
			if seen[ref] {
				continue
			}
			if seen[ref] = true; !yield(l.At(i)) {
				return
			}
		}
	}
}
