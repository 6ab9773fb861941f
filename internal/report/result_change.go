package report

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/measure"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/words"
)

// split separates the changes that break a rule from those that were waived. Changes that break nothing are in neither.
func split(r *result.Result) (live, waived []*result.Change) {
	for i := range r.Changes {
		switch c := &r.Changes[i]; {
		case c.Waived:
			waived = append(waived, c)
		case len(c.Findings) > 0:
			live = append(live, c)
		}
	}
	return live, waived
}

// findingsOf lists the findings of a change.
func findingsOf(r *result.Result, c *result.Change) []*result.Finding {
	var list []*result.Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Change == c.ID {
			list = append(list, f)
		}
	}
	return list
}

// changeTitle is "error  train.py:98 in softmax: an optimization barrier is new  3fa91c02b7d1".
func changeTitle(r *result.Result, c *result.Change) line {
	l := in(levelVoice(c), levelWord(c)).and("  ")
	if about := subject(r, c.Target, c.Program); about != "" {
		l = l.in(name, about).and("  ")
	}
	return l.with("", headlineOf(c)).and("  ").in(dim, c.ID)
}

// headlineOf is the place of a change and what was done there.
func headlineOf(c *result.Change) line {
	var l line
	if p := place(c.Source); p != "" {
		l = in(strong, p)
		if c.Source.Function != "" {
			l = l.and(" in ").in(name, c.Source.Function)
		}
		l = l.and(": ")
	}
	return l.and(c.Title)
}

func levelWord(c *result.Change) string {
	if c.Waived {
		return "waived"
	}
	return c.Level
}

func levelVoice(c *result.Change) voice {
	switch {
	case c.Waived:
		return dim
	case c.Level == "error":
		return bad
	case c.Level == "warning":
		return warn
	case c.Level == "better":
		return good
	}
	return plain
}

// subject is the program, behind its target where there are several.
func subject(r *result.Result, target, program string) string {
	if len(r.Targets) > 1 {
		return strings.TrimSuffix(target+"/"+program, "/")
	}
	if program == "" {
		return target
	}
	return program
}

// changeSection is a change in full, as the text format and `explain` show it.
func changeSection(r *result.Result, c *result.Change) section {
	s := section{Title: changeTitle(r, c)}
	s.add(quoted(c), list{changeLines(r, c)}, section{Blocks: []block{evidence(c)}}, list{breakLines(findingsOf(r, c))}, para{howToAccept(c)})
	return s
}

// quoted is the line of the model, with its number.
func quoted(c *result.Change) block {
	if c.Source.Text == "" {
		return para{}
	}
	return code{Language: "python", Text: fmt.Sprintf("%5d | %s", c.Source.Line, c.Source.Text)}
}

// changeLines say what a change costs, what moved with it, and what else is known.
func changeLines(r *result.Result, c *result.Change) []line {
	var lines []line
	if p := priceLine(c); len(p) > 0 {
		lines = append(lines, p)
	}
	for _, d := range c.Details {
		lines = append(lines, say(d))
	}
	if c.OpName != "" {
		lines = append(lines, in(name, c.OpName))
	}
	if v := variantLine(r, c); len(v) > 0 {
		lines = append(lines, v)
	}
	return lines
}

// variantLine names the variants that a change is in, where its program has others.
func variantLine(r *result.Result, c *result.Change) line {
	all := 0
	for i := range r.Targets {
		for j := range r.Targets[i].Programs {
			if p := &r.Targets[i].Programs[j]; r.Targets[i].Name == c.Target && p.Name == c.Program {
				all = len(p.Variants)
			}
		}
	}
	switch n := len(c.Variants); {
	case n == 0 || all < 2 || n == all:
		return nil
	case n == 1:
		return in(dim, "only in ").in(name, shortSignature(c.Variants[0], maxName))
	default:
		return in(dim, fmt.Sprintf("in %d of %d variants", n, all))
	}
}

// priceLine is "+0.8 ms a step; peak +256 B; kernels 482 → 491, fusions 466 → 475".
func priceLine(c *result.Change) line {
	parts := []string{stepText(c), peakText(c), effectsText(c)}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return say(strings.Join(parts, "; "))
}

