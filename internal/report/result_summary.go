package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// sumLine is "1 error, 0 warnings, 21 checks passed".
func sumLine(r *indexed) line {
	s := r.Summary
	var l line
	if r.Verdict == "incomplete" {
		l = in(bad, "could not check").and(": " + phrase.Some(len(r.Problems), "problem") + "; ")
	}
	if s.Errors+s.Warnings+s.Infos+s.Waived == 0 && r.Verdict == "pass" {
		return l.in(good, "all "+phrase.Some(s.Checks, "check")+" passed")
	}
	l = l.in(voiceOf(s.Errors, bad), phrase.Some(s.Errors, "error"))
	l = l.and(", ").in(voiceOf(s.Warnings, warn), phrase.Some(s.Warnings, "warning"))
	if s.Infos > 0 {
		l = l.and(", " + phrase.Some(s.Infos, "info"))
	}
	if s.Waived > 0 {
		l = l.and(", " + phrase.Number(float64(s.Waived)) + " waived")
	}
	return l.and(", " + phrase.Some(max(0, s.Checks-len(r.Findings)), "check") + " passed")
}

func voiceOf(n int, v voice) voice {
	if n > 0 {
		return v
	}
	return plain
}

// notCovered lists what found no input of its kind, each sentence once with the targets that it holds for.
func notCovered(r *indexed) []line {
	type gap struct{ what, target string }
	var gaps []gap
	for i := range r.Targets {
		for _, what := range r.Targets[i].NotCovered {
			gaps = append(gaps, gap{what, r.Targets[i].Name})
		}
	}
	return phrase.Map(phrase.Group(gaps, func(g gap) string { return g.what }), func(same []gap) line {
		l := say(same[0].what)
		if len(r.Targets) > 1 && len(same) < len(r.Targets) {
			l = l.and(" in ").in(name, strings.Join(phrase.Map(same, func(g gap) string { return g.target }), ", "))
		}
		return l
	})
}

// maxProblems bounds the problems of one target that are shown.
const maxProblems = 25

// problemSections say what could not be checked, target by target.
func problemSections(r *indexed) []block {
	var out []block
	for _, problems := range phrase.Group(each(r.Problems, func(p *result.Problem) *result.Problem { return p }), func(p *result.Problem) string { return p.Target }) {
		title := in(bad, "could not check").with(" ", in(name, problems[0].Target))
		out = append(out, section{Title: title, Blocks: problemBlocks(problems)})
	}
	return out
}

func problemBlocks(problems []*result.Problem) []block {
	var blocks []block
	for i, p := range problems {
		if i == maxProblems {
			return append(blocks, para{say("… " + phrase.Some(len(problems)-i, "more problem"))})
		}
		blocks = append(blocks, list{problemLines(p)})
	}
	return blocks
}

// problemLines are the file with the reason, and what to do.
func problemLines(p *result.Problem) []line {
	message := strings.TrimPrefix(strings.TrimPrefix(p.Message, p.File), ": ")
	var what line
	if p.File != "" {
		what = in(name, p.File).and(": ")
	}
	lines := []line{what.and(message)}
	if p.Fix != "" {
		lines = append(lines, in(dim, "fix: ").and(p.Fix))
	}
	return lines
}

// notes are improvements and other things worth knowing.
func notes(r *indexed) []line {
	var lines []line
	for i := range r.Notes {
		n := &r.Notes[i]
		kind := noteKinds[n.Kind]
		l := in(kind.voice, cmp.Or(kind.word, n.Kind)).and("  ")
		if n.Target != "" && len(r.Targets) > 1 {
			l = l.in(name, n.Target).and(" ")
		}
		if n.Program != "" {
			l = l.in(name, n.Program).and("  ")
		}
		l = l.and(n.Message)
		if n.Fix != "" {
			l = l.in(dim, "   "+cmp.Or(kind.fix, "to keep it")+": ").in(name, n.Fix)
		}
		lines = append(lines, l)
	}
	return lines
}

// noteKinds has the kinds of notes that are not called what they are, or whose command does something else than keeping.
var noteKinds = map[string]struct {
	voice     voice
	word, fix string // fix says what the command behind a note does
}{
	"better":   {good, "better than the baseline", "to keep it"},
	"lost":     {bad, "lost again", ""},
	"slack":    {plain, "slack", "to lower it"},
	"upgrade":  {plain, "upgrade", "to accept the dump for the new toolchain"},
	"headroom": {plain, "headroom", "history"},
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

// indexed is a result with its findings indexed by change.
type indexed struct {
	*result.Result
	findings map[string][]*result.Finding // by the change's id
	movers   map[mover]int                // how many changes of a program moved a fact
	doc      func(rule string) result.RuleDoc
}

type mover struct {
	target, program string
	fact            facts.ID
}

func index(r *result.Result) *indexed {
	out := &indexed{Result: r, findings: make(map[string][]*result.Finding, len(r.Changes)), movers: map[mover]int{}}
	for i := range r.Changes {
		for _, e := range r.Changes[i].Effects {
			out.movers[mover{r.Changes[i].Target, r.Changes[i].Program, e.Fact}]++
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.findings[f.Change] = append(out.findings[f.Change], f)
	}
	return out
}

// brokenBy lists the findings of a change that count: those that were waived only where all of them were.
func (r *indexed) brokenBy(c *result.Change) []*result.Finding {
	return slices.DeleteFunc(slices.Clone(r.findings[c.ID]), func(f *result.Finding) bool { return f.Waived && !c.Waived })
}

// waived lists the waived changes.
func (r *indexed) waived() []*result.Change {
	return phrase.Pick(r.Changes, func(c *result.Change) bool { return c.Waived })
}

// others returns the changes that no finding belongs to. Next to an error they are noise, but for those that cost something too: a limit is put
// down to the change that costs most.
func (r *indexed) others() []*result.Change {
	broken := r.Broken()
	return phrase.Pick(r.Changes, func(c *result.Change) bool {
		costly := c.Level == "info" && c.Price.StepNS > c.Price.StepWasNS/1000 && c.Price.StepWasNS > 0 // more than a stopwatch overlooks
		return !c.Waived && len(c.Findings) == 0 && (costly || !slices.ContainsFunc(c.Programs(), func(name string) bool { return broken(c.Target, name) }))
	})
}
