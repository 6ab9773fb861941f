package facts

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// OpList holds the operations of a kernel, in order. A large program has hundreds of thousands of them. The list stores numbers of rows in tables that
// the kernels of one module share, and creates an [Op] on demand.
type OpList struct {
	List *opList `json:"-"`
}

// opList is a body with the place in the model of each operation.
type opList struct {
	Body    *body
	Origins []hlo.MetadataID
}

// body holds the operations of a kernel without their places in the model. Kernels that do the same share one.
type body struct {
	Tables *opTables
	Kinds  []int32 // of each operation its row in the table
	Starts []int32 // of each operation where its operands start in From; the next one says where they end
	From   []int32 // of all operations, as Op.From has them
}

func (b *body) kind(i int) *opKind { return b.Tables.Kinds[b.Kinds[i]] }

// opTables holds the texts of operations, each once.
type opTables struct {
	Kinds   []*opKind   // by kind: two operations of a module say the same when their kind is the same
	Origins []*opOrigin // by hlo.MetadataID; nil for those of no operation
}

// opKind is an operation without its operands.
type opKind struct{ Opcode, Shape, Layout string }

// opOrigin is an operation's place in the model.
type opOrigin struct {
	OpName string
	Stack  *Stack // shared: many scopes share one line
}

// MarshalJSON lists the operations.
func (l OpList) MarshalJSON() ([]byte, error) { return json.Marshal(l.Slice()) }

// ListOf makes a list of operations, without their Attrs.
func ListOf(ops ...Op) OpList {
	list := &opList{Body: &body{Tables: &opTables{}, Starts: []int32{0}}}
	b := list.Body
	for i, op := range ops {
		b.Tables.Kinds = append(b.Tables.Kinds, &opKind{op.Opcode, op.Shape, op.Layout})
		b.Tables.Origins = append(b.Tables.Origins, &opOrigin{op.OpName, op.from()})
		b.Kinds, b.From = append(b.Kinds, int32(i)), append(b.From, op.From...)
		b.Starts, list.Origins = append(b.Starts, int32(len(b.From))), append(list.Origins, hlo.MetadataID(i))
	}
	return OpList{list}
}

// from is the operation's line and the known lines that called it.
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
	return len(l.List.Origins)
}

// All yields the operations in order. Their operands must not be changed.
func (l OpList) All() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for i := range l.Len() {
			if !yield(l.at(i)) {
				return
			}
		}
	}
}

// Slice is a copy of the list.
func (l OpList) Slice() []Op { return slices.AppendSeq(make([]Op, 0, l.Len()), l.All()) }

func (l OpList) at(i int) Op {
	b, origin := l.List.Body, l.origin(i)
	kind := b.kind(i)
	return Op{
		Opcode: kind.Opcode, OpName: origin.OpName, Shape: kind.Shape, Layout: kind.Layout, Source: origin.Stack.at(), Stack: origin.Stack,
		From: b.From[b.Starts[i]:b.Starts[i+1]:b.Starts[i+1]],
	}
}

// origin returns an operation's place in the model.
func (l OpList) origin(i int) *opOrigin { return l.List.Body.Tables.Origins[l.List.Origins[i]] }

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

// All yields the opcode of every operation. An opcode that occurs twice is yielded twice.
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

// opcodes counts what the operations of a body do, broadcasts left out unless there is nothing else.
func (w *flow) opcodes(b *body) Opcodes {
	w.does = w.does[:0]
	for _, row := range b.Kinds {
		if opcode := w.tables.Kinds[row].Opcode; opcode != broadcast {
			w.does = append(w.does, opcode)
		}
	}
	if len(w.does) == 0 && len(b.Kinds) > 0 {
		return OpcodesOf(broadcast)
	}
	slices.Sort(w.does)
	return OpcodesOf(w.does...)
}

const broadcast = "broadcast"

// operandShapes lists the operands' shapes.
func (r *reader) operandShapes(id hlo.InstrID) []string {
	operands := r.m.Operands(id)
	shapes := slices.Grow([]string(nil), len(operands))
	for _, o := range operands {
		shapes = append(shapes, r.shape(r.m.Instrs[o].Shape))
	}
	return shapes
}

// MarshalJSON lists the opcodes, "multiply*2" for two of them.
func (o Opcodes) MarshalJSON() ([]byte, error) { return json.Marshal(o.Folded()) }

// Folded lists the opcodes, "multiply*2" for two of them.
func (o Opcodes) Folded() []string {
	list := make([]string, len(o))
	for i, op := range o {
		list[i] = op.Opcode
		if op.Times != 1 {
			list[i] += "*" + strconv.Itoa(op.Times)
		}
	}
	return list
}

// maxTimes bounds how often an opcode is in one kernel.
const maxTimes = 1 << 20

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Opcodes) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*o = make(Opcodes, len(list))
	for i, text := range list {
		opcode, times, several := strings.Cut(text, "*")
		(*o)[i] = OpcodeTimes{opcode, 1}
		if several {
			n, err := strconv.Atoi(times)
			if err != nil || n < 1 || n > maxTimes {
				return fmt.Errorf("%q is no opcode", text)
			}
			(*o)[i].Times = n
		}
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
