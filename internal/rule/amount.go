package rule

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Amount is what a budget is held against.
type Amount struct {
	Program *diff.Program // nil for amounts of a whole target
	Variant *diff.Variant // nil for amounts of a whole program
	Name    string        // the program's name where only a log knows of it
	Subject string        // what is counted; part of the finding's id
	Noun    string        // "kernels"
	Unit    string        // "bytes" or ""
	Better  Direction
	Actual  float64
	Base    *float64 // nil: there is no baseline for it
	Added   float64  // how much of it the baseline does not have: the increase is at least that
	Lost    float64  // how much of the baseline's it does not have: the decrease is at least that
	Lacking bool     // there is a baseline, but it does not hold this
	Upgrade bool     // it is the change of the toolchain itself: no change of the toolchain explains it
	// Cause explains an excess; it is asked only when there is one.
	Cause func() (*diff.Cause, result.Evidence)
	// Tell puts an amount that is worse than it may be into the rule's own words, in one finding or in one for each thing; nil:
	// the finding that it is given will do.
	Tell func(Finding) []Finding
}

// Baseline says what the amount was, where the baseline holds it.
func (a *Amount) Baseline(known bool, was float64) {
	if a.Lacking = !known; known {
		a.Base = &was
	}
}

// unstable says whether the amount differs from compile to compile.
func (a Amount) unstable() bool {
	if a.Variant == nil {
		return false
	}
	is := func(v *facts.Variant) bool { return v != nil && slices.Contains(v.Unstable, a.Subject) }
	return is(a.Variant.New) || is(a.Variant.Old)
}

// program is the program's name, "" for amounts of a whole target.
func (a Amount) program() string {
	if a.Program == nil {
		return a.Name
	}
	return a.Program.Name
}

func (a Amount) comparison(word string) string {
	s := word + " " + a.beside(*a.Base) + " in the baseline"
	switch times := a.Actual / *a.Base; {
	case a.Unit != "bytes" && a.Unit != "nanoseconds" || *a.Base <= 0:
	case times >= 10:
		s += fmt.Sprintf(" (%s times as much)", phrase.Number(math.Round(times)))
	case math.Abs(times-1) >= 0.0005: // less would read as no change at all
		s += fmt.Sprintf(" (%+.1f %%)", 100*(times-1))
	}
	return s
}

// beside writes a value that the amount is held against, so that it can be told from it.
func (a Amount) beside(v float64) string {
	text, _ := phrase.Apart(v, a.Actual, a.Unit)
	return text
}

// counted writes the amount with what is counted, so that it can be told from all that it is held against.
func (a Amount) counted(against []float64) string {
	precise, rough := "", phrase.Show(a.Actual, a.Unit)
	for _, v := range against {
		if text, _ := phrase.Apart(a.Actual, v, a.Unit); text != rough && len(text) > len(precise) {
			precise = text
		}
	}
	if precise == "" {
		return phrase.Counted(a.Actual, a.Unit, a.Noun)
	}
	return precise + " of " + a.Noun
}

// breach is what an amount breaks: the first limit, on which side, and a phrase for each.
type breach struct {
	limit   float64
	tooMuch bool
	said    []string
	against []float64 // what the phrases name
}

func (b *breach) add(limit float64, tooMuch bool, named float64, said string) {
	if len(b.said) == 0 {
		b.limit, b.tooMuch = limit, tooMuch
	}
	b.said, b.against = append(b.said, said), append(b.against, named)
}

// finding is what is said of a breach, in words that fit every amount.
func (a Amount) finding(b breach) Finding {
	f := Finding{
		Program: a.program(), Subject: a.Subject, Variant: VariantName(a.Variant), Unit: a.Unit,
		Message: fmt.Sprintf("%s: %s", a.counted(b.against), strings.Join(b.said, "; ")),
		Actual:  a.Actual, Limit: b.limit,
	}
	if a.Base != nil {
		f.Baseline = *a.Base
	}
	if a.Cause != nil {
		f.Cause, f.Evidence = a.Cause()
	}
	return f
}

// findings are what is said of a breach: in the rule's own words where it is the worse side that was broken.
func (a Amount) findings(b breach) []Finding {
	f := a.finding(b)
	if a.Tell != nil && b.tooMuch == (a.Better != Higher) {
		return a.Tell(f)
	}
	return []Finding{f}
}
