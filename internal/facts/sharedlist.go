package facts

import (
	"encoding/binary"

	"github.com/xlagate/xlagate/internal/hlo"
)

// sharedLists keeps one copy of the lists of shapes that many kernels of a module have in common: a model repeats its layers.
type sharedLists struct {
	lists map[string][]string
	key   []byte
}

// operandShapes lists the operands' shapes without layout. An empty list is none.
func (r *reader) operandShapes(id hlo.InstrID) []string {
	l, operands := &r.texts, r.m.Operands(id)
	if len(operands) == 0 {
		return nil
	}
	l.key = l.key[:0]
	for _, o := range operands {
		l.key = binary.AppendUvarint(l.key, uint64(r.m.Instrs[o].Shape))
	}
	list, known := l.lists[string(l.key)]
	if known {
		return list
	}
	list = make([]string, len(operands))
	for i, o := range operands {
		list[i] = r.shape(r.m.Instrs[o].Shape)
	}
	if l.lists == nil {
		l.lists = map[string][]string{}
	}
	l.lists[string(l.key)] = list
	return list
}

// reach makes a table long enough for an index.
func reach[T any](table []T, index int) []T {
	if index < len(table) {
		return table
	}
	return append(table, make([]T, index+1-len(table))...)
}
