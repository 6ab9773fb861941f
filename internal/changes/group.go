package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// Part is one difference: a cause in one variant, one more compilation, or what a rule found where no difference is known.
type Part struct {
	Kind, Title, OpName string
	Detail              string // the title beside that of another part
	Program             string
	Variants            []string
	Source              Place
	Cause               *Cause // nil for what is no cause of a variant's differences
	Change              *Change
	Rank                int  // of the worst rule that it breaks: 0 for an error, [Unbroken] for none
	Drift               bool // it is known from the comparison with the baseline alone

	variant      *Variant // of a cause
	at           string   // the function that it is in, or what else it is known by
	call         Place    // where the program is called, if one more compilation stands elsewhere
	costs        classCosts
	step         price.Interval // of the costs
	peak         float64
	compilations int
	told         bool     // another part says it too
	placed       bool     // the source is the edited line, or that of a cause
	brought      bool     // the baseline does not have the program
	cut          bool     // the baseline does not have the program, and PyTorch/XLA's log says why its graph ends
	moved        bool     // the program is gone, and another one does what it did
	recalled     bool     // the program is compiled again because it is called with other arguments
	lost         []string // the shapes of results that are lost, as they are now
	gives, given []string // the shapes before and now of results, and of arguments that may be such results of another program
	takes        []string // the shapes of the arguments that the program is compiled again for
}

// Unbroken is the rank of a part that breaks no rule.
const Unbroken = 3

// Grouping makes changes of the differences of programs. It knows each difference as a part; rules that find something else add parts.
type Grouping struct {
	Parts []*Part

	programs     []*Program
	lines        Lines
	code         []codeEdit      // of the edits of code, in their order
	silent       []git.Hunk      // edits of code on whose lines no operation is
	untraced     []git.Hunk      // those of them that may cause what no edited line explains
	outside      []git.Hunk      // those of them that may cause other arguments: they are in no function that has operations
	passed       []hlo.Location  // a line of each edit that operations pass through
	computing    map[string]bool // the functions that have operations, see [Grouping.computes]
	uses         map[use]bool    // see isUsed
	edited       map[string]bool // the functions that were edited
	byCause      map[*Cause]*Part
	adders       map[string][]adder // by the function, by its own name; nil before they are known
	givers       map[string][]*Part // the parts about results that have these shapes, before and now
	compilations map[string]int     // of each program, more than in the baseline
	compiler     bool               // another compiler or other flags may be behind what differs
	misfits      map[string]bool    // the repository's files that are not those that ran, see [Grouping.text]; nil before it is known
}

// NewGrouping finds the parts of some programs. upgrade says how a program's toolchain differs from that of its baseline; it may be nil.
func NewGrouping(programs []*Program, lines Lines, upgrade func(*Program) string) *Grouping {
	g := &Grouping{
		programs: programs, lines: lines, uses: map[use]bool{}, computing: map[string]bool{}, edited: map[string]bool{}, byCause: map[*Cause]*Part{},
		givers: map[string][]*Part{}, compilations: map[string]int{},
	}
	g.code = phrase.Map(lines.Code, func(h git.Hunk) codeEdit {
		at := lineOf(h, lines.Edits)
		return codeEdit{at, EditOf(at, lines.Edits)}
	})
	g.findUntraced()
	for _, p := range programs {
		if p.Old != nil && p.New != nil {
			g.compilations[p.Name] = max(0, p.New.Compilations()-p.Old.Compilations())
		}
		for _, v := range p.Variants {
			switch {
			case v.New == nil:
			case v.Old != nil:
				g.causes(p, v, upgrade)
			case p.Old != nil:
				g.compiledAgain(p, v.New)
			}
		}
	}
	g.placeAtSwitch()
	g.tellApart()
	return g
}

