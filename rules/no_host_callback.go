package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/glob"
	"github.com/xlagate/xlagate/internal/ledger"
	"github.com/xlagate/xlagate/internal/result"
)

var noHostCallback = Rule{
	ID:       "no-host-callback",
	Title:    "the device does not wait for the host",
	Category: Kernels,
	Why:      "A debug print or a callback inside the step stops the device, moves data to the host and back, and splits the fusions around it.",
	Reads:    []Input{Optimized},
	Options: []Option{
		{Key: "allow", Type: Globs, Sense: Caps, Empty: true, Doc: "custom call targets or op_names that may call the host"},
	},
	Budget:   &Metric{Noun: "host callbacks", Better: Lower},
	Forbids:  true,
	Fails:    Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback }", Says: "1 host callback: at most 0 allowed"},
	Passes:   Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback, allow: [\"*callback\"] }"},
	Mend:     "Remove the debug print or callback, or keep it behind a switch that is off in production.",
	Threads:  []string{"jax-ml/jax#25842"},
	Since:    "1",
	Asked:    true,
	Accepts:  []string{"custom_calls.*", "kernels.*", "fusions.*", "ledger"},
	Explains: allGrowth,
	Program:  checkNoHostCallback,
}

func checkNoHostCallback(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		a := Amount{
			Program: p, Variant: v, Subject: "host callbacks", Noun: "host callbacks", Better: Lower, Actual: c.hostCalls(v.New, ledger.Count),
			Cause: func() (*result.Cause, result.Evidence) { return callbackCause(c, v) },
		}
		if v.Old != nil {
			a.Base = new(c.hostCalls(v.Old, ledger.Count))
		}
		if c.bounded() {
			c.judgeRuns(a, func(v *facts.Variant) float64 { return c.hostCalls(v, ledger.Launches) })
			continue
		}
		c.Forbid(a)
	}
}

// caller names a call of the host: by its target, and a plain transfer as the model does.
func caller(k *facts.Kernel) string {
	if step := k.OpName[strings.LastIndexByte(k.OpName, '/')+1:]; k.Kind == facts.KindHost && step != "" {
		return step
	}
	return diff.Operations(k)
}

// hostCalls counts calls of the host. A TPU makes one of a send, or of a send and a receive: what is more counts.
func (c *Context) hostCalls(v *facts.Variant, count func(*facts.Variant, func(*facts.Kernel) bool) float64) float64 {
	transfers := func(opcode string) float64 {
		return count(v, func(k *facts.Kernel) bool { return k.Kind == facts.KindHost && k.Root == opcode && c.callsHost(k) })
	}
	calls := count(v, func(k *facts.Kernel) bool { return k.Kind != facts.KindHost && c.callsHost(k) })
	return calls + max(transfers("send"), transfers("recv"))
}

func (c *Context) callsHost(k *facts.Kernel) bool {
	host := strings.Contains(k.Target, "callback") || k.Root == "infeed" || k.Root == "outfeed" || k.Target == "SendToHost" || k.Target == "RecvFromHost" ||
		k.Kind == facts.KindHost
	return host && !glob.Any(c.List("allow"), k.Target) && !glob.Any(c.List("allow"), k.OpName)
}

func callbackCause(c *Context, v *diff.Variant) (*result.Cause, result.Evidence) {
	var e result.Evidence
	k := diff.FirstThat(v.New.Kernels, c.callsHost)
	if k == nil {
		return nil, e
	}
	e.After = []string{diff.Describe(k)}
	return explain.CauseOf(caller(k)+" calls the host", k), e
}
