package facts

import (
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/price"
)

// Priced is a kernel with what it is predicted to take.
type Priced struct {
	*Kernel
	Once price.Time // one launch of it
	Runs float64    // how often a run launches it; 0 in the cheaper branch of a conditional
}

// NS is what a run spends in the kernel, in nanoseconds.
func (p *Priced) NS() float64 { return p.Runs * p.Once.Total() }

// Prices are what the kernels of a variant are predicted to take on a device, in their order.
func (v *Variant) Prices(d *price.Device) []Priced {
	all := make([]Priced, len(v.Kernels))
	times, level := map[*Form]price.Time{}, v.level(d)
	for i := range v.Kernels {
		k := &v.Kernels[i]
		once, known := times[k.Form]
		if !known {
			once = d.Time(k.Work.From(level))
			times[k.Form] = once
		}
		all[i] = Priced{Kernel: k, Once: once, Runs: float64(max(1, k.Times)) * float64(max(1, k.Guess))}
	}
	dearestBranches(all)
	return all
}

// level is the level of memory that holds all that a run touches.
func (v *Variant) level(d *price.Device) price.Amount {
	touched := v.Facts["memory.argument_bytes"] + v.Facts["memory.output_bytes"] + v.Facts["memory.temp_bytes"] - v.Facts["memory.alias_bytes"]
	switch {
	case touched <= d.Core.Size:
		return price.Near
	case touched <= d.Shared.Size:
		return price.Mid
	}
	return price.Far
}

// dearestBranches leaves of every conditional the branch that takes longest.
func dearestBranches(all []Priced) {
	sums := map[string]float64{} // by branch, with those inside
	for i := range all {
		for at := all[i].Branch; at != ""; at = outerBranch(at) {
			sums[at] += 0
		}
		if all[i].Branch != "" {
			sums[all[i].Branch] += all[i].NS()
		}
	}
	if len(sums) == 0 {
		return
	}
	taken := chosen(sums)
	for i := range all {
		for at := all[i].Branch; at != ""; at = outerBranch(at) {
			if !taken[at] {
				all[i].Runs = 0
			}
		}
	}
}

// chosen says of every branch whether it is the one of its conditional that takes longest. Inner ones are chosen first, and count into the outer.
func chosen(sums map[string]float64) map[string]bool {
	branches := make([]string, 0, len(sums))
	for at := range sums {
		branches = append(branches, at)
	}
	slices.SortFunc(branches, func(a, b string) int {
		if n := strings.Count(b, " ") - strings.Count(a, " "); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	taken, best := map[string]bool{}, map[string]string{}
	for _, at := range branches {
		conditional := at[:strings.LastIndexByte(at, '.')]
		was, other := best[conditional]
		if other && sums[was] >= sums[at] {
			continue
		}
		if other {
			taken[was] = false
			if out := outerBranch(at); out != "" {
				sums[out] -= sums[was]
			}
		}
		best[conditional], taken[at] = at, true
		if out := outerBranch(at); out != "" {
			sums[out] += sums[at]
		}
	}
	return taken
}

// outerBranch is the branch around a branch, "" where there is none.
func outerBranch(branch string) string {
	at := strings.LastIndexByte(branch, ' ')
	return branch[:max(0, at)]
}

// PriceOn sets the facts that say what a run of the variant is predicted to take on a device.
func (v *Variant) PriceOn(d *price.Device) {
	sum, unknown := price.Time{Host: d.Dispatch}, 0.0
	for _, p := range v.Prices(d) {
		sum.Add(p.Once, p.Runs)
		unknown += p.Work[price.Unknown]
	}
	f := maps.Clone(v.Facts) // compiles share the map of what was measured of them
	v.Facts, v.Device = f, d
	sum = sum.Whole()
	f["price.step_ns"] = sum.Total()
	f["price.launch_ns"], f["price.compute_ns"], f["price.memory_ns"] = sum.Launch, sum.Compute, sum.Memory
	f["price.network_ns"], f["price.host_ns"], f["price.unpriced"] = sum.Network, sum.Host, unknown
}