// stepText is "+800 µs a step (+6.6 %)"; "" where a change has no price.
func stepText(c *result.Change) string {
	ns := c.Price.StepNS
	if ns == 0 {
		return ""
	}
	text := signed(ns, "nanoseconds") + " a step, predicted"
	if was := c.Price.StepWasNS; was > 0 && math.Abs(ns/was) >= 0.0005 {
		text += fmt.Sprintf(" (%+.1f %%)", 100*ns/was)
	}
	return text
}

func peakText(c *result.Change) string {
	if c.Price.PeakBytes == 0 {
		return ""
	}
	return "peak " + signed(c.Price.PeakBytes, "bytes")
}

// signed writes an amount with its sign.
func signed(v float64, unit string) string {
	if v > 0 {
		return "+" + measure.Show(v, unit)
	}
	return "−" + measure.Show(-v, unit)
}

// maxEffects bounds the facts that are named beside a price.
const maxEffects = 4

// effectsText names the facts that moved, the most telling first.
func effectsText(c *result.Change) string {
	var parts []string
	for _, l := range slices.Concat(keyFacts, moreFacts) {
		if at := slices.IndexFunc(c.Effects, func(e result.Effect) bool { return e.Fact == l.fact }); at >= 0 && len(parts) < maxEffects {
			parts = append(parts, l.text+" "+change(l.fact, c.Effects[at].Was, c.Effects[at].Is))
		}
	}
	return strings.Join(parts, ", ")
}

// breakLines name the rules that findings break, those of several variants once.
func breakLines(findings []*result.Finding) []line {
	var lines []line
	for i, f := range findings {
		alike := func(o *result.Finding) bool { return o.Rule == f.Rule && o.Name == f.Name && o.Subject == f.Subject }
		if slices.ContainsFunc(findings[:i], alike) {
			continue
		}
		l := in(dim, "breaks ").in(strong, ruleName(f)).and(": ").and(f.Message)
		if n := len(slices.DeleteFunc(slices.Clone(findings), func(o *result.Finding) bool { return !alike(o) })); n > 1 {
			l = l.and(" (" + measure.Number(float64(n)) + " times)")
		}
		if f.Reason != "" {
			l = l.in(dim, "; the rule is there because: ").and(f.Reason)
		}
		lines = append(lines, l)
	}
	return lines
}

func ruleName(f *result.Finding) string {
	if f.Name != "" && f.Name != f.Rule {
		return f.Rule + " (" + f.Name + ")"
	}
	return f.Rule
}

// ruleNames lists the rules that a change breaks, each once.
func ruleNames(r *result.Result, c *result.Change) []string {
	var names []string
	for _, f := range findingsOf(r, c) {
		if !slices.Contains(names, ruleName(f)) {
			names = append(names, ruleName(f))
		}
	}
	return names
}

// place is "file.py:12"; "" when no file is known.
func place(s result.Source) string {
	if s.File == "" {
		return ""
	}
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// shortPlace is the place with the file's own name alone.
func shortPlace(s result.Source) string {
	if s.File != "" {
		s.File = path.Base(s.File)
	}
	return place(s)
}

// evidence shows the lines before and after, those that are equal once.
func evidence(c *result.Change) listing {
	return lineDiff(c.Evidence.Before, c.Evidence.After)
}

// howToAccept is what to type when a change is intended, and what has to be edited by hand.
func howToAccept(c *result.Change) line {
	if c.Waived && c.Waiver != nil {
		return in(dim, "waived: ").and(waiver(c.Waiver))
	}
	var l line
	if c.Accept != "" {
		l = in(dim, "intended?  ").in(name, c.Accept)
	}
	if len(c.Configured) > 0 {
		l = l.with("  and ", in(dim, "edit ").in(name, strings.Join(words.First(c.Configured, 3), ", ")))
	}
	return l
}

// changeText is a change in plain sentences, as formats without a layout of their own show it.
func changeText(r *result.Result, c *result.Change) string {
	lines := changeLines(r, c)
	for _, l := range listingLines(evidence(c).Lines) {
		lines = append(lines, say(l))
	}
	return linesText(append(append(lines, breakLines(findingsOf(r, c))...), howToAccept(c)))
}

func linesText(lines []line) string {
	var texts []string
	for _, l := range lines {
		if len(l) > 0 {
			texts = append(texts, l.text())
		}
	}
	return strings.Join(texts, "\n")
}

func waiver(w *result.Waiver) string {
	text := w.Reason
	if w.Owner != "" {
		text += ", " + w.Owner
	}
	if w.Expires != "" {
		text += ", until " + w.Expires
	}
	return text
}
