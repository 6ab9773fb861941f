package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Opcodes holds the opcodes of a kernel, sorted, each with its number of occurrences. A large fusion holds a dozen of them a hundred times.
type Opcodes []OpcodeTimes

// OpcodeTimes is an opcode and its number of occurrences in a kernel.
type OpcodeTimes struct {
	Opcode string
	Times  int
}

// OpcodesOf counts opcodes in a sorted list. It keeps the order of an unsorted list.
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

// Times returns the number of occurrences of an opcode.
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

// opcodesIn counts what the operations do, broadcasts left out unless there is nothing else.
func opcodesIn(ops []FusedOp) Opcodes {
	times := map[string]int{}
	for i := range ops {
		if ops[i].Opcode != broadcast {
			times[ops[i].Opcode]++
		}
	}
	if len(times) == 0 && len(ops) > 0 {
		return OpcodesOf(broadcast)
	}
	does := slices.Grow(Opcodes(nil), len(times))
	for opcode, n := range times {
		does = append(does, OpcodeTimes{opcode, n})
	}
	slices.SortFunc(does, func(a, b OpcodeTimes) int { return strings.Compare(a.Opcode, b.Opcode) })
	return does
}

const broadcast = "broadcast"

// MarshalText writes the opcode, "multiply*2" for two of them.
func (op OpcodeTimes) MarshalText() ([]byte, error) { return []byte(op.folded()), nil }

func (op OpcodeTimes) folded() string {
	if op.Times <= 1 { // 0 of a null in a file
		return op.Opcode
	}
	return op.Opcode + "*" + strconv.Itoa(op.Times)
}

// Folded lists the opcodes, "multiply*2" for two of them.
func (o Opcodes) Folded() []string { return phrase.Map(o, OpcodeTimes.folded) }

// maxTimes bounds how often an opcode is in one kernel.
const maxTimes = 1 << 20

// UnmarshalText reads what MarshalText writes.
func (op *OpcodeTimes) UnmarshalText(text []byte) error {
	opcode, times, several := strings.Cut(string(text), "*")
	*op = OpcodeTimes{opcode, 1}
	if several {
		n, err := strconv.Atoi(times)
		if err != nil || n < 1 || n > maxTimes {
			return fmt.Errorf("%q is no opcode", text)
		}
		op.Times = n
	}
	return nil
}

// classNames are the classes of launches.
var classNames = []string{ClassKernel: "kernel", ClassLibrary: "library", ClassCopy: "copy", ClassCollective: "collective", ClassControl: "control"}

// MarshalText writes the class as a word.
func (c Class) MarshalText() ([]byte, error) { return []byte(classNames[c]), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Class) UnmarshalText(text []byte) error {
	at := slices.Index(classNames, string(text))
	if at < 0 {
		return fmt.Errorf("unknown class %q of a kernel", text)
	}
	*c = Class(at)
	return nil
}
