package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// Comment is the comment on a pull request.
type Comment struct {
	Result   *result.Result
	Head     string // the commit that was checked
	Was      string // what an earlier comment said: "2 errors at 4f1c9e2"
	Reported bool   // the facts come from a run that the pull request itself controls
	Run      int64  // the run whose artifact holds the result; 0 when there is none
	Artifact string
	Trigger  bool   // the repository answers to "/xlagate accept"
	Full     string // the address of the full report
}

// Clean reports whether there is nothing to report: no change that breaks a rule, nothing that could not be checked, no change of policy, no note that takes
// something back, and no improvement to keep.
func (c *Comment) Clean() bool {
	r := c.Result
	return len(r.Open()) == 0 && len(r.Problems) == 0 && loudNotes(r) == 0 && (r.Policy == nil || r.Policy.Same()) && len(c.tightening()) == 0
}

// tightening returns the commands that record what is better than the baseline, one for each rule file.
func (c *Comment) tightening() (commands []string) {
	const tighten = "xlagate accept --tighten"
	for _, n := range c.Result.Notes {
		command := strings.TrimSpace(tighten + " " + phrase.Shell(c.Result.OptionsOf(n.Target)))
		if n.Kind == "better" && strings.HasPrefix(n.Fix, tighten) && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return commands
}

// Markdown renders the comment, never longer than Options.MaxBytes: details are dropped in a fixed order, each drop counted.
func (c *Comment) Markdown(o Options) string {
	own := *c
	own.Result = rooted(c.Result, o.Root)
	all := index(own.Result)
	all.doc = o.Rules
	most := o.MaxBytes
	if most > 0 {
		most = max(1, most-len(c.footer()))
	}
	return within(most, c.title(), func(d detail) string {
		if c.Clean() {
			return markdownOf(page{Title: c.title()})
		}
		return markdownOf(own.page(all, d))
	}) + c.footer()
}

// page is the verdict with its reasons, the changes in one table, what to do, and the rest, most of it folded.
func (c *Comment) page(all *indexed, d detail) page {
	p, live := page{Title: c.title()}, all.Open()
	p.add(problemSections(all)...)
	p.add(changesTable(all, live, d), leftOut(live, d))
	p.add(c.accept(all)...)
	if commands := c.tightening(); len(commands) > 0 && c.Run != 0 && c.Artifact != "" {
		p.add(para{say("To keep what is better than the baseline, so that losing it fails: ").in(name, c.fromRun(strings.Join(commands, " && ")))})
	}
	p.add(policyFold(all, d), titled(say("Worth knowing"), list{notes(all)}))
	if d.evidence {
		for _, change := range live[:min(len(live), maxChanges)] {
			p.add(changeFold(all, change))
		}
	}
	if d.short { // the changes that need no decision
		others := some(len(all.withoutFindings()), "other change")
		if len(all.Findings) == 0 && others != "" {
			others = some(len(all.withoutFindings()), "change") + " within all limits"
		}
		if said := joinedBy(", ", some(len(all.waived()), "waived change"), others); said != "" {
			p.add(section{Fold: true, Title: say("Also: " + said), Blocks: []block{list{shortLines(all)}}})
		}
	}
	if d.targets {
		p.add(lookedAtFold(all))
	} else {
		p.add(para{say(lookedAt(all) + ".")})
	}
	return p
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

// Outcome is what a check run is titled.
func Outcome(r *result.Result) string {
	if how := standing(r); how != "" {
		return joinedBy(", ", how, some(r.Summary.Warnings, "warning"))
	}
	return Sum(len(r.Problems), r.Summary.Errors, r.Summary.Warnings)
}

// accept are the ways to accept what the table shows.
func (c *Comment) accept(r *indexed) []block {
	lines := acceptCommands(r, r.Open())
	if len(lines) > 0 && c.Run != 0 && c.Artifact != "" {
		lines = append(lines, "# or from this run, without a device:", c.fromRun(strings.Join(lines, "\n")))
	}
	ids := changeIDs(phrase.Filter(r.Open(), r.acceptable))
	if c.Trigger && len(ids) > 0 && len(ids) <= maxAccepted {
		lines = append(lines, "# or as a comment on this pull request:", "/xlagate accept "+strings.Join(ids, ",")+" REASON")
	}
	if len(lines) == 0 {
		return nil
	}
	return []block{para{in(strong, "If this is intended").and(" (allows what these changes cost now, with a reason):")}, code{Text: strings.Join(lines, "\n")}}
}

// fromRun is how commands that accept take the result of the run.
func (c *Comment) fromRun(commands string) string {
	return fmt.Sprintf("gh run download %d --name %s && ", c.Run, c.Artifact) +
		strings.ReplaceAll(commands, "xlagate accept ", fmt.Sprintf("xlagate accept --from %s.json ", c.Artifact))
}

// footer names the run that the comment is about. Its link is the only one in a comment; its address does not come from a dump.
func (c *Comment) footer() string {
	parts := []string{prefixed("commit ", mdCode(clean(c.Head[:min(7, len(c.Head))])))}
	if p := c.Result.Policy; p != nil {
		parts = append(parts, "base "+mdCode(cut(clean(p.Base), maxName)))
	}
	if c.Reported {
		parts = append(parts, "reported by the pull request's own run")
	}
	if linkable.MatchString(c.Full) {
		parts = append(parts, "[full report]("+c.Full+")")
	}
	if said := joinedBy(" · ", parts...); said != "" {
		return "\n" + said + "\n"
	}
	return ""
}

// linkable matches addresses that cannot break out of a Markdown link.
var linkable = regexp.MustCompile(`^https?://[A-Za-z0-9.:/_-]+$`)
