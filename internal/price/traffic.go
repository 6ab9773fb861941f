package price

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// traffic adds the bytes that a launch reads and writes. An operand that is listed twice is read once.
func (m *Meter) traffic(w *Work, id hlo.InstrID) {
	for n, o := range m.m.Operands(id) {
		if m.reader[o] != id+1 {
			m.reader[o] = id + 1
			m.move(w, m.m.Instrs[o].Shape, m.read(id, n, 0))
		}
	}
	m.write(w, id)
}

// move adds bytes where a shape is.
func (m *Meter) move(w *Work, shape hlo.ShapeID, bytes float64) { w[m.shapes[shape].space] += bytes }

// space is where arrays of a shape are: in a TPU's own memory spaces, else in the device's memory.
func space(s *hlo.Shape) Amount {
	switch {
	case strings.Contains(s.Layout, "S(1)") && strings.Contains(s.Layout, "T("):
		return OnChip
	case strings.Contains(s.Layout, "S(5)"):
		return FromHost
	}
	return Far
}

const maxDepth = 64

// read is how many bytes an instruction reads of its operand n: the parts that it takes, where it takes parts.
func (m *Meter) read(id hlo.InstrID, n, depth int) float64 {
	operand := m.m.Instrs[m.m.Operands(id)[n]].Shape
	whole := m.leaves(operand)
	if depth > maxDepth {
		return whole
	}
	switch op := m.m.Instrs[id].Opcode; op {
	case hlo.OpFusion, hlo.OpCall:
		return min(whole, m.readInside(id, n, depth+1))
	case hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpGather:
		if n == 0 {
			return min(whole, m.leaves(m.m.Instrs[id].Shape))
		}
	case hlo.OpDynamicUpdateSlice:
		other := func(u hlo.InstrID) bool {
			return m.m.Instrs[u].Opcode != hlo.OpBitcast && m.m.Instrs[u].Opcode != hlo.OpTuple
		}
		if n == 0 && !slices.ContainsFunc(m.users.Of(id), other) { // nothing but the result takes it: it is updated in place
			return 0
		}
	case hlo.OpScatter:
		if operands := m.m.Operands(id); n < len(operands)/2 {
			return min(whole, m.leaves(m.m.Instrs[operands[len(operands)-1]].Shape))
		}
	case hlo.OpGetTupleElement:
		return m.leaves(m.m.Instrs[id].Shape)
	}
	return whole
}

// readInside is what the users of a parameter read of it in the computation that an instruction calls.
func (m *Meter) readInside(id hlo.InstrID, n, depth int) float64 {
	callees := m.m.Callees(id)
	if len(callees) == 0 {
		return m.leaves(m.m.Instrs[m.m.Operands(id)[n]].Shape)
	}
	params := m.costs.analyzer.fusedBody(id).params
	if n >= len(params) || params[n].id == hlo.NoInstr {
		return 0
	}
	c := m.alike.First(callees[0])
	return m.readBy(c, m.body(c, m.isLoop(id)).shares, params[n].id, depth)
}

// readBy is what the users of a value in a computation read of it; shares are those of the computation, see demand.
func (m *Meter) readBy(c hlo.CompID, shares []float64, id hlo.InstrID, depth int) (bytes float64) {
	first := m.m.Comps[c].First
	for _, u := range m.users.Of(id) {
		if op := m.m.Instrs[u].Opcode; depth < maxDepth && (op == hlo.OpBitcast || op == hlo.OpGetTupleElement) {
			bytes += m.readBy(c, shares, u, depth+1)
			continue
		}
		share := 1.0
		if shares != nil {
			share = shares[u-first]
		}
		for n, o := range m.m.Operands(u) {
			if o == id {
				bytes += min(1, share) * m.read(u, n, depth+1)
			}
		}
	}
	return bytes
}

