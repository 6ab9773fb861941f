package price

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Meter measures what the instructions of one module ask of a device. It is not to be asked by several goroutines at once.
type Meter struct {
	m       *hlo.Module
	family  Family
	alike   *hlo.Alike
	costs   *Costs
	users   *hlo.Users
	trips   func(hlo.InstrID) int64
	product func(hlo.InstrID) (Product, bool)
	bodies  [2][]*body    // by CompID, as the body of a fusion that is a loop in the second; nil where it was not asked for yet
	shapes  []extent      // by ShapeID
	reader  []hlo.InstrID // by InstrID: one more than the instruction that traffic last saw read it
	launch  hlo.InstrID   // the one that is measured

	asked []places // room for demand
	along []uint64 // see vary
}

// body is what the meter knows of one computation, as the body of a loop or of anything else: a product in a loop is computed element by element.
type body struct {
	work     Work
	shares   []float64 // see demand
	measured bool      // work is known, or is being measured
}

// NewMeter makes a meter of a module that was compiled for a family of devices. product says whether one that may be a product is one, and of what; trips how
// often a loop runs, or is taken to run.
func NewMeter(family Family, a *hlo.Alike, costs *Costs, trips func(hlo.InstrID) int64, product func(hlo.InstrID) (Product, bool)) *Meter {
	module := a.Module()
	return &Meter{
		m: module, family: family, alike: a, costs: costs, users: costs.analyzer.users, trips: trips, product: product,
		bodies: [2][]*body{make([]*body, len(module.Comps)), make([]*body, len(module.Comps))}, shapes: extents(module), reader: make([]hlo.InstrID, len(module.Instrs)),
	}
}

// Of is the work of one launch. Its bytes come from the device's memory, as if nothing were in a cache: see [Work.Cached].
func (m *Meter) Of(id hlo.InstrID) Work {
	var w Work
	m.launch = id
	switch op := m.m.Instrs[id].Opcode; op {
	case hlo.OpWhile, hlo.OpConditional:
		return w
	case hlo.OpInfeed, hlo.OpOutfeed:
		w[FromHost] = m.leaves(m.m.Instrs[id].Shape)
		return w
	case hlo.OpCustomCall:
		p, is := m.product(id)
		if m.family == GPU && p.Precision == "default" {
			// cuBLAS and cuDNN multiply f32 as tf32, hipBLAS and MIOpen do not: GetBlasComputationType in xla/stream_executor/gpu/gpu_blas_lt.cc.
			p.Precision = "high"
		}
		switch {
		case !is:
			m.customCall(&w, id)
		case m.family == GPU && strings.Contains(m.m.AttrText(id, "custom_call_target"), "$conv") && p.Flops > 0:
			m.convolved(&w, id, p)
		default:
			m.library(&w, id, p)
		}
	default:
		m.operation(&w, id, false)
		m.bytewise(&w, id)
	}
	m.traffic(&w, id)
	if m.isScalar(id) {
		w[Launches] = -1
	}
	return w
}

// isScalar reports whether the scalar unit of a TPU computes an operation, between launches.
func (m *Meter) isScalar(id hlo.InstrID) bool {
	switch m.m.Instrs[id].Opcode {
	case hlo.OpFusion, hlo.OpCustomCall, hlo.OpCall, hlo.OpInfeed:
		return false
	}
	result := m.m.Shape(m.m.Instrs[id].Shape)
	if !isTiled(result) || len(result.Dims) > 0 {
		return false
	}
	return !slices.ContainsFunc(m.m.Operands(id), func(o hlo.InstrID) bool {
		s := m.m.Shape(m.m.Instrs[o].Shape)
		return s.Type == hlo.Tuple || len(s.Dims) > 0
	})
}

