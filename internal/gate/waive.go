package gate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// waive marks waived changes and findings, and adds a finding for each waiver that expired or hides something worse.
func waive(r *result.Result, o Options) {
	for _, w := range o.Config.Waivers {
		about := phrase.Pick(r.Findings, func(f *result.Finding) bool { return f.Rule != waiverRule && f.Is(w.Finding) })
		if len(about) == 0 {
			continue
		}
		if why := whyInvalid(w, about, o); why != "" {
			addWaiverFinding(r, o, w, why)
			continue
		}
		for _, f := range about {
			f.Waived, f.Waiver = true, &result.Waiver{Reason: w.Reason, Owner: w.Owner, Expires: w.Expires}
		}
	}
	// A change is waived if all its findings are; otherwise it has the level of its worst open finding.
	level, waived := map[string]string{}, map[string]*result.Waiver{}
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.Waived:
			waived[f.Change] = f.Waiver
		case level[f.Change] == "" || levelRank[f.Level] < levelRank[level[f.Change]]:
			level[f.Change] = f.Level
		}
	}
	for i := range r.Changes {
		switch c := &r.Changes[i]; {
		case waived[c.ID] == nil:
		case level[c.ID] == "":
			c.Waived, c.Waiver = true, waived[c.ID]
		default:
			c.Level = level[c.ID]
		}
	}
}

// waiverRule judges the waivers themselves; what it finds cannot be waived.
const waiverRule = "waiver-valid"

// unusedWaivers reports waivers that match nothing. If something could not be checked, it reports none.
func unusedWaivers(r *result.Result, o Options) {
	r.Summary.Checks += len(o.Config.Waivers)
	if len(r.Problems) > 0 {
		return
	}
	for _, w := range o.Config.Waivers {
		if !slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return f.Rule != waiverRule && f.Is(w.Finding) }) {
			addWaiverFinding(r, o, w, fmt.Sprintf("the waiver of %s is not used: no change or finding has this id any more; remove it", w.Finding))
		}
	}
}

// whyInvalid returns why a waiver does not hold for findings; "" if it does.
func whyInvalid(w config.Waiver, about []*result.Finding, o Options) string {
	var names []string
	for _, f := range about {
		names = changes.AddNew(names, f.Rule)
	}
	of := w.Finding + " (" + strings.Join(names, ", ") + ")"
	expires, err := time.Parse(time.DateOnly, w.Expires)
	today := o.Now.UTC().Truncate(24 * time.Hour)
	if err != nil || today.After(expires) {
		return fmt.Sprintf("the waiver of %s expired on %s: renew it or remove it", of, w.Expires)
	}
	const allDays = 4e6 // no date that can be written is further away
	days, bounded := waiverSettings(o).Number("max_days")
	if last := today.AddDate(0, 0, int(min(days, allDays))); bounded && expires.After(last) {
		return fmt.Sprintf("the waiver of %s lasts until %s; max_days allows until %s", of, w.Expires, last.Format(time.DateOnly))
	}
	if w.Ceiling == nil {
		return ""
	}
	if len(about) > 1 {
		return fmt.Sprintf("the waiver of %s has a ceiling, but there are %d findings; name one of them, or remove the ceiling", of, len(about))
	}
	actual, counts := about[0].Actual.(float64)
	switch {
	case !counts:
		return fmt.Sprintf("the waiver of %s has a ceiling, but the finding counts nothing; remove the ceiling", of)
	case worseThanCeiling(about[0], actual, *w.Ceiling):
		return fmt.Sprintf("%s is %v, beyond the %v that was waived", of, actual, *w.Ceiling)
	}
	return ""
}

// ceilingsOf returns the ceilings of a change: for each limit that it breaks, what it is now. If it is several changes where git does not know what was edited,
// each that costs something has one, and together they add no more to the step than the change. What others of them save is taken from what the dearest one may add,
// and its ceiling names these.
func ceilingsOf(c *result.Change, findings []result.Finding, reason string) (list []baseline.Ceiling) {
	at := map[string]int{}
	allow := func(f *result.Finding, change string, amount float64) *baseline.Ceiling {
		if _, known := at[change]; !known {
			at[change] = len(list)
			list = append(list, baseline.Ceiling{Change: change, Title: c.Title, Most: map[string]float64{}, Reason: reason})
		}
		most, key := list[at[change]].Most, brokenBy(f)
		if known, twice := most[key]; !twice || worseThanCeiling(f, amount, known) {
			most[key] = amount
		}
		return &list[at[change]]
	}
	for i := range findings {
		f := &findings[i]
		if f.Change != c.ID || f.Rule == waiverRule {
			continue
		}
		ids, sum := slices.Sorted(maps.Keys(f.Also)), 0.0
		for _, id := range ids {
			sum += f.Also[id]
		}
		if len(ids) == 0 || isOfStep(f) && moreThan(sum, c.Price.StepNS) { // a result may say anything
			allow(f, c.ID, amountOf(f, c.Price.StepNS))
			continue
		}
		dearest := slices.MaxFunc(ids, func(a, b string) int { return cmp.Compare(f.Also[a], f.Also[b]) })
		savers := phrase.Filter(ids, func(id string) bool { return isOfStep(f) && f.Also[id] < 0 && id != dearest })
		for _, id := range ids {
			amount := amountOf(f, f.Also[id])
			switch {
			case slices.Contains(savers, id):
			case id == dearest && len(savers) > 0:
				for _, saver := range savers {
					amount += f.Also[saver]
				}
				allow(f, id, amount).With = savers
			default:
				allow(f, id, amount)
			}
		}
	}
	return list
}