// placeAtSwitch puts all that is in 64 bits now at the edit that has JAX compute in them, but for what an edited line asks for itself. The lines that compute
// are those that did before.
func (g *Grouping) placeAtSwitch() {
	at := slices.IndexFunc(g.lines.Code, func(h git.Hunk) bool { _, now := h.In64Bits(); return now })
	if at < 0 || slices.ContainsFunc(g.lines.Code, func(h git.Hunk) bool { was, _ := h.In64Bits(); return was }) {
		return
	}
	place := g.editedAt(lineOf(g.lines.Code[at], g.lines.Edits))
	asks := func(at Place) bool {
		h, edited := g.lines.Edits.At(at.File, at.Line)
		for line := h.First; edited && line < h.First+h.Lines; line++ {
			text := g.lines.Edits.Text(at.File, line, "")
			if slices.ContainsFunc([]string{"float64", "int64", "complex128"}, func(dtype string) bool { return strings.Contains(text, dtype) }) {
				return true
			}
		}
		return false
	}
	for _, p := range g.Parts {
		if p.Cause != nil && p.widens() && !asks(p.Source) {
			p.Source, p.at = place, FunctionOf(place)
		}
	}
}

// widens reports whether operations of the part are in 64 bits, or what else differs follows from such operations.
func (p *Part) widens() bool {
	wide := []string{"f64", "s64", "u64", "c128"}
	if len(p.Cause.Edits) > 0 {
		return slices.ContainsFunc(p.Cause.Edits, func(e Edit) bool {
			return slices.ContainsFunc(e.Added, func(s Step) bool { return slices.Contains(wide, s.Type) })
		})
	}
	return slices.ContainsFunc(wide, func(t string) bool {
		return p.variant.New.Facts[facts.Dtype.Of(t)] > p.variant.Old.Facts[facts.Dtype.Of(t)]
	})
}

// causes makes a part of every cause of a variant.
func (g *Grouping) causes(p *Program, v *Variant, upgrade func(*Program) string) {
	g.compiler = g.compiler || len(v.Compiler) > 0
	parts, costs, lost := make([]*Part, len(v.Causes)), v.byCause(), v.LostResults()
	for i := range v.Causes {
		c := &v.Causes[i]
		part := &Part{Kind: c.Kind, Title: c.Title, Detail: c.Title, Program: p.Name,
			Variants: []string{v.New.Signature}, Cause: c, Rank: Unbroken, Drift: true, variant: v, costs: costs[i], step: v.interval(costs[i]), placed: true}
		g.place(part)
		if c.Kind == KindResults {
			part.lost = phrase.Map(lost, func(l LostResult) string { return l.Is })
		}
		switch {
		case c.Kind == KindArguments:
			for was, is := range v.KeptParams {
				if was.Shape != is.Shape {
					part.given = AddNew(part.given, was.Shape+" → "+is.Shape)
				}
			}
		case c.Kind == KindResults, len(v.Causes) == 1:
			for _, l := range reshapedResults(hlo.ShapeText(v.Old.Result).Elements(), hlo.ShapeText(v.New.Result).Elements()) {
				part.gives = AddNew(part.gives, l.Was+" → "+l.Is)
			}
		}
		parts[i], g.byCause[c] = part, part
	}
	if len(parts) == 0 {
		return
	}
	parts[v.Keeper()].peak = v.Grown(facts.MemoryPeak)
	g.placeAtEdit(v, parts)
	for _, part := range parts {
		if part.toolchains(g.lines) && upgrade != nil {
			part.upgraded(upgrade(p))
		}
	}
	g.Parts = append(g.Parts, parts...)
}

// toolchains reports whether another toolchain may be the cause: no edit of the model explains the part. Without git, and in a file that is not in the
// repository, only an equal model tells that.
func (p *Part) toolchains(lines Lines) bool {
	unseen := lines.Edits == nil || p.Source.File != "" && lines.Edits.File(p.Source.File) == ""
	explained := p.Source.Edited || unseen && !p.variant.Model.Same
	return !explained && (p.Kind == KindCode || p.Kind == KindUnknown || p.Kind == KindToolchain)
}

// upgraded puts the part down to another toolchain, if there is one.
func (p *Part) upgraded(tools string) {
	if tools == "" {
		return
	}
	if p.Kind == KindCode { // titles of the others name it
		p.Title = "another toolchain (" + tools + "): " + p.Title
	}
	p.Kind, p.at = KindToolchain, ""
}

