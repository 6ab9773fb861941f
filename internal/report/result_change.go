package report

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// headlineOf is the place of a change and what was done there. A function that is called as its program is not named twice.
func headlineOf(c *result.Change) line {
	l := in(strong, cut(clean(place(c.Source)), maxName))
	if len(l) == 0 {
		return say(c.Title)
	}
	if f := c.Source.Function; f != "" && f != c.Program {
		l = l.and(" in ").in(name, f)
	}
	return l.and(": ").and(c.Title)
}

// Headline is "train.py:98 in softmax: a transpose is new".
func Headline(c *result.Change) string { return headlineOf(c).text() }

// level is how formats show the level of a change.
type level struct {
	voice                          voice
	mark, command, severity, sarif string // in a table; of GitHub's runner; of Code Climate; of SARIF
}

// levels has the levels of changes, worst first.
var levels = map[string]level{
	"error":   {bad, "❌ error", "error", "critical", "error"},
	"warning": {warn, "⚠️ warning", "warning", "major", "warning"},
	"info":    {plain, "ℹ️ info", "notice", "info", "note"},
	"better":  {good, "better", "notice", "info", "note"},
}

// subject is the program, behind its target where there are several.
func subject(r *indexed, target, program string) string {
	if len(r.Targets) > 1 {
		return strings.TrimSuffix(target+"/"+programName(program), "/")
	}
	if program == "" {
		return target
	}
	return programName(program)
}

// programName shortens the joint name of many clusters: "cluster_0 + cluster_1 + 7 more".
func programName(program string) string {
	const mark = " + "
	return strings.Join(phrase.Within(strings.Split(program, mark), 3), mark)
}

// subjectOf names the programs that a change is in.
func subjectOf(r *indexed, c *result.Change) string {
	names := []string{subject(r, c.Target, c.Program)}
	return strings.Join(phrase.Within(append(names, c.Programs()[1:]...), 3), ", ")
}

// changeSection is a change in full, as the text format and `explain` show it: "error  train.py:98 in softmax: an optimization barrier is new  3fa91c02b7d1".
func changeSection(r *indexed, c *result.Change, o Options) section {
	lines := evidence(c)
	lines = lines.first(o.shown(len(lines.Lines), maxEvidence))
	s := section{Title: shortLine(r, c).and("  ").in(dim, c.ID)}
	s.add(quoted(c), list{changeLines(r, c)}, list{breakLines(r, c)}, section{Blocks: []block{lines}}, list{append(fixLines(r, c), r.howToAccept(c)...)})
	return s
}

// quoted is the line of the model, with its number. The operation in it is marked: the last step of an op_name is mostly what the model calls it.
func quoted(c *result.Change) block {
	if c.Source.Text == "" {
		return code{}
	}
	text := cut(clean(c.Source.Text), maxSentence)
	quote := fmt.Sprintf("%5d | %s", c.Source.Line, text)
	step := c.OpName[strings.LastIndexByte(c.OpName, '/')+1:]
	if at := strings.Index(text, step); step != "" && at >= 0 && (at == 0 || !isWord(text[at-1])) {
		quote += fmt.Sprintf("\n%5s | %s%s", "", strings.Repeat(" ", cells.StringWidth(text[:at])), strings.Repeat("^", cells.StringWidth(step)))
	}
	return code{Language: "python", Text: quote}
}

// changeLines say what a change costs, what else was done, and where. The first is "predicted step +800 µs (+6.6 %); peak +256 B; kernels 482 → 491".
func changeLines(r *indexed, c *result.Change) []line {
	var lines []line
	if price := joined(stepText(c.Price), peakText(c.Price), some(c.Price.Compilations, "more compilation"), effectsText(r, c)); price != "" {
		lines = append(lines, say(price))
	}
	costs := func(o result.Other) string {
		return joined(stepText(o.Price), peakText(o.Price), some(o.Price.Compilations, "more compilation"))
	}
	for _, same := range phrase.Group(c.Others, costs) {
		if cost := costs(same[0]); cost != "" {
			programs := phrase.Map(same, func(o result.Other) string { return programName(o.Program) })
			lines = append(lines, in(dim, "in ").in(name, strings.Join(phrase.Within(programs, 3), ", ")).and(": ").and(cost))
		}
	}
	lines = append(lines, phrase.Map(c.Details, say)...)
	shown := func(l string) bool { return strings.Contains(l, c.OpName) }
	if c.OpName != "" && !slices.ContainsFunc(slices.Concat(c.Evidence.Before, c.Evidence.After), shown) {
		lines = append(lines, in(dim, "first at ").in(name, c.OpName))
	}
	if v := variantLine(r, c); v != nil {
		lines = append(lines, v)
	}
	return lines
}