// moreThan compares sums that may have been added up in another order.
func moreThan(sum, other float64) bool { return sum-other > 1e-9*math.Abs(other) }

// brokenBy names what a finding breaks, the same from commit to commit: the rule and what it checks.
func brokenBy(f *result.Finding) string {
	subject, _, _ := strings.Cut(f.Subject, shareOf)
	return strings.TrimSpace(f.Rule + " " + subject)
}

// isOfStep reports whether a finding is a limit on the step.
func isOfStep(f *result.Finding) bool { return strings.HasPrefix(f.Subject, string(stepTime)) }

// amountOf is the amount of a finding that a ceiling is compared with. For a limit on the step it is what the change adds to the step, because other changes
// add to it too. For a finding that counts nothing it is 0.
func amountOf(f *result.Finding, stepNS float64) float64 {
	if isOfStep(f) {
		return stepNS
	}
	amount, _ := f.Actual.(float64)
	return amount
}

// allow waives what the ceilings of a target's baseline allow, as far as it is no more than was accepted.
func allow(r *result.Result, l *measuredTarget) {
	if l.set == nil {
		return
	}
	changes := map[string]*result.Change{}
	for i := range r.Changes {
		changes[r.Changes[i].ID] = &r.Changes[i]
	}
	used, savers := map[*baseline.Ceiling]bool{}, map[string]string{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Target == l.Name && changes[f.Change] != nil {
			allowFinding(f, changes, l.set.Programs, used, savers)
		}
	}
	if len(l.problems) > 0 {
		return
	}
	for _, p := range l.set.Programs {
		for i := range p.Ceilings {
			if c := &p.Ceilings[i]; !used[c] {
				r.Notes = append(r.Notes, result.Note{
					Kind: "slack", Target: l.Name, Program: p.Name, Message: fmt.Sprintf("the change %s, which is allowed (%s), is gone", c.Change, c.Reason),
					Fix: "xlagate accept --reason \"why\"",
				})
			}
		}
	}
}

// allowFinding waives a finding if the ceilings of its change allow as much. What a change adds to the step is the sum of what its parts may add, and what the changes
// save that a ceiling names is taken from it. What saves is of one change alone: savers holds which.
func allowFinding(f *result.Finding, changes map[string]*result.Change, programs []*baseline.Program, used map[*baseline.Ceiling]bool, savers map[string]string) {
	var first *baseline.Ceiling
	allowed, key, stepNS := 0.0, brokenBy(f), changes[f.Change].Price.StepNS
	for _, p := range programs {
		for i := range p.Ceilings {
			c := &p.Ceilings[i]
			most, known := c.Most[key]
			// What is in no program is known by its subject: it is another change once the program that it led to is accepted.
			if !known || f.Program != "" && !f.Is(c.Change) {
				continue
			}
			switch {
			case isOfStep(f):
				allowed += most
			case first == nil || worseThanCeiling(f, most, allowed):
				allowed = most
			}
			first, used[c] = cmp.Or(first, c), true
			for _, id := range c.With {
				if savers[id] == "" {
					savers[id] = c.Change
				}
				if saver := changes[id]; saver != nil && id != f.Change && savers[id] == c.Change {
					stepNS += min(0, saver.Price.StepNS)
				}
			}
		}
	}
	if first == nil {
		return
	}
	reason, amount := first.Reason, amountOf(f, stepNS)
	if worseThanCeiling(f, amount, allowed) && (!isOfStep(f) || moreThan(amount, allowed)) {
		f.Message += fmt.Sprintf(" (more than the %s that were accepted: %s)", phrase.Show(allowed, f.Unit), reason)
		return
	}
	f.Waived, f.Waiver = true, &result.Waiver{Reason: reason}
}

// worseThanCeiling reports whether an amount is worse than the waiver's ceiling: more of it, or less where the finding has less than its limit. The amount may
// be a part of what the finding has, see [amountOf].
func worseThanCeiling(f *result.Finding, amount, ceiling float64) bool {
	actual, counts := f.Actual.(float64)
	if limit, ok := f.Limit.(float64); ok && counts && actual < limit {
		return amount < ceiling
	}
	return amount > ceiling
}

// addWaiverFinding adds a finding about a waiver. Accepting does not settle it.
func addWaiverFinding(r *result.Result, o Options, w config.Waiver, message string) {
	s := waiverSettings(o)
	f := result.Finding{
		Rule: s.Rule.ID, Level: s.Severity(), Name: s.Name, Reason: s.Reason, Subject: w.Finding, Message: message + " (" + w.Place + ")",
	}
	f.ID = unique(map[string]bool{}, f, "")
	found := []judgedFinding{{Finding: rule.Finding{Finding: f}}}
	changes, _ := judgedTarget{}.changes(found, nil)
	changes[0].Accept = ""
	r.Changes, r.Findings = append(r.Changes, changes...), append(r.Findings, found[0].Finding.Finding)
}

// waiverSettings is what the file says of waiver-valid, which is on without being named.
func waiverSettings(o Options) *rule.Settings {
	found := &rule.Settings{Rule: rules.All.ByID(waiverRule)}
	for _, s := range o.Config.Rules {
		if s.Rule.ID == found.Rule.ID {
			found = s
		}
	}
	return found
}
