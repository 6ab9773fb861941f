package gate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// JudgedTarget is a target with the differences that changes are made of.
type JudgedTarget struct {
	Name     string
	Programs []*diff.Program
	Dumps    []string                   // the files and folders that the dump is in: an edit of one is no place of a change
	Edits    *git.Edits                 // nil where git does not tell what was edited
	Upgrade  func(*diff.Program) string // how its toolchain differs from the baseline's, "" if it does not; may be nil
	Again    bool                       // it is judged from a result, which does not tell the changes as well: a limit is one finding
}

// JudgedFinding is a finding with what its rule knows of the change behind it.
type JudgedFinding struct {
	result.Finding
	Cause    *diff.Cause
	Evidence diff.Evidence
	Drift    bool // only the comparison with the baseline found it

	perProgram bool           // its rule looks at one program at a time
	share      *JudgedFinding // the same limit on the step, broken by a dearer change; nil for others
}

// ChangesOf lists the changes of a target, worst first, and sets the change of every finding.
func ChangesOf(t JudgedTarget, findings []JudgedFinding) []result.Change {
	changes, _ := t.changes(findings)
	return changes
}

// changes is ChangesOf. It also returns the findings that it adds: each change that has to go before a limit on the step holds breaks that limit.
func (t JudgedTarget) changes(findings []JudgedFinding) ([]result.Change, []*JudgedFinding) {
	groups := grouped(t, findings)
	identify(t, findings, groups)
	out := make([]result.Change, 0, len(groups))
	var added []*JudgedFinding
	for _, o := range groups {
		added = append(added, o.nameShares()...)
		out = append(out, o.finish(t.Name))
	}
	SortChanges(out)
	return out, added
}

// grouped makes changes of what differs in a target and of its findings.
func grouped(t JudgedTarget, findings []JudgedFinding) []*group {
	g := &grouping{
		target: t, untraced: untraced(t), places: map[*diff.Cause]changePlace{}, edited: map[string]bool{}, at: map[key]*group{}, byCause: map[*diff.Cause]*group{},
		changed: map[compiled][]*group{}, added: map[compiled]bool{}, compilations: map[string]int{},
	}
	for _, p := range t.Programs {
		g.locate(p)
	}
	g.tellApart()
	for _, p := range t.Programs {
		for _, v := range p.Variants {
			g.variant(p, v)
		}
	}
	var steps []*JudgedFinding
	for _, f := range g.ordered(findings) {
		if isStep := f.Subject == string(stepTime) && excess(f) > 0; isStep && (g.isAdded(f) || len(g.changed[compiled{f.Program, f.Variant}]) > 0) {
			steps = append(steps, f)
		} else {
			g.attach(f)
		}
	}
	list := g.joinEdits()
	for _, f := range steps {
		if g.isAdded(f) {
			g.attach(f)
		} else {
			g.divide(f, list)
		}
	}
	return list
}

// SortChanges puts changes into the order of a result: those that are not waived first, then by level, target and price.
func SortChanges(changes []result.Change) {
	slices.SortStableFunc(changes, func(a, b result.Change) int {
		return cmp.Or(
			compareBool(a.Waived, b.Waived), cmp.Compare(levelRank[a.Level], levelRank[b.Level]), strings.Compare(a.Target, b.Target),
			cmp.Compare(b.Price.StepNS, a.Price.StepNS), cmp.Compare(b.Price.PeakBytes, a.Price.PeakBytes), strings.Compare(a.Program, b.Program),
		)
	})
}

// levelRank orders the levels of changes.
var levelRank = map[string]int{"error": 0, "warning": 1, "info": 2, "better": 3}

// key is what makes two differences one change: one edit of one program, or one kind of difference at one place of it.
type key struct{ program, kind, place string }

// group is a change under construction.
type group struct {
	result.Change
	place  string
	edit   string // the lines that were edited together; see [grouping.editOf]
	causes []*diff.Cause
	found  []*JudgedFinding
	first  string               // of the programs that it is in, by name
	placed bool                 // the source is the edited line, or that of a cause
	called bool                 // the program is compiled again because it is called with other arguments
	into   *group               // the one that it is part of
	loses  bool                 // a result of the program is lost: what it saves is no improvement
	lost   []string             // the shapes of such results now
	takes  []string             // the shapes of the arguments that the program is compiled again for
	steps  map[compiled]float64 // what it adds to the predicted step of each variant
}

