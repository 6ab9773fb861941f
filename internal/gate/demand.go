package gate

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// demand is a finding that stays when everything is accepted: its entry in the configuration asks for something by itself.
type demand struct {
	result.Finding
	*rule.Settings

	one bool // all that the entry holds came to one number, and broke it
}

// demands holds a target against itself: what is found then, no baseline settles.
func demands(o Options, l *looked) []demand {
	self := *l
	self.base, self.baseUnread = l.report, false
	self.match(l.report)
	var out []demand
	for _, c := range run(o, &self, self.asTarget(o)) {
		one := oneNumber(c)
		for _, f := range c.Findings {
			out = append(out, demand{complete(&f, l, c.Settings).Finding, c.Settings, one})
		}
	}
	return out
}

// oneNumber says whether all that an entry holds came to the same number, and broke it: of several none is right for an equal.
func oneNumber(c *rule.Context) bool {
	numbers := map[float64]bool{}
	for i := range c.Findings {
		if n, counted := c.Findings[i].Actual.(float64); counted {
			numbers[n] = true
		}
	}
	return len(numbers) == 1 && len(c.Findings) == c.Checks
}

// about says whether a demand is what a finding says.
func (d demand) about(f *result.Finding) bool {
	if d.Target != f.Target || d.Program != f.Program && !diff.IsPart(f.Program, d.Program) {
		return false
	}
	return d.Settings.Rule.ID == f.Rule && d.Settings.Name == f.Name && d.Subject == f.Subject && fmt.Sprint(d.Limit) == fmt.Sprint(f.Limit)
}

// budget is the number of the user's own that a demand breaks, with what lets it pass; nil where none stands in the file. Times are the
// machine's: what they are today they will not be tomorrow.
func (d demand) budget() *config.Budget {
	actual, counted := d.Actual.(float64)
	limit, bounded := d.Limit.(float64)
	if !counted || !bounded || d.Unit == "seconds" {
		return nil
	}
	s := d.Settings
	for _, b := range []struct {
		key    string
		value  *float64
		broken bool
	}{
		{maxKey(s), s.Max, actual > limit}, {"min", s.Min, actual < limit}, {"equal", s.Equal, actual != limit && d.one},
	} {
		if _, written := s.Marks[b.key]; written && b.value != nil && *b.value == limit && b.broken {
			return &config.Budget{Settings: s, Key: b.key, To: actual}
		}
	}
	return nil
}

// maxKey is the key that an entry's max is written as.
func maxKey(s *rule.Settings) string {
	if s.MaxKey != "" {
		return s.MaxKey
	}
	return "max"
}

// settle tells findings what accepting them leaves to be done by hand.
func settle(found []JudgedFinding, list []demand) {
	for i := range found {
		for _, d := range list {
			if f := &found[i]; d.budget() == nil && d.about(&f.Finding) {
				f.Configured = d.Place
			}
		}
	}
}

// widened are the budgets that what was accepted does not fit into, each with room for the most of it, and what of the rest is asked for
// in another way.
func widened(list []demand) (budgets []*config.Budget, rest []demand) {
	for _, d := range list {
		b := d.budget()
		if b == nil {
			rest = append(rest, d)
			continue
		}
		at := slices.IndexFunc(budgets, func(o *config.Budget) bool { return o.Place() == b.Place() })
		switch {
		case at < 0:
			budgets = append(budgets, b)
		case b.Key == "min":
			budgets[at].To = min(budgets[at].To, b.To)
		default:
			budgets[at].To = max(budgets[at].To, b.To)
		}
	}
	return budgets, rest
}

// reportedDemands are the demands on a target of a result.
func reportedDemands(o Options, t *result.Target) ([]demand, error) {
	report, err := reportOf(t)
	if err != nil {
		return nil, err
	}
	return demands(o, &looked{Target: config.Target{Name: t.Name, Samples: 1}, report: report}), nil
}

// budget brings the configuration's numbers in line with what was accepted, and lists what it asks for all the same.
func (a *Accepted) budget(cfg *config.Config, what AcceptOptions, intakes []*intake, rows []result.Headroom) (err error) {
	if what.Tighten && len(what.Only) == 0 {
		a.Budgets, err = tightenBudgets(cfg, rows)
		return err
	}
	var list []demand
	for _, in := range intakes {
		list = append(list, in.demanded(what.Only)...)
	}
	if len(what.Only) > 0 {
		var budgets []*config.Budget
		budgets, list = widened(list)
		a.Budgets, err = writeBudgets(cfg, budgets)
	}
	for _, d := range list {
		asked := Asked{Place: d.Place, Rule: d.Settings.Rule.ID, Message: d.Message, Number: d.budget() != nil}
		if !slices.Contains(a.Asked, asked) {
			a.Asked = append(a.Asked, asked)
		}
	}
	return err
}

// demanded are the demands that findings named by their ids are about; all of them where none is named.
func (in *intake) demanded(ids []string) []demand {
	if len(ids) == 0 {
		return in.demands
	}
	return slices.DeleteFunc(slices.Clone(in.demands), func(d demand) bool {
		return !slices.ContainsFunc(in.findings, func(f result.Finding) bool { return named(&f, ids) && d.about(&f) })
	})
}
