package facts

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Opcodes is what a kernel does: opcodes, sorted, each with how often it stands there. A large fusion holds a dozen of them a hundred times.
type Opcodes []OpcodeTimes

// OpcodeTimes is an opcode and how often it stands in a kernel.
type OpcodeTimes struct {
	Opcode string
	Times  int
}

// OpcodesOf counts opcodes in a list that is sorted. Of another it keeps the order.
func OpcodesOf(list ...string) Opcodes {
	var o Opcodes
	for _, opcode := range list {
		if n := len(o); n > 0 && o[n-1].Opcode == opcode {
			o[n-1].Times++
		} else {
			o = append(o, OpcodeTimes{opcode, 1})
		}
	}
	return o
}

// Len counts the operations.
func (o Opcodes) Len() (n int) {
	for _, op := range o {
		n += op.Times
	}
	return n
}

// All yields the opcode of every operation: one that stands there twice comes twice.
func (o Opcodes) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, op := range o {
			for range op.Times {
				if !yield(op.Opcode) {
					return
				}
			}
		}
	}
}

// List is what OpcodesOf would count.
func (o Opcodes) List() []string { return slices.Collect(o.All()) }

// Times says how often an opcode stands there.
func (o Opcodes) Times(opcode string) (n int) {
	for _, op := range o {
		if op.Opcode == opcode {
			n += op.Times
		}
	}
	return n
}

// Words names each opcode once: "exponential", "2 reduce".
func (o Opcodes) Words() []string {
	words := make([]string, len(o))
	for i, op := range o {
		if words[i] = op.Opcode; op.Times > 1 {
			words[i] = strconv.Itoa(op.Times) + " " + op.Opcode
		}
	}
	return words
}

// String names them all: "exponential, 2 reduce".
func (o Opcodes) String() string { return strings.Join(o.Words(), ", ") }

// doing counts what operations of these kinds do, broadcasts left out.
func (r *reader) doing(kinds []int32) Opcodes {
	for _, kind := range kinds {
		op := r.coded[kind]
		if op == hlo.OpBroadcast {
			continue
		}
		r.counts = reach(r.counts, int(op))
		if r.counts[op]++; r.counts[op] == 1 {
			r.counted = append(r.counted, op)
		}
	}
	var do Opcodes
	for _, op := range r.counted {
		do = append(do, OpcodeTimes{r.m.OpcodeName(op), r.counts[op]})
		r.counts[op] = 0
	}
	r.counted = r.counted[:0]
	slices.SortFunc(do, func(a, b OpcodeTimes) int { return strings.Compare(a.Opcode, b.Opcode) })
	return do
}
