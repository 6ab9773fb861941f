package report

import (
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// sumLine is "1 error, 0 warnings, 21 checks passed".
func sumLine(r *indexed) line {
	s := r.Summary
	var l line
	if r.Verdict == "incomplete" {
		l = in(bad, "could not look").and(": " + phrase.Some(len(r.Problems), "problem") + "; ")
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
	var order []string
	targets := map[string][]string{}
	for i := range r.Targets {
		t := &r.Targets[i]
		for _, what := range t.NotCovered {
			if targets[what] == nil {
				order = append(order, what)
			}
			targets[what] = append(targets[what], t.Name)
		}
	}
	var lines []line
	for _, what := range order {
		l := say(what)
		if n := len(targets[what]); len(r.Targets) > 1 && n < len(r.Targets) {
			l = l.and(" in ").in(name, strings.Join(targets[what], ", "))
		}
		lines = append(lines, l)
	}
	return lines
}

// maxProblems bounds the problems of one target that are shown.
const maxProblems = 25

// problemSections say what could not be looked at, target by target.
func problemSections(r *indexed) []section {
	var order []string
	byTarget := map[string][]*result.Problem{}
	for i := range r.Problems {
		p := &r.Problems[i]
		if byTarget[p.Target] == nil {
			order = append(order, p.Target)
		}
		byTarget[p.Target] = append(byTarget[p.Target], p)
	}
	var out []section
	for _, target := range order {
		s := section{Title: in(bad, "could not look")}
		if target != "" {
			s.Title = in(bad, "could not look at ").in(name, target)
		}
		s.add(problemBlocks(byTarget[target])...)
		out = append(out, s)
	}
	return out
}

func problemBlocks(problems []*result.Problem) []block {
	var blocks []block
	for i, p := range problems {
		if i == maxProblems {
			return append(blocks, para{say("… and " + phrase.Some(len(problems)-i, "more problem"))})
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
		l := in(noteVoice(n.Kind), noteWord(n.Kind)).and("  ")
		if n.Target != "" && len(r.Targets) > 1 {
			l = l.in(name, n.Target).and(" ")
		}
		if n.Program != "" {
			l = l.in(name, n.Program).and("  ")
		}
		l = l.and(n.Message)
		if n.Fix != "" {
			l = l.in(dim, "   "+noteFix(n.Kind)+": ").in(name, n.Fix)
		}
		lines = append(lines, l)
	}
	return lines
}

func noteVoice(kind string) voice {
	if kind == "better" {
		return good
	}
	return plain
}

// noteFix says what the command behind a note does.
func noteFix(kind string) string {
	if kind == "slack" {
		return "to lower it"
	}
	return "to keep it"
}

func noteWord(kind string) string {
	if kind == "better" {
		return "better than the baseline"
	}
	return kind
}
