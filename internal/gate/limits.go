package gate

import (
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// boundIn completes the limit that a finding breaks: where it is written, and whether accepting can write another number there. Compile times are never
// written: they depend on the machine.
func boundIn(c *rule.Context, f *rule.Finding) *result.Bound {
	if f.Bound == nil {
		return nil
	}
	b := *f.Bound
	b.Place = c.Place
	_, marked := c.Marks[b.Key]
	b.Written = marked && hasNumber(c.Settings, b.Key) && f.Unit != "seconds" && (b.Key != "equal" || oneNumber(c)) && (b.Key == c.KeyOfMax() || !joined(c, f.Program))
	return &b
}

// joined reports whether a program is several that are compared as one. After they are accepted, each is judged on its own and has less.
func joined(c *rule.Context, program string) bool {
	return slices.ContainsFunc(c.Target.Programs, func(p *changes.Program) bool { return p.Name == program && p.Parts != nil })
}

// hasNumber reports whether an entry has a number at a key.
func hasNumber(s *rule.Settings, key string) bool {
	return s.Max != nil && key == s.KeyOfMax() || s.Min != nil && key == "min" || s.Equal != nil && key == "equal"
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

// Unsettled is a limit of the configuration that is still broken after everything is accepted.
type Unsettled struct {
	Place   string // file:line:column of the limit; the target if no limit can allow the finding
	Rule    string
	Message string
	Change  string // the id that allows it; "" where nothing does
}

// widen plans the numbers of the configuration that accepting everything widens, with the headroom that init leaves, and lists the limits that it leaves broken.
func (a *Accepted) widen(cfg *config.Config, list []*candidate) {
	said := map[[4]string]bool{}
	for _, in := range list {
		for i := range in.findings {
			f := &in.findings[i]
			if !acceptable(f.Rule) {
				a.Unsettled = append(a.Unsettled, Unsettled{Place: in.target, Rule: f.Rule, Message: f.Message})
				continue
			}
			if f.Bound == nil || f.Waiver != nil && f.Waiver.Expires != "" {
				continue
			}
			if b := budgetFor(cfg, f.Bound); b != nil {
				a.Budgets = wider(a.Budgets, b)
			} else if of := [4]string{f.Bound.Place, f.Rule, f.Program, f.Subject}; !said[of] { // once for all variants
				a.Unsettled, said[of] = append(a.Unsettled, Unsettled{f.Bound.Place, f.Rule, f.Message, f.Change}), true
			}
		}
	}
}

// budgetFor returns the number of the configuration that a bound names, with the value that lets the finding pass; nil where accepting must not write it.
func budgetFor(cfg *config.Config, b *result.Bound) *config.Budget {
	to, counted := b.Needs.(float64)
	at := slices.IndexFunc(cfg.Rules, func(s *rule.Settings) bool { return s.Place == b.Place && hasNumber(s, b.Key) })
	if !b.Written || !counted || at < 0 {
		return nil
	}
	measured := to
	if s := cfg.Rules[at]; b.Key == s.KeyOfMax() && s.Rule.Budget != nil {
		to, _ = config.WithHeadroom(to, s.Rule.Budget.Unit)
	}
	return &config.Budget{Settings: cfg.Rules[at], Key: b.Key, To: to, Measured: measured}
}

// wider adds a budget; one that is listed already gets the wider of the two numbers.
func wider(budgets []*config.Budget, b *config.Budget) []*config.Budget {
	at := slices.IndexFunc(budgets, func(o *config.Budget) bool { return o.Place() == b.Place() })
	switch {
	case at < 0:
		return append(budgets, b)
	case b.Key == "min":
		budgets[at].To, budgets[at].Measured = min(budgets[at].To, b.To), min(budgets[at].Measured, b.Measured)
	default:
		budgets[at].To, budgets[at].Measured = max(budgets[at].To, b.To), max(budgets[at].Measured, b.Measured)
	}
	return budgets
}
