package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// detail says how much of a result a page shows.
type detail struct {
	errors, warnings int  // rows of the table of changes
	evidence         bool // the lines behind each change
	targets          bool // what was checked, with the facts that changed
	short            bool // the changes that need no decision
}

var everything = detail{errors: 1000, warnings: 1000, evidence: true, targets: true, short: true}

// shorter leaves out details one after the other until a page fits, the least useful for a decision first.
var shorter = []func(*detail){
	func(d *detail) { d.evidence = false },
	func(d *detail) { d.targets = false },
	func(d *detail) { d.short = false },
	func(d *detail) { d.warnings = 20 },
	func(d *detail) { d.errors = 40 },
	func(d *detail) { d.warnings = 5 },
	func(d *detail) { d.errors = 10 },
	func(d *detail) { d.errors, d.warnings = 3, 0 },
}

// maxChanges bounds the changes that are shown in full.
const maxChanges = 100

// resultText renders a result to be read on a terminal: what was checked, what was found, what could not be checked, the sum.
func resultText(r *indexed, o Options) string {
	var p page
	live := r.Open()
	for i := range r.Targets {
		t := &r.Targets[i]
		if variantCount(t) == 0 && slices.ContainsFunc(r.Problems, func(p result.Problem) bool { return p.Target == t.Name }) {
			continue // it could not be read, and is listed with the problems only
		}
		p.add(section{Title: headline(t), Blocks: []block{table{Rows: programRows(r, t), Bare: true}}})
	}
	for i, c := range live {
		if i == maxChanges {
			p.add(section{Title: say("… " + phrase.Some(len(live)-i, "more change") + "; -f json lists them all")})
			break
		}
		p.add(changeSection(r, c, o))
	}
	p.add(titled(nil, list{shortLines(r)}))
	if l := notes(r); len(l) > 0 {
		p.add(section{Title: l[0]})
		for _, more := range l[1:] {
			p.add(para{more})
		}
	}
	p.add(problemSections(r)...)
	if r.Policy != nil && !r.Policy.Same() {
		title := say("judged by ").in(name, r.Policy.Base).with(": ", in(warn, standing(r.Result)))
		p.add(section{Title: title, Blocks: policyBlocks(r, everything)})
	}
	p.add(section{Title: sumLine(r)})
	if l := notCovered(r); len(l) > 0 {
		p.add(para{in(dim, "not covered: ").with("", joinLines(l, "; "))})
	}
	return textOf(p, o)
}

// resultMarkdown renders a result as the comment does that knows of no pull request, not longer than Options.MaxBytes.
func resultMarkdown(r *indexed, o Options) string {
	c := Comment{Result: r.Result}
	return within(o.MaxBytes, resultTitle(r), func(d detail) string { return markdownOf(c.page(r, d)) })
}

// within renders as many details as fit into so many bytes, 0 for no bound.
func within(most int, title line, render func(detail) string) string {
	d := everything
	text := render(d)
	for _, drop := range shorter {
		if most == 0 || len(text) <= most {
			return text
		}
		drop(&d)
		text = render(d)
	}
	if most > 0 && len(text) > most {
		return markdownOf(page{Title: title, Blocks: []block{para{say("The changes are too long to show here; see the full report.")}}})
	}
	return text
}

// resultTitle is "xlagate: 2 errors, 1 warning in 3 of 14 targets".
func resultTitle(r *indexed) line {
	s := r.Summary
	targets := max(s.Targets, len(r.Targets))
	where := " in " + phrase.Some(targets, "target")
	touched := map[string]bool{} // by a problem, or a change that was not waived
	for _, p := range r.Problems {
		touched[p.Target] = true
	}
	for _, c := range r.Open() {
		touched[c.Target] = true
	}
	if n := len(touched); n > 0 && n < targets {
		where = fmt.Sprintf(" in %d of %d targets", n, targets)
	}
	problems := ""
	if n := len(r.Problems); n > 0 {
		problems = "could not check (" + phrase.Some(n, "problem") + ")"
	}
	mark, how := cmp.Or(map[string]string{"pass": "✅", "fail": "❌"}[r.Verdict], "⛔"), standing(r.Result)
	if NeedsReview(r.Result) {
		mark = "⚠️"
	}
	said := joinedBy(", ", how, problems, some(s.Errors, "error"), some(s.Warnings, "warning"), some(s.Infos, "info"))
	if said == "" {
		said = "all clear"
		if n := loudNotes(r.Result); n > 0 {
			said = "passes with " + phrase.Some(n, "note")
		}
		where += ", " + phrase.Some(s.Checks, "check") + ", " + phrase.Number(float64(s.Waived)) + " waived"
	}
	return say(mark + " xlagate: " + said + where)
}