// compiledAgain makes a part of a variant that the baseline does not have, whether a rule forbids it or not.
func (g *Grouping) compiledAgain(p *Program, v *facts.Variant) {
	title := "compiled again: " + strings.Join(p.Differences(), "; ")
	part := g.Add(&Part{
		Kind: KindArguments, Title: title, Detail: title, Program: p.Name, Variants: []string{v.Signature}, Rank: Unbroken, Drift: true,
		placed: v.CallSite.File != "", recalled: p.Recalled(),
	})
	part.Source = g.sourceOf(&Cause{Kind: KindArguments, Source: v.CallSite}, p.Name)
	edited := func(op facts.Op) bool { return op.Opcode != "constant" && EditOf(op.Source, g.lines.Edits) != "" }
	valued := slices.ContainsFunc(p.Recompile, func(a ArgumentChange) bool { return a.Kind != "static" })
	if at := slices.IndexFunc(v.Differing, edited); at >= 0 && !valued { // it computes what the other compilations do not, and no value says why
		part.Source = g.editedAt(v.Differing[at].Source)
	}
	if at, compiled := g.editOfJit(p.Name); compiled && !p.inArguments() { // which arguments are static is said there, and whether it is one function
		part.call, part.Source = part.Source, g.editedAt(at)
	}
	params, _ := missing(pairedWithFirst(p.New))
	if at := slices.IndexFunc(params, func(a *facts.Parameter) bool { return EditOf(a.Source, g.lines.Edits) != "" }); at >= 0 {
		part.Source = g.editedAt(params[at].Source)
	}
	for _, a := range v.Params {
		part.takes = AddNew(part.takes, a.Shape)
	}
}

// Add adds a part that is no cause of a variant's differences. It is known by what is given, unless it is one more compilation. A part about a program that is
// gone is placed at the edit by which another program does what it did, else where it was compiled, else where it was called.
func (g *Grouping) Add(p *Part, by ...string) *Part {
	p.at = strings.Join(by, "\x00")
	if at := slices.IndexFunc(g.programs, func(of *Program) bool { return of.Name == p.Program && of.Old == nil }); at >= 0 {
		p.brought, p.cut = true, reasonOfCut(g.programs[at].New.Variants[0].GraphBreak) != ""
	}
	if gone := slices.IndexFunc(g.programs, func(of *Program) bool { return of.Name == p.Program && of.New == nil }); gone >= 0 {
		name := facts.PlainName(p.Program)
		at := slices.IndexFunc(g.lines.Code, func(h git.Hunk) bool { return h.Uncompiles(name) })
		if at < 0 {
			at = slices.IndexFunc(g.lines.Code, func(h git.Hunk) bool { return h.Drops(name) })
		}
		if at < 0 {
			at = slices.IndexFunc(g.lines.Code, func(h git.Hunk) bool { return inReader(h, g.programs[gone].Old) })
		}
		into := g.movedInto(g.programs[gone])
		switch {
		case into != nil:
			p.Source, p.placed, p.moved = into.Source, true, true
			p.Title = fmt.Sprintf("%s is computed in %s now", p.Program, into.Program)
			p.Detail = p.Title
		case at < 0:
		case g.lines.Code[at].Deleted:
			p.Source, p.placed = Place{File: g.lines.Code[at].File, Edited: true}, true
		default:
			p.Source, p.placed = g.editedAt(lineOf(g.lines.Code[at], g.lines.Edits)), true
		}
	}
	if p.Kind == KindArguments {
		p.compilations = g.compilations[p.Program]
	}
	g.Parts = append(g.Parts, p)
	return p
}

// Of returns the part of a cause of the differences; nil if it is none.
func (g *Grouping) Of(c *Cause) *Part {
	if c == nil {
		return nil
	}
	return g.byCause[c.Root()]
}