type grouping struct {
	target       JudgedTarget
	untraced     []git.Hunk // edits of code that no operation passes through
	places       map[*diff.Cause]changePlace
	edited       map[string]bool // the places that were edited
	groups       []*group
	at           map[key]*group
	byCause      map[*diff.Cause]*group
	changed      map[compiled][]*group // by variant, and by program with no signature, the weightiest first
	added        map[compiled]bool     // variants that the baseline does not have, of programs that it has
	compilations map[string]int        // of each program, more than in the baseline
	compiler     bool                  // another compiler or other flags may be behind what differs
	misfits      map[string]bool       // the repository's files that are not those that ran, see [grouping.text]; nil before it is known
}

// compiled is one variant of a program.
type compiled struct{ program, signature string }

// locate finds the places of the causes of a program, and how often it is compiled.
func (g *grouping) locate(p *diff.Program) {
	if p.Old != nil && p.New != nil {
		g.compilations[p.Name] = max(0, p.New.Compilations()-p.Old.Compilations())
	}
	for _, v := range p.Variants {
		if v.Old == nil || v.New == nil {
			continue
		}
		g.compiler = g.compiler || len(v.Compiler) > 0
		for i := range v.Causes {
			g.places[&v.Causes[i]] = g.placeOf(&v.Causes[i])
		}
		g.follow(v)
	}
}

// tellApart names the places of several edits in one function by the text of each edit, and notes which places were edited.
func (g *grouping) tellApart() {
	edited := map[string][]string{}
	for _, at := range g.places {
		if at.source.Edited {
			edited[at.place] = diff.AddNew(edited[at.place], g.editAt(at.source))
		}
	}
	for c, at := range g.places {
		if !at.source.Edited {
			continue
		}
		if len(edited[at.place]) > 1 {
			at.place += "\x00" + g.editText(at.source)
			g.places[c] = at
		}
		g.edited[at.place] = true
	}
}

// follow puts causes without an edited line at the weightiest edit of the variant, unless another compiler may be their cause. A lost donation follows
// only if the caller still gives the buffers away, so that the edit left no result for them.
func (g *grouping) follow(v *diff.Variant) {
	var edit *diff.Cause
	for i := range v.Causes {
		if c := &v.Causes[i]; edit == nil && c.Kind == diff.KindCode && g.places[c].source.Edited {
			edit = c
		}
	}
	for i := range v.Causes {
		c := &v.Causes[i]
		follows := c.Kind == diff.KindCode || c.Kind == diff.KindResults || c.Kind == diff.KindDonation && v.StillDonated()
		if edit != nil && len(v.Compiler) == 0 && follows && !g.places[c].source.Edited {
			g.places[c] = g.places[edit]
		}
	}
}

// group returns the change with a key, and makes it if there is none. All that is wrong at an edited place is one change.
func (g *grouping) group(k key, make func() *group) *group {
	if g.edited[k.place] {
		k.kind = ""
	}
	if known := g.at[k]; known != nil {
		return known
	}
	fresh := make()
	fresh.steps = map[compiled]float64{}
	fresh.Program, fresh.first, fresh.place = k.program, k.program, k.place
	g.at[k], g.groups = fresh, append(g.groups, fresh)
	return fresh
}

// variant assigns each cause of a variant to a change.
func (g *grouping) variant(p *diff.Program, v *diff.Variant) {
	if v.Old == nil && v.New != nil && p.Old != nil {
		g.compiledAgain(p, v.New)
	}
	if v.Old == nil || v.New == nil || len(v.Causes) == 0 {
		return
	}
	owners, lost := make([]*group, len(v.Causes)), v.LostResults()
	for i := range v.Causes {
		owners[i] = g.cause(p, v, &v.Causes[i])
		owners[i].loses = owners[i].loses || len(lost) > 0
		if v.Causes[i].Kind == diff.KindResults {
			owners[i].lost = diff.AddNew(owners[i].lost, phrase.Map(lost, func(l diff.LostResult) string { return l.Is })...)
		}
		for _, at := range []compiled{{p.Name, v.New.Signature}, {p.Name, ""}} {
			if !slices.Contains(g.changed[at], owners[i]) {
				g.changed[at] = append(g.changed[at], owners[i])
			}
		}
	}
	share(compiled{p.Name, v.New.Signature}, v, owners)
}

