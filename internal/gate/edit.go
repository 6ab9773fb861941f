package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// joinEdits makes one change of those that one edit brought about: at one edited line, at one call, or in several programs at one function of the model. If
// everything that was edited is the place of one change, whatever else differs follows from it.
func (g *grouping) joinEdits() []*group {
	var classes [][]*group
	byPlace := map[string][]int{}
	for _, o := range g.groups {
		at := -1
		o.edit = g.editAt(o.Source)
		for _, place := range o.near() {
			if near := byPlace[place]; at < 0 {
				at = slices.IndexFunc(near, func(i int) bool { return slices.ContainsFunc(classes[i], o.sameEdit) })
				if at >= 0 {
					at = near[at]
				}
			}
		}
		if at < 0 {
			at, classes = len(classes), append(classes, nil)
		}
		classes[at] = append(classes[at], o)
		for _, place := range o.near() {
			byPlace[place] = append(byPlace[place], at)
		}
	}
	return phrase.Map(g.follows(classes), oneOf)
}

// editAt names the edit at a place, see [editOf].
func (g *grouping) editAt(at result.Source) string {
	if !at.Edited {
		return ""
	}
	return editOf(hlo.Location{File: at.File, Line: int32(at.Line), Function: at.Function}, g.target.Edits)
}

// firstLine is the number of the first line of the edit at a place.
func (g *grouping) firstLine(at result.Source) int {
	if h, ok := g.target.Edits.At(at.File, at.Line); ok {
		return h.Edit
	}
	return at.Line
}

// editText is the text of that line.
func (g *grouping) editText(at result.Source) string {
	return g.target.Edits.Text(at.File, g.firstLine(at), "")
}

// near lists what changes that are one edit may have in common: the edited lines, the function, or the program that is called otherwise.
func (o *group) near() []string {
	places := []string{"at " + o.place}
	if o.edit != "" {
		places = append(places, "edit "+o.edit)
	}
	if o.Kind == changes.KindArguments || len(o.lost) > 0 {
		places = append(places, "call "+o.Program)
	}
	if o.Kind == changes.KindToolchain {
		places = append(places, "toolchain")
	}
	if o.Source.File == "" {
		places = append(places, "op "+o.OpName)
	}
	return places
}

// sameEdit reports whether two changes are one edit: of the same lines, of what one program is called with, of one operation whose line is not known, or in
// different programs of one function of the model.
func (o *group) sameEdit(other *group) bool {
	inCode := func(o *group) bool {
		return o.Kind == changes.KindCode || o.Kind == changes.KindConstants || o.Kind == changes.KindResults
	}
	switch {
	case o.edit != "" && o.edit == other.edit, o.Kind == changes.KindToolchain && other.Kind == changes.KindToolchain:
		return true
	case o.Program == "" || other.Program == "":
		return false
	case o.Program == other.Program && o.Kind == changes.KindArguments && other.Kind == changes.KindArguments: // called otherwise, and so compiled again
		return true
	case o.Program == other.Program && (o.feeds(other) || other.feeds(o)):
		return true
	case o.Program == other.Program && o.Source.File == "" && other.Source.File == "" && o.OpName != "" && o.OpName == other.OpName:
		return true
	}
	return o.Program != other.Program && o.place == other.place && o.Source.Function != "" && inCode(o) && inCode(other)
}

// feeds reports whether a result that is lost comes back as an argument that the program is compiled again for.
func (o *group) feeds(other *group) bool {
	return slices.ContainsFunc(o.lost, func(shape string) bool { return slices.Contains(other.takes, shape) })
}

// follows puts all classes into one if everything that was edited is the place of one of them, unless another compiler may be behind the others.
func (g *grouping) follows(classes [][]*group) [][]*group {
	isEdited := func(class []*group) bool {
		return slices.ContainsFunc(class, func(o *group) bool { return o.Source.Edited })
	}
	first := slices.IndexFunc(classes, isEdited)
	if first < 0 || g.compiler || slices.ContainsFunc(classes[first+1:], isEdited) || len(g.untraced) > 0 && !slices.ContainsFunc(classes[first], g.isUntraced) {
		return classes
	}
	list := [][]*group{classes[first]}
	for i, class := range classes {
		switch {
		case i == first:
		case slices.ContainsFunc(class, func(o *group) bool {
			return o.Kind == changes.KindToolchain || o.Kind == changes.KindFlags || !g.differs(o)
		}):
			list = append(list, class)
		default:
			list[0] = append(list[0], class...)
		}
	}
	return list
}