// PlaceAt puts a part that has no place at that of a cause.
func (g *Grouping) PlaceAt(p *Part, c *Cause) {
	if p.placed {
		return
	}
	p.Source, p.placed = g.sourceOf(c, p.Program), c.Source.File != ""
	p.OpName = cmp.Or(p.OpName, c.OpName, c.OpType)
}

// tellApart names the places of several edits in one function by the text of each edit, and notes which functions were edited.
func (g *Grouping) tellApart() {
	edits := map[string][]string{}
	for _, p := range g.Parts {
		if p.Cause != nil && p.Source.Edited {
			edits[p.at] = AddNew(edits[p.at], g.editAt(p.Source))
		}
	}
	for _, p := range g.Parts {
		if p.Cause == nil || !p.Source.Edited {
			continue
		}
		if len(edits[p.at]) > 1 {
			p.at += "\x00" + g.editText(p.Source)
		}
		g.edited[p.at] = true
	}
}

// Changes makes one change of the parts that have anything in common by which one edit is known. If everything that was edited is the place of one
// change, whatever else differs follows from it.
func (g *Grouping) Changes() []*Change {
	for _, p := range g.Parts {
		for _, shapes := range p.gives {
			g.givers[shapes] = append(g.givers[shapes], p)
		}
	}
	var classes [][]*Part
	known := map[string]int{}
	for _, p := range g.Parts {
		keys := g.keys(p)
		at := len(classes)
		for _, key := range keys {
			if n, ok := known[key]; ok {
				at = n
				break
			}
		}
		if at == len(classes) {
			classes = append(classes, nil)
		}
		classes[at] = append(classes[at], p)
		for _, key := range keys {
			if _, ok := known[key]; !ok {
				known[key] = at
			}
		}
	}
	list := phrase.Map(g.joinUncompiled(g.joinToOnlyEdit(classes)), changeOf)
	g.effects()
	return list
}

// keys are what parts of one change have in common: the edit, the call, the types of the arguments, the buffer that comes back as an argument, the function, or the
// operation.
func (g *Grouping) keys(p *Part) []string {
	if p.Kind == KindToolchain {
		return []string{"toolchain"}
	}
	key := func(parts ...string) string { return strings.Join(parts, "\x00") }
	kind := p.Kind
	switch {
	case g.edited[p.at]: // all that is wrong at an edited place is one change
		kind = ""
	case kind == KindResults, kind == KindDonation && p.OpName != "": // what a function returns follows from its edit, and so does which buffer that takes
		kind = KindCode
	}
	keys := []string{key("at", p.Program, kind, p.at)}
	if edit := g.editAt(p.Source); edit != "" {
		keys = append(keys, key("edit", edit))
	}
	if edit := g.editAt(p.call); edit != "" {
		keys = append(keys, key("edit", edit))
	}
	if p.Kind == KindArguments {
		keys = append(keys, key("call", p.Program))
	}
	if p.variant != nil && !p.Source.Edited && (p.Kind == KindCode || p.Kind == KindResults || p.Kind == KindArguments) && p.variant.Retyped(true) {
		keys = append(keys, key("types", p.Program, p.variant.New.Signature)) // what the program computes follows from the types of what it takes
	}
	for _, types := range p.retypes() {
		if p.Kind == KindArguments || !p.Source.Edited || g.setsType(p) {
			keys = append(keys, key("retyped", p.Program, p.variant.New.Signature, types)) // what is computed in a type follows from arguments that have it now
		}
	}
	for _, shape := range slices.Concat(p.lost, p.takes) {
		keys = append(keys, key("buffer", p.Program, shape))
	}
	for _, shapes := range p.gives {
		keys = append(keys, key("handed", p.Program, shapes))
	}
	for _, shapes := range p.given {
		if from := g.givers[shapes]; len(from) == 1 && !p.Source.Edited {
			keys = append(keys, key("handed", from[0].Program, shapes))
		}
	}
	switch {
	case p.Source.File == "" && p.OpName != "":
		keys = append(keys, key("operation", p.Program, p.OpName))
	case p.Program != "" && p.Source.Function != "" && (kind == "" || kind == KindCode || kind == KindConstants):
		keys = append(keys, key("function", kind, p.at))
	}
	return keys
}

