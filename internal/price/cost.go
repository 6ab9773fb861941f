package price

import "github.com/xlagate/xlagate/internal/hlo"

// Cost is what an instruction or a computation asks of the machine, counted by the rules of XLA's HloCostAnalysis.
//
// A custom call counts -1 flops and -1 bytes, as it does there: nobody knows what it costs, and a module's sum includes the
// -1 so that it equals the number XLA gives.
type Cost struct {
	Flops           float64 // arithmetic operations; a multiply-add is two
	Transcendentals float64 // exponentials, logarithms, roots and their like, which Flops leaves out
	BytesAccessed   float64 // read and written, with 8 bytes for each entry of a tuple's table
}

func (c Cost) plus(d Cost) Cost {
	return Cost{c.Flops + d.Flops, c.Transcendentals + d.Transcendentals, c.BytesAccessed + d.BytesAccessed}
}

func (c Cost) times(n float64) Cost {
	return Cost{c.Flops * n, c.Transcendentals * n, c.BytesAccessed * n}
}

// work is the cost without its bytes: what a function that is applied to elements in registers adds to its caller.
func (c Cost) work() Cost { return Cost{Flops: c.Flops, Transcendentals: c.Transcendentals} }

// Prices is a priced module. It is not to be asked by several goroutines at once.
type Prices struct {
	pricer *pricer
	alike  *hlo.Alike
	comps  []Cost // by CompID, of the computations that are first of their like
	// Unpriced are the instructions that could not be priced: their operation is not known, or operands, called computations
	// or attributes that the price depends on are missing or damaged. Of those that say the same it names one.
	Unpriced []hlo.InstrID
}

// Instr is the cost of one execution of an instruction with everything that it calls.
func (p *Prices) Instr(i hlo.InstrID) Cost { return p.pricer.price(i) }

// arithmetic is what Instr tells, without the bytes of an instruction that enters no computation.
func (p *Prices) arithmetic(i hlo.InstrID) Cost {
	cost, _ := p.pricer.computed(i)
	return cost
}

// Comp is the sum over the computation's instructions.
func (p *Prices) Comp(id hlo.CompID) Cost { return p.comps[p.alike.First(id)] }

// CostOf prices a module as XLA does: the entry computation with all that it calls, the body of a loop once.
func CostOf(m *hlo.Module) Cost {
	if m.Entry == hlo.NoComp {
		return Cost{}
	}
	return Price(m.Alike(), nil).Comp(m.Entry)
}

// Price prices every instruction. trips says how often a while runs its body, a negative number when that is not known; a
// loop that it does not know, and every loop when trips is nil, counts body and condition once. See [hlo.Module.KnownTrips].
func Price(a *hlo.Alike, trips func(hlo.InstrID) int64) *Prices {
	m := a.Module()
	n := len(m.Comps)
	p := &pricer{
		m:      m,
		trips:  trips,
		sizes:  measureShapes(m),
		users:  m.Users(),
		states: make([]pricing, n),
		bodies: make([]*fusedBody, n),
		Prices: &Prices{alike: a, comps: make([]Cost, n)},
	}
	p.pricer = p
	for c := range m.Comps {
		p.computation(a.First(hlo.CompID(c)))
	}
	return p.Prices
}

// pricing is how far a computation has been priced.
type pricing uint8

const (
	unpriced pricing = iota
	beingPriced
	priced
)

// pricer prices the instructions of one module.
type pricer struct {
	*Prices
	m      *hlo.Module
	trips  func(hlo.InstrID) int64
	sizes  shapeSizes
	users  *hlo.Users
	states []pricing    // by CompID
	bodies []*fusedBody // by CompID, of the computations that fusions call; see fusedBody
	spare  *bodyReader  // nil while it is in use
}

// computation prices a computation that is the first of its like, once. Callees come before callers, so that it seldom goes deep.
func (p *pricer) computation(c hlo.CompID) (Cost, bool) {
	if p.states[c] != unpriced {
		return p.comps[c], p.states[c] == priced
	}
	p.states[c] = beingPriced
	var sum Cost
	first, end := p.m.Body(c)
	for i := first; i < end; i++ {
		sum = sum.plus(p.price(i))
	}
	p.comps[c], p.states[c] = sum, priced
	return sum, true
}

// callee is the price of the n-th computation that an instruction calls.
func (p *pricer) callee(i hlo.InstrID, n int) Cost {
	cost, ok := p.computation(p.alike.First(p.m.Callees(i)[n]))
	if !ok {
		p.giveUp(i) // it calls itself
	}
	return cost
}

// giveUp notes that an instruction could not be priced.
func (p *pricer) giveUp(i hlo.InstrID) {
	if n := len(p.Unpriced); n == 0 || p.Unpriced[n-1] != i {
		p.Unpriced = append(p.Unpriced, i)
	}
}

func (p *pricer) price(i hlo.InstrID) Cost {
	cost, whole := p.computed(i)
	if !whole {
		cost.BytesAccessed = p.bytes(i)
	}
	return cost
}

// computed is the price of an instruction. Unless it is whole, its bytes are not in it.
func (p *pricer) computed(i hlo.InstrID) (cost Cost, whole bool) {
	op := p.m.Instrs[i].Opcode
	if !hasParts(op, len(p.m.Operands(i)), len(p.m.Callees(i))) {
		p.giveUp(i)
		return Cost{}, true
	}
	switch op {
	case hlo.OpFusion:
		return p.fusion(i), true
	case hlo.OpCall, hlo.OpAsyncStart:
		return p.callee(i, 0), true
	case hlo.OpWhile:
		return p.loop(i), true
	case hlo.OpConditional:
		return p.conditional(i), true
	case hlo.OpCustomCall:
		return Cost{Flops: -1, BytesAccessed: -1}, true
	}
	return p.work(i), false
}

// loop prices a while: n runs of the body and n+1 of the condition, or one of each when n is not known.
func (p *pricer) loop(i hlo.InstrID) Cost {
	body, condition := p.callee(i, 0), p.callee(i, 1)
	if p.trips != nil {
		if n := p.trips(i); n >= 0 {
			return body.times(float64(n)).plus(condition.times(float64(n + 1)))
		}
	}
	return body.plus(condition)
}

// conditional takes for each number the dearest branch. A branch's 0 does not raise another's -1.
func (p *pricer) conditional(i hlo.InstrID) Cost {
	cost := p.callee(i, 0)
	for n := range p.m.Callees(i)[1:] {
		branch := p.callee(i, n+1)
		cost.Flops = dearer(cost.Flops, branch.Flops)
		cost.Transcendentals = dearer(cost.Transcendentals, branch.Transcendentals)
		cost.BytesAccessed = dearer(cost.BytesAccessed, branch.BytesAccessed)
	}
	return cost
}

func dearer(a, b float64) float64 {
	if a < 0 && b == 0 {
		return a
	}
	return max(a, b)
}
