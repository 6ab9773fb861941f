package changes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// findCauses returns what brought a variant's changes about, the weightiest first. Every kernel that came, went or changed is put down to one cause:
// the edit on its line or in its scope, else the weightiest one.
func findCauses(v *Variant) []Cause {
	b := &blame{v: v, at: map[place]*suspect{}, made: map[string]*suspect{}}
	arguments, follow := argumentsTitle(v)
	if !follow {
		b.whole(KindArguments, arguments)
	}
	b.whole(KindSharding, shardingTitle(v))
	b.edits()
	b.reshaped()
	if follow {
		b.heaviest(func(s *suspect) bool { return len(s.edits) > 0 }).arguments = arguments
	}
	b.constants()
	b.donation()
	b.results()
	b.compiler()
	b.share()
	b.loops()
	slices.SortStableFunc(b.suspects, func(x, y *suspect) int { return cmp.Compare(y.weight, x.weight) })
	var out []Cause
	for _, s := range b.suspects {
		out = append(out, s.finish(v))
	}
	v.nameProducts(out)
	return out
}

// suspect is a cause while kernels are put down to it.
type suspect struct {
	Cause
	weight int
	edits  []*Edit // the weightiest first
	split  []*Regroup
	unroll []*Regroup
	loops  []LoopChange
	sum    []*suspect     // what it is the sum of, see [sumOf]
	own    Kernels        // those that are put down to it and were not taken apart or put together
	more   map[string]int // by root: how many kernels more it brought than it took away

	arguments string // what came or went with the edits
}

// sumOf is what the causes of several parts did together, as if all of it were the first one's.
func sumOf(parts []*Part) *suspect {
	sum := *parts[0].Cause.suspect
	sum.own.Changed, sum.edits = nil, nil
	sum.Before, sum.After, sum.split, sum.unroll, sum.loops = nil, nil, nil, nil, nil
	for _, p := range parts {
		s := p.Cause.suspect
		sum.sum = append(sum.sum, s)
		sum.edits, sum.Before, sum.After = append(sum.edits, s.edits...), append(sum.Before, s.Before...), append(sum.After, s.After...)
		sum.split, sum.unroll, sum.loops = append(sum.split, s.split...), append(sum.unroll, s.unroll...), append(sum.loops, s.loops...)
		sum.own.Changed = append(sum.own.Changed, s.own.Changed...)
	}
	return &sum
}

// place is an edit, a line of the model, or a scope.
type place struct {
	edit  string
	line  hlo.Location
	scope string
}

// blame puts kernels down to causes.
type blame struct {
	v         *Variant
	suspects  []*suspect
	at        map[place]*suspect  // the suspect of an edited place
	made      map[string]*suspect // the suspect of a kernel that came, by its name
	donated   *suspect            // the suspect of a changed donation; nil for none
	redonated []*facts.Parameter  // whose donation changed
}

func (b *blame) add(s suspect) *suspect {
	b.suspects = append(b.suspects, &s)
	return &s
}

// wholeProgram weighs more than any edit: everything follows from it.
const wholeProgram = 1 << 30

// whole adds a cause that the whole program follows from. Arguments are given at the call; what their sharding does shows at the collectives.
func (b *blame) whole(kind, summary string) {
	if summary == "" {
		return
	}
	s := suspect{Cause: Cause{Kind: kind, Title: summary}, weight: wholeProgram - len(b.suspects)}
	if kind == KindArguments {
		s.Source = b.v.New.CallSite
	}
	b.add(s)
}