// joinToOnlyEdit puts all classes into one if everything that was edited is the place of one of them, unless another compiler may be behind the others.
func (g *Grouping) joinToOnlyEdit(classes [][]*Part) [][]*Part {
	isEdited := func(class []*Part) bool {
		return slices.ContainsFunc(class, func(p *Part) bool { return p.Source.Edited })
	}
	first := slices.IndexFunc(classes, isEdited)
	if first < 0 || g.compiler || slices.ContainsFunc(classes[first+1:], isEdited) || len(g.untraced) > 0 && !slices.ContainsFunc(classes[first], g.isUntraced) {
		return classes
	}
	list := [][]*Part{classes[first]}
	for i, class := range classes {
		apart := func(p *Part) bool { return p.Kind == KindToolchain || p.Kind == KindFlags }
		switch {
		case i == first:
		case slices.ContainsFunc(class, apart) || !slices.ContainsFunc(class, g.differs):
			list = append(list, class)
		default:
			list[0] = append(list[0], class...)
		}
	}
	return list
}

// joinUncompiled finds the edit behind operations that XLA did not take and whose lines are not known: such operations are where programs end. If only one
// class has programs that are new, or clusters that split or merged, these operations join it.
func (g *Grouping) joinUncompiled(classes [][]*Part) [][]*Part {
	divided := map[string]bool{}
	for _, p := range g.programs {
		divided[p.Name] = p.Old == nil || p.Parts != nil
	}
	divides := func(class []*Part) bool {
		return slices.ContainsFunc(class, func(p *Part) bool { return divided[p.Program] })
	}
	uncompiled := func(p *Part) bool { return p.Program == "" && p.Source.File == "" && p.Kind == KindCode }
	only := slices.IndexFunc(classes, divides)
	if only < 0 || slices.ContainsFunc(classes[only+1:], divides) {
		return classes
	}
	var list, outside [][]*Part
	for i, class := range classes {
		if i != only && !slices.ContainsFunc(class, func(p *Part) bool { return !uncompiled(p) }) {
			outside = append(outside, class)
		} else {
			list = append(list, class)
		}
	}
	at := slices.IndexFunc(list, divides)
	list[at] = slices.Concat(append([][]*Part{list[at]}, outside...)...)
	return list
}

// differs reports whether a part is a difference from the baseline, and no limit that was broken before as well.
func (g *Grouping) differs(part *Part) bool {
	return part.Drift || slices.ContainsFunc(g.programs, func(p *Program) bool {
		return p.Name == part.Program && (p.Old == nil || p.New == nil || part.Kind == KindArguments && p.Change != Same)
	})
}

// dependence ranks a part by how surely it follows from another one: 2 for results that the program returns besides; 1 for kernels of which no operation of the
// model is known to have come or gone, and for a buffer that a result of another type does not take; else 0.
func (p *Part) dependence() int {
	switch {
	case p.Kind == KindResults && p.variant != nil && !p.variant.GivesLess():
		return 2
	case p.Kind == KindCode && (p.Cause == nil || len(p.Cause.Edits) == 0), p.Kind == KindDonation && p.OpName != "":
		return 1
	}
	return 0
}

// editAt names the edit at a place, see [EditOf].
func (g *Grouping) editAt(at Place) string {
	if !at.Edited {
		return ""
	}
	return EditOf(hlo.Location{File: at.File, Line: int32(at.Line), Function: at.Function}, g.lines.Edits)
}

// editText is the text of the first line of the edit at a place.
func (g *Grouping) editText(at Place) string {
	first := at.Line
	if h, ok := g.lines.Edits.At(at.File, at.Line); ok {
		first = h.Edit
	}
	return g.lines.Edits.Text(at.File, first, "")
}

// IsIn reports whether a part is in the function that a line is in.
func (g *Grouping) IsIn(p *Part, l hlo.Location) bool {
	return l.File != "" && p.Source.File == g.named(l).File && p.Source.Function == l.Function
}