// variantLine names the variants that a change is in, where its program has others.
func variantLine(r *indexed, c *result.Change) line {
	var all []result.Variant
	for i := range r.Targets {
		for _, p := range r.Targets[i].Programs {
			if r.Targets[i].Name == c.Target && p.Name == c.Program {
				all = p.Variants
			}
		}
	}
	switch n := len(phrase.Filter(all, func(v result.Variant) bool { return slices.Contains(c.Variants, v.Signature) })); {
	case n == 0 || len(all) < 2 || n == len(all):
		return nil
	case n == 1:
		at := slices.IndexFunc(all, func(v result.Variant) bool { return slices.Contains(c.Variants, v.Signature) })
		return in(dim, "only in ").in(name, variantNames(all, maxSignature)[at])
	default:
		return in(dim, fmt.Sprintf("in %d of %d variants", n, len(all)))
	}
}

// stepText is "predicted step +800 µs (+6.6 %)"; "" where a change has no price, or one of less than a nanosecond or too little of the step to be seen.
func stepText(p result.Price) string {
	ns := p.StepNS
	share := growth(ns, p.StepWasNS)
	if math.Abs(ns) < 0.5 || p.StepWasNS > 0 && share == "" {
		return ""
	}
	text := "predicted step " + signed(ns, "nanoseconds")
	if share == "" {
		return text
	}
	if low, high := between(p); low != high {
		return text + ", " + share + " (" + low + " … " + high + ")"
	}
	return text + " (" + share + ")"
}

// between are the ends of a price in the unit of its middle: "+2", "+7 %" as shares of the step, or "× 1.2", "× 13".
func between(p result.Price) (low, high string) {
	if p.StepNS >= manyTimes*p.StepWasNS {
		return times(p.LowNS, p.StepWasNS), times(p.HighNS, p.StepWasNS)
	}
	end := func(ns float64) string {
		share := math.Round(100 * ns / p.StepWasNS)
		switch {
		case share < 0:
			return "−" + phrase.Number(-share)
		case share > 0:
			return "+" + phrase.Number(share)
		}
		return "0"
	}
	low, high = end(p.LowNS), end(p.HighNS)
	if low == high {
		return low, high
	}
	return low, high + " %"
}

// manyTimes is from where growth is written as a factor.
const manyTimes = 9

// times is "× 1.2" or "× 13": how often the whole fits into what it grew to.
func times(delta, whole float64) string {
	factor := 1 + delta/whole
	if factor < 9.95 {
		return fmt.Sprintf("× %.1f", factor)
	}
	return "× " + phrase.Number(math.Round(factor))
}

func peakText(p result.Price) string {
	if p.PeakBytes == 0 {
		return ""
	}
	return "peak " + signed(p.PeakBytes, "bytes")
}

// signed writes an amount with its sign.
func signed(v float64, unit string) string {
	if v > 0 {
		return "+" + phrase.Show(v, unit)
	}
	return "−" + phrase.Show(-v, unit)
}

// growth is "+6.6 %", "+190 %" or "× 12"; "" where there is no whole, or too little of it to be seen.
func growth(delta, whole float64) string {
	if whole <= 0 || math.Abs(delta/whole) < 0.0005 {
		return ""
	}
	share, digits, sign := 100*math.Abs(delta)/whole, 1, "+"
	switch {
	case delta >= manyTimes*whole:
		return times(delta, whole)
	case share >= 100:
		digits = 0
	}
	if delta < 0 {
		sign = "−"
	}
	return fmt.Sprintf("%s%.*f %%", sign, digits, share)
}

