package gate

import (
	"cmp"
	"fmt"
	"math"

	"github.com/xlagate/xlagate/internal/result"
)

// join makes one finding of those that say the same of several variants of a program: one cause, one line to accept it with.
func join(findings []result.Finding) []result.Finding {
	type key struct {
		rule, name, target, program, subject, level string
		whole                                       bool // said of the program, not of a variant
	}
	at := map[key]int{}
	var out []result.Finding
	var count []int // of each finding in out, how many variants it speaks of
	for _, f := range findings {
		k := key{f.Rule, f.Name, f.Target, f.Program, f.Subject, f.Level, f.Variant == ""}
		i, seen := at[k]
		if !seen || k.whole || out[i].Variant == f.Variant {
			at[k] = len(out)
			out, count = append(out, f), append(count, 1)
			continue
		}
		count[i]++
		out[i] = worse(out[i], f)
	}
	for i, n := range count {
		if n > 1 {
			out[i].Message += fmt.Sprintf(" (in %d variants)", n)
			out[i].Variant = ""
		}
	}
	return out
}

// worse keeps the finding that is further from its limit, lest a waiver's ceiling let it pass behind a lesser one; of two that are
// equally far, the one that knows more. The id stays that of the first.
func worse(a, b result.Finding) result.Finding {
	id := a.ID
	if further := cmp.Or(cmp.Compare(excess(b), excess(a)), cmp.Compare(knowledge(b), knowledge(a))); further > 0 {
		a = b
	}
	a.ID = id
	return a
}

// excess is how far beyond its limit an amount is, on either side.
func excess(f result.Finding) float64 {
	actual, counts := f.Actual.(float64)
	limit, bounded := f.Limit.(float64)
	if !counts || !bounded {
		return 0
	}
	return math.Abs(actual - limit)
}

// knowledge is greater for a finding that has a baseline, or a source line.
func knowledge(f result.Finding) int {
	n := 0
	if f.Baseline != nil {
		n += 2
	}
	if f.Cause != nil && f.Cause.Source.File != "" {
		n++
	}
	return n
}
