package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// waive marks the findings that somebody was allowed, and finds waivers that have expired or would hide worse. It comes before folding:
// what is waived takes only its echoes along.
func waive(r *result.Result, o Options) {
	for _, w := range o.Config.Waivers {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.ID == w.Finding && f.Rule != "waiver-valid" {
				if why := permit(w, f, o); why != "" {
					r.Findings = append(r.Findings, waiverFinding(o, w, why))
				}
				break
			}
		}
	}
	r.Summary.Checks += len(o.Config.Waivers)
}

// unused finds waivers of what was not found. Where something could not be looked at, nothing is known.
func unused(r *result.Result, o Options) {
	if len(r.Problems) > 0 {
		return
	}
	for _, w := range o.Config.Waivers {
		if !slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return names(&f, w.Finding) }) {
			r.Findings = append(r.Findings, waiverFinding(o, w, fmt.Sprintf("the waiver of %s is not used: nothing has that id any more; remove it", w.Finding)))
		}
	}
}

// names says whether an id is a finding's, or that of something that follows from it.
func names(f *result.Finding, id string) bool {
	return f.Rule != "waiver-valid" && (f.ID == id || slices.ContainsFunc(f.Consequences, func(c result.Consequence) bool { return c.ID == id }))
}

// permit waives one finding, or says why the waiver does not hold.
func permit(w config.Waiver, f *result.Finding, o Options) string {
	expires, err := time.Parse(time.DateOnly, w.Expires)
	today := o.Now.UTC().Truncate(24 * time.Hour)
	if err != nil || today.After(expires) {
		return fmt.Sprintf("the waiver of %s (%s) expired on %s", w.Finding, f.Rule, w.Expires)
	}
	if last, bounded := lastDay(o, today); bounded && expires.After(last) {
		return fmt.Sprintf("the waiver of %s (%s) would hold until %s; max_days lets it hold until %s", w.Finding, f.Rule, w.Expires, last.Format(time.DateOnly))
	}
	if w.Ceiling != nil {
		actual, counts := f.Actual.(float64)
		switch {
		case !counts:
			return fmt.Sprintf("the waiver of %s (%s) has a ceiling, but the finding is of nothing that is counted; remove the ceiling", w.Finding, f.Rule)
		case beyond(f, actual, *w.Ceiling):
			return fmt.Sprintf("%s (%s) is %v, beyond the %v that was waived", w.Finding, f.Rule, actual, *w.Ceiling)
		}
	}
	f.Waived, f.Waiver = true, &result.Waiver{Reason: w.Reason, Owner: w.Owner, Expires: w.Expires}
	return ""
}

// lastDay is the last on which a waiver may still hold, where the settings bound that.
func lastDay(o Options, today time.Time) (time.Time, bool) {
	const allDays = 4e6 // no date that can be written is further away
	days, bounded := waiverSettings(o).Number("max_days")
	return today.AddDate(0, 0, int(min(days, allDays))), bounded
}

// beyond says whether an amount is worse than the worst that is waived: further from the limit that it broke.
func beyond(f *result.Finding, actual, ceiling float64) bool {
	if limit, ok := f.Limit.(float64); ok && actual < limit {
		return actual < ceiling
	}
	return actual > ceiling
}

// waiverFinding says what is wrong with a waiver.
func waiverFinding(o Options, w config.Waiver, message string) result.Finding {
	s := waiverSettings(o)
	f := result.Finding{
		Rule: s.Rule.ID, Level: s.Severity(), Name: s.Name, Reason: s.Reason, Subject: w.Finding,
		Message: message + " (" + w.Place + ")", Mend: "edit the waiver at " + w.Place,
	}
	f.ID = unique(map[string]bool{}, f)
	return f
}

// waiverSettings is what the file says of waiver-valid, which is on without being named.
func waiverSettings(o Options) *rule.Settings {
	found := &rule.Settings{Rule: rules.ByID("waiver-valid")}
	for _, s := range o.Config.Rules {
		if s.Rule.ID == found.Rule.ID {
			found = s
		}
	}
	return found
}
