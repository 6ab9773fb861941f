package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// boundIn completes the limit that a finding breaks: where it is written, and whether accepting the finding by its id can write another number there.
// Compile times are never written: they depend on the machine.
func boundIn(c *rule.Context, f *rule.Finding) *result.Bound {
	if f.Bound == nil {
		return nil
	}
	b := *f.Bound
	b.Place = c.Place
	_, marked := c.Marks[b.Key]
	b.Written = marked && numberAt(c.Settings, b.Key) != nil && f.Unit != "seconds" && (b.Key != "equal" || oneNumber(c))
	return &b
}

// numberAt is the number of an entry at a key, nil where it has none.
func numberAt(s *rule.Settings, key string) *float64 {
	switch key {
	case s.KeyOfMax():
		return s.Max
	case "min":
		return s.Min
	case "equal":
		return s.Equal
	}
	return nil
}

// oneNumber reports whether all checks of an entry found the same number, which differs from the one that the entry demands.
func oneNumber(c *rule.Context) bool {
	numbers := map[any]bool{}
	for _, f := range c.Findings {
		if f.Bound != nil && f.Bound.Key == "equal" {
			numbers[f.Bound.Needs] = true
		}
	}
	return len(numbers) == 1 && len(c.Findings) == c.Checks
}

// configure says what else to do about findings that accepting does not settle: which entry to edit or, where a pack has the entry, which one to add
// to the user's file. One added entry covers all findings of the pack's entry in a program.
func configure(found []JudgedFinding, cfg *config.Config) {
	for i := range found {
		f := &found[i]
		switch b := f.Bound; {
		case b == nil || b.Written:
		case !strings.HasPrefix(b.Place, "pack:"):
			f.Configured = b.Place
		default:
			needs := b.Needs
			for _, other := range found {
				if o := other.Bound; o != nil && o.Place == b.Place && o.Key == b.Key && other.Program == f.Program {
					needs = larger(needs, o.Needs)
				}
			}
			f.Override = override(f, cfg, needs)
		}
	}
}

// larger is the larger of two numbers, else the first value.
func larger(a, b any) any {
	n, ok := a.(float64)
	if m, too := b.(float64); ok && too {
		return max(n, m)
	}
	return a
}

// override is an entry of xlagate.yaml that lets a finding of a pack's entry pass.
func override(f *JudgedFinding, cfg *config.Config, needs any) string {
	text := "- { rule: " + f.Rule
	if len(cfg.Targets) > 1 {
		text += ", target: " + strconv.Quote(f.Target)
	}
	if f.Program != "" && f.perProgram {
		text += ", program: " + strconv.Quote(f.Program)
	}
	value := fmt.Sprint(needs)
	if n, ok := needs.(float64); ok {
		value = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return text + ", " + f.Bound.Key + ": " + value + " }"
}

// Unsettled is a limit of the configuration that is still broken after everything is accepted.
type Unsettled struct {
	Place   string // file:line:column
	Rule    string
	Message string
	Written bool   // accepting the finding by its id changes the number there
	Add     string // the entry to add to xlagate.yaml, where Place is in a pack
}

// plan lists the numbers of the configuration that accepting changes, and what it leaves unsettled.
func (a *Accepted) plan(cfg *config.Config, what AcceptOptions, list []*candidate, rows []result.Headroom) (budgets []*config.Budget) {
	if what.Tighten && len(what.Only) == 0 {
		return append(withHeadroom(slack(cfg, rows)), unusedIncreases(cfg, rows)...)
	}
	said := map[[4]string]bool{}
	for _, in := range list {
		for i := range in.findings {
			f := &in.findings[i]
			if f.Bound == nil || len(what.Only) > 0 && !named(f, what.Only) {
				continue
			}
			if b := budgetFor(cfg, f.Bound); b != nil && len(what.Only) > 0 {
				budgets = widen(budgets, b)
				continue
			}
			left := Unsettled{f.Bound.Place, f.Rule, f.Message, f.Bound.Written, in.overrides[f.Change]}
			if of := [4]string{f.Bound.Place, f.Rule, f.Program, f.Subject}; !said[of] { // once for all variants
				a.Unsettled, said[of] = append(a.Unsettled, left), true
			}
		}
	}
	return budgets
}

// budgetFor returns the number of the configuration that a bound names, with the value that lets the finding pass; nil where accepting must not write
// it.
func budgetFor(cfg *config.Config, b *result.Bound) *config.Budget {
	to, counted := b.Needs.(float64)
	at := slices.IndexFunc(cfg.Rules, func(s *rule.Settings) bool { return s.Place == b.Place && numberAt(s, b.Key) != nil })
	if !b.Written || !counted || at < 0 {
		return nil
	}
	return &config.Budget{Settings: cfg.Rules[at], Key: b.Key, To: to}
}

// widen adds a budget; one that is listed already gets the wider of the two numbers.
func widen(budgets []*config.Budget, b *config.Budget) []*config.Budget {
	at := slices.IndexFunc(budgets, func(o *config.Budget) bool { return o.Place() == b.Place() })
	switch {
	case at < 0:
		return append(budgets, b)
	case b.Key == "min":
		budgets[at].To = min(budgets[at].To, b.To)
	default:
		budgets[at].To = max(budgets[at].To, b.To)
	}
	return budgets
}