// compiledAgain makes a change of a variant that the baseline does not have, whether a rule forbids it or not.
func (g *grouping) compiledAgain(p *diff.Program, v *facts.Variant) {
	g.added[compiled{p.Name, v.Signature}] = true
	again := g.group(key{p.Name, diff.KindArguments, ""}, func() *group {
		made := &group{Change: result.Change{Edit: result.Edit{Kind: diff.KindArguments, Title: "compiled again: " + strings.Join(p.Differences(), "; ")}}}
		made.Source, made.placed = g.sourceOf(&diff.Cause{Kind: diff.KindArguments, Source: v.CallSite}, p.Name), v.CallSite.File != ""
		made.Price.Compilations = g.compilations[p.Name]
		made.called = p.Recalled()
		return made
	})
	again.Variants = append(again.Variants, v.Signature)
	for _, p := range v.Params {
		again.takes = diff.AddNew(again.takes, p.Shape)
	}
}

// cause returns the change that a cause belongs to.
func (g *grouping) cause(p *diff.Program, v *diff.Variant, c *diff.Cause) *group {
	at, kind, title := g.places[c], c.Kind, c.Title
	if kind == diff.KindResults && g.at[key{p.Name, diff.KindCode, at.place}] != nil { // what a function returns now follows from its edit
		kind = diff.KindCode
	}
	made := c.Kind
	if tools := g.toolchainOf(p, v, c); tools != "" { // all that another compiler does is one change
		kind, made, at.place = diff.KindToolchain, diff.KindToolchain, ""
		if c.Kind == diff.KindCode { // titles of the others name it
			title = "another toolchain (" + tools + "): " + c.Title
		}
	}
	owner := g.group(key{p.Name, kind, at.place}, func() *group {
		return &group{Change: result.Change{Edit: result.Edit{Kind: made, Title: title, OpName: at.opName, Source: at.source}}, placed: true}
	})
	if owner.Title != title && !slices.Contains(owner.Details, c.Title) && len(owner.Details) < maxDetails {
		owner.Details = append(owner.Details, c.Title)
	}
	owner.Variants = diff.AddNew(owner.Variants, v.New.Signature)
	owner.causes = append(owner.causes, c)
	owner.addEvidence(c.Evidence(facts.AnyKernel))
	g.byCause[c] = owner
	return owner
}

// ordered sorts findings: those about programs first, because they say more about why a variant exists, and those about variants that the baseline
// does not have last, because an edit that the others show may be behind them.
func (g *grouping) ordered(findings []JudgedFinding) []*JudgedFinding {
	list := make([]*JudgedFinding, len(findings))
	for i := range findings {
		list[i] = &findings[i]
	}
	slices.SortStableFunc(list, func(a, b *JudgedFinding) int {
		return cmp.Or(compareBool(a.Variant != "", b.Variant != ""), compareBool(g.isAdded(a), g.isAdded(b)))
	})
	return list
}

// isAdded reports whether a finding is about a variant that the baseline does not have.
func (g *grouping) isAdded(f *JudgedFinding) bool { return g.added[compiled{f.Program, f.Variant}] }

// maxDetails bounds the sentences on what else an edit did.
const maxDetails = 6

// attach assigns a finding to a change: that of its cause, else one of its kind or place in the same program, else a new one.
func (g *grouping) attach(f *JudgedFinding) {
	if o := g.alike(f); o != nil {
		o.whole().breaks(f)
		return
	}
	owner := g.owner(f).whole()
	owner.breaks(f)
	if c := f.Cause; c != nil && !owner.placed {
		owner.Source, owner.placed = g.sourceOf(c, f.Program), c.Source.File != ""
		owner.OpName = cmp.Or(owner.OpName, c.OpName, c.OpType)
	}
	g.explain(owner, f)
	if c := f.Cause; len(owner.causes) == 0 || c == nil || g.byCause[c.Root()] == nil || len(c.Root().Before)+len(c.Root().After) == 0 {
		owner.addEvidence(f.Evidence)
	}
}

// whole is the change that o is, or is part of.
func (o *group) whole() *group {
	for o.into != nil {
		o = o.into
	}
	return o
}

// breaks adds a finding to a change.
func (o *group) breaks(f *JudgedFinding) {
	o.found = append(o.found, f)
	o.Variants = diff.AddNew(o.Variants, f.Variant)
	o.worsen(f.Level)
}

