package report

import (
	"cmp"
	"strings"

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
	l = l.in(voiceOf(s.Errors, bad), phrase.Some(s.Errors, "error")).and(", ").in(voiceOf(s.Warnings, warn), phrase.Some(s.Warnings, "warning"))
	l = l.and(prefixed(", ", some(s.Infos, "info")))
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
