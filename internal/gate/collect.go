package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// collector puts what the rules say of a target into the result, each thing once.
type collector struct {
	r        *result.Result
	out      *result.Target
	l        *looked
	ids      map[string]bool
	problems map[result.Problem]bool
	missing  map[string]bool // what is listed as not covered
	found    []JudgedFinding
}

func newCollector(r *result.Result, out *result.Target, l *looked) *collector {
	c := &collector{r: r, out: out, l: l, ids: map[string]bool{}, problems: map[result.Problem]bool{}, missing: map[string]bool{}}
	for i := range r.Findings {
		c.ids[r.Findings[i].ID] = true
	}
	for _, p := range r.Problems {
		c.problems[p] = true
	}
	return c
}

// collect completes what a rule said.
func (c *collector) collect(said *rule.Context) {
	r := c.r
	r.Summary.Checks += said.Checks
	for i := range said.Findings {
		f := complete(&said.Findings[i], c.l, said.Settings)
		f.ID = unique(c.ids, f.Finding)
		c.found = append(c.found, f)
	}
	for _, p := range said.Problems {
		p.Target = c.l.Name
		if first(c.problems, p) {
			r.Problems = append(r.Problems, p)
		}
	}
	for _, n := range said.Notes {
		n.Target = c.l.Name
		r.Notes = append(r.Notes, n)
	}
	for _, h := range said.Headroom {
		h.Target = c.l.Name
		r.Headroom = append(r.Headroom, h)
	}
	for _, n := range said.NotCovered {
		if first(c.missing, n) {
			c.out.NotCovered = append(c.out.NotCovered, n)
		}
	}
}

// first reports whether something comes for the first time.
func first[T comparable](seen map[T]bool, what T) bool {
	if seen[what] {
		return false
	}
	seen[what] = true
	return true
}

// complete adds to what a rule says what its settings and the target say.
func complete(f *rule.Finding, l *looked, s *rule.Settings) JudgedFinding {
	return JudgedFinding{
		Finding: result.Finding{
			Rule: s.Rule.ID, Name: s.Name, Level: cmp.Or(f.Level, s.Severity()), Target: l.Name, Program: f.Program, Variant: f.Variant, Subject: f.Subject,
			Message: f.Message, Reason: s.Reason, Actual: f.Actual, Limit: f.Limit, Baseline: f.Baseline, Unit: f.Unit,
		},
		Cause: f.Cause, Evidence: f.Evidence, Drift: f.Drift,
	}
}

// unique is the finding's id: the first 12 hex digits of a hash of rule, target, program and subject. Variants of one program,
// and entries of one rule that look at the same thing, are told apart by what they are.
func unique(taken map[string]bool, f result.Finding) string {
	for n := 0; ; n++ {
		subject := f.Subject
		if n > 0 {
			subject = fmt.Sprintf("%s\x00%s\x00%s\x00%d", f.Subject, f.Variant, f.Name, n)
		}
		sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.Target + "\x00" + f.Program + "\x00" + subject))
		if id := hex.EncodeToString(sum[:])[:12]; first(taken, id) {
			return id
		}
	}
}
