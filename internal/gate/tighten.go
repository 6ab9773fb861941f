package gate

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// slack lists the user's budgets that are wider than needed.
func slack(cfg *config.Config, rows []result.Headroom) []*config.Budget {
	var out []*config.Budget
	byLimit := rowsByLimit(rows)
	for _, s := range cfg.Rules {
		if s.Max == nil || s.Rule.Budget == nil || s.Rule.Budget.Unit == "seconds" { // times are the machine's
			continue
		}
		key := s.KeyOfMax()
		if _, written := s.Marks[key]; !written {
			continue
		}
		if most, ok := byLimit.use(s, "max", *s.Max); ok && most < *s.Max {
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

// withHeadroom raises each lowered budget of a size or a time by the headroom that init leaves. It drops those that are not loose: they have no more headroom than
// that.
func withHeadroom(list []*config.Budget) []*config.Budget {
	var out []*config.Budget
	for _, b := range list {
		limit, varies := config.WithHeadroom(b.To, b.Settings.Rule.Budget.Unit)
		if varies && !loose(b) {
			continue
		}
		b.To, b.Measured = limit, b.To
		out = append(out, b)
	}
	return out
}

// noteSlack reports budgets that are much wider than needed. Beside a problem, an error or a warning that fails the check it reports none: the command that
// lowers budgets also accepts what got better in the dump, and there is something to fix in the dump first.
func noteSlack(r *result.Result, o Options) {
	comesFirst := func(c result.Change) bool { return !c.Waived && (c.Level == "error" || fails(c.Level, failOn(o))) }
	if len(r.Problems) > 0 || slices.ContainsFunc(r.Changes, comesFirst) {
		return
	}
	for _, l := range slack(o.Config, r.Headroom) {
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
	byLimit := rowsByLimit(rows)
	for _, s := range cfg.Rules {
		if _, written := s.Marks["max_increase"]; !written || s.MaxIncrease == nil || s.MaxIncrease.Percent || s.Rule.Budget.Unit != "" {
			continue
		}
		if used, bounds := byLimit.use(s, "max_increase", s.MaxIncrease.Amount); bounds && used < s.MaxIncrease.Amount {
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

// headroom is the most that there is under each limit, by target and program.
type headroom map[heldLimit]map[[2]string]float64

// heldLimit is a limit of a rule; of an allowed increase, the increase.
type heldLimit struct {
	rule, key string
	limit     float64
}

func rowsByLimit(rows []result.Headroom) headroom {
	h := headroom{}
	for _, row := range rows {
		from := 0.0
		if row.Key == "max_increase" {
			from = row.Base
		}
		of, at := heldLimit{row.Rule, row.Key, row.Limit - from}, [2]string{row.Target, row.Program}
		if h[of] == nil {
			h[of] = map[[2]string]float64{}
		}
		h[of][at] = max(h[of][at], row.Actual-from)
	}
	return h
}

// use is the most that a limit of an entry bounds anywhere, and whether it bounds anything.
func (h headroom) use(s *rule.Settings, key string, limit float64) (most float64, bounds bool) {
	for at, n := range h[heldLimit{s.Rule.ID, key, limit}] {
		if s.Covers(at[0], cmp.Or(at[1], "*")) {
			most, bounds = max(most, n), true
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
			Message: fmt.Sprintf("%s: %s of %s, %.0f %%; this change uses %.0f %% of the room that was left", h.Rule, actual, limit, share, 100*used/left),
			Fix:     "xlagate trend",
		})
	}
}

// lossOf is the share of the baseline's fact from which an improvement counts as lost. Less may be the compiler's.
const lossOf = 0.01

// noteLost reports what the check before this one had better than the baseline and this one has not. Nothing fails, because nobody kept it.
func noteLost(r, last *result.Result) {
	if last == nil || len(r.Problems) > 0 {
		return
	}
	type compiled struct{ target, device, program, signature string }
	each := func(r *result.Result, do func(compiled, result.Variant)) {
		for _, t := range r.Targets {
			for _, p := range t.Programs {
				for _, v := range p.Variants {
					do(compiled{t.Name, t.Device, p.Name, v.Signature}, v)
				}
			}
		}
	}
	was, broken := map[compiled]facts.Values{}, r.Broken()
	each(last, func(c compiled, v result.Variant) { was[c] = v.Facts })
	each(r, func(c compiled, v result.Variant) {
		if said := lost(was[c], v); said != "" && !broken(c.target, c.program) {
			r.Notes = append(r.Notes, result.Note{Kind: "lost", Target: c.target, Program: c.program, Message: said})
		}
	})
}

// lost says how far the baseline of a variant lies above what the check before this one found, if this one is back at the baseline.
func lost(was facts.Values, v result.Variant) string {
	for _, m := range []struct {
		fact       facts.ID
		noun, unit string
	}{{stepTime, "predicted step time", "nanoseconds"}, {peakMemory, "peak memory", "bytes"}} {
		best, base, is := was[m.fact], v.Base[m.fact], v.Facts[m.fact]
		if best > 0 && best < base*(1-lossOf) && is >= base*(1-lossOf) {
			return fmt.Sprintf("the check before this one had %s of %s, this one has %s: nothing fails, because the baseline lies %.0f %% above what was reached",
				phrase.Show(best, m.unit), m.noun, phrase.Show(is, m.unit), 100*(base/best-1))
		}
	}
	return ""
}

// mostBetter bounds the improvements that are named in one line.
const mostBetter = 4

// joinImprovements joins the improvements of a program that one command keeps into one line. It drops those of programs with an open change, which shows them
// itself.
func joinImprovements(r *result.Result) {
	broken, at, said := r.Broken(), map[[3]string]int{}, map[int][]string{}
	var notes []result.Note
	for _, n := range r.Notes {
		if n.Kind != "better" {
			notes = append(notes, n)
			continue
		}
		if broken(n.Target, n.Program) {
			continue
		}
		key := [3]string{n.Target, n.Program, n.Fix}
		first, known := at[key]
		if !known {
			first = len(notes)
			at[key] = first
			notes = append(notes, n)
		}
		said[first] = append(said[first], n.Message)
	}
	for first, messages := range said {
		notes[first].Message = strings.Join(phrase.First(messages, mostBetter), ", ")
	}
	r.Notes = notes
}

// tightened returns the old baseline with the variants that got better. It takes a variant whole or not at all: where a rule is broken, not.
func (in *candidate) tightened(old, fresh *baseline.Program) *baseline.Program {
	if old == nil || fresh == nil {
		return old
	}
	next := *old
	next.Variants = slices.Clone(old.Variants)
	for i, v := range next.Variants {
		broken := func(f result.Finding) bool {
			return f.Program == fresh.Name && (f.Variant == "" || f.Variant == v.Signature)
		}
		if n := fresh.WithSignature(v.Signature); n != nil && changes.TakesLess(v.Facts, n.Facts) && !slices.ContainsFunc(in.findings, broken) {
			next.Variants[i] = n
		}
	}
	return &next
}
