package facts

import (
	"encoding/binary"
	"encoding/json"
	"iter"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// OpList holds the operations of a kernel, in order. A large program has hundreds of thousands of them. The list stores a few bytes of each, with
// indexes into tables that the kernels of one module share, and creates an [Op] on demand.
type OpList struct {
	List *opList `json:"-"`
}

// opList is shared by the kernels that do the same for the same lines of the model.
type opList struct {
	Body    *body
	Origins string // of each operation its number in the table, as the difference from the one before
}

// body is what the operations in a kernel say but for where they come from.
type body struct {
	Tables *opTables
	Ops    int
	Code   string // of each operation its number in the table, how many operands it has, and these; see appendOperand
}

// opTables holds what operations say, each text once.
type opTables struct {
	Kinds   []*opKind   // by kind: two operations of a module say the same when their kind is the same
	Origins []*opOrigin // by hlo.MetadataID; nil for those of no operation
}

// opKind is what an operation says but for its operands.
type opKind struct{ Opcode, Shape, Layout string }

// opOrigin is where an operation comes from.
type opOrigin struct {
	OpName string
	Stack  *Stack // shared: many scopes share one line
}

// MarshalJSON lists the operations.
func (l OpList) MarshalJSON() ([]byte, error) { return json.Marshal(l.Slice()) }

// ListOf makes a list of operations, without their Attrs.
func ListOf(ops ...Op) OpList {
	t := &opTables{}
	var code, origins []byte
	for i, op := range ops {
		t.Kinds = append(t.Kinds, &opKind{op.Opcode, op.Shape, op.Layout})
		t.Origins = append(t.Origins, &opOrigin{op.OpName, op.from()})
		code = appendHead(code, int32(i), len(op.From))
		for _, from := range op.From {
			code = appendOperand(code, int32(i), from)
		}
		origins = binary.AppendVarint(origins, int64(min(i, 1)))
	}
	return OpList{&opList{&body{t, len(ops), string(code)}, string(origins)}}
}

// from is the operation's line with those that called it, as far as they are known.
func (op *Op) from() *Stack {
	if op.Stack == nil && op.Source.File != "" {
		return &Stack{Location: op.Source}
	}
	return op.Stack
}

// Len is the number of operations.
func (l OpList) Len() int {
	if l.List == nil {
		return 0
	}
	return l.List.Body.Ops
}

// All yields the operations in order.
func (l OpList) All() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		var from []int32 // of all operations, one after the other
		for op := range l.kept() {
			start := len(from)
			from = op.appendFrom(from)
			if !yield(l.op(op, from[start:len(from):len(from)])) {
				return
			}
		}
	}
}

// Slice is a copy of the list.
func (l OpList) Slice() []Op { return slices.AppendSeq(make([]Op, 0, l.Len()), l.All()) }

func (l OpList) op(op keptOp, from []int32) Op {
	kind, origin := l.List.Body.Tables.Kinds[op.kind], l.List.Body.Tables.Origins[op.origin]
	return Op{Opcode: kind.Opcode, OpName: origin.OpName, Shape: kind.Shape, Layout: kind.Layout, Source: origin.Stack.at(), Stack: origin.Stack, From: from}
}

// seenOps remembers operations of one module. Most metadata belongs to one kind of operation.
type seenOps struct {
	one   []int32 // by hlo.MetadataID: the kind that was seen first with it + 1
	more  map[[2]int32]bool
	lists map[*opList]bool // those that were gone through
}

func newSeenOps() *seenOps {
	return &seenOps{more: map[[2]int32]bool{}, lists: map[*opList]bool{}}
}

// add reports whether an operation of this kind and origin was not seen before.
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
	s.more[key] = true
	return true
}

// distinct yields the operations that differ in opcode, shape or origin from those seen, in this list and in others of the module, without
// their operands.
func (l OpList) distinct(seen *seenOps) iter.Seq[Op] {
	return func(yield func(Op) bool) {
		if l.List == nil || seen.lists[l.List] {
			return
		}
		seen.lists[l.List] = true
		for ops := l.keptOps(); ops.next(); {
			if seen.add(ops.origin, ops.kind) && !yield(l.op(ops.keptOp, nil)) {
				return
			}
		}
	}
}

