package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// in says whether a pattern fits somewhere in a kernel.
func (f *dataFlow) in(k *facts.Kernel) bool {
	m := &flowMatch{ops: k.Ops.Slice(), values: make([]int32, len(f.vars)), left: maxSteps}
	if len(m.ops) == 0 {
		m.ops = []facts.Op{single(k)}
	}
	for i := range m.ops {
		for v := range m.values {
			m.values[v] = unbound
		}
		if m.node(f.root, int32(i), func() bool { return true }) {
			return true
		}
	}
	return false
}

// single is a kernel that is no fusion, as the one operation that it is.
func single(k *facts.Kernel) facts.Op {
	op := facts.Op{Opcode: strings.TrimSuffix(k.Root, "-start"), OpName: k.OpName, Shape: k.Out, Layout: k.Layout, Source: k.Source}
	for i := range k.In {
		op.From = append(op.From, ^int32(i))
	}
	return op
}

// maxSteps bounds the work on one kernel: a pattern with many alternatives could take for ever.
const maxSteps = 200_000

// unbound is a $name that stands for nothing yet: no reference has that value.
const unbound = facts.FromElsewhere + 1

// flowMatch is one attempt to fit a pattern. A reference is what facts.Op.From holds.
type flowMatch struct {
	ops    []facts.Op
	values []int32 // what each $name stands for
	left   int
}

// node says whether a pattern fits the value behind a reference, and whatever is to fit then does as well: what a $name was taken
// for is tried anew when it does not.
func (m *flowMatch) node(n *flowNode, ref int32, then func() bool) bool {
	if m.left--; m.left < 0 {
		return false
	}
	if n.deep {
		return m.upstream(n, ref, map[int32]bool{}, then)
	}
	return m.here(n, ref, then)
}

// upstream looks for the pattern in a value and in everything that it is computed from.
func (m *flowMatch) upstream(n *flowNode, ref int32, seen map[int32]bool, then func() bool) bool {
	if seen[ref] {
		return false
	}
	seen[ref] = true
	if m.here(n, ref, then) {
		return true
	}
	if ref < 0 {
		return false
	}
	return slices.ContainsFunc(m.ops[ref].From, func(from int32) bool { return m.upstream(n, from, seen, then) })
}

func (m *flowMatch) here(n *flowNode, ref int32, then func() bool) bool {
	if n.any {
		return m.value(n, ref, then)
	}
	for {
		if m.operation(n, ref, then) {
			return true
		}
		next, through := m.through(ref)
		if !through {
			return false
		}
		ref = next
	}
}

// value fits _ and $name.
func (m *flowMatch) value(n *flowNode, ref int32, then func() bool) bool {
	if n.shape != nil && (ref < 0 || !n.shape.fits(m.ops[ref].Shape)) {
		return false
	}
	if n.name < 0 {
		return then()
	}
	origin := m.origin(ref)
	if m.values[n.name] != unbound {
		return m.values[n.name] == origin && then()
	}
	m.values[n.name] = origin
	if then() {
		return true
	}
	m.values[n.name] = unbound
	return false
}

// transparent operations change how a value is kept, not what it is.
var transparent = map[string]bool{"convert": true, "bitcast": true, "reshape": true, "copy": true}

// through steps over an operation that only changes how a value is kept.
func (m *flowMatch) through(ref int32) (int32, bool) {
	if ref < 0 || !transparent[m.ops[ref].Opcode] || len(m.ops[ref].From) != 1 {
		return ref, false
	}
	return m.ops[ref].From[0], true
}

func (m *flowMatch) origin(ref int32) int32 {
	for {
		next, through := m.through(ref)
		if !through {
			return ref
		}
		ref = next
	}
}

// operation fits an opcode, its shape and its operands.
func (m *flowMatch) operation(n *flowNode, ref int32, then func() bool) bool {
	if ref < 0 {
		return len(n.args) == 0 && n.shape == nil && slices.Contains(n.opcodes, outside(ref)) && then()
	}
	op := &m.ops[ref]
	if len(n.opcodes) > 0 && !slices.Contains(n.opcodes, op.Opcode) || n.shape != nil && !n.shape.fits(op.Shape) || len(n.args) > len(op.From) {
		return false
	}
	if m.operands(n.args, op.From, then) {
		return true
	}
	return commutes[op.Opcode] && len(n.args) == 2 && m.operands(n.args, []int32{op.From[1], op.From[0]}, then)
}

// operands fits operands in their order.
func (m *flowMatch) operands(args []*flowNode, from []int32, then func() bool) bool {
	if len(args) == 0 {
		return then()
	}
	return m.node(args[0], from[0], func() bool { return m.operands(args[1:], from[1:], then) })
}

// commutes lists the operations whose two operands may change places.
var commutes = map[string]bool{"add": true, "multiply": true, "maximum": true, "minimum": true, "and": true, "or": true, "xor": true}

// outside is how a pattern calls a value that no operation of the kernel makes.
func outside(ref int32) string {
	switch ref {
	case facts.FromConstant:
		return "constant"
	case facts.FromElsewhere:
		return ""
	}
	return "parameter"
}

// fits compares with a shape as HLO prints it, without layout. A tuple fits when one of its elements does.
func (s *shapePattern) fits(shape string) bool {
	if strings.HasPrefix(shape, "(") {
		return slices.ContainsFunc(elements(shape), s.fits)
	}
	dtype, rest, _ := strings.Cut(shape, "[")
	if len(s.types) > 0 && !slices.Contains(s.types, dtype) {
		return false
	}
	return !s.sized || fitDims(s.dims, sizes(strings.TrimSuffix(rest, "]")))
}

// elements splits a tuple's shape.
func elements(tuple string) []string {
	var list []string
	depth, start := 0, 1
	for i := 0; i < len(tuple); i++ {
		switch tuple[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
		if depth == 1 && tuple[i] == ',' || depth == 0 {
			list = append(list, strings.TrimSpace(tuple[start:i]))
			start = i + 1
		}
	}
	return list
}

func sizes(printed string) []int64 {
	if printed == "" {
		return nil
	}
	var list []int64
	for _, s := range strings.Split(printed, ",") {
		n, err := strconv.ParseInt(strings.TrimPrefix(s, "<="), 10, 64)
		if err != nil {
			n = anySize
		}
		list = append(list, n)
	}
	return list
}

func fitDims(want, have []int64) bool {
	if at := slices.Index(want, anyDims); at >= 0 {
		behind := len(want) - at - 1
		return len(have) >= at+behind && fitDims(want[:at], have[:at]) && fitDims(want[at+1:], have[len(have)-behind:])
	}
	return slices.EqualFunc(want, have, func(w, h int64) bool { return w == anySize || w == h })
}
