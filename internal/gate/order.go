package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// order sorts a result: findings worst first, all else by target as in the configuration, then what belongs to no target. A merged result has the
// same order as one that was made at once.
func order(r *result.Result, cfg *config.Config) {
	place := map[string]int{"": 1}
	if cfg != nil {
		for i, t := range cfg.Targets {
			place[t.Name] = i - len(cfg.Targets)
		}
	}
	byTarget := func(a, b string) int { return cmp.Or(cmp.Compare(place[a], place[b]), strings.Compare(a, b)) }
	slices.SortStableFunc(r.Targets, func(a, b result.Target) int { return byTarget(a.Name, b.Name) })
	slices.SortStableFunc(r.Notes, func(a, b result.Note) int { return byTarget(a.Target, b.Target) })
	slices.SortStableFunc(r.Headroom, func(a, b result.Headroom) int { return byTarget(a.Target, b.Target) })
	slices.SortStableFunc(r.Problems, func(a, b result.Problem) int {
		first := cmp.Or(phrase.CompareBools(!unreadInput(&a), !unreadInput(&b)), byTarget(a.Target, b.Target))
		if first != 0 || a.Target != "" {
			return first
		}
		return cmp.Or(cmp.Compare(len(a.File), len(b.File)), strings.Compare(a.File, b.File), strings.Compare(a.Message, b.Message)) // places in one file by line
	})
	sortChanges(r.Changes)
	sortFindings(r.Findings)
}

// unreadInput reports whether a problem is a file of a merge that could not be read: it is why its targets are missing.
func unreadInput(p *result.Problem) bool { return p.Target == "" && p.Pending }

func sortFindings(findings []result.Finding) {
	slices.SortStableFunc(findings, func(a, b result.Finding) int {
		first := cmp.Or(
			phrase.CompareBools(a.Waived, b.Waived), cmp.Compare(levelRank[a.Level], levelRank[b.Level]), strings.Compare(a.Target, b.Target),
			strings.Compare(about(&a), about(&b)), cmp.Compare(ruleOrder(a.Rule), ruleOrder(b.Rule)),
		)
		if first == 0 && a.Target == "" {
			return strings.Compare(a.ID, b.ID)
		}
		return first
	})
}

// about returns the program that a finding is sorted by; "" for findings about the whole target.
func about(f *result.Finding) string {
	if r := rules.All.ByID(f.Rule); r != nil && r.Whole {
		return ""
	}
	return f.Program
}

func ruleOrder(id string) int {
	return slices.IndexFunc(rules.All.Rules, func(r *rule.Rule) bool { return r.ID == id })
}