// keptOp is an operation as lists keep it.
type keptOp struct {
	kind     int32          // in opTables.Kinds
	origin   hlo.MetadataID // in opTables.Origins
	at       int32          // its place in the list
	operands string         // spelled
}

// What is in the bytes of a list for operands. Behind these come, in turn, how many operations are before this one, and the
// kernel's operands.
const (
	codeConstant = iota
	codeElsewhere
	codeBefore
	codeOperand
)

// appendHead begins an operation.
func appendHead(code []byte, kind int32, operands int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(code, uint64(kind)), uint64(operands))
}

// appendOperand adds an operand, as Op.From has it, of the operation in a place. Most are spelled in one byte.
func appendOperand(code []byte, at, from int32) []byte {
	switch {
	case from == FromConstant:
		return append(code, codeConstant)
	case from == FromElsewhere:
		return append(code, codeElsewhere)
	case from < 0:
		return binary.AppendUvarint(code, codeOperand+2*uint64(^from))
	}
	return binary.AppendUvarint(code, codeBefore+2*uint64(uint32(at-from)))
}

// keptOps goes through the operations of a list as they are kept, in order.
type keptOps struct {
	keptOp
	code, origins string // of the operations that follow
}

func (l OpList) keptOps() keptOps {
	if l.List == nil {
		return keptOps{}
	}
	return keptOps{keptOp{at: -1}, l.List.Body.Code, l.List.Origins}
}

// next goes to the next operation. It returns false behind the last one.
func (k *keptOps) next() bool {
	if k.code == "" {
		return false
	}
	var step, kind, n uint64
	step, k.origins = cutNumber(k.origins)
	k.origin += hlo.MetadataID(step>>1) ^ -hlo.MetadataID(step&1)
	kind, k.code = cutNumber(k.code)
	n, k.code = cutNumber(k.code)
	k.kind, k.operands = int32(kind), k.code
	for ; n > 0 && k.code != ""; n-- {
		_, k.code = cutNumber(k.code)
	}
	k.operands = k.operands[:len(k.operands)-len(k.code)]
	k.at++
	return true
}

// kept yields what keptOps goes through.
func (l OpList) kept() iter.Seq[keptOp] {
	return func(yield func(keptOp) bool) {
		for ops := l.keptOps(); ops.next() && yield(ops.keptOp); {
		}
	}
}

// appendFrom appends the operands as Op.From has them.
func (op keptOp) appendFrom(list []int32) []int32 {
	for left := op.operands; left != ""; {
		var n uint64
		switch n, left = cutNumber(left); {
		case n == codeConstant:
			list = append(list, FromConstant)
		case n == codeElsewhere:
			list = append(list, FromElsewhere)
		case n%2 == codeOperand%2:
			list = append(list, ^int32((n-codeOperand)/2))
		default:
			list = append(list, op.at-int32(uint32((n-codeBefore)/2)))
		}
	}
	return list
}

// cutNumber cuts what binary.AppendUvarint appended off the front of a text.
func cutNumber(s string) (n uint64, rest string) {
	if s != "" && s[0] < 0x80 {
		return uint64(s[0]), s[1:]
	}
	return cutLong(s)
}

func cutLong(s string) (n uint64, rest string) {
	for i := 0; i < len(s); i++ {
		n |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, s[i+1:]
		}
	}
	return n, ""
}

// backward yields where the operations come from, the last first.
func (l OpList) backward() iter.Seq[*opOrigin] {
	return func(yield func(*opOrigin) bool) {
		var origins []hlo.MetadataID
		for op := range l.kept() {
			origins = append(origins, op.origin)
		}
		for _, origin := range slices.Backward(origins) {
			if !yield(l.List.Body.Tables.Origins[origin]) {
				return
			}
		}
	}
}
