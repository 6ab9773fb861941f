package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// findCauses says what brought a variant's changes about. Every kernel that came, went or changed is put down to one cause: the
// place of the model that was edited on its line or in its scope, else the weightiest one.
func findCauses(v *Variant) []Cause {
	b := &blame{v: v, byLine: map[hlo.Location]int{}, byScope: map[string]int{}}
	arguments, follow := argumentsTitle(v)
	if !follow {
		b.whole(KindArguments, arguments)
	}
	b.whole(KindSharding, shardingTitle(v))
	b.edits()
	if follow {
		b.suspects[b.heaviest()].arguments = arguments
	}
	b.constants()
	b.donation()
	b.results()
	b.compiler()
	b.share()
	b.loops()
	slices.SortStableFunc(b.suspects, func(x, y suspect) int { return cmp.Compare(y.weight, x.weight) })
	var out []Cause
	for i := range b.suspects {
		out = append(out, b.suspects[i].finish(v))
	}
	return out
}

// suspect is a cause while kernels are still put down to it.
type suspect struct {
	Cause
	weight int
	edits  []*Edit // the weightiest first
	split  []*Regroup
	unroll []*Regroup
	loops  []LoopChange

	arguments string // what came or went with the edits
}

// blame puts kernels down to causes.
type blame struct {
	v        *Variant
	suspects []suspect
	byLine   map[hlo.Location]int
	byScope  map[string]int
}

func (b *blame) add(s suspect) int {
	b.suspects = append(b.suspects, s)
	return len(b.suspects) - 1
}

// wholeProgram weighs more than any edit: everything follows from it.
const wholeProgram = 1 << 30

// whole blames something that the whole program follows from. Arguments are given at the call; what their sharding does shows at
// the operations that have to talk.
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