func (g *grouping) owner(f *JudgedFinding) *group {
	c, kind := f.Cause, kindOf(f.Cause)
	if c != nil && g.byCause[c.Root()] != nil {
		return g.byCause[c.Root()]
	}
	if again := g.at[key{f.Program, diff.KindArguments, ""}]; again != nil && kind == diff.KindArguments {
		return again
	}
	if g.isAdded(f) { // whatever else is wrong with one more compilation follows from it
		kind, c = diff.KindArguments, nil
	} else if found := g.behind(f, kind); found != nil {
		return found
	}
	return g.group(key{f.Program, kind, placeOfFinding(f, kind)}, func() *group {
		made := &group{Change: result.Change{Edit: result.Edit{Kind: kind, Title: titleOf(f)}}}
		if kind == diff.KindArguments {
			made.Price.Compilations = g.compilations[f.Program]
		}
		return made
	})
}

// alike finds the change that breaks the same limit in a variant that differs from the baseline's, by as much or more, for a finding about one that the
// baseline does not have, or has just so: an edit breaks it in every compilation. It returns nil if there is none.
func (g *grouping) alike(f *JudgedFinding) *group {
	if !g.isAdded(f) && (f.Variant == "" || len(g.changed[compiled{f.Program, f.Variant}]) > 0) {
		return nil
	}
	over := excess(f)
	at := slices.IndexFunc(g.groups, func(o *group) bool {
		return o.Program == f.Program && slices.ContainsFunc(o.found, func(known *JudgedFinding) bool {
			return known.Rule == f.Rule && known.Subject == f.Subject && known.Variant != "" && (g.isAdded(f) || len(o.causes) > 0) && !g.isAdded(known) &&
				over*excess(known) >= 0 && math.Abs(over) <= math.Abs(excess(known))
		})
	})
	if at < 0 {
		return nil
	}
	return g.groups[at]
}

// excess returns by how much a finding is over its limit, below zero where it is under one; 0 where nothing is counted.
func excess(f *JudgedFinding) float64 {
	actual, _ := f.Actual.(float64)
	limit, _ := f.Limit.(float64)
	return actual - limit
}

// behind finds the change that causes a finding without a cause: the one of the same kind, the one that brought the operation that the finding names,
// or the one at its place. A finding of the comparison with the baseline alone goes to the weightiest change. It returns nil if there is none.
func (g *grouping) behind(f *JudgedFinding, kind string) *group {
	list := g.changed[compiled{f.Program, f.Variant}]
	of := func(fits func(*group) bool) *group {
		if at := slices.IndexFunc(list, fits); at >= 0 {
			return list[at]
		}
		return nil
	}
	if kind != diff.KindCode && kind != diff.KindUnknown {
		return of(func(o *group) bool { return o.Kind == kind })
	}
	if c := f.Cause; c != nil {
		if o := of(func(o *group) bool { return o.brought(c) }); o != nil {
			return o
		}
		if o := of(func(o *group) bool {
			return c.Source.File != "" && o.Source.File == g.named(c.Source).File && o.Source.Function == c.Source.Function
		}); o != nil {
			return o
		}
	}
	if f.Drift && len(list) > 0 {
		return list[0]
	}
	return nil
}

// brought reports whether the operation that a cause names came with a change.
func (o *group) brought(c *diff.Cause) bool {
	at := func(opName string, line hlo.Location) bool {
		return c.OpName != "" && opName == c.OpName || c.Source.Line > 0 && line.File == c.Source.File && line.Line == c.Source.Line
	}
	for _, cause := range o.causes {
		if slices.ContainsFunc(cause.After, func(k facts.Kernel) bool { return at(k.OpName, k.Source) }) ||
			slices.ContainsFunc(cause.Edits, func(e diff.Edit) bool { return len(e.Added) > 0 && at(e.OpName, e.Source) }) {
			return true
		}
	}
	return false
}

// kindOf returns the kind of the change behind a finding. A cause with a place in the model counts as an edit there.
func kindOf(c *diff.Cause) string {
	switch {
	case c == nil:
		return diff.KindUnknown
	case c.Kind != "":
		return c.Kind
	case c.Source.File != "" || c.OpName != "" || c.OpType != "":
		return diff.KindCode
	}
	return diff.KindUnknown
}

