package rules

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

var noHostCallback = Rule{
	ID:       "no-host-callback",
	Title:    "the device does not wait for the host",
	Category: Kernels,
	Why:      "A debug print or a callback inside the step stops the device, moves data to the host and back, and splits the fusions around it.",
	Reads:    []Input{Optimized},
	Options: []Option{
		{Key: "allow", Type: Globs, Empty: true, Doc: "custom call targets or op_names that may call the host"},
	},
	Budget:   &Metric{Noun: "host callbacks", Better: Lower},
	Forbids:  true,
	Fails:    Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback }", Says: "1 host callback: at most 0 allowed"},
	Passes:   Example{On: "cpu-fusion_callback_barrier/after", Config: "- { rule: no-host-callback, allow: [\"*callback\"] }"},
	Mend:     "Remove the debug print or callback, or keep it behind a switch that is off in production.",
	Threads:  []string{"jax-ml/jax#25842"},
	Since:    "1",
	Accepts:  []string{"custom_calls.*", "kernels.*", "fusions.*", "ledger"},
	Explains: allGrowth,
	Program:  checkNoHostCallback,
}

func checkNoHostCallback(c *Context, p *diff.Program) {
	for _, v := range live(p) {
		a := Amount{
			Program: p, Variant: v, Subject: "host callbacks", Noun: "host callbacks", Better: Lower, Actual: countThat(v.New, c.callsHost),
			Cause: func() (*result.Cause, result.Evidence) { return callbackCause(c, v) },
		}
		if v.Old != nil {
			base := countThat(v.Old, c.callsHost)
			a.Base = &base
		}
		c.Forbid(a)
	}
}

func (c *Context) callsHost(k *facts.Kernel) bool {
	host := strings.Contains(k.Target, "callback") || k.Root == "infeed" || k.Root == "outfeed" || k.Target == "SendToHost" || k.Target == "RecvFromHost"
	return host && !fits(c.List("allow"), k.Target) && !fits(c.List("allow"), k.OpName)
}

func callbackCause(c *Context, v *diff.Variant) (*result.Cause, result.Evidence) {
	var e result.Evidence
	k := firstThat(v.New.Kernels, c.callsHost)
	if k == nil {
		return nil, e
	}
	e.After = []string{describe(k)}
	return CauseOf(fmt.Sprintf("%s calls the host", k.Target), k), e
}
