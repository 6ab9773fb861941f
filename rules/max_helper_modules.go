package rules

import (
	"fmt"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/explain"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/glob"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/words"
)

var maxHelperModules = Rule{
	ID:       "max-helper-modules",
	Title:    "few operations run outside of the model's jitted functions",
	Category: Compilation,
	Why: "An operation on arrays outside a jitted function is a program of its own: compiled, cached and launched one by one. A hundred of them at start-up are " +
		"a minute that no profile of the step shows, and the first to miss a persistent cache.",
	Reads: []Input{Optimized},
	Options: []Option{
		{Key: "allow", Type: Globs, Sense: Caps, Empty: true, Doc: "helper programs that do not count"},
	},
	Budget:   &Metric{Noun: "helper modules", Better: Lower, Unheld: "the helper programs"},
	NeedsOne: []string{"max", "min", "equal"},
	Level:    "warning",
	Fails:    Example{On: "recompile-eager_helpers", Config: "- { rule: max-helper-modules, max: 0 }", Says: "4 helper modules: at most 0 allowed"},
	Passes:   Example{On: "recompile-eager_helpers", Config: "- { rule: max-helper-modules, max: 20 }"},
	Mend:     "Move the operations into the jitted function, or do them with NumPy before the arrays go to the device.",
	Threads:  []string{"jax-ml/jax#19654"},
	Since:    "1",
	Target:   checkMaxHelperModules,
}

func checkMaxHelperModules(c *Context, t *Target) {
	var names []string
	var n float64
	for _, p := range t.Report.Helpers {
		if c.Covers(t.Name, p.Name) && !glob.Any(c.List("allow"), p.Name) {
			names = append(names, fmt.Sprintf("%s (%d)", p.Name, compilations(p)))
			n += float64(compilations(p))
		}
	}
	c.Judge(Amount{Subject: "helper modules", Noun: "helper modules", Better: Lower, Actual: n, Cause: func() (*result.Cause, result.Evidence) {
		sort.Strings(names)
		return &result.Cause{Summary: strings.Join(words.First(names, 6), ", "), Source: explain.SourceOf(helperSource(t.Report.Helpers))}, result.Evidence{}
	}})
}

// helperSource is the first line of the model that made a helper.
func helperSource(helpers []*facts.Program) (at hlo.Location) {
	for _, p := range helpers {
		for _, v := range p.Variants {
			if at = firstSource(v); at.File != "" {
				return at
			}
		}
	}
	return at
}
