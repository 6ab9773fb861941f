package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/internal/facts"
)

// single is one kernel, or several that launch the same function, of one step: in microseconds.
type single struct {
	kind       string
	took, said float64
}

// singles finds the predicted kernel of what the profiler saw: by its instruction, or in a command buffer, of which the profiler names no instruction, by its
// function.
func (r *run) singles() (found []single) {
	took, said, kind := map[string]float64{}, map[string]float64{}, map[string]string{}
	function := map[string]string{}
	for _, k := range r.kernels {
		f := functionOf(k)
		function[k.Name], kind[f] = f, k.Kind
		said[f] += k.NS() / 1e3
	}
	for _, ran := range r.side.Ran {
		f, known := function[ran.Instruction]
		if _, named := said[ran.Kernel]; !known && named {
			f = ran.Kernel
		}
		took[f] += ran.US
	}
	for f := range said {
		if took[f] > 0 && said[f] > 0 {
			found = append(found, single{kind[f], took[f], said[f]})
		}
	}
	return found
}

// functionOf is the function that a kernel launches, or what stands for it.
func functionOf(k facts.Priced) string {
	if k.Plan != nil && k.Plan.Entry != "" {
		return k.Plan.Entry
	}
	return k.Name
}

// eachKernel says how well single kernels are predicted, by their kinds.
func eachKernel(all []run) string {
	byKind := map[string][]single{}
	for i := range all {
		for _, s := range all[i].singles() {
			byKind[""] = append(byKind[""], s)
			byKind[s.kind] = append(byKind[s.kind], s)
		}
	}
	var kinds []string
	for kind, of := range byKind {
		if len(of) >= 10 { // fewer tell nothing
			kinds = append(kinds, kind)
		}
	}
	slices.SortFunc(kinds, func(a, b string) int { return len(byKind[b]) - len(byKind[a]) })
	var b strings.Builder
	b.WriteString("| kind | kernels | predicted of what they take, at the median | within a factor of 1.5 | of 2 | rank correlation |\n|---|---:|---:|---:|---:|---:|\n")
	for _, kind := range kinds {
		name := "`" + kind + "`"
		if kind == "" {
			name = "all"
		}
		b.WriteString(row(name, byKind[kind]))
	}
	return b.String() + "\n"
}

func row(name string, kernels []single) string {
	var took, said, factors []float64
	for _, s := range kernels {
		took, said, factors = append(took, s.took), append(said, s.said), append(factors, s.said/s.took)
	}
	slices.Sort(factors)
	within := func(factor float64) float64 {
		n := 0
		for _, f := range factors {
			if math.Abs(math.Log(f)) <= math.Log(factor) {
				n++
			}
		}
		return 100 * float64(n) / float64(len(factors))
	}
	return fmt.Sprintf("| %s | %d | %.0f %% | %.0f %% | %.0f %% | %.2f |\n", name, len(kernels), 100*factors[len(factors)/2], within(1.5), within(2), race.RankCorrelation(took, said))
}
