package rules

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxKernels = rule.Rule{
	ID:    "max-kernels",
	Title: "no more kernels are launched than before",
	Why: "Every kernel costs a launch and a round trip of its operands through memory. A change that splits fusions or adds work shows as more kernels " +
		"long before anybody measures the step time.",
	Options: []rule.Option{
		{Key: "scope", Type: rule.Word, Sense: rule.Selects, Enum: []string{"all", "entry"}, Default: "all", Doc: "count every reachable computation (loop bodies and branches once), or only the entry computation"},
		{Key: "weighted_by_trip_count", Type: rule.Switch, Sense: rule.Neither, Default: false, Doc: "count a kernel in a loop by the loop's trip count, where that is known"},
		{Key: "kind", Type: rule.Words, Sense: rule.Selects, Enum: rule.KernelKinds, Doc: "count only these kinds: loop, input, output, custom, library, …"},
		{Key: "exclude", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "leave out kernels whose op_name matches"},
	},
	Needs:   facts.KernelsTotal,
	Budget:  rule.FactMetric(facts.KernelsTotal, "kernels"),
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-kernels, program: softmax, max: 3, max_increase: 0 }", Says: "4 kernels: at most 3 allowed; up from 1 in the baseline"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: max-kernels, program: softmax, max: 1 }"},
	Fix:     "Look at the source line that the finding names: what separates the operations that used to run in one kernel? If the kernels are wanted, accept them.",
	Threads: []string{"jax-ml/jax#33338", "openxla/xla#29620", "openxla/xla#6370"},
	Accepts: []string{"kernels.*", "fusions.*", "kernel list"},
	Variant: checkMaxKernels,
}

func checkMaxKernels(c *rule.Context, v *diff.Variant) {
	a := c.Count(kernelSubject(c), func(v *facts.Variant) float64 { return countKernels(c, v) })
	rule.Explain(c.Judge(a), v.Growth, countsKernel(c))
}

// kernelSubject distinguishes several max-kernels entries of one program.
func kernelSubject(c *rule.Context) string {
	subject := "kernels." + c.Text("scope")
	if c.On("weighted_by_trip_count") {
		subject += ".weighted"
	}
	for _, kind := range c.List("kind") {
		subject += "." + kind
	}
	return subject
}

func countKernels(c *rule.Context, v *facts.Variant) float64 {
	if c.Text("scope") != "entry" && !c.On("weighted_by_trip_count") && c.List("kind") == nil && c.List("exclude") == nil {
		return v.Facts[facts.KernelsTotal]
	}
	if !c.On("weighted_by_trip_count") {
		return v.CountKernels(countsKernel(c))
	}
	var n float64
	for k := range v.KernelsThat(countsKernel(c)) {
		n += k.Runs()
	}
	return n
}

func countsKernel(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		if !k.Class.Computes() {
			return false
		}
		if c.Text("scope") == "entry" && !k.InEntry {
			return false
		}
		if kinds := c.List("kind"); kinds != nil && !slices.Contains(kinds, k.Kind) {
			return false
		}
		return !phrase.AnyGlob(c.List("exclude"), k.OpName)
	}
}

var maxUnfused = rule.Rule{
	ID:    "max-unfused",
	Title: "operations that should be fused do not run by themselves",
	Why: "A transpose, a conversion or a reduction that runs as a kernel of its own reads and writes a whole tensor for next to no arithmetic. On two models " +
		"one transpose that left its fusion went from 21.8 to 128 microseconds, and nothing else in the program had changed.",
	Options: []rule.Option{
		{Key: "ops", Type: rule.Words, Sense: rule.Demands, Enum: rule.OpcodeWords, Default: []string{"transpose", "copy", "convert", "reduce", "reshape", "slice", "concatenate", "pad"}, Doc: "the operations that are counted when a kernel does nothing else"},
		{Key: "min_bytes", Type: rule.Size, Sense: rule.Narrows, Default: 0.0, Doc: "ignore kernels that read and write less"},
		{Key: "op_name", Type: rule.Glob, Sense: rule.Selects, Doc: "only those in this part of the model"},
	},
	Budget:  &rule.Metric{Noun: "unfused operations", Better: rule.Lower},
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-unfused, ops: [reduce, divide], max: 0 }", Says: "3 unfused operations: at most 0 allowed"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: max-unfused, ops: [reduce, divide], max: 0 }"},
	Fix:     "Look at the operation's operands and users: a barrier, a second user, or a layout that its neighbours do not share keeps it out of their kernel.",
	Threads: []string{"jax-ml/jax#33338", "AI-Hypercomputer/torchprime#119"},
	Accepts: []string{"kernels.*", "fusions.*", "copies.*", "transposes.*", "kernel list"},
	Variant: checkMaxUnfused,
}

