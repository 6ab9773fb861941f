package gate

import (
	"fmt"
	"sort"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
)

// Merge joins the results of shards or of a matrix. It does not depend on their order. A target that the configuration declares
// and no result holds, or that two hold, is a failure to look. cfg may be nil: then nothing is declared.
func Merge(results []*result.Result, cfg *config.Config, failOn, version string) *result.Result {
	out := &result.Result{Schema: result.Schema, Tool: result.Tool{Name: "xlagate", Version: version}, Findings: []result.Finding{}, Targets: []result.Target{}}
	seen := map[string]int{}
	for _, r := range results {
		for _, t := range r.Targets {
			seen[t.Name]++
			out.Targets = append(out.Targets, t)
		}
		out.Findings = append(out.Findings, r.Findings...)
		out.Problems = append(out.Problems, r.Problems...)
		out.Notes = append(out.Notes, r.Notes...)
		out.Headroom = append(out.Headroom, r.Headroom...)
		out.Summary.Checks += r.Summary.Checks
	}
	var problems []result.Problem
	out.Targets, problems = joinTargets(out.Targets)
	sort.SliceStable(out.Findings, func(i, j int) bool { return out.Findings[i].ID < out.Findings[j].ID })
	out.Problems = append(out.Problems, problems...)
	if cfg != nil {
		out.Problems = append(out.Problems, absent(cfg, seen)...)
		if failOn == "" {
			failOn = cfg.FailOn
		}
	}
	if failOn == "" {
		failOn = "error"
	}
	sortFindings(out.Findings)
	sort.SliceStable(out.Problems, func(i, j int) bool {
		return out.Problems[i].Target+out.Problems[i].Message < out.Problems[j].Target+out.Problems[j].Message
	})
	count(out)
	Decide(out, failOn)
	return out
}

func absent(cfg *config.Config, seen map[string]int) []result.Problem {
	var out []result.Problem
	for _, t := range cfg.Targets {
		if seen[t.Name] == 0 {
			out = append(out, result.Problem{Target: t.Name, Rule: "target-ran", Message: fmt.Sprintf("target %s (%s) is in none of the results: its job did not run or did not upload", t.Name, t.Place), Mend: "look at the job of that target"})
		}
	}
	return out
}
