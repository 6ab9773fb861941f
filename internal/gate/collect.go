package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
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
	judged   int                            // how many times a rule that somebody named, or a pack, looked at something
	entries  map[*rule.Rule]*rule.ByProgram // of the configuration
	variants map[string]int                 // how many each program has
}

func newCollector(r *result.Result, out *result.Target, l *looked, cfg *config.Config) *collector {
	c := &collector{
		r: r, out: out, l: l, ids: map[string]bool{}, problems: map[result.Problem]bool{}, missing: map[string]bool{},
		entries: map[*rule.Rule]*rule.ByProgram{}, variants: map[string]int{},
	}
	for _, s := range cfg.Rules {
		if c.entries[s.Rule] == nil {
			c.entries[s.Rule] = &rule.ByProgram{}
		}
		c.entries[s.Rule].Add(s)
	}
	for _, p := range l.programs {
		c.variants[p.Name] = len(p.Variants)
	}
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
	if said.Pack != integrityPack {
		c.judged += said.Checks
	}
	for _, reported := range said.Findings {
		f := complete(reported, c.l, said)
		f.ID = unique(c.ids, f.Finding, c.distinguish(&f.Finding, said.Settings))
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
func complete(f *rule.Finding, l *looked, s *rule.Context) JudgedFinding {
	return JudgedFinding{
		Finding: result.Finding{
			Rule: s.Rule.ID, Name: s.Name, Level: cmp.Or(f.Level, s.Severity()), Target: l.Name, Program: f.Program, Variant: f.Variant, Subject: f.Subject,
			Message: f.Message, Reason: s.Reason, Actual: f.Actual, Limit: f.Limit, Baseline: f.Baseline, Unit: f.Unit,
			Bound: boundIn(s, f),
		},
		Cause: f.Cause, Evidence: f.Evidence, Drift: f.Drift, perProgram: s.Rule.Target == nil,
	}
}

// distinguish returns what distinguishes a finding from others of the same rule, program and subject: the variant, if the program has several, and
// the entry of the configuration, if several cover the program. It does not depend on which of them are broken.
func (c *collector) distinguish(f *result.Finding, s *rule.Settings) string {
	var text string
	if c.variants[f.Program] > 1 {
		text = f.Variant
	}
	if same := c.entries[s.Rule]; same != nil && same.Several(f.Target, cmp.Or(f.Program, "*")) {
		text += "\x00" + s.Terms()
	}
	return text
}

// unique returns the finding's id: the first 12 hex digits of a hash of rule, target, program and subject, and of what tells it from others
// that share these.
func unique(taken map[string]bool, f result.Finding, distinct string) string {
	text := strings.Join([]string{f.Rule, f.Target, f.Program, f.Subject}, "\x00")
	if distinct != "" {
		text += "\x00" + distinct
	}
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(text))
		if id := hex.EncodeToString(sum[:])[:12]; first(taken, id) {
			return id
		}
		text += fmt.Sprintf("\x00%d", n)
	}
}
