package facts

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
)

// keptOp is an operation as lists keep it.
type keptOp struct {
	kind     int32          // in opTables.Said
	origin   hlo.MetadataID // in opTables.Origins
	at       int32          // its place in the list
	operands string         // spelled
}

// What stands in the bytes of a list for operands. Behind these come, in turn, how many operations lie before this one, and the
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

// kept yields the operations as they are kept, in order.
func (l OpList) kept() iter.Seq[keptOp] {
	return func(yield func(keptOp) bool) {
		if l.List == nil {
			return
		}
		code, origins := l.List.Body.Code, l.List.Origins
		var op keptOp
		for ; code != ""; op.at++ {
			var step, kind, n uint64
			step, origins = cutNumber(origins)
			op.origin += hlo.MetadataID(step>>1) ^ -hlo.MetadataID(step&1)
			kind, code = cutNumber(code)
			op.kind = int32(kind)
			n, code = cutNumber(code)
			op.operands = code
			for ; n > 0 && code != ""; n-- {
				_, code = cutNumber(code)
			}
			op.operands = op.operands[:len(op.operands)-len(code)]
			if !yield(op) {
				return
			}
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
