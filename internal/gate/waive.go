package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// worseThanCeiling reports whether an amount is worse than a ceiling: more of it, or less where the finding has less than its limit.
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
	changes, _, _ := judgedTarget{}.changes(found, nil)
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