// write adds what an instruction writes. What is updated in place is written where it is updated.
func (m *Meter) write(w *Work, id hlo.InstrID) {
	in := &m.m.Instrs[id]
	switch in.Opcode {
	case hlo.OpFusion, hlo.OpCall:
		if callees := m.m.Callees(id); len(callees) == 1 {
			m.writeRoot(w, m.m.Comps[callees[0]].Root, in.Shape, 0)
			return
		}
	case hlo.OpDynamicUpdateSlice, hlo.OpScatter:
		m.writeRoot(w, id, in.Shape, 0)
		return
	case hlo.OpCustomCall:
		elements := m.m.Shape(in.Shape).Elements
		if len(elements) != 2 || !strings.HasPrefix(m.m.AttrText(id, "custom_call_target"), "__") { // of no library that XLA knows
			break
		}
		// A row of bytes is the workspace that the library takes for its own use. It is no result: what it holds stays in caches.
		if s := m.m.Shape(elements[1]); len(s.Dims) == 1 && (s.Type == hlo.S8 || s.Type == hlo.U8) {
			m.writeShape(w, elements[0])
			return
		}
	case hlo.OpCopyStart: // it hands out its operand beside the copy
		if elements := m.m.Shape(in.Shape).Elements; len(elements) > 0 {
			m.writeShape(w, elements[0])
			return
		}
	}
	m.writeShape(w, in.Shape)
}

func (m *Meter) writeShape(w *Work, shape hlo.ShapeID) {
	s := m.m.Shape(shape)
	for _, e := range s.Elements {
		m.writeShape(w, e)
	}
	if len(s.Elements) == 0 {
		m.move(w, shape, m.leaves(shape))
	}
}

// writeRoot adds what a root writes into a result of the given shape.
func (m *Meter) writeRoot(w *Work, root hlo.InstrID, shape hlo.ShapeID, depth int) {
	operands, elements := m.m.Operands(root), m.m.Shape(shape).Elements
	switch op := m.m.Instrs[root].Opcode; {
	case op == hlo.OpBitcast && len(operands) == 1 && depth < maxDepth:
		m.writeRoot(w, operands[0], shape, depth+1)
	case op == hlo.OpTuple && len(operands) == len(elements) && depth < maxDepth:
		for n, o := range operands {
			m.writeRoot(w, o, elements[n], depth+1)
		}
	case op == hlo.OpDynamicUpdateSlice && len(operands) > 1:
		m.move(w, shape, m.leaves(m.m.Instrs[operands[1]].Shape))
	case op == hlo.OpScatter && len(operands) > 2:
		m.move(w, shape, m.leaves(m.m.Instrs[operands[len(operands)-1]].Shape))
	case op == hlo.OpFusion && len(m.m.Callees(root)) == 1 && depth < maxDepth:
		m.writeRoot(w, m.m.Comps[m.m.Callees(root)[0]].Root, shape, depth+1)
	default:
		m.writeShape(w, shape)
	}
}

// extent is how large the arrays of a shape are.
type extent struct {
	elements float64 // of the array, of a tuple's first
	padding  float64 // how many times as many elements its tiles have: on a TPU the last two dimensions are cut into tiles
	leaves   float64 // bytes of all arrays as they are in memory, in whole tiles
	space    Amount
	wide     bool // its elements, or those of a tuple's first array, have 64 bits at least
}

// extents measures the shapes of a module. The elements of a tuple come before it.
func extents(m *hlo.Module) []extent {
	list := make([]extent, m.ShapeIDs())
	for id := range list {
		s := m.Shape(hlo.ShapeID(id))
		e := extent{elements: float64(s.ElementCount()), padding: padding(s), space: space(s), wide: s.Type.Bytes() >= 8}
		if e.leaves = float64(s.ElementCount()*s.Type.Bytes()) * e.padding; len(s.Elements) > 0 {
			first := s.Elements[0]
			e.elements, e.leaves = list[first].elements, 0
			if s.Type == hlo.Tuple {
				e.wide = m.Shape(first).Type.Bytes() >= 8
			}
		}
		for _, element := range s.Elements {
			e.leaves += list[element].leaves
		}
		list[id] = e
	}
	return list
}

func (m *Meter) elements(shape hlo.ShapeID) float64 { return m.shapes[shape].elements }

// leaves is the size of all arrays of a shape, as they are in memory: in whole tiles.
func (m *Meter) leaves(shape hlo.ShapeID) float64 { return m.shapes[shape].leaves }

func padding(s *hlo.Shape) float64 {
	_, tile, tiled := strings.Cut(s.Layout, ":T(")
	if !tiled {
		return 1
	}
	tile, _, _ = strings.Cut(tile, ")")
	sizes, order := hlo.Ints(tile), s.DimensionOrder()
	times := 1.0
	for k := range min(len(sizes), len(order)) {
		size, d := sizes[len(sizes)-1-k], order[k]
		if d < 0 || d >= int64(len(s.Dims)) || s.Dims[d] <= 0 || size <= 0 {
			return 1
		}
		times *= float64((s.Dims[d]+size-1)/size*size) / float64(s.Dims[d])
	}
	return times
}
