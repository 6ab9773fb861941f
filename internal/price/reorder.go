package price

import (
	"math"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What a CPU takes to move an element into another order, in steps of a nanosecond on the reference. Measured with small programs in JAX 0.10.2: see
// bench/stopwatch/micro.py.
const (
	movedKept   = 0.1 // one that keeps its neighbours
	movedApart  = 0.3 // one whose neighbours become others
	movedNarrow = 0.8 // one in a narrow row
)

// longestLoop bounds the instructions of a fused computation that are looked at for every operation in it that moves elements.
const longestLoop = 1 << 11

// reordered adds what it takes to bring elements into another order: a copy into another layout, or a transpose that moves. In a loop it is the order in
// which memory is read: what the loop computes from nothing has none.
func (m *Meter) reordered(w *Work, id hlo.InstrID, looped bool) {
	each := m.movement(id)
	if each == 0 {
		return
	}
	if looped && m.family == CPU && m.m.Comps[m.m.Instrs[id].Comp].Count <= longestLoop {
		moved, kept := m.arraysRead(id)
		if moved.any == 0 {
			return
		}
		if each >= movedApart && !m.isTransposedInTiles(m.m.Instrs[id].Comp) {
			each += m.missed(id, moved.large > kept.large+1)
		}
	}
	w[Serial] += each * m.elements(m.m.Instrs[id].Shape)
}

// movement is what it takes to bring one element into another order; 0 where the order stays.
func (m *Meter) movement(id hlo.InstrID) (each float64) {
	operands := m.m.Operands(id)
	if len(operands) != 1 {
		return 0
	}
	to, from := m.m.Shape(m.m.Instrs[id].Shape), m.m.Shape(m.m.Instrs[operands[0]].Shape)
	order, before := to.DimensionOrder(), from.DimensionOrder()
	if to.Type == hlo.Tuple || len(order) != len(before) || len(order) == 0 {
		return 0
	}
	for k, d := range m.sources(id, order) {
		switch {
		case d == before[k]:
		case minor(to) < narrow:
			each = movedNarrow
		case k == 0:
			each = movedApart
		default:
			each = max(each, movedKept)
		}
	}
	return each
}

// sources are the dimensions of the operand that an operation's dimensions come from.
func (m *Meter) sources(id hlo.InstrID, dims []int64) []int64 {
	permutation := m.m.Integers(id, "dimensions")
	if m.m.Instrs[id].Opcode != hlo.OpTranspose || len(permutation) != len(dims) {
		return dims
	}
	from := make([]int64, len(dims))
	for k, d := range dims {
		if d >= 0 && d < int64(len(permutation)) {
			from[k] = permutation[d]
		}
	}
	return from
}

// arrays counts parameters that hold more than one element, and those that are about as large as a result.
type arrays struct{ any, large int }

// arraysRead counts the arrays in memory that a fused computation reads in the order of an instruction's operand, and the others.
func (m *Meter) arraysRead(id hlo.InstrID) (moved, kept arrays) {
	first, end := m.m.Body(m.m.Instrs[id].Comp)
	needed, half := make([]bool, end-first), m.elements(m.m.Instrs[id].Shape)/2
	needed[id-first] = true
	for i := end - 1; i >= first; i-- {
		in := &m.m.Instrs[i]
		if in.Opcode == hlo.OpParameter && m.elements(in.Shape) > 1 {
			count := &kept
			if needed[i-first] {
				count = &moved
			}
			count.any++
			if m.elements(in.Shape) >= half {
				count.large++
			}
		}
		if needed[i-first] && (i == id || m.movement(i) == 0) {
			for _, o := range m.m.Operands(i) {
				needed[o-first] = true
			}
		}
	}
	return moved, kept
}

// isTransposedInTiles reports whether XLA moves the elements of a fused computation from tile to tile: it does where each element of the result is computed
// from one of each parameter, and from no constant.
func (m *Meter) isTransposedInTiles(c hlo.CompID) bool {
	first, end := m.m.Body(c)
	for id := first; id < end; id++ {
		switch m.m.Instrs[id].Opcode {
		case hlo.OpConstant, hlo.OpIota, hlo.OpBroadcast, hlo.OpConcatenate, hlo.OpPad, hlo.OpReverse, hlo.OpSlice, hlo.OpDynamicSlice, hlo.OpDynamicUpdateSlice,
			hlo.OpGather, hlo.OpScatter, hlo.OpReduce, hlo.OpReduceWindow:
			return false
		}
	}
	return true
}

// missed is what a loop takes, beside movedApart, for each element that it moves and whose line is no longer in the first cache when the loop comes to its
// neighbour. The loop goes in the order in which it reads most arrays, and skips in what it writes, or else in the order of its result, and skips in what it
// reads. Lines that are a power of two apart are in few sets of the cache: at 4,096 bytes in one. Measured with 140 transposes of JAX 0.10.2 on an EPYC, of
// 16,384 to four million elements.
func (m *Meter) missed(id hlo.InstrID, skipsInResult bool) float64 {
	to, from := m.m.Shape(m.m.Instrs[id].Shape), m.m.Shape(m.m.Instrs[m.m.Operands(id)[0]].Shape)
	order, before := m.sources(id, to.DimensionOrder()), from.DimensionOrder()
	written, row := skipped(before, order, from.Dims)
	read, column := skipped(order, before, from.Dims)
	bytes := from.Type.Bytes()
	if skipsInResult {
		return writing.missed(written*bytes, row, read)
	}
	return reading.missed(read*bytes, column, written)
}

// skips are what an element costs where a loop skips from line to line.
type skips struct {
	lines    int64   // that a set of the first cache holds, as far as the loop is concerned: others come early enough where it only reads
	apart512 float64 // for lines that are 512 bytes apart
	growth   float64 // with the bytes that they are apart, as a power
}

var (
	writing = skips{12, 2.2, 0.55}
	reading = skips{16, 0.5, 0.75}
)

// missed is for a loop that touches so many lines, so many bytes apart, in a run, and so many in all before it comes to a neighbour.
func (s *skips) missed(bytes, run, lines int64) float64 {
	const ways, way, line, spread = 12, 4096, 64, 0.5
	together := min(way, bytes&-bytes)
	switch {
	case together >= 512 && run > s.lines*way/together:
		return s.apart512 * math.Pow(float64(together)/512, s.growth)
	case lines > ways*way/line:
		return spread
	}
	return 0
}

// skipped is how many elements are in one order between neighbours of another one, and how many such neighbours are in a row.
func skipped(of, in, dims []int64) (apart, row int64) {
	size := func(d int64) int64 {
		if d < 0 || d >= int64(len(dims)) {
			return 1 // of a damaged layout
		}
		return dims[d]
	}
	apart = 1
	for _, neighbour := range of {
		if size(neighbour) == 1 {
			continue
		}
		for _, d := range in {
			if d == neighbour {
				return apart, size(d)
			}
			apart *= size(d)
		}
	}
	return apart, 1
}

// bytewise adds what it takes on a GPU to bring bytes into another order: a kernel of XLA moves them one by one. Measured on an H200.
func (m *Meter) bytewise(w *Work, id hlo.InstrID) {
	const aByte = 6.6 // steps
	in := &m.m.Instrs[id]
	if m.family == GPU && (in.Opcode == hlo.OpTranspose || in.Opcode == hlo.OpCopy) && m.m.Shape(in.Shape).Type.Bytes() == 1 && m.movement(id) > 0 {
		w[Scalar] += aByte * m.elements(in.Shape)
	}
}
