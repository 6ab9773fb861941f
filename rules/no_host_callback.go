package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var noHostCallback = rule.Rule{
	ID:      "no-host-callback",
	Title:   "the device does not wait for the host",
	Why:     "A debug print or a callback inside the step stops the device, moves data to the host and back, and splits the fusions around it.",
	Options: []rule.Option{{Key: "allow", Type: rule.Globs, Empty: true, Doc: "custom-call targets or op_names that may call the host"}},
	Budget:  &rule.Metric{Noun: "host callbacks", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback }", Says: "1 host callback: at most 0 allowed"},
	Passes:  rule.Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback, allow: [\"*callback\"] }"},
	Fix:     "Remove the debug print or callback, or keep it behind a switch that is off in production.",
	Threads: []string{"jax-ml/jax#25842"},
	Variant: func(c *rule.Context, v *changes.Variant) {
		a := c.Count("host callbacks", func(v *facts.Variant) float64 { return hostCalls(c, v, (*facts.Variant).CountKernels) })
		var f *rule.Finding
		if c.Bounded() {
			f = c.JudgeRuns(a, func(v *facts.Variant) float64 { return hostCalls(c, v, (*facts.Variant).Launches) })
		} else {
			f = c.Judge(a)
		}
		if f == nil {
			return
		}
		f.Cause, f.Evidence = v.Growth(callsHost(c))
		if f.Drift && v.Old != nil && hostCalls(c, v.New, often) <= hostCalls(c, v.Old, often) {
			f.Level = "warning"
			f.Message += "; in a branch that holds nothing else, as an error that is raised on the device: keep it if a run does not take the branch"
		}
	},
}

// often counts kernels outside of branches that hold nothing but calls of the host.
func often(v *facts.Variant, is func(*facts.Kernel) bool) float64 {
	rare := v.RareBranches()
	return v.CountKernels(func(k *facts.Kernel) bool { return is(k) && !rare[k.Branch] })
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