func checkMaxUnfused(c *rule.Context, v *diff.Variant) {
	a := c.Count("unfused", func(v *facts.Variant) float64 { return v.CountKernels(runsAlone(c)) })
	rule.Explain(c.Judge(a), v.Growth, runsAlone(c))
}

// runsAlone reports whether a kernel does one of the operations and nothing else.
func runsAlone(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Do.Len() == 1 && slices.Contains(c.List("ops"), k.Do[0].Opcode) && k.Class != facts.ClassControl && k.Class != facts.ClassCollective &&
			large(c, k.Bytes) && inPart(c, k.OpName)
	}
}

var noHostCallback = rule.Rule{
	ID:    "no-host-callback",
	Title: "the device does not wait for the host",
	Why:   "A debug print or a callback inside the step stops the device, moves data to the host and back, and splits the fusions around it.",
	Options: []rule.Option{
		{Key: "allow", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "custom-call targets or op_names that may call the host"},
	},
	Budget:     &rule.Metric{Noun: "host callbacks", Better: rule.Lower},
	Forbids:    true,
	Fails:      rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback }", Says: "1 host callback: at most 0 allowed"},
	Passes:     rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback, allow: [\"*callback\"] }"},
	Fix:        "Remove the debug print or callback, or keep it behind a switch that is off in production.",
	Threads:    []string{"jax-ml/jax#25842"},
	FromSource: true,
	Accepts:    []string{"custom_calls.*", "kernels.*", "fusions.*", "kernel list"},
	Variant:    checkNoHostCallback,
}

func checkNoHostCallback(c *rule.Context, v *diff.Variant) {
	a := c.Count("host callbacks", func(v *facts.Variant) float64 { return hostCalls(c, v, (*facts.Variant).CountKernels) })
	var f *rule.Finding
	if c.Bounded() {
		f = c.JudgeRuns(a, func(v *facts.Variant) float64 { return hostCalls(c, v, (*facts.Variant).Launches) })
	} else {
		f = c.Forbid(a)
	}
	if f != nil {
		f.Cause, f.Evidence = v.Growth(callsHost(c))
	}
}

// hostCalls counts calls of the host. A TPU makes one of a send, or of a send and a receive: what is more counts.
func hostCalls(c *rule.Context, v *facts.Variant, count func(*facts.Variant, func(*facts.Kernel) bool) float64) float64 {
	transfers := func(opcode string) float64 {
		return count(v, func(k *facts.Kernel) bool { return k.Kind == facts.KindHost && k.Root == opcode && callsHost(c)(k) })
	}
	calls := count(v, func(k *facts.Kernel) bool { return k.Kind != facts.KindHost && callsHost(c)(k) })
	return calls + max(transfers("send"), transfers("recv"))
}

func callsHost(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		host := strings.Contains(k.Target, "callback") || k.Root == "infeed" || k.Root == "outfeed" || k.Target == "SendToHost" || k.Target == "RecvFromHost" ||
			k.Kind == facts.KindHost
		return host && !phrase.AnyGlob(c.List("allow"), k.Target) && !phrase.AnyGlob(c.List("allow"), k.OpName)
	}
}
