package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/words"
)

// detail says how much of a result a page holds.
type detail struct {
	errors, warnings int  // rows of the table of findings
	evidence         bool // the lines behind each finding
	targets          bool // what was looked at, with the facts that changed
	waived           bool
	facts            bool // every fact of every program
}

var everything = detail{errors: 1000, warnings: 1000, evidence: true, targets: true, waived: true}

// shorter are the details that are left out, one after the other, until a page fits: what helps least to decide goes first.
var shorter = []func(*detail){
	func(d *detail) { d.evidence = false },
	func(d *detail) { d.targets = false },
	func(d *detail) { d.waived = false },
	func(d *detail) { d.warnings = 20 },
	func(d *detail) { d.errors = 40 },
	func(d *detail) { d.warnings = 5 },
	func(d *detail) { d.errors = 10 },
	func(d *detail) { d.errors, d.warnings = 3, 0 },
}

// resultMarkdown renders a result for a step summary or a comment, not longer than Options.MaxBytes.
func resultMarkdown(w io.Writer, r *result.Result, o Options) error {
	d := everything
	text := markdownOf(resultPage(r, d))
	for _, drop := range shorter {
		if o.MaxBytes == 0 || len(text) <= o.MaxBytes {
			break
		}
		drop(&d)
		text = markdownOf(resultPage(r, d))
	}
	if o.MaxBytes > 0 && len(text) > o.MaxBytes {
		text = markdownOf(page{Title: resultTitle(r), Blocks: []block{para{say("The findings are too long to show here; see the full report.")}}})
	}
	_, err := io.WriteString(w, text)
	return err
}

// resultPage is a result as a page: the verdict, the findings in one table, what to do, and the rest folded.
func resultPage(r *result.Result, d detail) page {
	p := page{Title: resultTitle(r)}
	live, _ := split(r)
	p.add(verdictBlocks(r, live, d)...)
	p.add(acceptBlocks(live, acceptCommand(live))...)
	p.add(restBlocks(r, d)...)
	return p
}

// verdictBlocks say why the verdict is what it is.
func verdictBlocks(r *result.Result, live []*result.Finding, d detail) []block {
	var s section
	for _, problem := range problemSections(r) {
		s.add(problem)
	}
	s.add(findingsTable(r, live, d), leftOut(live, d))
	return s.Blocks
}

// restBlocks are what lies behind a verdict, folded for the most part.
func restBlocks(r *result.Result, d detail) []block {
	var s section
	live, waived := split(r)
	s.add(filledSection(say("Worth knowing"), list{notes(r)}))
	if d.evidence {
		shown := map[string]bool{}
		for _, f := range live[:min(len(live), maxFindings)] {
			if key := reasons(f); !shown[key] {
				shown[key] = true
				s.add(evidenceFold(r, f))
			}
		}
	}
	if d.waived && len(waived) > 0 {
		s.add(waivedFold(r, waived))
	}
	if d.targets {
		s.add(lookedAtFold(r))
	} else {
		s.add(para{say(lookedAt(r) + ".")})
	}
	if d.facts {
		s.add(factSections(r)...)
	}
	return s.Blocks
}

// resultTitle is "xlagate: 2 failures, 1 warning in 14 targets".
func resultTitle(r *result.Result) line {
	s := r.Summary
	where := " in " + words.Some(max(s.Targets, len(r.Targets)), "target")
	var parts []string
	if n := len(r.Problems); n > 0 {
		parts = append(parts, "could not look ("+words.Some(n, "problem")+")")
	}
	if s.Errors > 0 {
		parts = append(parts, words.Some(s.Errors, "error"))
	}
	if s.Warnings > 0 {
		parts = append(parts, words.Some(s.Warnings, "warning"))
	}
	if s.Infos > 0 {
		parts = append(parts, words.Some(s.Infos, "info"))
	}
	if len(parts) == 0 {
		return say("✅ xlagate: all clear" + where + ", " + words.Some(s.Checks, "check") + ", " + measure.Number(float64(s.Waived)) + " waived")
	}
	return say(verdictMark(r) + " xlagate: " + strings.Join(parts, ", ") + where)
}

func verdictMark(r *result.Result) string {
	switch r.Verdict {
	case "pass":
		return "✅"
	case "fail":
		return "❌"
	}
	return "⛔"
}

var levelMarks = map[string]string{"error": "❌ error", "warning": "⚠️ warning", "info": "ℹ️ info"}

func findingsTable(r *result.Result, live []*result.Finding, d detail) table {
	t := table{
		Head:  []string{"", "program", "rule", "base", "now", "limit", "why"},
		Right: []bool{false, false, false, true, true, true, false},
	}
	shown := map[string]int{}
	for _, f := range live {
		if shown[f.Level]++; shown[f.Level] <= d.most(f.Level) {
			t.Rows = append(t.Rows, findingRow(r, f))
		}
	}
	return t
}

func (d detail) most(level string) int {
	if level == "error" {
		return d.errors
	}
	return d.warnings
}

func findingRow(r *result.Result, f *result.Finding) []line {
	rule := in(name, f.Rule)
	if f.Name != "" && f.Name != f.Rule {
		rule = rule.and(" ").and(f.Name)
	}
	mark := levelMarks[f.Level]
	if mark == "" {
		mark = f.Level
	}
	actual, limit := amounts(f)
	return []line{
		say(mark), in(name, subject(r, f)), rule, say(amount(f.Baseline, f.Unit)), in(strong, actual), say(limit), why(f),
	}
}

// amounts writes what there is and what was allowed so that they can be told apart.
func amounts(f *result.Finding) (actual, limit string) {
	a, isNumber := f.Actual.(float64)
	l, isBounded := f.Limit.(float64)
	if isNumber && isBounded {
		return measure.Apart(a, l, f.Unit)
	}
	return amount(f.Actual, f.Unit), amount(f.Limit, f.Unit)
}

