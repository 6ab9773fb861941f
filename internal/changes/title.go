package changes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// title returns what a cause did. A cause of which only kernels are known gets their place.
func (s *suspect) title(v *Variant) string {
	c := &s.Cause
	if len(s.edits) > 0 {
		c.Title = s.editsTitle(v)
	}
	if text, _ := carriesMore(s.own.Changed); text != "" && s.onlyStacks() {
		c.Title = text
	}
	var parts []string
	for _, text := range []string{s.library(v), s.arguments, c.Title} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if loops := loopsTitle(s.loops); loops != "" {
		if c.Kind == KindCode || c.Title == "" { // how a loop ends explains more than the operations of its condition
			parts = append([]string{loops}, parts...)
		} else {
			parts = append(parts, loops)
		}
	}
	if len(s.unroll) > 0 {
		parts = append([]string{unrollTitle(s.unroll)}, parts...)
	}
	if text := s.oftener(); text != "" {
		parts = append([]string{text}, parts...)
	}
	more := computing(s.After) > computing(s.Before)                                    // else other kernels were merged, and what is split costs no launch
	if len(s.split) > 0 && more && (len(s.edits) == 0 || len(s.split[0].Between) > 0) { // where operations came or went, kernels that split follow from them
		parts = append(parts, splitsTitle(s.split, c.Kind != KindToolchain && (c.Kind != KindCode || c.Title == "")))
	}
	if k := s.instead(v); k != nil {
		parts = append(parts, "in their place: "+k.Operations()+" → "+k.Out)
	}
	switch {
	case len(parts) == 0:
		parts = s.kernelsTitle(v)
	case c.Title == "" && len(s.loops) > 0:
		c.place([]facts.Kernel{*s.loops[0].New})
	}
	if c.Kind == KindUnknown && len(v.Compiler) > 0 {
		parts = append(parts, "the toolchain also changed: "+toolsTitle(v.Compiler))
	}
	return strings.Join(parts, "; ")
}

