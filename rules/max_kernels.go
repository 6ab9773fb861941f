package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/glob"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/result"
)

var maxKernels = Rule{
	ID:       "max-kernels",
	Title:    "no more kernels are launched than before",
	Category: Kernels,
	Why: "Every kernel costs a launch and a round trip of its operands through memory. A change that splits fusions or adds work shows as more kernels " +
		"long before anybody measures the step time.",
	Reads: []Input{Optimized},
	Options: []Option{
		{Key: "scope", Type: Word, Sense: Selects, Enum: []string{"all", "entry"}, Default: "all", Doc: "count every reachable computation (loop bodies and branches once), or only the entry computation"},
		{Key: "weighted_by_trip_count", Type: Switch, Sense: Neither, Default: false, Doc: "count a kernel in a loop as often as the loop is known to run"},
		{Key: "kind", Type: Words, Sense: Selects, Enum: kernelKinds, Doc: "count only these kinds: loop, input, output, custom, library, …"},
		{Key: "exclude", Type: Globs, Sense: Caps, Empty: true, Doc: "leave out kernels whose op_name fits"},
		unlessCheaper,
	},
	Budget:  &Metric{Fact: "kernels.total", Noun: "kernels", Better: Lower},
	Fails:   Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-kernels, program: softmax, max: 3, max_increase: 0 }", Says: "4 kernels: at most 3 allowed; up from 1 in the baseline"},
	Passes:  Example{On: "gpu-softmax_barrier/before", Config: "- { rule: max-kernels, program: softmax, max: 1 }"},
	Mend:    "Look at the source line that the finding names: what stands between the operations that used to run in one kernel? If the kernels are wanted, accept them.",
	Threads: []string{"jax-ml/jax#33338", "openxla/xla#29620", "openxla/xla#6370"},
	Since:   "1",
	Accepts: []string{"kernels.*", "fusions.*", "ledger"},
	Program: checkMaxKernels,
}

func checkMaxKernels(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		if _, ok := v.New.Facts["kernels.total"]; !ok {
			c.Uncovered(p.Name, Optimized, dumpMend)
			continue
		}
		a := Amount{
			Program: p, Variant: v, Subject: c.kernelSubject(), Noun: "kernels", Better: Lower,
			Actual: c.countKernels(v.New),
			Cause:  func() (*result.Cause, result.Evidence) { return explain.Growth(v, c.countsKernel) },
		}
		if v.Old != nil {
			a.Base = new(c.countKernels(v.Old))
		}
		c.Judge(a)
	}
}

// kernelSubject tells several max-kernels entries of one program apart.
func (c *Context) kernelSubject() string {
	subject := "kernels." + c.Text("scope")
	if c.On("weighted_by_trip_count") {
		subject += ".weighted"
	}
	for _, kind := range c.List("kind") {
		subject += "." + kind
	}
	return subject
}

func (c *Context) countKernels(v *facts.Variant) float64 {
	if c.Text("scope") != "entry" && !c.On("weighted_by_trip_count") && c.List("kind") == nil && c.List("exclude") == nil {
		return v.Facts["kernels.total"]
	}
	if !c.On("weighted_by_trip_count") {
		return ledger.Count(v, c.countsKernel)
	}
	var n float64
	for k := range ledger.Kernels(v, c.countsKernel) {
		n += ledger.Runs(k)
	}
	return n
}

func (c *Context) countsKernel(k *facts.Kernel) bool {
	if !ledger.Computes(k) {
		return false
	}
	if c.Text("scope") == "entry" && !k.InEntry {
		return false
	}
	if kinds := c.List("kind"); kinds != nil && !slices.Contains(kinds, k.Kind) {
		return false
	}
	return !glob.Any(c.List("exclude"), k.OpName)
}
