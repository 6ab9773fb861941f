package gate

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// slack lists the user's budgets that are wider than needed.
func slack(cfg *config.Config, rows []result.Headroom) []*config.Budget {
	var out []*config.Budget
	byRule := rowsByRule(rows)
	for _, s := range cfg.Rules {
		if s.Max == nil || s.Rule.Budget == nil || s.Rule.Budget.Unit == "seconds" { // times are the machine's
			continue
		}
		key := s.KeyOfMax()
		if _, written := s.Marks[key]; !written {
			continue
		}
		if most, ok := byRule.use(s, "max", *s.Max); ok && most < *s.Max {
			out = append(out, &config.Budget{Settings: s, Key: key, To: most})
		}
	}
	return out
}

// muchSlack is the unused share of a budget from which it is reported: more than init leaves.
const muchSlack = 0.2

// littleSlack is the number of unused bytes that is not reported: sizes vary by as much.
const littleSlack = 1 << 10

// loose reports whether a budget is much wider than what there is.
func loose(b *config.Budget) bool {
	limit := *b.Settings.Max
	unused := limit - b.To
	return unused >= muchSlack*limit && (b.Settings.Rule.Budget.Unit != "bytes" || unused > littleSlack)
}

// withHeadroom leaves to sizes and times the headroom that init leaves, and drops those that have no more than that.
func withHeadroom(list []*config.Budget) []*config.Budget {
	var out []*config.Budget
	for _, b := range list {
		limit, varies := config.WithHeadroom(b.To, b.Settings.Rule.Budget.Unit)
		if varies && !loose(b) {
			continue
		}
		b.To = limit
		out = append(out, b)
	}
	return out
}

// noteSlack reports budgets that are much wider than needed.
func noteSlack(r *result.Result, cfg *config.Config) {
	if len(r.Problems) > 0 { // not all there is was seen
		return
	}
	for _, l := range slack(cfg, r.Headroom) {
		if !loose(l) {
			continue
		}
		allowed, most := phrase.Apart(*l.Settings.Max, l.To, l.Settings.Rule.Budget.Unit)
		r.Notes = append(r.Notes, result.Note{
			Kind: "slack", Message: fmt.Sprintf("%s is loose: limit %s, actual %s (%s)", l.Settings.Rule.ID, allowed, most, l.Place()),
			Fix: "xlagate accept --tighten",
		})
	}
}

// unusedIncreases lists allowed increases that are not fully used, of counts only: those in percent or bytes allow for noise.
func unusedIncreases(cfg *config.Config, rows []result.Headroom) []*config.Budget {
	var out []*config.Budget
	byRule := rowsByRule(rows)
	for _, s := range cfg.Rules {
		if _, written := s.Marks["max_increase"]; !written || s.MaxIncrease == nil || s.MaxIncrease.Percent || s.Rule.Budget.Unit != "" {
			continue
		}
		if used, bounds := byRule.use(s, "max_increase", s.MaxIncrease.Amount); bounds && used < s.MaxIncrease.Amount {
			out = append(out, &config.Budget{Settings: s, Key: "max_increase", To: used})
		}
	}
	return out
}

// withBudgets changes numbers in the text of the configuration. It returns nil where nothing changes.
func withBudgets(cfg *config.Config, read func() ([]byte, error), list []*config.Budget) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	data, err := read()
	if err != nil {
		return nil, fmt.Errorf("read the budgets again: %w", err)
	}
	text := config.SetBudgets(cfg, data, list)
	if _, err := config.Parse(rules.All, cfg.Path, text); err != nil {
		return nil, fmt.Errorf("the budgets of %s could not be changed; the file is unchanged: %w", cfg.Path, err)
	}
	if bytes.Equal(text, data) {
		return nil, nil
	}
	return text, nil
}

// headroom finds rows of the headroom by their rule and program.
type headroom map[string]map[string][]result.Headroom