// changesTable has a row a change: what was done where, what it adds to a step, and which rules it breaks.
func changesTable(r *indexed, live []*result.Change, d detail) table {
	t := table{
		Head:  []string{"", "program", "what changed", "predicted step", "peak", "breaks"},
		Right: []bool{false, false, false, true, true, false},
	}
	shown := map[string]int{}
	for _, c := range live {
		if shown[c.Level]++; shown[c.Level] > d.most(c.Level) {
			continue
		}
		what := say(cut(clean(c.Title), maxTitle))
		if c.Source.File != "" {
			what = in(name, shortPlace(c.Source)).and(" ").with("", what)
		}
		t.Rows = append(t.Rows, []line{
			say(levels[c.Level].mark), in(name, subjectOf(r, c)), what, say(deltaCell(c.Price.StepNS, c.Price.StepWasNS, "nanoseconds")),
			say(deltaCell(c.Price.PeakBytes, 0, "bytes")), say(cut(clean(strings.Join(phrase.First(ruleNames(r, c), 3), ", ")), maxTitle)),
		})
	}
	return t.filled()
}

func (d detail) most(level string) int {
	if level == "error" {
		return d.errors
	}
	return d.warnings
}

// deltaCell is "+6.6 %" where the whole is known, else "+256 B"; "" where it is nothing, or too little of the whole to be seen.
func deltaCell(delta, whole float64, unit string) string {
	share := growth(delta, whole)
	if delta == 0 || whole > 0 {
		return share
	}
	return signed(delta, unit)
}

// maxTitle bounds a sentence inside a table.
const maxTitle = 320

// leftOut counts the changes that the table does not hold.
func leftOut(live []*result.Change, d detail) para {
	more := map[string]int{}
	for _, c := range live {
		more[c.Level]++
	}
	var parts []string
	for _, level := range []string{"error", "warning", "info"} {
		if n := more[level] - d.most(level); n > 0 {
			parts = append(parts, phrase.Some(n, "more "+level))
		}
	}
	switch {
	case !d.evidence:
		parts = append(parts, "the lines behind each change")
	case len(live) > maxChanges:
		parts = append(parts, "the lines behind "+phrase.Some(len(live)-maxChanges, "change"))
	}
	if len(parts) == 0 {
		return para{}
	}
	return para{say("Not shown here: " + strings.Join(parts, ", ") + ". The full report has them.")}
}

// maxAccepted bounds the ids on one command line.
const maxAccepted = 50

// acceptCommands are the lines that accept what the table shows, one for each rule file.
func acceptCommands(r *indexed, live []*result.Change) (lines []string) {
	ruleFile := func(c *result.Change) string { return strings.Join(r.OptionsOf(c.Target), "\x00") }
	for _, same := range phrase.Group(phrase.Filter(live, r.acceptable), ruleFile) {
		ids := changeIDs(same)
		if len(ids) > maxAccepted {
			ids = nil
		}
		lines = append(lines, result.AcceptCommand(r.OptionsOf(same[0].Target), ids...))
	}
	return lines
}

// acceptable reports whether a reader of the table may have to accept a change.
func (r *indexed) acceptable(c *result.Change) bool {
	return c.Level != "info" && len(r.howToAccept(c)) > 0
}

func changeIDs(list []*result.Change) []string {
	return phrase.Map(list, func(c *result.Change) string { return c.ID })
}

func changeFold(r *indexed, c *result.Change) section {
	title := say("What changed: ")
	if p := shortPlace(c.Source); p != "" {
		title = title.in(name, p).and(" ")
	}
	s := section{Fold: true, Title: title.and("in ").in(name, subjectOf(r, c)).and(" ").in(name, c.ID)}
	s.add(quoted(c), list{slices.Concat(changeLines(r, c), breakLines(r, c), fixLines(r, c))}, evidence(c))
	return s
}

func lookedAt(r *indexed) string {
	return fmt.Sprintf("Looked at: %s, %s, %s", phrase.Some(len(r.Targets), "target"), phrase.Some(r.Summary.Programs, "program"), phrase.Some(r.Summary.Checks, "check"))
}

// lookedAtFold says what was checked, and what was not covered.
func lookedAtFold(r *indexed) section {
	title := lookedAt(r)
	missing := notCovered(r)
	if len(missing) > 0 {
		title += "; not covered: " + phrase.Number(float64(len(missing)))
	}
	s := section{Fold: true, Title: say(title)}
	for i := range r.Targets {
		t := &r.Targets[i]
		lines := []line{headline(t)}
		for _, row := range programRows(r, t) {
			lines = append(lines, row[0].with(": ", joinLines(row[1:], ", ")))
		}
		s.add(list{lines})
	}
	if len(missing) > 0 {
		s.add(para{say("Not covered: ").with("", joinLines(missing, "; "))})
	}
	return s
}