// edits adds a cause for each edited line with new operations behind it, and one for each function whose other operations came or went. Places with a known line
// come first.
func (b *blame) edits() {
	list := b.v.Model.Edits
	order := make([]*Edit, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortStableFunc(order, func(x, y *Edit) int {
		return cmp.Or(phrase.CompareBools(y.lined(), x.lined()), cmp.Compare(y.effort(), x.effort()))
	})
	byFunction, lines, forgets := map[string]*suspect{}, b.editedIn(list), slices.ContainsFunc(order, forgotten) && !b.v.dropped()
	loops := phrase.Filter(order, func(e *Edit) bool { return losesLoop(*e) })
	had := map[Step]bool{}
	if len(loops) > 0 {
		had = stepsIn(b.v.Old)
	}
	for _, e := range order {
		edit := b.editOf(e, lines)
		function := edit
		switch {
		case forgets && (keeps(e) || forgotten(e)):
			function = rematerialized
		case b.v.Model.Remats && recomputed(e) && len(e.Added) > 0: // whichever lines it passes through
			function, edit = rematerialized, ""
		case edit != "":
		default:
			function = functionOf(cmp.Or(unrolled(e, loops, had), e))
		}
		s := byFunction[function]
		if s == nil && !e.lined() && (!recomputed(e) || len(e.Added) == 0 && !forgotten(e)) {
			s = b.beside(e)
		}
		if s == nil {
			s = b.add(suspect{Cause: Cause{Kind: KindCode, OpName: e.OpName, Source: e.Source, OpType: e.OpType, Edit: edit}})
			byFunction[function] = s
		}
		s.remats = s.remats || function == rematerialized
		s.edits, s.weight = append(s.edits, e), s.weight+e.effort()
		b.note(place{edit: edit}, s)
		b.note(place{scope: e.Scope}, s)
		if e.Source.File != "" && len(e.Added) > 0 {
			b.note(place{line: line(e.Source)}, s)
		}
	}
}

// unrolled returns the edit that removed the loop whose body e repeats: the loop's line is on the stack of what e added. It returns nil if there is none.
func unrolled(e *Edit, loops []*Edit, had map[Step]bool) *Edit {
	leads := func(loop *Edit) bool {
		return slices.ContainsFunc(e.Stack, func(l hlo.Location) bool { return line(l) == line(loop.Source) })
	}
	at := slices.IndexFunc(loops, leads)
	if at < 0 || !e.lined() || !repeats(e.Added, had) {
		return nil
	}
	return loops[at]
}

// editedIn lists the edited lines that edits pass through, in order, by the function that they are in.
func (b *blame) editedIn(list []Edit) map[string][]hlo.Location {
	lines := map[string][]hlo.Location{}
	for i := range list {
		for _, l := range list[i].Stack {
			if b.v.edited != nil && b.v.edited(l) != "" {
				lines[functionAt(l)] = append(lines[functionAt(l)], l)
				break
			}
		}
	}
	for _, list := range lines {
		slices.SortFunc(list, compareLines)
	}
	return lines
}

func functionAt(l hlo.Location) string { return l.File + "\x00" + l.NamedFunction() }

// editOf names the edit that a place of the model passes through; else the nearest one above it in the same function, or the first there. It returns ""
// if there is none.
func (b *blame) editOf(e *Edit, lines map[string][]hlo.Location) string {
	edit, list := b.v.edited.in(e.Stack), lines[functionAt(e.Source)]
	if edit != "" || len(list) == 0 || !e.lined() {
		return edit
	}
	below := slices.IndexFunc(list, func(l hlo.Location) bool { return l.Line > e.Source.Line })
	if below < 0 {
		below = len(list)
	}
	return b.v.edited(list[max(below-1, 0)])
}

// note records the first suspect of a place.
func (b *blame) note(p place, s *suspect) {
	if b.at[p] == nil {
		b.at[p] = s
	}
}

// reshaped adds a cause for each edit that adds and removes no operation: it changes shapes, attributes or constants. A kernel shows it that differs although it
// reads the same values. The line that calls the program does not count: all kernels are behind it.
func (b *blame) reshaped() {
	for i := range b.v.Kernels.Changed {
		c := &b.v.Kernels.Changed[i]
		if !c.New.Class.Computes() || !c.byItself() || b.find([]facts.Kernel{c.New}, b.editAt) != nil {
			continue
		}
		for _, op := range opsOf(&c.New) {
			stack := stackOf(*op.Op)
			if at := slices.IndexFunc(stack, func(l hlo.Location) bool { return line(l) == line(b.v.New.CallSite) }); at >= 0 {
				stack = stack[:at]
			}
			edit := b.v.edited.in(stack)
			if edit == "" {
				continue
			}
			s := b.unplaced(scopeOf(op.OpName))
			if s == nil {
				s = b.add(suspect{Cause: Cause{Kind: KindCode}, weight: constantsWeight + 1})
			}
			s.OpName, s.Source, s.Edit = op.OpName, op.Source, edit
			b.note(place{edit: edit}, s)
			break
		}
	}
}

// unplaced returns the suspect of operations that went from a scope, if nothing tells which edit took them away; nil for none.
func (b *blame) unplaced(scope string) *suspect {
	s := b.at[place{scope: scope}]
	if s == nil || s.Edit != "" || s.Source.File != "" || scope == "" {
		return nil
	}
	return s
}

// editAt is the edit that an operation passes through.
func (b *blame) editAt(op facts.Op) []place { return []place{{edit: b.v.edited.in(stackOf(op))}} }

// stackOf lists the lines of the model that lead to an operation, the innermost first.
func stackOf(op facts.Op) []hlo.Location { return linesOf(op.Stack) }

func linesOf(stack *facts.Stack) (lines []hlo.Location) {
	for s := stack; s != nil; s = s.Caller {
		lines = append(lines, s.Location)
	}
	return lines
}

// lined reports whether the line of an edit is known.
func (e *Edit) lined() bool { return e.Source.File != "" }

// beside finds the suspect of an edit without a line: the one of the nearest scope around it. An edit that only removes operations may also belong to the weightiest
// suspect in the same function of the framework. A node, see isNode, has no scope around it: its edit belongs to the weightiest suspect of all.
func (b *blame) beside(e *Edit) *suspect {
	node := isNode(e.Scope)
	if s := b.enclosing(e.Scope); s != nil || len(e.Added) > 0 && !node {
		return s
	}
	return b.heaviest(func(s *suspect) bool {
		return len(s.edits) > 0 && (node || firstStep(s.edits[0].Scope) == firstStep(e.Scope))
	})
}

// isNode reports whether a scope is only an operation, as PyTorch/XLA names those of a backward pass: "aten__mul".
func isNode(scope string) bool {
	return strings.HasPrefix(scope, "aten__") && !strings.Contains(scope, "/")
}

func firstStep(scope string) string {
	step, _, _ := strings.Cut(scope, "/")
	return step
}

// enclosing finds the suspect of the nearest edited scope.
func (b *blame) enclosing(scope string) *suspect {
	for ; scope != ""; scope = scopeOf(scope) {
		if s := b.at[place{scope: scope}]; s != nil {
			return s
		}
	}
	return nil
}

// functionOf is the function that an edit is in; the outermost scope where no function is known. What jax.checkpoint computes
// again is one place, whichever functions it calls.
func functionOf(e *Edit) string {
	switch {
	case forgotten(e):
		return rematerialized
	case e.Source.File != "":
		return functionAt(e.Source)
	}
	if !strings.Contains(e.Scope, "/") {
		return ""
	}
	return firstStep(e.Scope)
}

// The weights of causes without operations. An edit of the model weighs more.
const (
	constantsWeight = 3
	donationWeight  = 2
	resultsWeight   = 1
)

func (b *blame) constants() {
	if constants := NewConstants(b.v); len(constants) > 0 && largestOf(constants).Bytes >= notable {
		s := b.add(suspect{Cause: *constantCause(b.v, largestOf(constants)), weight: constantsWeight})
		if op, at := b.editThatReads(largestOf(constants).Shape); at.File != "" && b.v.edited(s.Source) == "" {
			s.OpName, s.Source = op.OpName, at
		}
	}
}

// editThatReads finds the weightiest operation on an edited line in the kernels that read an array of a shape, and the line.
func (b *blame) editThatReads(shape string) (op facts.FusedOp, at hlo.Location) {
	if b.v.edited == nil {
		return op, at
	}
	for i := range b.v.New.Kernels {
		k := &b.v.New.Kernels[i]
		if !slices.Contains(k.In, shape) {
			continue
		}
		for _, o := range opsOf(k) {
			stack := stackOf(*o.Op)
			n := slices.IndexFunc(stack, func(l hlo.Location) bool { return b.v.edited(l) != "" })
			if n >= 0 && (at.File == "" || effort(o.Opcode) > effort(op.Opcode)) {
				op, at = o, stack[n]
			}
		}
	}
	return op, at
}

func (b *blame) donation() {
	lost, gained := redonated(b.v)
	if text := donationTitle(lost, gained); text != "" {
		b.redonated = slices.Concat(lost, gained)
		b.donated = b.add(suspect{Cause: Cause{Kind: KindDonation, Title: text, Source: b.v.New.CallSite}, weight: donationWeight})
		if len(lost) > 0 { // it is lost where the result that took the buffer became another one
			if now := b.v.resultInPlaceOf(lost[0]); now != nil && now.Source.File != "" {
				b.donated.OpName, b.donated.Source = now.OpName, now.Source
			}
		}
	}
}

// results adds the cause that a result is lost, else that the program returns something new.
func (b *blame) results() {
	op, text := lostTitle(b.v)
	if text == "" {
		op, text = resultTitle(b.v)
	}
	if text != "" {
		b.add(suspect{Cause: Cause{Kind: KindResults, Title: text, OpName: op.OpName, Source: op.Source}, weight: resultsWeight})
	}
}

// compiler adds a cause if the edits and arguments are none. It is the toolchain if the models are equal. Else it is an edit that changes only shapes,
// constants or connections of the model. A loop that runs more or less often is such an edit, whatever else became of arguments and results.
func (b *blame) compiler() {
	operations := func(s *suspect) bool { return s.weight > constantsWeight }
	switch {
	case slices.ContainsFunc(b.suspects, operations), len(b.suspects) > 0 && !(b.v.rewired() && len(loopChanges(b.v.Old, b.v.New)) > 0):
	case b.v.Model.Same:
		b.add(suspect{Cause: Cause{Kind: KindToolchain, Title: toolchainTitle(b.v.Compiler)}})
	default:
		b.add(suspect{Cause: Cause{Kind: KindUnknown}, weight: constantsWeight + 1})
	}
}

// find returns the weightiest suspect at the places of the operations in kernels, nil for none.
func (b *blame) find(kernels []facts.Kernel, places func(facts.Op) []place) (best *suspect) {
	for i := range kernels {
		for _, op := range opsOf(&kernels[i]) {
			for _, p := range places(*op.Op) {
				if s := b.at[p]; s != nil && p != (place{}) && (best == nil || s.weight > best.weight) {
					best = s
				}
			}
		}
	}
	return best
}

// heaviest returns the weightiest suspect that fits, nil for none.
func (b *blame) heaviest(fits func(*suspect) bool) (best *suspect) {
	for _, s := range b.suspects {
		if fits(s) && (best == nil || s.weight > best.weight) {
			best = s
		}
	}
	return best
}

// rewired reports whether only the model differs: neither the compiler nor its flags do.
func (v *Variant) rewired() bool { return v.Model.Known && !v.Model.Same && len(v.Compiler) == 0 }

// finish returns the cause with its title and its place in the model.
func (s *suspect) finish(v *Variant) Cause {
	of := *s
	title := s.title(v)
	c := s.Cause
	c.suspect = &of
	if c.Kind == KindUnknown && v.rewired() {
		c.Kind = KindCode
	}
	for _, e := range s.edits {
		c.Edits = append(c.Edits, *e)
	}
	c.Title = title
	s.locate(&c, v)
	return c
}

// locate finds the place of a cause that does not say it itself: the collective that a sharding brought, else the heaviest kernel that came, else the
// nearest line of the model.
func (s *suspect) locate(c *Cause, v *Variant) {
	isCollective := func(k *facts.Kernel) bool { return k.Class == facts.ClassCollective && k.OpName != "" }
	if k := facts.FirstKernel(s.After, isCollective); c.Kind == KindSharding && k != nil {
		c.place([]facts.Kernel{*k})
	}
	if c.Source.File == "" && (c.OpName == "" || onlyGone(s.edits)) {
		c.place(weightiestFirst(s.After))
	}
	if c.Source.File == "" && c.Kind != KindDonation {
		c.Source = nearestSource(v.New, c.OpName)
	}
	if len(s.edits) > 0 && s.edits[0].OneCall && line(c.Source) == line(s.edits[0].Source) {
		c.Source = s.edits[0].Caller
	}
	c.toWork()
}

// nearestSource is the line of the model whose scope is nearest to an op_name.
func nearestSource(v *facts.Variant, opName string) hlo.Location {
	best, most := hlo.Location{}, -1
	for i := range v.Model {
		s := &v.Model[i]
		n := shared(s.OpName, opName)
		if s.Scope == scopeOf(opName) || s.Scope == opName {
			n += len(opName)
		}
		if s.Source.File != "" && n > most {
			best, most = s.Source, n
		}
	}
	return best
}

func onlyGone(edits []*Edit) bool {
	return !slices.ContainsFunc(edits, func(e *Edit) bool { return len(e.Added) > 0 })
}

// place moves a cause to the first kernel that the model has a name for, one with a known line before one without.
func (c *Cause) place(kernels []facts.Kernel) {
	if k := facts.FirstKernel(kernels, func(k *facts.Kernel) bool { return k.OpName != "" }); k != nil {
		c.OpName, c.OpType, c.Source = k.OpName, k.OpType, k.Source
	}
}

// weightiestFirst orders kernels by what a run of them computes and moves.
func weightiestFirst(kernels []facts.Kernel) []facts.Kernel {
	weight := func(k facts.Kernel) float64 { return float64(k.Flops+k.Bytes) * k.Runs() }
	return slices.SortedStableFunc(slices.Values(kernels), func(a, b facts.Kernel) int { return cmp.Compare(weight(b), weight(a)) })
}

// toWork moves a cause to the line of a kernel that does most of what was added. A stored baseline has no lines, so any of several equal operations may
// be taken for the new one; the new kernels tell which it is.
func (c *Cause) toWork() {
	opcode := c.heaviest()
	if opcode == "" || c.Edits[0].OneCall {
		return
	}
	place := facts.Op{OpName: c.OpName, Source: c.Source}
	for i := range c.After {
		for _, op := range opsOf(&c.After[i]) {
			switch {
			case op.Source.File == "" || !sameWork(op.Opcode, opcode):
			case line(op.Source) == line(c.Source):
				return
			case line(place.Source) == line(c.Source):
				place = *op.Op
			}
		}
	}
	c.OpName, c.Source = place.OpName, place.Source
}

// heaviest is the weightiest operation that the model has now at the place of the cause; "" where it has none.
func (c *Cause) heaviest() (opcode string) {
	if c.Kind != KindCode || len(c.Edits) == 0 {
		return ""
	}
	most := 0
	for _, s := range c.Edits[0].Added {
		if n := s.Count * effort(s.Opcode); n > most {
			opcode, most = s.Opcode, n
		}
	}
	opcode, _, _ = strings.Cut(opcode, " ")
	return opcode
}

// sameWork reports whether two operations do the same: a TPU multiplies matrices by convolutions.
func sameWork(a, b string) bool {
	product := func(opcode string) bool { return opcode == "dot" || opcode == "convolution" }
	return a == b || product(a) && product(b)
}