// isUntraced reports whether a change is at an edited line that no operation passes through.
func (g *grouping) isUntraced(o *group) bool {
	return slices.ContainsFunc(g.untraced, func(h git.Hunk) bool { return o.Source.Edited && h.File == o.Source.File && h.First == o.Source.Line })
}

// oneOf makes one change of several that are one edit. The one that says best what was done leads.
func oneOf(class []*group) *group {
	adds := func(o *group) bool { return o.Kind == changes.KindCode && o.Price.StepNS > 0 }
	onlyKernels := func(o *group) bool { // no operation of the model says what was done
		return o.Kind == changes.KindCode && !slices.ContainsFunc(o.causes, func(c *changes.Cause) bool { return len(c.Edits) > 0 })
	}
	slices.SortStableFunc(class, func(a, b *group) int {
		return cmp.Or(
			compareBool(b.Source.Edited, a.Source.Edited), cmp.Compare(levelRank[a.level()], levelRank[b.level()]), compareBool(b.called, a.called), compareBool(onlyKernels(a), onlyKernels(b)), compareBool(adds(b), adds(a)),
			cmp.Compare(b.Price.Compilations, a.Price.Compilations), cmp.Compare(b.Price.StepNS, a.Price.StepNS),
		)
	})
	first := class[0]
	for _, o := range class[1:] {
		o.into = first
		first.join(o)
	}
	first.leadUncompiled(class)
	return first
}

// leadUncompiled puts into the title of a change of programs the operation that XLA could not compile, which is why they are other ones, if the title
// does not name it already.
func (o *group) leadUncompiled(class []*group) {
	uncompiled := slices.DeleteFunc(slices.Clone(class), func(other *group) bool { return other.Program != "" || other.Kind != changes.KindCode })
	if o.Program == "" || len(uncompiled) == 0 || slices.ContainsFunc(uncompiled, func(other *group) bool { return other.OpName == o.OpName }) {
		return
	}
	title := uncompiled[0].Title
	o.Details = append([]string{o.Title}, slices.DeleteFunc(o.Details, func(text string) bool { return text == title })...)
	o.Title = title
}

// join adds what the same edit did besides, in this program or in another.
func (o *group) join(other *group) {
	title := other.Title
	for of, ns := range other.steps {
		o.steps[of] += ns
	}
	if other.Program == o.Program || other.Program == "" {
		o.Price, o.causes = sum(o.Price, other.Price), append(o.causes, other.causes...)
		o.Variants = changes.AddNew(o.Variants, other.Variants...)
		o.addEvidence(changes.Evidence(other.Evidence))
		for _, e := range other.Effects {
			o.effect(e)
		}
	} else if at := slices.IndexFunc(o.Others, func(known result.Other) bool { return known.Program == other.Program }); at >= 0 {
		o.Others[at].Price = sum(o.Others[at].Price, other.Price)
		o.Others[at].Variants = changes.AddNew(o.Others[at].Variants, other.Variants...)
	} else {
		o.Others = append(o.Others, result.Other{Program: other.Program, Variants: other.Variants, Price: other.Price})
	}
	if other.Program != o.Program && other.Program != "" && !strings.HasPrefix(title, other.Program+" ") {
		title = other.Program + ": " + title
	}
	if other.Title != o.Title && !slices.Contains(o.Details, title) && len(o.Details) < maxDetails {
		o.Details = append(o.Details, title)
	}
	if other.Level != "" {
		o.worsen(other.Level)
	}
	o.first = min(o.first, other.first)
	o.found = append(o.found, other.found...)
}

func sum(a, b result.Price) result.Price {
	a.StepNS, a.LowNS, a.HighNS, a.PeakBytes = a.StepNS+b.StepNS, a.LowNS+b.LowNS, a.HighNS+b.HighNS, a.PeakBytes+b.PeakBytes
	a.StepWasNS, a.Compilations = max(a.StepWasNS, b.StepWasNS), max(a.Compilations, b.Compilations)
	return a
}
