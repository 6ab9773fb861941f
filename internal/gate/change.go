package gate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// judgedTarget is a target with the differences that changes are made of.
type judgedTarget struct {
	Name     string
	Programs []*changes.Program
	Dumps    []string                      // the files and folders that the dump is in: an edit of one is no place of a change
	Edits    *git.Edits                    // nil where git does not tell what was edited
	Upgrade  func(*changes.Program) string // how its toolchain differs from the baseline's, "" if it does not; may be nil
	Accepted *baseline.Set                 // its ceilings allow changes; nil without a baseline
	Again    bool                          // it is judged from a result, which does not tell the changes as well: a limit is one finding
}

// judgedFinding is a finding that is assigned to a change.
type judgedFinding struct {
	rule.Finding
	repeats bool           // the same edit breaks the limit in another variant as well
	share   *judgedFinding // the same limit on the step, broken by another change; nil for others
	first   *judgedChange  // of a limit on the step: the change that it is of; the others have shares
}

// judgedChange is a change with the findings that belong to it.
type judgedChange struct {
	*changes.Change
	id     string
	also   []string // the ids of the changes that it is where git does not know what was edited
	shares []string // those of the changes that it is one of several in
	found  []*judgedFinding
}

// ids are those that a change answers to.
func (c *judgedChange) ids() map[string]bool {
	ids := map[string]bool{c.id: true}
	for _, id := range c.also {
		ids[id] = true
	}
	return ids
}

// changes lists the changes of a target, worst first, and sets the change of every finding. It also returns the findings that it adds: each change that has to
// go before a limit on the step holds breaks that limit; and the ceilings that nothing needs. plain has the changes where no edits are known, if edits are.
func (t judgedTarget) changes(findings []judgedFinding, plain []*judgedChange) ([]result.Change, []*judgedFinding, []*baseline.Ceiling) {
	judged := t.attach(findings)
	identify(t.Name, judged, plain)
	unused := t.allow(judged)
	answer(judged, plain)
	out := make([]result.Change, 0, len(judged))
	var added []*judgedFinding
	for _, c := range judged {
		for _, f := range c.found {
			if f.share != nil {
				f.Subject, f.ID = f.Subject+shareOf+c.id, shareID(f.ID, c.id)
				added = append(added, f)
			}
		}
		out = append(out, c.result(t.Name))
	}
	sortChanges(out)
	return out, added, unused
}

// attach groups what differs in a target, and assigns each finding to one of the changes.
func (t judgedTarget) attach(findings []judgedFinding) []*judgedChange {
	a := &attachment{
		Grouping: changes.NewGrouping(t.Programs, t.lines(), t.Upgrade), of: map[*judgedFinding]*changes.Part{},
		found: map[string][]*judgedFinding{}, changed: map[compiled][]*changes.Part{}, added: map[compiled]*changes.Part{},
		joint: map[string]string{},
	}
	for _, p := range t.Programs {
		for _, part := range p.Parts {
			a.joint[part.Name] = p.Name
		}
	}
	for _, p := range a.Parts {
		for _, v := range p.Variants {
			if at := (compiled{p.Program, v}); p.Cause == nil {
				a.added[at] = p
			} else {
				a.changed[at] = append(a.changed[at], p)
				a.changed[compiled{p.Program, ""}] = append(a.changed[compiled{p.Program, ""}], p)
			}
		}
	}
	ordered := a.ordered(findings)
	for _, f := range ordered {
		part := a.part(f)
		part.Rank = min(part.Rank, levelRank[f.Level])
		a.of[f], a.found[f.Program] = part, append(a.found[f.Program], f)
	}
	byChange, byProgram := map[*changes.Change]*judgedChange{}, map[string][]*judgedChange{}
	list := phrase.Map(a.Changes(), func(c *changes.Change) *judgedChange {
		judged := &judgedChange{Change: c}
		byChange[c] = judged
		for _, p := range c.Parts {
			if of := byProgram[p.Program]; len(of) == 0 || of[len(of)-1] != judged {
				byProgram[p.Program] = append(of, judged)
			}
		}
		return judged
	})
	for _, f := range ordered {
		if !a.isStep(f) {
			a.explain(byChange[a.of[f].Change], f)
		}
	}
	for _, f := range ordered {
		if a.isStep(f) {
			actual, _ := f.Actual.(float64)
			f.divide(byProgram[f.Program], actual-f.tightest(), t.Again)
		}
	}
	return list
}

