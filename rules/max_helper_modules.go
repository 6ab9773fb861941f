package rules

import (
	"fmt"
	"sort"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

var maxHelperModules = rule.Rule{
	ID:       "max-helper-modules",
	Title:    "few operations run outside of jitted functions",
	Why:      "An operation on arrays outside of a jitted function is compiled, cached and launched by itself. A hundred of them take a minute at start-up.",
	Options:  []rule.Option{{Key: "allow", Type: rule.Globs, Empty: true, Doc: "helper programs to leave out"}},
	Budget:   &rule.Metric{Noun: "helper modules", Better: rule.Lower, Unrecorded: "the helper programs"},
	NeedsOne: []string{"max", "min", "equal"},
	Level:    "warning",
	Fails:    rule.Example{On: "recompile-eager_helpers", Config: "- { rule: max-helper-modules, max: 0 }", Says: "4 helper modules: at most 0 allowed"},
	Passes:   rule.Example{On: "recompile-eager_helpers", Config: "- { rule: max-helper-modules, max: 20 }"},
	Fix:      "Move the operations into the jitted function, or do them with NumPy before the arrays go to the device.",
	Threads:  []string{"jax-ml/jax#19654"},
	Target: func(c *rule.Context, t *rule.Target) {
		var names []string
		var n float64
		for _, p := range t.Report.Helpers {
			if c.Covers(t.Name, p.Name) && !phrase.AnyGlob(c.List("allow"), p.Name) {
				names = append(names, fmt.Sprintf("%s (%d)", p.Name, p.Compilations()))
				n += float64(p.Compilations())
			}
		}
		if f := c.Judge(c.Budget("helper modules", n)); f != nil {
			sort.Strings(names)
			f.Cause = &changes.Cause{Title: strings.Join(phrase.First(names, 6), ", "), Source: helperSource(t.Report.Helpers)}
		}
	},
}

// helperSource is the first line of the model that made a helper.
func helperSource(helpers []*facts.Program) (at hlo.Location) {
	for _, p := range helpers {
		for _, v := range p.Variants {
			if at = v.FirstSource(); at.File != "" {
				return at
			}
		}
	}
	return at
}
