package rule

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// In reports whether a pattern fits somewhere in a kernel.
func (f *Flow) In(k *facts.Kernel) bool {
	const maxSteps = 200_000 // the time that a pattern takes grows exponentially with its alternatives
	m := &patternMatch{ops: Operations(k), values: make([]int32, len(f.vars)), left: maxSteps}
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

// Operations are those in a kernel; of one that is no fusion, the one that it is.
func Operations(k *facts.Kernel) []facts.FusedOp {
	if len(k.Ops) > 0 {
		return k.Ops
	}
	op := facts.FusedOp{Op: &facts.Op{Opcode: strings.TrimSuffix(k.Root, "-start"), OpName: k.OpName, Shape: k.Out, Layout: k.Layout, Source: k.Source}}
	for i := range k.In {
		op.From = append(op.From, ^int32(i))
	}
	return []facts.FusedOp{op}
}

// unbound is the value of a $name before it is bound: no reference has it.
const unbound = facts.FromElsewhere + 1

// patternMatch is one attempt to fit a pattern. A reference is what facts.FusedOp.From holds.
type patternMatch struct {
	ops    []facts.FusedOp
	values []int32 // of each $name
	left   int
}

// node reports whether a pattern fits the value of a reference and the rest of the pattern, then, fits as well. Where the rest does not fit,
// other values of a $name are tried.
func (m *patternMatch) node(n *node, ref int32, then func() bool) bool {
	if m.left--; m.left < 0 {
		return false
	}
	if n.deep {
		return m.upstream(n, ref, map[int32]bool{}, then)
	}
	return m.here(n, ref, then)
}

// upstream looks for the pattern in a value and in everything that it is computed from.
func (m *patternMatch) upstream(n *node, ref int32, seen map[int32]bool, then func() bool) bool {
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

func (m *patternMatch) here(n *node, ref int32, then func() bool) bool {
	if n.any {
		if n.shape != nil && (ref < 0 || !n.shape.Fits(m.ops[ref].Shape)) {
			return false
		}
		if n.name < 0 {
			return then()
		}
		origin := ref
		for through := true; through; {
			origin, through = m.through(origin)
		}
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
	for through := true; through; ref, through = m.through(ref) {
		if m.operation(n, ref, then) {
			return true
		}
	}
	return false
}

// transparent operations change how a value is kept, not what it is.
var transparent = map[string]bool{"convert": true, "bitcast": true, "reshape": true, "copy": true}

// through steps over an operation that only changes how a value is kept.
func (m *patternMatch) through(ref int32) (int32, bool) {
	if ref < 0 || !transparent[m.ops[ref].Opcode] || len(m.ops[ref].From) != 1 {
		return ref, false
	}
	return m.ops[ref].From[0], true
}

// operation fits an opcode, its shape and its operands.
func (m *patternMatch) operation(n *node, ref int32, then func() bool) bool {
	if ref < 0 {
		return len(n.args) == 0 && n.shape == nil && slices.Contains(n.opcodes, outside(ref)) && then()
	}
	op := &m.ops[ref]
	if len(n.opcodes) > 0 && !slices.Contains(n.opcodes, op.Opcode) || n.shape != nil && !n.shape.Fits(op.Shape) || len(n.args) > len(op.From) {
		return false
	}
	if m.operands(n.args, op.From, then) {
		return true
	}
	return commutes[op.Opcode] && len(n.args) == 2 && m.operands(n.args, []int32{op.From[1], op.From[0]}, then)
}

func (m *patternMatch) operands(args []*node, from []int32, then func() bool) bool {
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