// lines are the edited lines of the target, without those that do not change what is compiled: of the configuration, baselines and dumps.
func (t judgedTarget) lines() changes.Lines {
	return changes.Lines{Edits: t.Edits, Code: slices.DeleteFunc(t.Edits.Hunks(), func(h git.Hunk) bool {
		return !h.Code || h.New || config.OfGate(h.File) || !git.IsModelFile(h.File) || t.Edits.In(h.File, t.Dumps)
	})}
}

// sortChanges puts changes into the order of a result: those that are not waived first, then by level, target and price.
func sortChanges(changes []result.Change) {
	slices.SortStableFunc(changes, func(a, b result.Change) int {
		return cmp.Or(
			phrase.CompareBools(a.Waived, b.Waived), cmp.Compare(levelRank[a.Level], levelRank[b.Level]), strings.Compare(a.Target, b.Target),
			phrase.CompareBools(a.Source.File == "", b.Source.File == ""), cmp.Compare(b.Price.StepNS, a.Price.StepNS),
			cmp.Compare(b.Price.PeakBytes, a.Price.PeakBytes), strings.Compare(a.Program, b.Program),
		)
	})
}

// The facts that a change is priced by.
const (
	stepTime   = facts.PriceStep
	peakMemory = facts.MemoryPeak
)

// levelRank orders the levels of changes.
var levelRank = map[string]int{"error": 0, "warning": 1, "info": 2, "better": changes.Unbroken}

// attachment assigns findings to the parts of changes.
type attachment struct {
	*changes.Grouping
	of      map[*judgedFinding]*changes.Part
	found   map[string][]*judgedFinding  // the findings of a program that have a part, in order
	changed map[compiled][]*changes.Part // by variant, and by program with no signature, the weightiest first
	added   map[compiled]*changes.Part   // of variants that the baseline does not have, of programs that it has
	joint   map[string]string            // if clusters are compared together: the program that stands for all of them, by the name of each
}

// compiled is one variant of a program.
type compiled struct{ program, signature string }

// ordered sorts findings: those about programs first, because they say more about why a variant exists, and those about variants that the baseline
// does not have last, because an edit that the others show may be behind them.
func (a *attachment) ordered(findings []judgedFinding) []*judgedFinding {
	list := make([]*judgedFinding, len(findings))
	for i := range findings {
		list[i] = &findings[i]
	}
	slices.SortStableFunc(list, func(x, y *judgedFinding) int {
		return cmp.Or(phrase.CompareBools(x.Variant != "", y.Variant != ""), phrase.CompareBools(a.isAdded(x), a.isAdded(y)))
	})
	return list
}

// isAdded reports whether a finding is about a variant that the baseline does not have.
func (a *attachment) isAdded(f *judgedFinding) bool {
	return a.added[compiled{f.Program, f.Variant}] != nil
}

// isStep reports whether a finding is a limit on the step that the differences of a variant break together.
func (a *attachment) isStep(f *judgedFinding) bool {
	return f.Subject == string(stepTime) && f.Excess() > 0 && !a.isAdded(f) && len(a.changed[compiled{f.Program, f.Variant}]) > 0
}

// part returns the difference that a finding belongs to: the difference of its cause, or one of its kind or at its place in the same program, or else a new
// one.
func (a *attachment) part(f *judgedFinding) *changes.Part {
	if p := a.alike(f); p != nil {
		f.repeats = true
		return p
	}
	c, kind := f.Cause, changes.KindOf(f.Cause)
	if known := a.Of(c); known != nil {
		return known
	}
	if kind == changes.KindArguments || a.isAdded(f) { // whatever else is wrong with one more compilation follows from it
		if again := a.again(f); again != nil {
			if c != nil {
				a.PlaceAt(again, c)
			}
			return again
		}
	}
	if p := a.behind(f, kind); p != nil {
		return p
	}
	title := f.Message
	if c != nil && c.Title != "" {
		title = c.Title
	}
	p := a.Add(&changes.Part{Kind: kind, Title: title, Detail: title, Program: f.Program, Rank: changes.Unbroken, Drift: f.Drift}, placeOfFinding(f, kind)...)
	p.Variants = changes.AddNew(nil, f.Variant)
	if c != nil {
		a.PlaceAt(p, c)
	}
	return p
}