// operation adds what an instruction computes, with all that it calls. looped says that it is in a fusion that is a plain loop.
func (m *Meter) operation(w *Work, id hlo.InstrID, looped bool) {
	op := m.m.Instrs[id].Opcode
	switch op {
	case hlo.OpDot, hlo.OpRaggedDot, hlo.OpScaledDot, hlo.OpConvolution, hlo.OpCustomCall:
		if !m.multiply(w, id, looped) {
			m.elementwise(w, id)
		}
	case hlo.OpFusion:
		m.callees(w, id, 1, m.isLoop(id))
		if m.family == CPU && !m.isLoop(id) {
			for _, c := range m.m.Callees(id) {
				for inside, end := m.m.Body(c); inside < end; inside++ {
					m.rows(w, inside)
				}
			}
		}
	case hlo.OpCall, hlo.OpAsyncStart:
		m.callees(w, id, 1, looped)
	case hlo.OpWhile:
		const turn = 2 // steps: in a kernel an iteration is a jump. Measured with scans of 64 to 4,000 steps in JAX 0.10.2
		n := float64(m.trips(id))
		w[Scalar] += turn * n
		m.callees(w, id, n, looped)
	case hlo.OpConditional:
		var most *Work // of the branch that asks for most operations
		for _, c := range m.m.Callees(id) {
			if branch := m.computation(c, looped); most == nil || branch.operations() > most.operations() {
				most = branch
			}
		}
		if most != nil {
			w.add(most, 1)
		}
	case hlo.OpReduce, hlo.OpMap, hlo.OpReduceWindow, hlo.OpSelectAndScatter, hlo.OpScatter, hlo.OpScan:
		m.applied(w, id)
	case hlo.OpSort:
		m.sort(w, id)
	case hlo.OpCopy, hlo.OpTranspose: // into another layout, or another order
		w[Serial] += m.movement(id) * m.elements(m.m.Instrs[id].Shape)
		m.elementwise(w, id)
	default:
		m.elementwise(w, id)
	}
	switch {
	case op == hlo.OpGather || op == hlo.OpScatter:
		m.indexed(w, id)
	case looped:
		m.bytewise(w, id)
	}
	if m.costs.Unknowns[id] { // an opcode of a later XLA, or damaged
		w[Unknown] = 1
	}
}

// isLoop reports whether a fusion is a loop of its own over the elements of its result: a product in it is computed element by element.
func (m *Meter) isLoop(id hlo.InstrID) bool {
	kind := m.m.AttrText(id, "kind")
	return kind == "kLoop" || kind == "kInput"
}

func (m *Meter) callees(w *Work, id hlo.InstrID, n float64, looped bool) {
	for _, c := range m.m.Callees(id) {
		w.add(m.computation(c, looped), n)
	}
}

// operations is how much there is to compute, whatever computes it.
func (w *Work) operations() (n float64) {
	for a := ProductF64; a <= Serial; a++ {
		n += w[a]
	}
	return n
}

// computation is what the instructions of a computation compute, measured once for all that are alike.
func (m *Meter) computation(c hlo.CompID, looped bool) *Work {
	b := m.body(m.alike.First(c), looped)
	if !b.measured {
		b.measured = true
		first, end := m.m.Body(c)
		if looped {
			b.shares = m.demand(first, m.m.Comps[c].Root)
		}
		for id := first; id < end; id++ {
			switch m.m.Instrs[id].Opcode {
			case hlo.OpParameter, hlo.OpConstant, hlo.OpBroadcast, hlo.OpBitcast: // they take nothing, and there are many
				if !m.costs.Unknowns[id] {
					continue
				}
			}
			if b.shares == nil || b.shares[id-first] == 1 {
				m.operation(&b.work, id, looped)
				continue
			}
			var all Work
			m.operation(&all, id, looped)
			b.work.add(&all, b.shares[id-first])
		}
	}
	return &b.work
}

func (m *Meter) body(c hlo.CompID, looped bool) *body {
	bodies := m.bodies[0]
	if looped {
		bodies = m.bodies[1]
	}
	if bodies[c] == nil {
		bodies[c] = &body{}
	}
	return bodies[c]
}