// oftener says which collectives run in every step of a loop now: "all-reduce runs 4 times, in a loop, once before"; "" if none does.
func (s *suspect) oftener() string {
	moved := func(e *Edit) bool {
		return slices.ContainsFunc(e.IntoLoop, func(s Step) bool { return IsCollective(s.Opcode) })
	}
	if slices.ContainsFunc(s.edits, moved) {
		return "" // it is said
	}
	was, is, loops := map[string]float64{}, map[string]float64{}, map[string]bool{}
	count := func(kernels []facts.Kernel, runs map[string]float64) {
		for i := range kernels {
			if k := &kernels[i]; k.Class == facts.ClassCollective {
				runs[k.Target] += k.Runs()
			}
		}
	}
	count(s.Before, was)
	count(s.After, is)
	for i := range s.After {
		if k := &s.After[i]; k.InLoop {
			loops[k.Target] = true
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(is)) {
		if before := cmp.Or(was[kind], 1); loops[kind] && is[kind] >= 2*before {
			text := fmt.Sprintf("%s runs %s, in a loop", kind, phrase.Times(is[kind]))
			if was[kind] > 0 {
				text += ", " + phrase.Times(was[kind]) + " before"
			}
			return text
		}
	}
	return ""
}

// instead returns the dearest kernel that came with an edit that only takes operations away, and yet costs time; nil for others.
func (s *suspect) instead(v *Variant) *facts.Kernel {
	if len(s.edits) == 0 || len(s.loops) > 0 || !onlyGone(s.edits) || slices.ContainsFunc(s.edits, forgotten) || launchTime(v.New, s.After) <= launchTime(v.Old, s.Before) {
		return nil
	}
	var dearest *facts.Kernel
	var most float64
	for i := range s.After {
		if ns := launchTime(v.New, s.After[i:i+1]); ns > most {
			dearest, most = &s.After[i], ns
		}
	}
	return dearest
}

// kernelsTitle names the kernels themselves, where nothing else is known of a cause.
func (s *suspect) kernelsTitle(v *Variant) []string {
	text, of := carriesMore(s.own.Changed)
	sizes := false
	if text == "" {
		text, of = resizedTitle(&s.own)
		sizes = text != ""
	}
	if text == "" {
		text, of = mostTelling(&s.own)
	}
	if of != nil {
		s.place([]facts.Kernel{*of})
	}
	if names := renamedTitle(v); names != "" && of == nil && len(s.own.Removed) == 0 {
		return []string{names}
	}
	switch {
	case text == sameKernels && reorderedResults(v):
		return []string{"the results are in another order"}
	case !v.Model.Known || len(v.Model.Edits) > 0:
		return []string{text}
	case strings.HasSuffix(text, sameOperations):
		return []string{sameOperations}
	case sizes:
		return []string{text, "the model's operations are the same"}
	}
	return []string{text, "the model's operations are the same; their shapes or order differ"}
}

// onlyStacks reports whether all that came arranges what loops return, and nothing went.
func (s *suspect) onlyStacks() bool {
	computes := func(step Step) bool { return !movesData(step) && !stacks(step) }
	return len(s.edits) > 0 && !slices.ContainsFunc(s.edits, func(e *Edit) bool { return len(e.Removed) > 0 || slices.ContainsFunc(e.Added, computes) })
}

// carriesMore says what the loop that grew most carries now, and returns it: "a loop now carries f32[47,32,17], not s32[47,32]"; "" if none did.
func carriesMore(changed []KernelChange) (text string, loop *facts.Kernel) {
	var most int64
	for i := range changed {
		c := &changed[i]
		was, is := hlo.ShapeText(c.Old.Out).Elements(), hlo.ShapeText(c.New.Out).Elements()
		n := numbersIn(is) - numbersIn(was)
		if c.New.Root != "while" || n < notable || n <= most {
			continue
		}
		most, loop, text = n, &c.New, "a loop now carries "+counted(minus(is, was))
		if gone := counted(minus(was, is)); gone != "" {
			text += ", not " + gone
		}
	}
	return text, loop
}

// numbersIn counts the elements of arrays.
func numbersIn(arrays []string) (n int64) {
	for _, a := range arrays {
		size := int64(1)
		for _, d := range hlo.ShapeText(a).Dims() {
			length, _ := strconv.ParseInt(strings.TrimPrefix(d, "<="), 10, 64)
			size *= length
		}
		n += size
	}
	return n
}

// mostChanged is the kernel that changed most, one that reads what it read before if there is any: the others follow from it.
func mostChanged(list []KernelChange) KernelChange {
	return slices.MaxFunc(list, func(a, b KernelChange) int {
		return cmp.Or(cmp.Compare(Flag(a.byItself()), Flag(b.byItself())), cmp.Compare(a.growth(), b.growth()))
	})
}

// resizedTitle names the kernel that changed most, if most of those that differ do the same on arrays of other sizes, and returns it:
// "dot f32[640,64] → f32[1024,64], and 57 more kernels on arrays of other sizes"; "" if they do not.
func resizedTitle(k *Kernels) (string, *facts.Kernel) {
	list := phrase.Filter(k.Changed, func(c KernelChange) bool { return c.Old.Out != c.New.Out && resized(&c.Old) == resized(&c.New) })
	if len(list) <= len(k.Added)+len(k.Removed) {
		return "", nil
	}
	most := mostChanged(list)
	text := fmt.Sprintf("%s %s → %s", most.New.Operations(), most.Old.Out, most.New.Out)
	if n := len(list) - 1; n > 0 {
		text += ", and " + phrase.Some(n, "more kernel") + " on arrays of other sizes"
	}
	return text, &most.New
}

// mostTelling describes the kernel that explains most, and returns it if the new program has it.
func mostTelling(k *Kernels) (string, *facts.Kernel) {
	switch {
	case len(k.Added) == 1:
		return "new: " + k.Added[0].Describe(), &k.Added[0]
	case len(k.Added) > 1:
		first := facts.FirstKernel(k.Added, facts.AnyKernel)
		return fmt.Sprintf("%d new kernels, among them %s", len(k.Added), first.Describe()), first
	case len(k.Changed) > 0:
		most := mostChanged(k.Changed)
		return fmt.Sprintf("%s: %s", most.New.Operations(), strings.Join(phrase.Within(most.What, 3), ", ")), &most.New
	case len(k.Moved) > 0:
		return fmt.Sprintf("%s: %s", k.Moved[0].New.Operations(), strings.Join(k.Moved[0].What, ", ")), &k.Moved[0].New
	case len(k.Removed) > 0:
		return "gone: " + k.Removed[0].Describe(), nil
	}
	return sameKernels, nil
}

const sameKernels = "the same kernels, connected in another way"

// reorderedResults reports whether the program returns arrays of the same shapes in another order: the keys of a dictionary sort its values.
func reorderedResults(v *Variant) bool {
	was, is := hlo.ShapeText(v.Old.Result).Elements(), hlo.ShapeText(v.New.Result).Elements()
	return !slices.Equal(was, is) && len(minus(was, is))+len(minus(is, was)) == 0
}

// loopsTitle says how loops run now: "the loop ran 50 times, now an unknown number of times, and 2 more loops changed".
func loopsTitle(loops []LoopChange) string {
	if len(loops) == 0 {
		return ""
	}
	text := loops[0].String()
	if n := len(loops) - 1; n > 0 {
		text += ", and " + phrase.Some(n, "more loop") + " changed"
	}
	return text
}

func unrollTitle(list []*Regroup) string {
	most := list[0]
	for _, u := range list {
		if len(u.Many) > len(most.Many) {
			most = u
		}
	}
	return fmt.Sprintf("%s of a loop's body is in the program %d times", most.One.Operations(), len(most.Many))
}

// splitsTitle says that kernels were split, and why the first was, where that is in the model.
func splitsTitle(splits []*Regroup, inModel bool) string {
	text := splits[0].Title()
	if !inModel {
		text = (&Regroup{One: splits[0].One, Many: splits[0].Many}).Title()
	}
	if n := len(splits) - 1; n > 0 {
		text += ", and " + phrase.Count(n, "more kernel was", "more kernels were") + " split"
	}
	return text
}

// Title is "subtract, exponential, 2 reduce is split into 4 kernels by an optimization barrier (train.py:9)", or
// "one kernel became 2: train.py:27 now reads its add too (3 places)".
func (r *Regroup) Title() string {
	if len(r.Between) > 0 && len(r.Between[0].Users) > 0 {
		first := r.Between[0].Users[0]
		text := fmt.Sprintf("one kernel became %d: %s now reads its %s too", len(r.Many), cmp.Or(first.Source.Short(), first.Operations()), r.Between[0].Value)
		if n := len(r.Between[0].Users); n > 1 {
			text += fmt.Sprintf(" (%d places)", n)
		}
		return text
	}
	text := fmt.Sprintf("%s is split into %d kernels", r.One.Operations(), len(r.Many))
	if why := SplitBy(r.Between); why != "" {
		text += " " + why
	}
	return text
}

// toolchainTitle says why equal programs were compiled to different ones.
func toolchainTitle(changes []FlagChange) string {
	text := "the model is the same; the compiler made another program of it"
	if len(changes) == 0 {
		return text
	}
	return text + ": " + toolsTitle(changes)
}

func toolsTitle(changes []FlagChange) string {
	return strings.Join(phrase.Within(texts(changes, FlagChange.String), 4), ", ")
}

// FlagChange is a compiler flag that differs, "" for its default; or what compiled, by name and version.
type FlagChange struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// String is "xla_disable_hlo_passes=fusion (was unset)".
func (f FlagChange) String() string {
	return fmt.Sprintf("%s is %s, was %s", f.Name, cmp.Or(f.New, "unset"), cmp.Or(f.Old, "unset"))
}

// argumentsTitle says which arguments have other shapes or types, came or went. follow reports that they only came or went, with an edit of the model.
func argumentsTitle(v *Variant) (text string, follow bool) {
	var parts []string
	var come, gone []*facts.Parameter
	var reshaped []ParamChange
	for _, p := range v.Params {
		switch {
		case p.Old == nil:
			if !readByEdits(v, p.New) && !bakedIn(&Variant{Old: v.New, New: v.Old}, p.New) {
				come = append(come, p.New)
			}
		case p.New == nil:
			if !readByEdits(v, p.Old) && !bakedIn(v, p.Old) {
				gone = append(gone, p.Old)
			}
		case p.Old.Shape != p.New.Shape:
			reshaped = append(reshaped, p)
		case p.Old.Constant != p.New.Constant:
			parts = append(parts, fmt.Sprintf("%s: %s → %s", p.Name, p.Old.Constant, p.New.Constant))
		}
	}
	parts = append(reshapedTitles(reshaped), parts...)
	follow = len(parts) == 0 && len(come)+len(gone) > 0 && len(v.Model.Edits) > 0
	had, has := namesOf(v.Old.Params), namesOf(v.New.Params)
	for _, tree := range treesOf(come) {
		parts = append(parts, tree.said("new", had))
	}
	for _, tree := range treesOf(gone) {
		parts = append(parts, tree.said("gone", has))
	}
	return strings.Join(phrase.Within(parts, 4), "; "), follow
}

// reshapedTitles says what arguments became, those in one that became the same or, in another type, as large: "params['up'] and 7 more: f32[64,256] → f32[64,512]".
func reshapedTitles(list []ParamChange) (parts []string) {
	became := func(p ParamChange) string {
		was, is := hlo.ShapeText(p.Old.Shape), hlo.ShapeText(p.New.Shape)
		if was.Type() == is.Type() {
			return fmt.Sprint(was.Dims(), is.Dims())
		}
		return p.Old.Shape + p.New.Shape
	}
	retyped := func(p ParamChange) string {
		was, is := hlo.ShapeText(p.Old.Shape), hlo.ShapeText(p.New.Shape)
		if slices.Equal(was.Dims(), is.Dims()) {
			return was.Type() + " → " + is.Type()
		}
		return ""
	}
	told := map[*facts.Parameter]bool{}
	// A whole tree that has another type is told as one: "state.mu (16 arrays, 768.0 KiB): bf16 → f32".
	for _, alike := range phrase.Group(phrase.Filter(list, func(p ParamChange) bool { return retyped(p) != "" }), retyped) {
		for _, t := range treesOf(phrase.Map(alike, func(p ParamChange) *facts.Parameter { return p.New })) {
			if len(t.leaves) == 1 {
				continue
			}
			parts = append(parts, t.String()+": "+retyped(alike[0]))
			for _, p := range t.leaves {
				told[p] = true
			}
		}
	}
	list = phrase.Filter(list, func(p ParamChange) bool { return !told[p.New] })
	for _, alike := range phrase.Group(list, became) {
		first := slices.MinFunc(alike, func(a, b ParamChange) int { return cmp.Compare(len(a.Name), len(b.Name)) })
		name := first.Name
		if n := len(alike) - 1; n > 0 {
			name += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, fmt.Sprintf("%s: %s → %s", name, first.Old.Shape, first.New.Shape))
	}
	return parts
}

// renamedTitle says what arguments are called now: "state['opt'] is called state.opt", "state[0] is in another order"; "" if they have their names.
func renamedTitle(v *Variant) string {
	var parts []string
	for old, fresh := range v.KeptParams {
		if list := listOf(old.Name); list != "" && list == listOf(fresh.Name) && old.Name != fresh.Name {
			parts = AddNew(parts, list+" is in another order")
		} else if old.Name != fresh.Name {
			was, is := withoutCommonEnd(old.Name, fresh.Name)
			parts = AddNew(parts, fmt.Sprintf("%s is called %s", was, is))
		}
	}
	return strings.Join(phrase.Within(parts, 4), ", ")
}

// withoutCommonEnd cuts off the last steps that the paths of two arrays have in common.
func withoutCommonEnd(a, b string) (string, string) {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	end := a[len(a)-n:]
	if at := strings.IndexAny(end, "[."); at >= 0 {
		end = end[at:]
		return strings.TrimSuffix(a, end), strings.TrimSuffix(b, end)
	}
	return a, b
}

// readByEdits reports whether an argument comes or goes because of an edit: the framework, not the model, passes captured and unnamed ones to the operations
// that read them.
func readByEdits(v *Variant, p *facts.Parameter) bool {
	return len(v.Model.Edits) > 0 && (p.Captured || countedNames(v.Old.Params) && countedNames(v.New.Params))
}

// bakedIn reports whether an argument that is gone is a constant now, whole or in the parts that the compiler made of it; with the sides
// swapped, whether a new one was.
func bakedIn(v *Variant, p *facts.Parameter) bool {
	var parts int64
	for _, c := range NewConstants(v) {
		if c.Bytes < notable {
			continue
		}
		if c.Shape == p.Shape {
			return true
		}
		if hlo.ShapeText(c.Shape).Type() == hlo.ShapeText(p.Shape).Type() {
			parts += c.Bytes
		}
	}
	return parts > 0 && parts == p.Bytes
}

// redonated lists the arguments that lend their buffers to results no longer, and those that do so now.
func redonated(v *Variant) (lost, gained []*facts.Parameter) {
	for _, p := range v.Params {
		switch {
		case p.Old == nil || p.New == nil:
		case p.Old.Aliased && !p.New.Aliased:
			lost = append(lost, p.New)
		case !p.Old.Aliased && p.New.Aliased:
			gained = append(gained, p.New)
		}
	}
	return lost, gained
}

// donationTitle says which arguments lend their buffers to results no longer, or do so now.
func donationTitle(lost, gained []*facts.Parameter) string {
	switch {
	case len(lost) > 0:
		return "no longer updated in place: " + strings.Join(phrase.Within(Trees(lost), 4), ", ")
	case len(gained) > 0:
		return "now updated in place: " + strings.Join(phrase.Within(Trees(gained), 4), ", ")
	}
	return ""
}

// notable is from how many bytes a new constant is worth naming.
const notable = 256

func largestOf(constants []facts.Constant) facts.Constant {
	return slices.MaxFunc(constants, func(a, b facts.Constant) int { return cmp.Compare(a.Bytes, b.Bytes) })
}

// ConstantAt returns the cause that a constant is in the program.
func ConstantAt(c facts.Constant) *Cause { return constantCause(nil, c) }

// constantCause also names the argument that the constant was: "params['w'] is baked into the program: f32[64,128], 32.0 KiB".
func constantCause(v *Variant, c facts.Constant) *Cause {
	title := fmt.Sprintf("%s (%s) is baked into the program", c.Shape, phrase.Bytes(float64(c.Bytes)))
	if argument := formerArgument(v, c); argument != "" {
		title = fmt.Sprintf("%s is baked into the program: %s, %s", argument, c.Shape, phrase.Bytes(float64(c.Bytes)))
	}
	return &Cause{Kind: KindConstants, Title: title, OpName: c.OpName, Source: c.Source}
}

// NewConstants are the constants that the old program has fewer of, by shape.
func NewConstants(v *Variant) []facts.Constant {
	if v.Old == nil {
		return v.New.Constants
	}
	p := newPairing(v.Old.Constants, v.New.Constants)
	p.inTurn(func(c facts.Constant) string { return c.Shape })
	return p.added()
}

// formerArgument names the argument of a constant's shape that is gone, or that nothing reads any more, else one that is gone and that all new
// constants together make up, else one that is still read elsewhere; "" when there is none.
func formerArgument(v *Variant, c facts.Constant) string {
	if v == nil {
		return ""
	}
	for _, p := range v.Params {
		if p.Old == nil || p.Old.Shape != c.Shape {
			continue
		}
		if p.New == nil || p.New.Unused && !p.Old.Unused {
			return p.Name
		}
	}
	for _, p := range v.Params {
		if p.New == nil && c.Bytes <= p.Old.Bytes && bakedIn(v, p.Old) { // the constant is a part of it
			return p.Name
		}
	}
	return keptArgument(v, c)
}

// keptArgument names the only argument of a constant's shape, if the operation that reads the constant is not new, nor anything in its scope: it read
// the argument before. Dimensions of one element do not count.
func keptArgument(v *Variant, c facts.Constant) string {
	scope := scopeOf(c.OpName)
	if v.Old == nil || scope == "" || !v.Model.Known || slices.ContainsFunc(v.Model.Edits, func(e Edit) bool { return strings.HasPrefix(e.Scope, scope) }) {
		return ""
	}
	var alike []string
	for was := range v.KeptParams {
		if sameArray(was.Shape, c.Shape) {
			alike = append(alike, was.Name)
		}
	}
	if len(alike) != 1 {
		return ""
	}
	return alike[0]
}

// sameArray reports whether two arrays differ in dimensions of one element at most.
func sameArray(a, b string) bool {
	large := func(shape string) []string {
		return slices.DeleteFunc(slices.Clone(hlo.ShapeText(shape).Dims()), func(n string) bool { return n == "1" })
	}
	return hlo.ShapeText(a).Type() == hlo.ShapeText(b).Type() && slices.Equal(large(a), large(b))
}

// NewResult finds a result that the program did not return before, or not in that shape; "" when there is none, or the old program's
// results are not known.
func NewResult(v *Variant) (op facts.Op, sentence string) {
	if v == nil || v.Old == nil {
		return facts.Op{}, ""
	}
	return resultTitle(v)
}

// resultTitle finds a result that the program did not return before, and the operation that makes it.
func resultTitle(v *Variant) (facts.Op, string) {
	if v.Rescaled || v.Old.Result == "" || v.Old.Result == v.New.Result {
		return facts.Op{}, ""
	}
	had := countOf(hlo.ShapeText(v.Old.Result).Elements())
	var fresh []facts.Op
	for _, op := range v.New.Results {
		if had[op.Shape]--; had[op.Shape] < 0 {
			fresh = append(fresh, op)
		}
	}
	if len(fresh) == 0 {
		return facts.Op{}, ""
	}
	fresh = newest(v.Old, v.New.Results, fresh)
	text := fmt.Sprintf("%s is now a result of the program", resultWord(fresh[0]))
	if len(fresh) > 1 {
		text = fmt.Sprintf("%d results are new, among them %s", len(fresh), resultWord(fresh[0]))
	}
	if !slices.ContainsFunc(fresh, func(op facts.Op) bool { return op.Opcode != "parameter" }) {
		text = phrase.Count(len(fresh), "argument is now returned as it went in: ", "arguments are now returned as they went in: ") +
			counted(texts(fresh, func(op facts.Op) string { return op.Shape }))
	}
	return fresh[0], text
}

func resultWord(op facts.Op) string {
	name := lastStep(op.OpName)
	if name == "" {
		name = op.Opcode
	}
	return name + " " + op.Shape
}

// resultKey tells results apart that have no operation of the model.
func resultKey(op facts.Op) string { return cmp.Or(op.OpName, op.Opcode+" "+op.Shape) }

// newest picks, of results that are alike in shape, those whose operation the old program did not end in.
func newest(old *facts.Variant, all, fresh []facts.Op) []facts.Op {
	ended := map[string]bool{}
	for i := range old.Kernels {
		ended[old.Kernels[i].OpName] = true
	}
	for _, op := range old.Results {
		ended[resultKey(op)] = true
	}
	var out []facts.Op
	for _, op := range all {
		if !ended[resultKey(op)] && slices.ContainsFunc(fresh, func(f facts.Op) bool { return f.Shape == op.Shape }) {
			out = append(out, op)
		}
	}
	if len(out) == 0 {
		return fresh
	}
	return out[:min(len(out), len(fresh))]
}