// effectsText names the facts that moved, the most telling first. Of a fact that other changes of the program moved too, it says by how much: the
// numbers before and after this change alone are no numbers of the program.
func effectsText(r *indexed, c *result.Change) string {
	const maxEffects = 4 // facts that are named beside a price
	var parts []string
	was, is := facts.Values{}, facts.Values{} // where no launches moved, none are known
	for _, e := range c.Effects {
		was[e.Fact], is[e.Fact] = e.Was, e.Is
	}
	for _, l := range slices.Concat(keyFacts, collectiveFacts(c.Effects), moreFacts) {
		if l.fact == facts.MemoryPeak && c.Price.PeakBytes != 0 || l.fact == facts.KernelsWeighted && !hasLaunches(was, is) {
			continue // it is part of the price, or said by the kernels
		}
		at := slices.IndexFunc(c.Effects, func(e result.Effect) bool { return e.Fact == l.fact })
		if at < 0 || len(parts) == maxEffects {
			continue
		}
		switch e := c.Effects[at]; {
		case negligible(e.Fact, e.Was, e.Is):
		case r.movers[mover{c.Target, c.Program, e.Fact}] > 1:
			parts = append(parts, l.text+" "+signed(e.Is-e.Was, unitOf(e.Fact)))
		default:
			parts = append(parts, l.text+" "+change(e.Fact, e.Was, e.Is))
		}
	}
	return strings.Join(parts, ", ")
}

// collectiveFacts are the facts of collectives that moved: how many there are of a kind; the bytes of a kind only where their number is the same.
func collectiveFacts(effects []result.Effect) []label {
	counted := map[string]bool{}
	for _, e := range effects {
		if opcode, ok := facts.CollectiveCount.Member(e.Fact); ok {
			counted[opcode] = true
		}
	}
	var list []label
	for _, e := range effects {
		opcode, sized := facts.CollectiveBytes.Member(e.Fact)
		if _, ok := facts.CollectiveCount.Member(e.Fact); ok || sized && !counted[opcode] {
			list = append(list, label{e.Fact, factLabel(e.Fact)})
		}
	}
	return list
}

// breakLines name the rules that a change breaks; the same in several variants is one line, and so is the same in several of its other programs.
func breakLines(r *indexed, c *result.Change) []line {
	const maxBroken = 50 // findings of one change that are shown
	type broken struct {
		program, rule, name, subject string
		waived                       bool
	}
	groups := phrase.Group(ownFirst(r.findings[c.ID], c.Program), func(f *result.Finding) broken { return broken{f.Program, f.Rule, f.Name, f.Subject, f.Waived} })
	isOther := func(f *result.Finding) bool { return len(c.Others) > 0 && f.Program != c.Program && f.Program != "" }
	alike := phrase.Group(groups, func(same []*result.Finding) broken {
		f := same[0]
		program, text := f.Program, breakText(c, same).text()
		if isOther(f) {
			program = "\x00" // of no program, and told together with the same of others
		} else {
			text = f.Subject + text
		}
		return broken{program, f.Rule, f.Name, text, f.Waived}
	})
	var lines []line
	for _, groups := range alike[:min(len(alike), maxBroken)] {
		same := groups[0]
		l := in(dim, "breaks ").in(strong, ruleName(same[0]))
		if isOther(same[0]) {
			byProgram := phrase.Group(groups, func(same []*result.Finding) string { return programName(same[0].Program) })
			programs := phrase.Map(byProgram, func(of [][]*result.Finding) string { return programName(of[0][0].Program) })
			l = l.and(" in ").in(name, strings.Join(phrase.Within(programs, 3), ", "))
		}
		lines = append(lines, l.with("", breakText(c, same)))
	}
	if more := len(alike) - len(lines); more > 0 {
		lines = append(lines, in(dim, "… "+phrase.Some(more, "more finding")))
	}
	return lines
}

// breakText is what the findings of one rule say in the variants of one program.
func breakText(c *result.Change, same []*result.Finding) line {
	var l line
	f := same[0]
	if f.Message != c.Title { // which stands above
		l = l.and(": ").and(f.Message)
	}
	alike := len(slices.DeleteFunc(slices.Clone(same), func(o *result.Finding) bool { return o.Message != f.Message }))
	if alike > 1 {
		l = l.and("; the same in " + phrase.Some(alike-1, "other variant"))
	}
	if n := len(same) - alike; n > 0 {
		l = l.and("; with other numbers in " + phrase.Some(n, "other variant"))
	}
	if f.Reason != "" {
		l = l.in(dim, "; the reason for the rule: ").and(f.Reason)
	}
	if f.Waived && f.Waiver != nil && !c.Waived {
		l = l.in(dim, "; waived: ").and(waiver(f.Waiver))
	}
	return l
}

// ownFirst puts the findings of a program before those of others.
func ownFirst(list []*result.Finding, program string) []*result.Finding {
	own := func(f *result.Finding) bool { return f.Program == program }
	return append(phrase.Filter(list, own), slices.DeleteFunc(slices.Clone(list), own)...)
}

func ruleName(f *result.Finding) string {
	if f.Name != "" && f.Name != f.Rule {
		return f.Rule + " (" + f.Name + ")"
	}
	return f.Rule
}

