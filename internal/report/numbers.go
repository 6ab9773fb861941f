package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// unitOf is the unit of a fact.
func unitOf(fact facts.ID) string { return facts.About(fact).Unit }

// value writes a fact's value.
func value(fact facts.ID, v float64) string { return phrase.Show(v, unitOf(fact)) }

// change writes "1 → 4", or the value alone when it is the same.
func change(fact facts.ID, old, fresh float64) string {
	if old == fresh {
		return shown(fresh, unitOf(fact))
	}
	if math.IsNaN(old) || math.IsNaN(fresh) {
		return shown(old, unitOf(fact)) + " → " + shown(fresh, unitOf(fact))
	}
	from, to := phrase.Apart(old, fresh, unitOf(fact))
	return from + " → " + to
}

// shown writes a value; one that was not dumped has none.
func shown(v float64, unit string) string {
	if math.IsNaN(v) {
		return "not dumped"
	}
	return phrase.Show(v, unit)
}

// of writes "19 of 19" and "1.2 of 2.0 GiB".
func of(actual, limit float64, unit string) string {
	a, l := phrase.Show(actual, unit), phrase.Show(limit, unit)
	if actual > limit {
		a, l = phrase.Apart(actual, limit, unit)
	}
	if number, ok := strings.CutSuffix(a, l[strings.LastIndexByte(l, ' ')+1:]); ok && unit != "" {
		a = strings.TrimSpace(number)
	}
	return a + " of " + l
}

// percent writes a share of a whole; "" when there is no whole.
func percent(part, whole float64) string {
	if whole <= 0 {
		return ""
	}
	if share := 100 * part / whole; share > 0 && share < 1 {
		return "<1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*part/whole)
}

// times writes "twice", "3 times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return phrase.Number(float64(n)) + " times"
}
