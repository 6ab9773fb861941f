package report

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Comment is the comment on a pull request: the result, and how the pull request changes what it is judged by.
type Comment struct {
	Result   *result.Result
	Under    *result.Result        // the same facts judged by the base branch's policy; nil where that is not known
	Head     string                // the commit that was checked
	Base     string                // the base as people know it: "main@91ab03d"
	Policy   []result.PolicyChange // what the pull request changes in the policy
	Note     string                // why the base branch's policy could not be had
	Was      string                // what an earlier comment said: "2 errors at 4f1c9e2"
	Reported bool                  // the facts come from a run that the pull request itself controls
	Run      int64                 // the run whose artifact holds the result; 0 when there is none
	Artifact string
	Trigger  bool   // the repository answers to "/xlagate accept"
	Full     string // the address of the full report
	Pictures []Shown
}

// Shown is a picture that is on GitHub.
type Shown struct{ Alt, URL string }

// Clean reports whether there is nothing to report: no change that breaks a rule, nothing that could not be checked, no change of policy.
func (c *Comment) Clean() bool {
	return len(c.Result.Open()) == 0 && len(c.Result.Problems) == 0 && len(c.Policy) == 0 && !c.disputed()
}

// disputed reports whether the base branch's policy leads to another verdict, or to findings that the pull request's does not.
func (c *Comment) disputed() bool {
	return c.Under != nil && (c.Under.Verdict != c.Result.Verdict || len(c.hidden()) > 0)
}

// hidden returns the findings that only the base branch's policy makes.
func (c *Comment) hidden() []*result.Finding {
	if c.Under == nil {
		return nil
	}
	known := map[string]bool{}
	for i := range c.Result.Findings {
		f := &c.Result.Findings[i]
		known[f.ID] = !f.Waived
	}
	return phrase.Pick(c.Under.Findings, func(f *result.Finding) bool { return !f.Waived && !known[f.ID] && f.Level != "info" })
}

// Markdown renders the comment, never longer than Options.MaxBytes: details are dropped in a fixed order, each drop counted.
func (c *Comment) Markdown(o Options) string {
	own := *c
	own.Result = rooted(c.Result, o.Root)
	most := o.MaxBytes
	if most > 0 {
		most = max(1, most-len(c.pictures())-len(c.footer()))
	}
	return within(most, c.title(), own.render) + c.pictures() + c.footer()
}

func (c *Comment) render(d detail) string {
	p := page{Title: c.title()}
	if c.Clean() {
		return markdownOf(p)
	}
	all := index(c.Result)
	live := all.Open()
	p.add(c.dispute())
	p.add(verdictBlocks(all, live, d)...)
	p.add(c.accept(all)...)
	p.add(c.policyFold())
	p.add(restBlocks(all, d)...)
	return markdownOf(p)
}

func (c *Comment) title() line {
	l := resultTitle(index(c.Result))
	if c.Was != "" && c.Clean() {
		l = l.and(" (was: " + c.Was + ")")
	}
	return l
}

// Sum is "2 errors, 1 warning" or "could not check".
func Sum(problems, errors, warnings int) string {
	unchecked := ""
	if problems > 0 {
		unchecked = "could not check"
	}
	return cmp.Or(joinedBy(", ", unchecked, some(errors, "error"), some(warnings, "warning")), "nothing found")
}

// dispute comes first if the pull request passes only because it changed the policy.
func (c *Comment) dispute() para {
	if !c.disputed() {
		return para{}
	}
	u := c.Under
	return para{say("⚠️ ").in(strong, "Judged by the base branch's rules and baseline").and(": " + Sum(len(u.Problems), u.Summary.Errors, u.Summary.Warnings) + "; by this pull request's own: " +
		Sum(len(c.Result.Problems), c.Result.Summary.Errors, c.Result.Summary.Warnings) + ".")}
}

// maxPolicy bounds the changes and the findings that are listed of a policy.
const maxPolicy = 30

