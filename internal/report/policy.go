package report

import (
	"fmt"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// standing says by what a pull request passes if it is not by the base branch's rules and baseline; "" where it passes by these, or fails.
func standing(r *result.Result) string {
	p := r.Policy
	if p == nil || r.ExitCode != 0 {
		return ""
	}
	branch, _, _ := strings.Cut(p.Base, "@")
	accepts := "with " + phrase.Some(p.AcceptedChanges, "change") + " that this branch accepts"
	loosens := "passes only by rules that this branch loosens: " + phrase.Some(p.LoosenedChanges, "change")
	switch {
	case p.LoosenedChanges > 0 && p.AcceptedChanges > 0:
		return loosens + ", and " + accepts
	case p.LoosenedChanges > 0:
		return loosens
	case p.First:
		return "passes by its own rules: " + branch + " has none yet"
	case p.Unreviewed():
		return "passes by rules that " + branch + " does not have"
	case p.AcceptedChanges > 0:
		return "passes " + accepts
	}
	if n := len(p.Accepted) + len(p.Loosened); n > 0 {
		return phrase.Some(n, "warning") + " by the rules of " + branch + " alone"
	}
	return ""
}

// NeedsReview reports whether a result passes only by rules that nobody reviewed on the base branch, and the base branch does not leave the decision to them.
func NeedsReview(r *result.Result) bool {
	p := r.Policy
	return p != nil && r.ExitCode == 0 && (p.LoosenedChanges > 0 || p.Unreviewed()) && !p.Own
}

// quietNotes are the kinds of notes that take nothing back from a pass.
var quietNotes = map[string]bool{"better": true, "slack": true, "headroom": true, "places": true, "numerics": true, "device": true, "unused": true}

// loudNotes counts the notes that a reader of a pass has to know of, such as a fact that was not compared.
func loudNotes(r *result.Result) (n int) {
	for i := range r.Notes {
		if !quietNotes[r.Notes[i].Kind] {
			n++
		}
	}
	return n
}

// Bounds on what is shown of a policy.
const (
	maxPolicy     = 30 // findings, or programs
	maxPolicyDiff = 80 // lines
)

// policyFold shows how a pull request changes what it is judged by, and what only the base branch finds.
func policyFold(r *indexed, d detail) section {
	p := r.Policy
	if p == nil || p.Same() {
		return section{}
	}
	texts := append(phrase.Map(p.Files, fileSum), p.Flags...)
	texts = append(texts, prefixed("the baseline of ", some(len(p.Accepts), "program")), some(len(p.Accepted)+len(p.Loosened), "finding"))
	return section{Fold: true, Title: say("Policy changes in this pull request: " + joinedBy(", ", texts...)), Blocks: policyBlocks(r, d)}
}

func fileSum(f result.PolicyFile) string {
	switch {
	case f.Was == "":
		return f.Name + " is new"
	case f.Name != f.Was:
		return f.Name + " takes the place of " + f.Was
	}
	return f.Name
}

func policyBlocks(r *indexed, d detail) []block {
	p := r.Policy
	var s section
	if p.LoosenedChanges+p.AcceptedChanges > 0 {
		s.add(para{say("⚠️ ").in(strong, "Judged by the base branch's rules and baseline").and(": " + phrase.Some(p.AcceptedChanges, "change") + " that this branch accepts, " +
			phrase.Some(p.LoosenedChanges, "change") + " that only its own rules let pass.")})
	}
	s.add(titled(say("Only the base branch's policy finds"), list{append(disputedLines(r, p.Loosened, "loosened"), disputedLines(r, p.Accepted, "accepted")...)}))
	if len(p.Flags) > 0 {
		s.add(para{say("The command line of the check says ").in(name, strings.Join(p.Flags, " ")).and(".")})
	}
	for _, f := range p.Files {
		s.add(titled(say(fileSum(f)), diffCode(f.Diff, d)))
	}
	accepts := phrase.Map(p.Accepts, func(a result.Acceptance) line {
		l := in(name, subject(r, a.Target, a.Program))
		switch {
		case a.Removed:
			return l.and(": the accepted facts are removed")
		case a.Reason == "":
			return l.and(" is accepted, and no reason is given")
		}
		return l.and(" is accepted: " + cut(clean(a.Reason), maxTitle))
	})
	s.add(list{atMost(accepts, maxPolicy, "program", "")})
	return s.Blocks
}

func disputedLines(r *indexed, disputes []result.Dispute, what string) []line {
	lines := phrase.Map(disputes, func(f result.Dispute) line {
		l := in(strong, what).and("  "+f.Level+"  ").in(name, f.Rule).and(" in ").in(name, subject(r, f.Target, f.Program))
		return l.with(" ", in(name, f.ID)).and(": " + cut(clean(f.Message), maxTitle))
	})
	return atMost(lines, maxPolicy, "finding", "")
}

// diffCode shows the first lines of a unified diff, or how many there are.
func diffCode(diff string, d detail) block {
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	switch {
	case diff == "":
		return code{}
	case !d.targets:
		return para{say(phrase.Some(len(lines), "line") + " of a diff are not shown.")}
	}
	if more := len(lines) - maxPolicyDiff; more > 0 {
		lines = append(lines[:maxPolicyDiff], "… "+phrase.Some(more, "more line"))
	}
	for i, l := range lines {
		lines[i] = cut(clean(l), maxSentence)
	}
	return code{Language: "diff", Text: strings.Join(lines, "\n")}
}

// marked is a line of a difference: '-', '+' or ' '.
type marked struct {
	Mark byte
	Text string
}

// maxDiffLines bounds what is compared line by line. The library numbers the different lines with runes, of which there are about 1.1 million; a report is
// unreadable long before.
const maxDiffLines = 50_000

// differingLines compares two texts line by line. Of texts that are too long it tells the numbers of lines.
func differingLines(before, after string) (out []marked) {
	if was, is := strings.Count(before, "\n"), strings.Count(after, "\n"); was+is > maxDiffLines {
		return []marked{{'-', phrase.Some(was, "line") + ", too many to show line by line"}, {'+', phrase.Some(is, "line")}}
	}
	matcher := diffmatchpatch.New()
	matcher.DiffTimeout = 0 // the default gives up after a second, differently each time
	a, b, lines := matcher.DiffLinesToRunes(before, after)
	for _, d := range matcher.DiffCharsToLines(matcher.DiffMainRunes(a, b, false), lines) {
		for text := range strings.Lines(d.Text) {
			out = append(out, marked{diffMarks[d.Type], strings.TrimSuffix(text, "\n")})
		}
	}
	return out
}

var diffMarks = map[diffmatchpatch.Operation]byte{
	diffmatchpatch.DiffDelete: '-', diffmatchpatch.DiffInsert: '+', diffmatchpatch.DiffEqual: ' ',
}

// FileDiff is the difference of two rule files in the form of a diff, each place with its line in the second file.
func FileDiff(before, after string) string {
	const contextLines = 3 // that are shown around a difference
	lines := differingLines(before, after)
	near := make([]bool, len(lines)) // what is shown
	for i, l := range lines {
		for at := max(0, i-contextLines); l.Mark != ' ' && at < min(len(lines), i+contextLines+1); at++ {
			near[at] = true
		}
	}
	var out strings.Builder
	number := 1
	for i, l := range lines {
		if near[i] && (i == 0 || !near[i-1]) {
			fmt.Fprintf(&out, "@@ line %d @@\n", number)
		}
		if near[i] {
			fmt.Fprintf(&out, "%c%s\n", l.Mark, l.Text)
		}
		if l.Mark != '-' {
			number++
		}
	}
	return out.String()
}
