package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

var maxCompileTime = rule.Rule{
	ID:    "max-compile-time",
	Title: "compile time stays within its budget",
	Why:   "One unrolled loop can take compile time from 22 to 98 seconds. It is the one fact that depends on the machine, so leave some margin.",
	Reads: []rule.Input{rule.Log},
	Options: []rule.Option{
		{Key: "per", Type: rule.Word, Enum: []string{"compilation", "program"}, Default: "compilation", Doc: "bound the longest compilation of a program, or all of them together"},
	},
	Budget:   &rule.Metric{Unit: "seconds", Noun: "compile time", Better: rule.Lower, Unrecorded: "times, which depend on the machine"},
	NeedsOne: []string{"max", "min", "equal"},
	Level:    "warning",
	Fails:    rule.Example{On: "recompile-shapes", Config: "- { rule: max-compile-time, max: 1ms }", Says: "42.6 ms of compile time: at most 1 ms allowed"},
	Passes:   rule.Example{On: "recompile-shapes", Config: "- { rule: max-compile-time, max: 10m }"},
	Fix:      "Look for unrolled loops, constants that are folded at compile time, and a compilation cache that is not used.",
	Threads:  []string{"jax-ml/jax#21250", "jax-ml/jax#40416", "pytorch/xla#6816"},
	Target: func(c *rule.Context, t *rule.Target) {
		times := compileTimes(t.Report.Logs)
		if len(times) == 0 {
			c.Uncovered(rule.Log, logFix+"; JAX writes compile times with JAX_LOG_COMPILES=1")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(times)) {
			if c.Covers(t.Name, name) {
				judgeTimes(c.At(&changes.Program{Name: name}, nil), times[name])
			}
		}
	},
}

const logFix = "give the log that the run wrote: --log FILE, or log: in the target; xlagate capture keeps it"

// compileTimes lists what the logs say about compile times, by program.
func compileTimes(said *tensorflow.Logs) map[string][]tensorflow.LogNote {
	times := map[string][]tensorflow.LogNote{}
	if said == nil {
		return times
	}
	for _, n := range said.Notes {
		if n.Kind == logs.CompileTime {
			times[n.Program] = append(times[n.Program], n)
		}
	}
	return times
}

func judgeTimes(c *rule.Context, notes []tensorflow.LogNote) {
	longest, sum := notes[0], 0.0
	for _, n := range notes {
		sum += n.Value
		if n.Value > longest.Value {
			longest = n
		}
	}
	a := c.Budget("compile time", longest.Value)
	if c.Text("per") == "program" {
		a.Actual = sum
	}
	if f := c.Judge(a); f != nil {
		summary := fmt.Sprintf("%d compilations, the longest took %s (%s)", len(notes), phrase.Show(longest.Value, "seconds"), longest.Log)
		if len(notes) == 1 {
			summary = "compiled once (" + longest.Log + ")"
		}
		f.Cause = &changes.Cause{Title: summary, Source: longest.Where}
	}
}
