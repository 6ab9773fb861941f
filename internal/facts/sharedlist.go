package facts

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// sharedLists keeps one copy of the lists that many kernels of a module have in common: a model repeats its layers.
type sharedLists struct {
	lists map[string][]string
	key   []byte

	count    []int32      // by opcode, of the list at hand
	distinct []hlo.Opcode // those that count
}

// shapes lists the operands' shapes without layout.
func (r *reader) operandShapes(id hlo.InstrID) []string {
	operands := r.m.Operands(id)
	l := &r.texts
	l.key = append(l.key[:0], 's')
	for _, o := range operands {
		l.key = binary.AppendUvarint(l.key, uint64(r.m.Instrs[o].Shape))
	}
	return l.share(len(operands), func(list []string) []string {
		for _, o := range operands {
			list = append(list, r.shape(r.m.Instrs[o].Shape))
		}
		return list
	})
}

// doing lists what operations do: their opcodes sorted, repetitions kept, broadcasts left out.
func (r *reader) doing(kinds []int32) []string {
	l, n := &r.texts, 0
	l.key, l.distinct = append(l.key[:0], 'd'), l.distinct[:0]
	for _, kind := range kinds {
		op := r.coded[kind]
		if op == hlo.OpBroadcast {
			continue
		}
		l.count = reach(l.count, int(op))
		if l.count[op]++; l.count[op] == 1 {
			l.distinct = append(l.distinct, op)
		}
		n++
	}
	slices.SortFunc(l.distinct, func(a, b hlo.Opcode) int { return strings.Compare(r.m.OpcodeName(a), r.m.OpcodeName(b)) })
	for _, op := range l.distinct {
		l.key = binary.AppendUvarint(binary.AppendUvarint(l.key, uint64(op)), uint64(l.count[op]))
	}
	list := l.share(n, func(list []string) []string {
		for _, op := range l.distinct {
			list = append(list, slices.Repeat([]string{r.m.OpcodeName(op)}, int(l.count[op]))...)
		}
		return list
	})
	for _, op := range l.distinct {
		l.count[op] = 0
	}
	return list
}

// share returns the list with the key at hand, and fills it in when it is the first. An empty list is none.
func (l *sharedLists) share(n int, fill func([]string) []string) []string {
	if n == 0 {
		return nil
	}
	list, known := l.lists[string(l.key)]
	if !known {
		if l.lists == nil {
			l.lists = map[string][]string{}
		}
		list = fill(make([]string, 0, n))
		l.lists[string(l.key)] = list
	}
	return list
}

// reach makes a table long enough for an index.
func reach[T any](table []T, index int) []T {
	if index < len(table) {
		return table
	}
	return append(table, make([]T, index+1-len(table))...)
}