// again is the part that a program is compiled again, for the finding's variant if possible; nil if there is none.
func (a *attachment) again(f *judgedFinding) *changes.Part {
	if p := a.added[compiled{f.Program, f.Variant}]; p != nil {
		return p
	}
	at := slices.IndexFunc(a.Parts, func(p *changes.Part) bool {
		return p.Program == f.Program && p.Kind == changes.KindArguments && p.Cause == nil
	})
	if at < 0 {
		return nil
	}
	return a.Parts[at]
}

// alike finds the part that broke the same limit in another variant, by as much or more, because an edit breaks it in every compilation. It does so for a
// finding about a variant that the baseline does not have, or has unchanged. It returns nil if there is no such part.
func (a *attachment) alike(f *judgedFinding) *changes.Part {
	if !a.isAdded(f) && (f.Variant == "" || len(a.changed[compiled{f.Program, f.Variant}]) > 0) {
		return nil
	}
	over := f.Excess()
	for _, known := range a.found[f.Program] {
		if known.Rule == f.Rule && known.Subject == f.Subject && known.Variant != "" && !a.isAdded(known) &&
			(a.isAdded(f) || a.of[known].Cause != nil) && over*known.Excess() >= 0 && math.Abs(over) <= math.Abs(known.Excess()) {
			return a.of[known]
		}
	}
	return nil
}

// behind finds the difference that causes a finding without a cause: the one of the same kind, or the one that brought the operation that the finding names, or
// the one at its place. A finding that only the comparison with the baseline makes goes to the weightiest difference. It returns nil if there is none.
func (a *attachment) behind(f *judgedFinding, kind string) *changes.Part {
	list, c := a.changed[compiled{f.Program, f.Variant}], f.Cause
	if joint := a.changed[compiled{a.joint[f.Program], ""}]; len(joint) > 0 { // a cluster among those that split or merged: they are compared together
		return joint[0]
	}
	var fits []func(*changes.Part) bool
	switch {
	case kind != changes.KindCode && kind != changes.KindUnknown:
		fits = append(fits, func(p *changes.Part) bool { return p.Kind == kind })
	case c != nil:
		fits = append(fits, func(p *changes.Part) bool { return p.Cause.Brought(c) }, func(p *changes.Part) bool { return a.IsIn(p, c.Source) })
		fallthrough
	default:
		fits = append(fits, func(*changes.Part) bool { return f.Drift })
	}
	for _, fit := range fits {
		if at := slices.IndexFunc(list, fit); at >= 0 {
			return list[at]
		}
	}
	return nil
}

// placeOfFinding distinguishes findings without a known difference: by their place in the model, else by rule and subject.
func placeOfFinding(f *judgedFinding, kind string) []string {
	switch c := f.Cause; {
	case kind == changes.KindArguments:
		return nil
	case c != nil && (c.Kind != "" || c.Source.File != ""):
		return []string{changes.FunctionOf(changes.PlaceOf(c.Source))}
	}
	return []string{f.Rule, f.Subject}
}

// explain adds a finding to its change, with what the rule found out.
func (a *attachment) explain(c *judgedChange, f *judgedFinding) {
	c.breaks(f)
	if f.repeats {
		return
	}
	known := a.Of(f.Cause)
	if known == nil || len(known.Cause.Before)+len(known.Cause.After) == 0 {
		c.AddEvidence(f.Evidence)
	}
	if f.Cause == nil {
		return
	}
	details := f.Cause.Notes
	if known == nil {
		details = append([]string{f.Cause.Title}, details...)
	}
	for _, text := range details {
		if !strings.Contains(c.Title, text) && !strings.Contains(f.Message, text) {
			c.Tell(text)
		}
	}
}