func rowsByRule(rows []result.Headroom) headroom {
	h := headroom{}
	for _, row := range rows {
		if h[row.Rule] == nil {
			h[row.Rule] = map[string][]result.Headroom{}
		}
		h[row.Rule][row.Program] = append(h[row.Rule][row.Program], row)
	}
	return h
}

// of lists the rows that settings may have made: those of their rule and their programs.
func (h headroom) of(s *rule.Settings) (rows []result.Headroom) {
	byProgram := h[s.Rule.ID]
	names, spelled := s.Named()
	if !spelled {
		names = slices.Collect(maps.Keys(byProgram))
	} else {
		names = append([]string{""}, names...)
	}
	for _, name := range names {
		rows = append(rows, byProgram[name]...)
	}
	return rows
}

// use is the most that a limit of an entry bounds anywhere, and whether it bounds anything.
func (h headroom) use(s *rule.Settings, key string, limit float64) (most float64, bounds bool) {
	for _, row := range h.of(s) {
		from := 0.0
		if key == "max_increase" {
			from = row.Base
		}
		if row.Key == key && row.Limit-from == limit && s.Covers(row.Target, cmp.Or(row.Program, "*")) {
			most, bounds = max(most, row.Actual-from), true
		}
	}
	return most, bounds
}

// noteHeadroom reports budgets of which this run takes at least half of the margin: when the budget breaks, the last change would be blamed.
func noteHeadroom(r *result.Result) {
	for i := range r.Headroom {
		h := &r.Headroom[i]
		used, left := h.Actual-h.Base, h.Limit-h.Base
		if h.Key != "max" || h.Base <= 0 || h.Unit == "seconds" || used <= 0 || h.Actual > h.Limit || used < left/2 {
			continue
		}
		actual, limit := phrase.Show(h.Actual, h.Unit), phrase.Show(h.Limit, h.Unit)
		share := math.Floor(100 * h.Actual / h.Limit)
		r.Notes = append(r.Notes, result.Note{
			Kind: "headroom", Target: h.Target, Program: h.Program,
			Message: fmt.Sprintf("%s: %s of %s, %.0f %%; this run takes %.0f %% of what the baseline left", h.Rule, actual, limit, share, 100*used/left),
			Fix:     "xlagate trend",
		})
	}
}

// mostBetter bounds the improvements that are named in one line.
const mostBetter = 4

// joinImprovements joins the improvements of a program into one line. It drops those of programs with an open change, which shows them itself.
func joinImprovements(r *result.Result) {
	broken, at, said := r.Broken(), map[[2]string]int{}, map[int][]string{}
	var notes []result.Note
	for _, n := range r.Notes {
		if n.Kind != "better" {
			notes = append(notes, n)
			continue
		}
		if broken(n.Target, n.Program) {
			continue
		}
		first, known := at[[2]string{n.Target, n.Program}]
		if !known {
			first = len(notes)
			at[[2]string{n.Target, n.Program}] = first
			notes = append(notes, n)
		}
		said[first] = append(said[first], n.Message)
	}
	for first, messages := range said {
		notes[first].Message = strings.Join(phrase.First(messages, mostBetter), ", ")
	}
	r.Notes = notes
}

// boundIn completes the limit that a finding breaks: where it is written, and whether accepting the finding by its id can write another number there.
// Compile times are never written: they depend on the machine.
func boundIn(c *rule.Context, f *rule.Finding) *result.Bound {
	if f.Bound == nil {
		return nil
	}
	b := *f.Bound
	b.Place = c.Place
	_, marked := c.Marks[b.Key]
	b.Written = marked && numberAt(c.Settings, b.Key) != nil && f.Unit != "seconds" && (b.Key != "equal" || oneNumber(c)) && (b.Key == c.KeyOfMax() || !joined(c, f.Program))
	return &b
}

// joined reports whether a program is several that are compared as one. After they are accepted, each is judged on its own and has less.
func joined(c *rule.Context, program string) bool {
	return slices.ContainsFunc(c.Target.Programs, func(p *diff.Program) bool { return p.Name == program && p.Parts != nil })
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