// ruleNames lists the rules that a change breaks, each once.
func ruleNames(r *indexed, c *result.Change) []string {
	return phrase.Map(phrase.Group(r.brokenBy(c), ruleName), func(same []*result.Finding) string { return ruleName(same[0]) })
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

// maxEvidence bounds the lines of either side that a terminal shows of a change; Markdown and JSON have more.
const maxEvidence = 5

// first leaves so many lines of each mark, and says how many more there are.
func (l listing) first(most int) listing {
	var out listing
	count := map[byte]int{}
	for _, line := range l.Lines {
		if count[line.Mark]++; count[line.Mark] <= most {
			out.Lines = append(out.Lines, line)
		}
	}
	for _, mark := range []byte("-+") {
		if more := count[mark] - most; more > 0 {
			out.Lines = append(out.Lines, listed{mark, []string{"… " + phrase.Some(more, "more line")}})
		}
	}
	return out
}

// evidence shows the lines before and after, those that are equal once.
func evidence(c *result.Change) listing {
	lines := differingLines(oneAline(c.Evidence.Before), oneAline(c.Evidence.After))
	return listing{phrase.Map(lines, func(l marked) listed { return listed{l.Mark, splitCells(l.Text)} })}
}

// ruleOf is the rule against a kind of change.
var ruleOf = map[string]string{
	changes.KindArguments: "no-recompilation", changes.KindDonation: "donation-kept", changes.KindConstants: "max-constant-bytes", changes.KindResults: "results-kept",
	changes.KindFlags: "flags", changes.KindToolchain: "toolchain",
}

// fix is how the rule that a change breaks is met again; "" where no rule says it.
func (r *indexed) fix(c *result.Change) string {
	broken := ownFirst(r.brokenBy(c), c.Program)
	if len(broken) == 0 || c.Waived || r.doc == nil {
		return ""
	}
	fix := r.doc(mostTelling(c, broken).Rule).Fix
	if !strings.Contains(fix, " DUMP") {
		return fix
	}
	at := slices.IndexFunc(r.Targets, func(t result.Target) bool { return t.Name == c.Target })
	if at < 0 || !pasteable.MatchString(r.Targets[at].Dump) {
		return fix
	}
	return strings.ReplaceAll(fix, " DUMP", " "+r.Targets[at].Dump)
}

// mostTelling is the broken rule that says best how a change is undone: the one that found what the title names, else the one against changes of its
// kind, else of its own program a guarantee or the budget of time or memory, whichever grew more. An info says it only where nothing else is broken.
func mostTelling(c *result.Change, broken []*result.Finding) *result.Finding {
	prefer := func(fits func(*result.Finding) bool) bool {
		some := phrase.Filter(broken, fits)
		if len(some) > 0 {
			broken = some
		}
		return len(some) > 0
	}
	first, _, _ := strings.Cut(c.Title, "; ")
	baked := strings.Contains(first, "is baked into the program") // else the limit on constants is broken by the way
	prefer(func(f *result.Finding) bool { return f.Level != "info" })
	named := prefer(func(f *result.Finding) bool {
		return f.Subject != "" && (strings.HasPrefix(c.Title, f.Subject+" ") || strings.Contains(c.Title, "→ "+f.Subject))
	})
	if named || prefer(func(f *result.Finding) bool { return f.Rule == ruleOf[c.Kind] }) {
		return broken[0]
	}
	prefer(func(f *result.Finding) bool { // what XLA did not take is in no program
		return !slices.ContainsFunc(c.Others, func(o result.Other) bool { return o.Program == f.Program })
	})
	if prefer(func(f *result.Finding) bool { return !strings.HasPrefix(f.Rule, "max-") }) {
		return broken[0]
	}
	prefer(func(f *result.Finding) bool { return baked == (f.Rule == ruleOf[changes.KindConstants]) })
	prefer(func(f *result.Finding) bool { return f.Rule == "max-step-time" || f.Rule == "max-peak-bytes" })
	return slices.MaxFunc(broken, func(f, g *result.Finding) int { return cmp.Compare(grown(f), grown(g)) })
}

// grown is by what factor a finding is above what was accepted; 0 if that is not known.
func grown(f *result.Finding) float64 {
	actual, _ := f.Actual.(float64)
	if was, _ := f.Baseline.(float64); was > 0 {
		return actual / was
	}
	return 0
}

// pasteable matches paths that mean themselves in a command line, whoever chose them.
var pasteable = regexp.MustCompile(`^[a-zA-Z0-9._/][a-zA-Z0-9._/-]*$`)

// fixLines are the fix of a change, and where to read more.
func fixLines(r *indexed, c *result.Change) []line {
	fix := r.fix(c)
	if fix == "" {
		return nil
	}
	return []line{in(dim, "fix: ").and(fix), in(dim, "more: ").in(name, "xlagate explain "+c.ID)}
}

// howToAccept is what to type when a change is intended. Nothing is accepted before everything could be checked.
func (r *indexed) howToAccept(c *result.Change) []line {
	if c.Waived && c.Waiver != nil {
		return []line{in(dim, "waived: ").and(waiver(c.Waiver))}
	}
	if c.Accept == "" || len(r.Problems) > 0 {
		return nil
	}
	return []line{in(dim, "intended?  ").in(name, c.Accept)}
}

// changeText is a change in plain sentences, as formats without a layout of their own show it.
func changeText(r *indexed, c *result.Change) string {
	proof := phrase.Map(listingLines(evidence(c).first(maxEvidence).Lines), say)
	return linesText(slices.Concat(changeLines(r, c), proof, breakLines(r, c), fixLines(r, c), r.howToAccept(c)))
}

func linesText(lines []line) string {
	said := phrase.Filter(lines, func(l line) bool { return len(l) > 0 })
	return strings.Join(phrase.Map(said, line.text), "\n")
}

func waiver(w *result.Waiver) string {
	return w.Reason + prefixed(", ", w.Owner) + prefixed(", until ", w.Expires)
}

// maxUnbroken bounds the changes that break no rule: they need no decision.
const maxUnbroken = 5

// shortLines are the changes that need no decision, a line each: the waived ones, and the first of those that break no rule.
func shortLines(r *indexed) []line {
	var lines []line
	for _, c := range r.waived() {
		l := shortLine(r, c).and("  ")
		if what := joined(stepText(c.Price), peakText(c.Price), prefixed("breaks ", strings.Join(ruleNames(r, c), ", "))); what != "" {
			l = l.and(what + "  ") // without a ceiling, a waiver also covers what comes later
		}
		l = l.in(dim, c.ID)
		if c.Waiver != nil {
			l = l.and("  ").in(dim, waiver(c.Waiver))
		}
		lines = append(lines, l)
	}
	unbroken := r.withoutFindings()
	slices.SortStableFunc(unbroken, func(a, b *result.Change) int { return cmp.Compare(mostMoved(b).step(), mostMoved(a).step()) })
	others := phrase.Map(unbroken, func(c *result.Change) line {
		cost := joined(stepText(c.Price), peakText(c.Price))
		if most := mostMoved(c); most.program != c.Program {
			cost = joined(cost, "in "+programName(most.program)+": "+stepText(most.price))
		}
		return shortLine(r, c).with("  ", in(dim, cost))
	})
	return append(lines, atMost(others, maxUnbroken, "change", " that break no rule")...)
}

// moved is what a change does to the step of a program.
type moved struct {
	program string
	price   result.Price
}

func (m moved) step() float64 { return math.Abs(m.price.StepNS) }

// movesOf lists what a change does to the programs that it is in.
func movesOf(c *result.Change) []moved {
	list := []moved{{c.Program, c.Price}}
	for _, o := range c.Others {
		list = append(list, moved{o.Program, o.Price})
	}
	return list
}

// mostMoved is the program whose step a change moves most.
func mostMoved(c *result.Change) moved {
	return slices.MaxFunc(movesOf(c), func(a, b moved) int { return cmp.Compare(a.step(), b.step()) })
}

// shortLine is "better  train_step  train.py:98: a transpose is gone".
func shortLine(r *indexed, c *result.Change) line {
	l := in(levels[c.Level].voice, c.Level).and("  ")
	if c.Waived {
		l = in(dim, "waived").and("  ")
	}
	programs := 0
	for i := range r.Targets {
		programs += len(r.Targets[i].Programs)
	}
	if about := subjectOf(r, c); about != "" && programs > 1 {
		l = l.in(name, about).and("  ")
	}
	return l.with("", headlineOf(c))
}

// joined are the texts that say something.
func joined(texts ...string) string { return joinedBy("; ", texts...) }

func joinedBy(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), separator)
}

// prefixed is a text behind a prefix; "" where there is none.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// some counts things; "" where there are none.
func some(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return phrase.Some(n, noun)
}