// placeOfFinding distinguishes findings without a known difference: by their place in the model, else by rule and subject.
func placeOfFinding(f *JudgedFinding, kind string) string {
	if kind == diff.KindArguments {
		return ""
	}
	if c := f.Cause; c != nil && (c.Kind != "" || c.Source.File != "") {
		return placeIn(sourceOf(c.Source))
	}
	return f.Rule + "\x00" + f.Subject
}

func titleOf(f *JudgedFinding) string {
	if f.Cause != nil && f.Cause.Title != "" {
		return f.Cause.Title
	}
	return f.Message
}

// explain adds what a rule found out to the details of the change.
func (g *grouping) explain(o *group, f *JudgedFinding) {
	if f.Cause == nil {
		return
	}
	details := f.Cause.Notes
	if g.byCause[f.Cause.Root()] == nil {
		details = append([]string{f.Cause.Title}, details...)
	}
	for _, text := range details {
		if !strings.Contains(o.Title, text) && !strings.Contains(f.Message, text) && !slices.Contains(o.Details, text) && len(o.Details) < maxDetails {
			o.Details = append(o.Details, text)
		}
	}
}

// worsen raises the level to a finding's.
func (o *group) worsen(level string) {
	if o.Level == "" || levelRank[level] < levelRank[o.Level] {
		o.Level = level
	}
}

func (o *group) addEvidence(e diff.Evidence) {
	o.Evidence.Before, o.Evidence.After = diff.AddNew(o.Evidence.Before, e.Before...), diff.AddNew(o.Evidence.After, e.After...)
}

// id is the first 12 hex digits of a hash of target, program, kind and place.
func (o *group) id(target string) string {
	return result.ID(strings.Join([]string{"change", target, o.first, o.Kind, o.place}, "\x00"))
}

// level is the worst of the findings; without one it says whether the change saves.
func (o *group) level() string {
	switch {
	case o.Level != "":
		return o.Level
	case o.Price.StepNS < 0 && o.Price.PeakBytes <= 0 && !o.loses:
		return "better"
	}
	return "info"
}

// lead puts into the title what breaks a rule, if what was done to the model does not, and always that something is baked into the program.
func (o *group) lead() {
	broken := func(c *diff.Cause) bool {
		return slices.ContainsFunc(o.found, func(f *JudgedFinding) bool { return f.Cause != nil && f.Cause.Root() == c })
	}
	first := slices.IndexFunc(o.causes, func(c *diff.Cause) bool { return c.Title == o.Title && c.Kind == diff.KindCode })
	if first < 0 {
		return
	}
	breaks := broken(o.causes[first])
	at := slices.IndexFunc(o.causes, func(c *diff.Cause) bool {
		return c.Title != o.Title && broken(c) && (!breaks || c.Kind == diff.KindConstants)
	})
	switch {
	case at < 0:
		return
	case breaks:
		o.Title = o.causes[at].Title + "; " + o.Title
	default:
		o.Title, o.Details = o.causes[at].Title, append([]string{o.Title}, o.Details...)
	}
	o.Details = slices.DeleteFunc(o.Details, func(text string) bool { return text == o.causes[at].Title })
}

// differs reports whether a change is a difference from the baseline, and no limit that was broken before as well.
func (g *grouping) differs(o *group) bool {
	isOther := func(p *diff.Program) bool {
		return p.Name == o.Program && (p.Old == nil || p.New == nil || o.Kind == diff.KindArguments && p.Change != diff.Same)
	}
	drifted := func(f *JudgedFinding) bool { return f.Drift }
	return len(o.causes) > 0 || slices.ContainsFunc(g.target.Programs, isOther) || slices.ContainsFunc(o.found, drifted)
}

// acceptable reports whether accepting settles a finding of a rule.
func acceptable(id string) bool {
	r := rules.All.ByID(id)
	return r == nil || !r.Unacceptable
}

// finish returns the complete change.
func (o *group) finish(target string) result.Change {
	o.lead()
	c := o.Change
	c.Target = target
	for _, f := range o.found {
		f.Change, c.Findings = c.ID, append(c.Findings, f.ID)
	}
	c.Level = o.level()
	if slices.ContainsFunc(o.found, func(f *JudgedFinding) bool { return acceptable(f.Rule) }) {
		c.Accept = result.AcceptCommand(nil, c.ID)
	}
	return c
}