// why is the message with the place in the model.
func why(f *result.Finding) line {
	l := say(cut(clean(f.Message), maxWhy))
	if f.Cause != nil && f.Cause.Source.File != "" {
		l = l.and(", from ").in(name, shortPlace(f.Cause.Source))
	} else if f.Cause != nil && f.Cause.OpName != "" {
		l = l.and(", at ").in(name, f.Cause.OpName)
	}
	if n := len(f.Consequences); n > 0 {
		l = l.and(" (" + words.Some(n, "consequence") + ")")
	}
	return l
}

// maxWhy bounds a message inside a table.
const maxWhy = 320

// leftOut counts the findings that the table does not hold.
func leftOut(live []*result.Finding, d detail) para {
	more := map[string]int{}
	for _, f := range live {
		more[f.Level]++
	}
	var parts []string
	for _, level := range []string{"error", "warning", "info"} {
		if n := more[level] - d.most(level); n > 0 {
			parts = append(parts, words.Some(n, "more "+level))
		}
	}
	switch {
	case !d.evidence:
		parts = append(parts, "the lines behind each finding")
	case len(live) > maxFindings:
		parts = append(parts, "the lines behind "+words.Some(len(live)-maxFindings, "finding"))
	}
	if len(parts) == 0 {
		return para{}
	}
	return para{say("Not shown here: " + strings.Join(parts, ", ") + ". The full report has them.")}
}

// maxAccepted bounds the ids on one command line.
const maxAccepted = 50

// acceptCommand is the line that accepts what the table shows; "" where there is nothing to accept.
func acceptCommand(live []*result.Finding) string {
	var ids []string
	for _, f := range live {
		if acceptable(f) {
			ids = append(ids, f.ID)
		}
	}
	switch {
	case len(ids) == 0:
		return ""
	case len(ids) > maxAccepted:
		return `xlagate accept --reason "…"`
	}
	return fmt.Sprintf("xlagate accept --only %s --reason \"…\"", strings.Join(ids, ","))
}

func acceptable(f *result.Finding) bool {
	return f.Level != "info" && strings.HasPrefix(f.Mend, "xlagate accept")
}

// acceptBlocks show how the findings are accepted, and what that does not settle.
func acceptBlocks(live []*result.Finding, commands string) []block {
	if commands == "" {
		return nil
	}
	blocks := []block{para{in(strong, "If this is intended").and(" (records only these, and asks for a reason):")}, code{Text: commands}}
	var places []string
	for _, f := range live {
		if acceptable(f) {
			places = append(places, f.Asked()...)
		}
	}
	if len(places) == 0 {
		return blocks
	}
	slices.Sort(places)
	places = slices.Compact(places)
	rest := say("Accepting does not settle all of it; change the rule at ")
	for i, place := range places[:min(len(places), maxFindings)] {
		if i > 0 {
			rest = rest.and(", ")
		}
		rest = rest.in(name, cut(clean(place), maxName))
	}
	if len(places) > maxFindings {
		rest = rest.and(", …")
	}
	return append(blocks, para{rest})
}

// evidenceFold is what lies behind one finding.
func evidenceFold(r *result.Result, f *result.Finding) section {
	s := section{Fold: true, Title: say("What changed: ").in(name, f.Rule).and(" in ").in(name, subject(r, f)).and(" ").in(name, f.ID)}
	if f.Reason != "" {
		s.add(para{say("The rule is there because: ").and(f.Reason)})
	}
	s.add(list{append(causeLines(f), consequenceLines(f)...)})
	s.add(evidence(f))
	if len(s.Blocks) == 0 {
		return section{}
	}
	return s
}

func consequenceLines(f *result.Finding) []line {
	var lines []line
	for _, c := range f.Consequences {
		lines = append(lines, say("follows from it: ").in(name, c.Rule).and(" "+c.Message))
	}
	return lines
}

func waivedFold(r *result.Result, waived []*result.Finding) section {
	var lines []line
	for _, f := range waived {
		l := in(name, f.Rule).and(" in ").in(name, subject(r, f)).and(": ").and(f.Message)
		if f.Waiver != nil {
			l = l.and(" (waived: ").and(waiver(f.Waiver)).and(")")
		}
		lines = append(lines, l)
	}
	return section{Fold: true, Title: say("Waived: " + words.Some(len(waived), "finding")), Blocks: []block{list{lines}}}
}

func lookedAt(r *result.Result) string {
	return fmt.Sprintf("Looked at: %s, %s, %s", words.Some(len(r.Targets), "target"), words.Some(r.Summary.Programs, "program"), words.Some(r.Summary.Checks, "check"))
}

// lookedAtFold says what was looked at, and what was not covered.
func lookedAtFold(r *result.Result) section {
	title := lookedAt(r)
	missing := notCovered(r)
	if len(missing) > 0 {
		title += "; not covered: " + measure.Number(float64(len(missing)))
	}
	s := section{Fold: true, Title: say(title)}
	for i := range r.Targets {
		t := &r.Targets[i]
		lines := []line{headline(t)}
		for _, row := range programRows(r, t) {
			lines = append(lines, rowLine(row))
		}
		s.add(list{lines})
	}
	if len(missing) > 0 {
		s.add(para{say("Not covered: ").with("", joinLines(missing, "; "))})
	}
	return s
}

// rowLine writes the filled cells of a row one after the other.
func rowLine(row []line) line {
	var out line
	for i, cell := range row {
		if cell.width() == 0 {
			continue
		}
		if i == 1 {
			out = out.with(": ", cell)
		} else {
			out = out.with(", ", cell)
		}
	}
	return out
}