// breaks adds a finding to a change.
func (c *judgedChange) breaks(f *judgedFinding) {
	c.found = append(c.found, f)
	if f.Program == c.Program || f.Program == "" {
		c.Variants = changes.AddNew(c.Variants, f.Variant)
	}
}

// tightest is how long the step may take so that each limit that the finding breaks holds: that of the configuration, and that of the comparison with the baseline.
// A limit that the baseline breaks itself is left out.
func (f *judgedFinding) tightest() float64 {
	limit, _ := f.Limit.(float64)
	switch was, _ := f.Baseline.(float64); {
	case was > limit:
		return max(was, f.WithinBaseline)
	case f.WithinBaseline > 0:
		return min(limit, f.WithinBaseline)
	}
	return limit
}

// divide assigns a finding that a step is too long by some time to the changes that would all have to go before the limit holds, the dearest first. Of changes that
// cost 5, 3 and 1 µs, where the step is 7 µs over its limit, the first two break it. It returns the time that is left, and assigns to one change alone if once is set.
func (f *judgedFinding) divide(list []*judgedChange, left float64, once bool) float64 {
	steps := map[*judgedChange]float64{}
	var dearest []*judgedChange
	for _, c := range list {
		if step, in := changes.StepIn(f.Program, f.Variant, c.Change); in {
			steps[c], dearest = step.Middle, append(dearest, c)
		}
	}
	slices.SortStableFunc(dearest, func(x, y *judgedChange) int { return cmp.Compare(steps[y], steps[x]) })
	for i, c := range dearest {
		if i > 0 && (left <= 0 || steps[c] <= 0 || once) {
			break
		}
		f.partOf(c, steps[c])
		left -= steps[c]
	}
	return left
}

// partOf is a finding that a step is too long for one of the changes that break the limit: the finding itself for the first, a copy for each other one.
func (f *judgedFinding) partOf(c *judgedChange, ns float64) *judgedFinding {
	part := f
	if f.first == nil {
		f.first = c
	} else {
		own := *f
		own.Cause, own.Evidence, own.share, part = nil, changes.Evidence{}, f, &own
	}
	part.AddsNS = ns
	c.breaks(part)
	return part
}

// shareOf is between what a rule checked and the change, in the subject of a finding that [judgedFinding.divide] adds.
const shareOf = " of change "

// shareID is the id of a finding that [judgedFinding.divide] adds for a change to a finding.
func shareID(finding, change string) string { return result.ID(finding + shareOf + change) }

// level is the worst of the findings; without one it says whether the change saves, as sure as that is.
func (c *judgedChange) level() string {
	worst := "better"
	for _, f := range c.found {
		if levelRank[f.Level] < levelRank[worst] {
			worst = f.Level
		}
	}
	if worst == "better" && (c.Price.HighNS >= 0 || c.Price.PeakBytes > 0 || c.Loses()) {
		return "info"
	}
	return worst
}

// result is the change as a result has it.
func (c *judgedChange) result(target string) result.Change {
	out := result.Change{
		ID: c.id, Also: c.also, Level: c.level(), Target: target, Program: c.Program, Variants: c.Variants, Price: result.Price(c.Price), Evidence: result.Evidence(c.Evidence),
		Edit:    result.Edit{Kind: c.Kind, Title: c.Title, Details: c.Details, OpName: c.OpName, Source: result.Source(c.Source)},
		Effects: phrase.Map(c.Effects, func(e changes.Effect) result.Effect { return result.Effect(e) }),
		Others: phrase.Map(c.Others, func(o changes.Cost) result.Other {
			return result.Other{Program: o.Program, Variants: o.Variants, Price: result.Price(o.Price)}
		}),
	}
	for _, f := range c.found {
		f.Change, out.Findings = c.id, append(out.Findings, f.ID)
	}
	if slices.ContainsFunc(c.found, func(f *judgedFinding) bool { return acceptable(f.Rule) }) {
		out.Accept = result.AcceptCommand(nil, c.id)
	}
	return out
}

// acceptable reports whether accepting settles a finding of a rule.
func acceptable(id string) bool {
	r := rules.All.ByID(id)
	return r == nil || !r.Unacceptable
}
