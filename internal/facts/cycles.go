package facts

import (
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// expectation adds up the cycles that the compiler for TPU expects of computations: loops as often as they run where that is known, and of
// a conditional its dearest branch, as XLA's cost analysis does.
type expectation struct {
	m     *hlo.Module
	known map[hlo.CompID]expected
}

type expected struct {
	cycles float64
	said   bool // of any operation
}

func (e *expected) add(other expected, times float64) {
	e.cycles, e.said = min(e.cycles+times*other.cycles, float64(mostTimes)), e.said || other.said
}

func (e *expectation) of(c hlo.CompID) (sum expected) {
	if known, ok := e.known[c]; ok {
		return known
	}
	first, end := e.m.Body(c)
	for id := first; id < end; id++ {
		sum.add(e.instruction(id), 1)
	}
	e.known[c] = sum
	return sum
}

func (e *expectation) instruction(id hlo.InstrID) (sum expected) {
	config, _ := e.m.Attr(id, "backend_config")
	sum.cycles, sum.said = estimatedCycles(config)
	callees := e.m.Callees(id)
	switch roleOf(e.m.Instrs[id].Opcode) {
	case roleEnter:
		for _, c := range callees {
			sum.add(e.of(c), 1)
		}
	case roleControl:
		sum.add(e.control(id, callees), 1)
	}
	return sum
}

// control is what a loop or a branch comes to. The condition of a loop whose length is known is not asked again.
func (e *expectation) control(id hlo.InstrID, callees []hlo.CompID) (sum expected) {
	if e.m.Instrs[id].Opcode == hlo.OpWhile && len(callees) == 2 {
		times := tripCount(e.m, id)
		if times == unknownTrips {
			times = 1
		}
		sum.add(e.of(callees[0]), float64(times))
		sum.add(e.of(callees[1]), 1)
		return sum
	}
	for _, c := range callees {
		branch := e.of(c)
		sum.cycles, sum.said = max(sum.cycles, branch.cycles), sum.said || branch.said
	}
	return sum
}

// expect gives every kernel the cycles that the compiler expects of it: the instructions are called as they were before code was generated.
func (v *Variant) expect(r *reader) {
	byName := make(map[string]hlo.InstrID, len(v.Kernels))
	for i := range v.Kernels {
		byName[v.Kernels[i].Name] = hlo.NoInstr
	}
	r.m.FindInstrs(byName)
	for i := range v.Kernels {
		k := &v.Kernels[i]
		id := byName[k.Name]
		if id == hlo.NoInstr || k.Class == ClassControl {
			continue
		}
		if cycles, said := estimatedCycles(r.attr(id, "backend_config")); said && cycles > 0 {
			form := *k.Form
			form.Work[price.Cycles] = cycles
			form.Work = form.Work.Rounded()
			k.Form = r.stock.form(form)
		}
	}
}
