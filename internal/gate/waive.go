package gate

import (
	"fmt"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
)

// waive marks the findings that somebody was allowed, and finds waivers that are unused, have expired, or would hide worse.
func waive(r *result.Result, o Options) {
	for _, w := range o.Config.Waivers {
		used := false
		for i := range r.Findings {
			if f := &r.Findings[i]; f.ID == w.Finding && f.Rule != "waiver-valid" {
				used = true
				r.Findings = append(r.Findings, permit(w, f, o.Now)...)
				break
			}
		}
		if !used && len(r.Problems) == 0 {
			r.Findings = append(r.Findings, waiverFinding(w, fmt.Sprintf("the waiver of %s is not used: nothing has that id any more; remove it (%s)", w.Finding, w.Place)))
		}
	}
	r.Summary.Checks += len(o.Config.Waivers)
}

// permit waives one finding, or says why the waiver does not hold.
func permit(w config.Waiver, f *result.Finding, now time.Time) []result.Finding {
	expires, err := time.Parse(time.DateOnly, w.Expires)
	if err != nil || now.UTC().Truncate(24*time.Hour).After(expires) {
		return []result.Finding{waiverFinding(w, fmt.Sprintf("the waiver of %s (%s) expired on %s (%s)", w.Finding, f.Rule, w.Expires, w.Place))}
	}
	if actual, ok := f.Actual.(float64); ok && w.Ceiling != nil && actual > *w.Ceiling {
		return []result.Finding{waiverFinding(w, fmt.Sprintf("%s (%s) is %v, beyond the %v that was waived (%s)", w.Finding, f.Rule, actual, *w.Ceiling, w.Place))}
	}
	f.Waived, f.Waiver = true, &result.Waiver{Reason: w.Reason, Owner: w.Owner, Expires: w.Expires}
	return nil
}

func waiverFinding(w config.Waiver, message string) result.Finding {
	f := result.Finding{Rule: "waiver-valid", Level: "error", Subject: w.Finding, Message: message, Mend: "edit the waiver at " + w.Place}
	f.ID = unique(&result.Result{}, f)
	return f
}