// edits blames what the model asks for now, function by function of its source.
func (b *blame) edits() {
	list := b.v.Model.Edits
	order := make([]*Edit, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortStableFunc(order, func(x, y *Edit) int {
		return cmp.Or(cmp.Compare(known(y), known(x)), cmp.Compare(y.effort(), x.effort()))
	})
	byFunction, forgets := map[string]int{}, slices.ContainsFunc(order, forgotten)
	for _, e := range order {
		function := functionOf(e)
		if forgets && keeps(e) {
			function = rematerializedCode
		}
		i, ok := byFunction[function]
		if !ok && known(e) == 0 && !recomputed(e) {
			i, ok = b.beside(e)
		}
		if !ok {
			i = b.add(suspect{Cause: Cause{Kind: KindCode, OpName: e.OpName, Source: e.Source, OpType: e.OpType}})
			byFunction[function] = i
		}
		s := &b.suspects[i]
		s.edits, s.weight = append(s.edits, e), s.weight+e.effort()
		b.place(e, i)
	}
}

// known is 1 for an edit whose line is known.
func known(e *Edit) int {
	if e.Source.File != "" {
		return 1
	}
	return 0
}

// beside finds the edited place that an edit without a line belongs to: around its scope, else, for what merely went, the weightiest
// in the same function of the framework. A node stands in no scope: it belongs to the weightiest place of all.
func (b *blame) beside(e *Edit) (int, bool) {
	node := isNode(e.Scope)
	if at, ok := b.enclosing(e.Scope); ok || len(e.Added) > 0 && !node {
		return at, ok
	}
	best := -1
	for i := range b.suspects {
		s := &b.suspects[i]
		if len(s.edits) > 0 && (node || firstStep(s.edits[0].Scope) == firstStep(e.Scope)) {
			best = b.better(best, i)
		}
	}
	return best, best >= 0
}

// isNode reports whether a scope is no more than an operation, as PyTorch/XLA names those of a backward pass: "aten__mul".
func isNode(scope string) bool {
	return strings.HasPrefix(scope, "aten__") && !strings.Contains(scope, "/")
}

func firstStep(scope string) string {
	step, _, _ := strings.Cut(scope, "/")
	return step
}

// enclosing finds the edited place in the nearest scope.
func (b *blame) enclosing(scope string) (int, bool) {
	for ; scope != ""; scope = scopeOf(scope) {
		if at, ok := b.byScope[scope]; ok {
			return at, true
		}
	}
	return 0, false
}

// functionOf is the function that an edit lies in; the outermost scope where no function is known. What jax.checkpoint computes
// again is one place, wherever the functions lie that it calls.
func functionOf(e *Edit) string {
	switch {
	case forgotten(e):
		return rematerializedCode
	case e.Source.File != "":
		return e.Source.File + "\x00" + e.Source.Function
	}
	if !strings.Contains(e.Scope, "/") {
		return ""
	}
	return firstStep(e.Scope)
}

// place notes where an edit lies.
func (b *blame) place(e *Edit, i int) {
	if e.Source.File != "" && len(e.Added) > 0 {
		if _, ok := b.byLine[line(e.Source)]; !ok {
			b.byLine[line(e.Source)] = i
		}
	}
	if _, ok := b.byScope[e.Scope]; !ok {
		b.byScope[e.Scope] = i
	}
}

// Weights of what is not weighed by operations: an edit of the model, which weighs more, explains more.
const (
	constantsWeight = 3
	donationWeight  = 2
	resultsWeight   = 1
)

func (b *blame) constants() {
	if constants := NewConstants(b.v); len(constants) > 0 && largestOf(constants).Bytes >= notable {
		b.add(suspect{Cause: *constantCause(b.v, largestOf(constants)), weight: constantsWeight})
	}
}

func (b *blame) donation() {
	if text := donationTitle(b.v); text != "" {
		b.add(suspect{Cause: Cause{Kind: KindDonation, Title: text, Source: b.v.New.CallSite}, weight: donationWeight})
	}
}

// results blames what the program returns now and did not, where the model asks for no new operation.
func (b *blame) results() {
	if op, text := resultTitle(b.v); text != "" {
		b.add(suspect{Cause: Cause{Kind: KindResults, Title: text, OpName: op.OpName, Source: op.Source}, weight: resultsWeight})
	}
}

// compiler blames the compiler where the model asks for the same, and the kernels themselves where nothing better is known.
func (b *blame) compiler() {
	switch {
	case len(b.suspects) > 0:
	case b.v.Model.Same:
		b.add(suspect{Cause: Cause{Kind: KindToolchain, Title: toolchainTitle(b.v.Compiler)}})
	default:
		b.add(suspect{Cause: Cause{Kind: KindUnknown}})
	}
}

// share puts every change of the ledger down to a cause.
func (b *blame) share() {
	k := &b.v.Kernels
	for i := range k.Split {
		s := b.put([]facts.Kernel{k.Split[i].One}, k.Split[i].Many)
		s.split = append(s.split, &k.Split[i])
	}
	for i := range k.Unrolled {
		s := b.put([]facts.Kernel{k.Unrolled[i].One}, k.Unrolled[i].Many)
		s.unroll = append(s.unroll, &k.Unrolled[i])
	}
	for i := range k.Merged {
		b.put(k.Merged[i].Many, []facts.Kernel{k.Merged[i].One})
	}
	for _, c := range append(slices.Clone(k.Changed), k.Moved...) {
		b.put([]facts.Kernel{c.Old}, []facts.Kernel{c.New})
	}
	for i := range k.Added {
		b.put(nil, k.Added[i:i+1])
	}
	for i := range k.Removed {
		b.put(k.Removed[i:i+1], nil)
	}
}

// loops puts loops that run in another way down to the cause of their kernels.
func (b *blame) loops() {
	for _, c := range loopChanges(b.v.Old, b.v.New) {
		s := b.of([]facts.Kernel{*c.Old}, []facts.Kernel{*c.New})
		s.loops = append(s.loops, c)
	}
}

// put puts one change down to its cause.
func (b *blame) put(before, after []facts.Kernel) *suspect {
	s := b.of(before, after)
	s.Before, s.After = append(s.Before, before...), append(s.After, after...)
	return s
}

// of finds the cause of kernels that went and came.
func (b *blame) of(before, after []facts.Kernel) *suspect {
	at := b.byLines(after)
	if at < 0 {
		at = b.byScopes(slices.Concat(after, before))
	}
	if at < 0 {
		at = b.around(slices.Concat(after, before))
	}
	if at < 0 {
		at = b.heaviest()
	}
	return &b.suspects[at]
}

// better is the weightier of two suspects; -1 stands for none.
func (b *blame) better(best, at int) int {
	if best < 0 || b.suspects[at].weight > b.suspects[best].weight {
		return at
	}
	return best
}

// byLines finds the weightiest edit on a line of the operations in the kernels.
func (b *blame) byLines(kernels []facts.Kernel) int {
	best := -1
	for i := range kernels {
		for _, op := range opsOf(&kernels[i]) {
			if at, ok := b.byLine[line(op.Source)]; ok {
				best = b.better(best, at)
			}
		}
	}
	return best
}

// byScopes finds the weightiest edit in a scope of the operations in the kernels.
func (b *blame) byScopes(kernels []facts.Kernel) int {
	best := -1
	for i := range kernels {
		for _, op := range opsOf(&kernels[i]) {
			for _, scope := range []string{scopeOf(op.OpName), op.OpName} {
				if at, ok := b.byScope[scope]; ok {
					best = b.better(best, at)
				}
			}
		}
	}
	return best
}

// around finds the edit in the nearest scope around a kernel.
func (b *blame) around(kernels []facts.Kernel) int {
	for i := range kernels {
		if at, ok := b.enclosing(scopeOf(kernels[i].OpName)); ok {
			return at
		}
	}
	return -1
}

func (b *blame) heaviest() int {
	best := 0
	for i := range b.suspects {
		best = b.better(best, i)
	}
	return best
}