func (c *Comment) policyFold() section {
	var s section
	if len(c.Policy) > 0 || c.disputed() {
		sum, lines := c.policyLines()
		s = section{Fold: true, Title: say("Policy changes in this pull request: " + sum)}
		s.add(list{lines}, c.hiddenList())
	}
	if c.Note != "" {
		s.add(para{say("Not judged by the base branch's policy: " + c.Note + ".")})
	}
	return s
}

// policyLines are the changes of the policy with their sum: "3 (1 looser)".
func (c *Comment) policyLines() (sum string, lines []line) {
	looser := 0
	for _, p := range c.Policy {
		if p.Effect == "looser" {
			looser++
		}
		l := in(strong, p.Effect).and("  ").in(name, p.File).and("  ").in(name, p.Subject)
		if p.Scope != "" {
			l = l.and(" for ").in(name, p.Scope)
		}
		lines = append(lines, l.and(": ").and(p.Text))
	}
	sum = phrase.Number(float64(len(c.Policy)))
	if looser > 0 {
		sum += fmt.Sprintf(" (%d looser)", looser)
	}
	return sum, atMost(lines, maxPolicy, "change", "")
}

// hiddenList names what the base branch's policy would have found.
func (c *Comment) hiddenList() section {
	var lines []line
	hidden := c.hidden()
	if len(hidden) == 0 {
		return section{}
	}
	under := index(c.Under)
	for _, f := range hidden {
		lines = append(lines, say(f.Level+"  ").in(name, f.Rule).and(" in ").in(name, subject(under, f.Target, f.Program)).and(" ").in(name, f.ID).and(": ").and(cut(clean(f.Message), maxTitle)))
	}
	return titled(say("Only the base branch's policy finds"), list{atMost(lines, maxPolicy, "finding", "")})
}

// accept are the ways to accept what the table shows.
func (c *Comment) accept(r *indexed) []block {
	lines := acceptCommands(r, r.Open())
	if len(lines) > 0 && c.Run != 0 && c.Artifact != "" {
		from := strings.ReplaceAll(strings.Join(lines, "\n"), "xlagate accept ", fmt.Sprintf("xlagate accept --from %s.json ", c.Artifact))
		lines = append(lines, "# or from this run, without a device:", fmt.Sprintf("gh run download %d --name %s && %s", c.Run, c.Artifact, from))
	}
	var ids []string
	for _, open := range r.Open() {
		if acceptable(open) {
			ids = append(ids, open.ID)
		}
	}
	if c.Trigger && len(ids) > 0 && len(ids) <= maxAccepted {
		lines = append(lines, "# or as a comment on this pull request:", "/xlagate accept "+strings.Join(ids, ",")+" REASON")
	}
	return acceptBlocks(strings.Join(lines, "\n"))
}

// pictures are what was drawn of the change. Neither words nor addresses are from a dump.
func (c *Comment) pictures() string {
	var b strings.Builder
	for _, p := range c.Pictures {
		if linkable.MatchString(p.URL) {
			fmt.Fprintf(&b, "\n![%s](%s)\n", p.Alt, p.URL)
		}
	}
	return b.String()
}

// footer names the run that the comment is about. Its link is the only one in a comment; its address does not come from a dump.
func (c *Comment) footer() string {
	var parts []string
	if c.Head != "" {
		parts = append(parts, "commit "+mdCode(clean(c.Head[:min(7, len(c.Head))])))
	}
	if c.Base != "" {
		parts = append(parts, "base "+mdCode(cut(clean(c.Base), maxName)))
	}
	if c.Reported {
		parts = append(parts, "reported by the pull request's own run")
	}
	if linkable.MatchString(c.Full) {
		parts = append(parts, "[full report]("+c.Full+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n" + strings.Join(parts, " · ") + "\n"
}

// linkable matches addresses that cannot break out of a Markdown link.
var linkable = regexp.MustCompile(`^https?://[A-Za-z0-9.:/_-]+$`)
