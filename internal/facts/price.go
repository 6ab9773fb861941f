package facts

import (
	"maps"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/price"
)

// Priced is a kernel with what it is predicted to take.
type Priced struct {
	*Kernel
	Once price.Time // one launch of it
	Runs float64    // how often a run launches it; in a branch as often as it is likely to be taken
}

// NS is what a run spends in the kernel, in nanoseconds.
func (p *Priced) NS() float64 { return p.Runs * p.Once.Total() }

// Prices are what the kernels of a variant are predicted to take on a device, in their order.
func (v *Variant) Prices(d *price.Device) []Priced {
	all := make([]Priced, len(v.Kernels))
	times, cached, likely := map[*Form]price.Time{}, d.Cached(v.Facts[RunTouched]), likelihoods(v.Kernels)
	for i := range v.Kernels {
		k := &v.Kernels[i]
		once, known := times[k.Form]
		if !known {
			once = d.Time(k.Work.From(cached))
			times[k.Form] = once
		}
		all[i] = Priced{Kernel: k, Once: once, Runs: float64(max(1, k.Times)) * float64(max(1, k.Guess)) * likely[k.Branch]}
	}
	return all
}

// likelihoods say how likely it is that a run takes a branch: the branches of a conditional are taken to be equally likely. One without launches
// is not seen; there are two at least.
func likelihoods(kernels []Kernel) map[string]float64 {
	likely, branches := map[string]float64{"": 1}, map[string]int{} // of each conditional, how many branches it has
	for i := range kernels {
		for at := kernels[i].Branch; at != ""; at = outerBranch(at) {
			conditional, branch := cutBranch(at)
			branches[conditional] = max(2, branch+1, branches[conditional])
			likely[at] = 1
		}
	}
	for at := range likely {
		for out := at; out != ""; out = outerBranch(out) {
			conditional, _ := cutBranch(out)
			likely[at] /= float64(branches[conditional])
		}
	}
	return likely
}

// cutBranch parts "0.1 2.3" into the conditional "0.1 2" and its branch 3.
func cutBranch(at string) (conditional string, branch int) {
	dot := strings.LastIndexByte(at, '.')
	branch, _ = strconv.Atoi(at[dot+1:])
	return at[:max(0, dot)], branch
}

// outerBranch is the branch around a branch, "" where there is none.
func outerBranch(branch string) string {
	at := strings.LastIndexByte(branch, ' ')
	return branch[:max(0, at)]
}

// PriceOn sets the facts that say what a run of the variant is predicted to take on a device.
func (v *Variant) PriceOn(d *price.Device) {
	sum, unknown := price.Time{Host: d.Dispatch + d.Argument*v.Facts[RunArguments] + d.Result*v.Facts[RunResults]}, 0.0
	for _, p := range v.Prices(d) {
		sum.Add(p.Once, p.Runs)
		unknown += p.Work[price.Unknown]
	}
	f := maps.Clone(v.Facts) // compiles share the map of what was measured of them
	v.Facts, v.Device = f, d
	sum = sum.Whole()
	f[PriceStep] = sum.Total()
	f[PriceLaunch], f[PriceCompute], f[PriceMemory] = sum.Launch, sum.Compute, sum.Memory
	f[PriceNetwork], f[PriceHost], f[PriceUnpriced] = sum.Network, sum.Host, unknown
}
