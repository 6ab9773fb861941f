package facts

import (
	"iter"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// OpList is the operations in a kernel, in order. A large program has hundreds of thousands of them: kept are numbers into tables
// that the kernels of one module share, and an [Op] is only put together when one is asked for.
type OpList struct{ list *opList }

// opList is shared by the kernels that do the same for the same lines of the model.
type opList struct {
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
	said    []*opSaid   // by opRef.kind
	origins []*opOrigin // by hlo.MetadataID; nil for those of no operation
}

// opSaid is what an operation says but for its operands, opKind the same before it is put into words.
type (
	opSaid struct{ opcode, shape, layout string }
	opKind struct {
		shape  hlo.ShapeID
		opcode hlo.Opcode
	}
)

// opOrigin is where an operation comes from.
type opOrigin struct {
	opName string
	source hlo.Location
}

type opRef struct {
	kind           int32  // equal for two of a module that say the same
	from, operands uint32 // where in body.from its operands stand, and how many
}

// ListOf makes a list of operations. What Attrs hold is not kept.
func ListOf(ops ...Op) OpList {
	t := &opTables{}
	l := &opList{body: &body{tables: t}}
	for i, op := range ops {
		t.said = append(t.said, &opSaid{op.Opcode, op.Shape, op.Layout})
		t.origins = append(t.origins, &opOrigin{op.OpName, op.Source})
		l.body.refs = append(l.body.refs, opRef{int32(i), uint32(len(l.body.from)), uint32(len(op.From))})
		l.body.from = append(l.body.from, op.From...)
		l.origins = append(l.origins, hlo.MetadataID(i))
	}
	return OpList{l}
}

// Len is the number of operations.
func (l OpList) Len() int {
	if l.list == nil {
		return 0
	}
	return len(l.list.origins)
}

// At is the i-th operation.
func (l OpList) At(i int) Op {
	body := l.list.body
	ref := body.refs[i]
	said, from, end := body.tables.said[ref.kind], body.tables.origins[l.list.origins[i]], ref.from+ref.operands
	return Op{
		Opcode: said.opcode, OpName: from.opName, Shape: said.shape, Layout: said.layout, Source: from.source,
		From: body.from[ref.from:end:end],
	}
}

// All yields the operations in order.
func (l OpList) All() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for i := range l.Len() {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Slice is a copy of the list.
func (l OpList) Slice() []Op { return slices.AppendSeq(make([]Op, 0, l.Len()), l.All()) }

// seenOps remembers operations of one module. Most metadata stands for one kind of operation.
type seenOps struct {
	one  []int32 // by hlo.MetadataID: the kind that was seen first with it + 1
	more map[[2]int32]bool
}

// add says whether an operation of this kind and origin was not seen before.
func (s *seenOps) add(from hlo.MetadataID, kind int32) bool {
	s.one = reach(s.one, int(from))
	switch s.one[from] {
	case kind + 1:
		return false
	case 0:
		s.one[from] = kind + 1
		return true
	}
	key := [2]int32{int32(from), kind}
	if s.more[key] {
		return false
	}
	if s.more == nil {
		s.more = map[[2]int32]bool{}
	}
	s.more[key] = true
	return true
}

// distinct yields the operations that differ in opcode, shape or origin from those seen, in this list and in others of the module.
func (l OpList) distinct(seen *seenOps) iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for i := range l.Len() {
			if seen.add(l.list.origins[i], l.list.body.refs[i].kind) && !yield(l.At(i)) {
				return
			}
		}
	}
}
