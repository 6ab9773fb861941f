package changes

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// compareModels finds the places of the model where operations came or went. It cancels equal operations, the nearest first, so a move to another line
// or scope is no edit. A move into a loop, or out of one that stays, is one.
func compareModels(old, fresh *facts.Variant, edited Edited) Model {
	tell := func(v, other *facts.Variant) bool { // an unoptimized module without a statement computes nothing
		return len(v.Model) > 0 || !v.ModelAfter && v.Facts.Known(facts.InstructionsBefore) && len(other.Model) > 0
	}
	m := Model{Known: tell(old, fresh) && tell(fresh, old) && old.ModelAfter == fresh.ModelAfter}
	m.Same = old.InputPrint != "" && old.InputPrint == fresh.InputPrint
	if !m.Known || m.Same {
		return m
	}
	m.Remats = rematerializes(fresh.Model) && !rematerializes(old.Model)
	c := &canceller{pairing: newPairing(leftovers(old.Model), leftovers(fresh.Model))}
	c.isEdited = func(j int) bool { return edited.any(c.fresh[j].Frames()) }
	c.order = editedLast(len(c.fresh), c.isEdited)
	place := func(*facts.Statement) string { return "" }
	switch was, is := countWhiles(old.Model), countWhiles(fresh.Model); {
	case was == is && was > 0:
		place = func(s *facts.Statement) string { return strconv.Itoa(loopsAround(s.Scope)) }
	case was > is:
		c.out = true
	}
	were, are := functionsOf(old.Model), functionsOf(fresh.Model)
	function := func(s *facts.Statement) string { // "" if it came or went
		if name := within(s); were[name] && are[name] {
			return name
		}
		return ""
	}
	var again []*leftover
	for _, l := range c.fresh {
		if m.Remats && strings.Contains(l.Scope, rematted) { // it is new, whatever is equal to it: nothing is cancelled against it
			again = append(again, l)
			l.n = 0
		}
	}
	c.whole(func(s *facts.Statement) string {
		return s.Scope + "\x00" + function(s) + "\x00" + s.Type + "\x00" + strings.Join(s.Do, ",")
	})
	c.single(func(s *facts.Statement) string { return s.Scope + "\x00" + function(s) })
	c.single(func(s *facts.Statement) string { return s.Scope })
	c.whole(func(s *facts.Statement) string { return place(s) + "\x00" + s.Type + "\x00" + strings.Join(s.Do, ",") })
	c.single(func(s *facts.Statement) string { return place(s) + "\x00" + regionOf(s.Scope) })
	c.single(place)
	for _, l := range again {
		l.n = len(l.Do)
	}
	m.Edits = moved(c.edits())
	markRecomputed(m.Edits, old.Model, fresh.Model)
	for i := range m.Edits {
		if e := &m.Edits[i]; len(e.IntoLoop) == 0 {
			e.Repeats = repeated(e, fresh.Model)
		}
	}
	m.placeCalls(old.Model, fresh.Model)
	return m
}

// placeCalls finds the edits of one call of a function that is called from several lines. The caller has to be in the function's folder: a library that
// calls the model back is no place of an edit.
func (m *Model) placeCalls(old, fresh []facts.Statement) {
	callers, edited := callersOf(fresh), map[hlo.Location]map[hlo.Location]bool{}
	byLine := map[hlo.Location][]*facts.Statement{}
	for i := range fresh {
		byLine[line(fresh[i].Source)] = append(byLine[line(fresh[i].Source)], &fresh[i])
	}
	for _, e := range m.Edits {
		at := line(e.Source)
		if edited[at] == nil {
			edited[at] = map[hlo.Location]bool{}
		}
		edited[at][line(e.Caller)] = true
	}
	lined := slices.ContainsFunc(old, func(s facts.Statement) bool { return s.Source.File != "" })
	for i := range m.Edits {
		e := &m.Edits[i]
		at := line(e.Source)
		if len(callers[at]) < 2 {
			e.Caller = hlo.Location{}
			continue
		}
		if e.Callers = []hlo.Location{line(e.Caller)}; !lined {
			e.Callers = e.calls(byLine[at], func(s *facts.Statement) bool { return s.Scope == e.Scope })
		}
		beside := path.Dir(e.Caller.File) == path.Dir(e.Source.File) && line(e.Caller) != at
		e.OneCall = beside && len(e.Callers) == 1 && len(edited[at]) == 1 && len(e.calls(byLine[at], func(*facts.Statement) bool { return true })) > 1
	}
}

// calls lists the lines that call the function for one of the operations that are new, by the statements on the edit's line that fit. Against
// a stored baseline, which has no lines, any of those in the same scope may be the one that is new.
func (e *Edit) calls(statements []*facts.Statement, fits func(*facts.Statement) bool) []hlo.Location {
	calls := []hlo.Location{line(e.Caller)}
	for _, s := range statements {
		does := func(step Step) bool { return step.Type == s.Type && slices.Contains(s.Do, step.Opcode) }
		if fits(s) && slices.ContainsFunc(e.Added, does) {
			calls = append(calls, line(s.Caller))
		}
	}
	slices.SortFunc(calls, compareLines)
	return slices.Compact(calls)
}

// callersOf lists, for every line of the model, the lines that call the function which it lies in.
func callersOf(model []facts.Statement) map[hlo.Location]map[hlo.Location]bool {
	callers := map[hlo.Location]map[hlo.Location]bool{}
	for i := range model {
		at := line(model[i].Source)
		if callers[at] == nil {
			callers[at] = map[hlo.Location]bool{}
		}
		callers[at][line(model[i].Caller)] = true
	}
	return callers
}

// within is the function that a statement is in. A baseline names lambdas, and a line of a dump does not.
func within(s *facts.Statement) string {
	return hlo.Location{Function: cmp.Or(s.Within, s.Source.Function)}.NamedFunction()
}

// functionsOf are the functions that statements are in.
func functionsOf(model []facts.Statement) map[string]bool {
	functions := map[string]bool{}
	for i := range model {
		functions[within(&model[i])] = true
	}
	return functions
}

func line(l hlo.Location) hlo.Location { return hlo.Location{File: l.File, Line: l.Line} }

// edits groups what is left by its place in the model: a source line, or a scope where no line is known.
func (c *canceller) edits() []Edit {
	g := &editsByPlace{byLine: map[[2]hlo.Location]int{}, byScope: map[string]int{}, byWork: map[scoped]int{}, byFunc: map[scoped]int{}}
	for _, l := range c.fresh {
		if l.n > 0 {
			e, steps := g.added(l.Statement), l.steps()
			e.Added = append(e.Added, steps...)
			g.note(l.Statement, steps)
		}
	}
	for _, l := range c.old {
		if l.n > 0 {
			for _, step := range l.steps() {
				e := g.removed(l.Statement, step)
				e.Removed = append(e.Removed, step)
			}
		}
	}
	for i := range g.edits {
		e := &g.edits[i]
		e.Added, e.Removed = cancelled(e.Added, e.Removed)
		sameConstraints(&e.Added, &e.Removed)
	}
	return g.edits
}

type editsByPlace struct {
	edits   []Edit
	byLine  map[[2]hlo.Location]int // by line and caller
	byScope map[string]int          // the first edit of a scope
	byWork  map[scoped]int          // the first edit that adds an operation in a scope
	byFunc  map[scoped]int          // the first edit of a function in a scope
}

// scoped is an operation in a scope, whatever its type, precision or promises; or a function.
type scoped struct{ scope, name string }

// note records which edit adds operations in a scope.
func (g *editsByPlace) note(s *facts.Statement, steps []Step) {
	at, ok := g.byLine[[2]hlo.Location{line(s.Source), line(s.Caller)}]
	for _, step := range steps {
		opcode, _ := step.split()
		if _, known := g.byWork[scoped{s.Scope, opcode}]; ok && !known {
			g.byWork[scoped{s.Scope, opcode}] = at
		}
	}
}

func (g *editsByPlace) added(s *facts.Statement) *Edit {
	if s.Source.File == "" {
		return g.ofScope(s)
	}
	at := [2]hlo.Location{line(s.Source), line(s.Caller)}
	i, ok := g.byLine[at]
	if !ok {
		i = g.open(s)
		g.byLine[at] = i
	}
	return &g.edits[i]
}

// removed finds the edit that a removed operation belongs to: the first edit of its function in its scope, else the edit that adds the same operation in the scope, in
// another type or precision, else the first edit of the scope. Unless a sharding constraint was removed, an edit that adds more than sharding constraints goes before the others. Lines do not help: those of the
// old source are not those of the new one.
func (g *editsByPlace) removed(s *facts.Statement, step Step) *Edit {
	opcode, _ := step.split()
	if i, ok := g.byFunc[scoped{s.Scope, within(s)}]; ok && !constrains(step) {
		return &g.edits[i]
	}
	if i, ok := g.byWork[scoped{s.Scope, opcode}]; ok {
		return &g.edits[i]
	}
	if first, ok := g.byScope[s.Scope]; ok && !constrains(step) {
		for i := first; i < len(g.edits); i++ {
			if e := &g.edits[i]; e.Scope == s.Scope && slices.ContainsFunc(e.Added, func(a Step) bool { return !constrains(a) }) {
				return e
			}
		}
	}
	return g.ofScope(s)
}

// ofScope finds the first edit of a scope.
func (g *editsByPlace) ofScope(s *facts.Statement) *Edit {
	i, ok := g.byScope[s.Scope]
	if !ok {
		i = g.open(s)
	}
	return &g.edits[i]
}

func (g *editsByPlace) open(s *facts.Statement) int {
	i := len(g.edits)
	if _, ok := g.byScope[s.Scope]; !ok {
		g.byScope[s.Scope] = i
	}
	if in := (scoped{s.Scope, within(s)}); in.name != "" {
		if _, ok := g.byFunc[in]; !ok {
			g.byFunc[in] = i
		}
	}
	g.edits = append(g.edits, Edit{Scope: s.Scope, OpName: s.OpName, OpType: s.OpType, Source: s.Source, Stack: s.Frames(), Within: within(s), Library: s.Libraries(), Caller: s.Caller})
	return i
}

// repeated finds the statement that does exactly what an edit added, barriers aside: the same values computed a second time.
func repeated(e *Edit, model []facts.Statement) *facts.Statement {
	want, computes := map[string]int{}, map[string]bool{}
	heavy := false
	for _, s := range e.Added {
		if s.Opcode != barrier {
			want[s.Opcode] += s.Count
			heavy = heavy || effort(s.Opcode) >= heavyEffort
			if !movesData(s) {
				computes[s.Opcode] = true
			}
		}
	}
	if !heavy || len(computes) < 2 || len(e.Removed) > 0 { // one operation alone may be another one of its kind
		return nil
	}
	for i := range model {
		if s := &model[i]; !e.at(s) && maps.Equal(countOf(s.Do), want) {
			return s
		}
	}
	return nil
}

// at reports whether a statement is at the place of the edit.
func (e *Edit) at(s *facts.Statement) bool {
	if e.Source.File == "" {
		return s.Scope == e.Scope
	}
	return sameLine(s.Source, e.Source) && line(s.Caller) == line(e.Caller)
}

func compareLines(a, b hlo.Location) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

func sameLine(a, b hlo.Location) bool { return a.File != "" && a.File == b.File && a.Line == b.Line }

// leftover is what of a statement has no counterpart yet.
type leftover struct {
	*facts.Statement
	left map[string]int // by opcode; made once it is needed
	n    int
}

// leftovers lists statements, last those that jax.checkpoint computes again: of several equal operations these came or went.
func leftovers(list []facts.Statement) (out []*leftover) {
	for i := range list {
		out = append(out, &leftover{Statement: &list[i], n: len(list[i].Do)})
	}
	again := func(l *leftover) int64 { return Flag(strings.Contains(l.Scope, rematted)) }
	slices.SortStableFunc(out, func(a, b *leftover) int { return cmp.Compare(again(a), again(b)) })
	return out
}

// untouched reports whether nothing of the statement was cancelled yet.
func (l *leftover) untouched() bool { return l.n > 0 && l.n == len(l.Do) }

// opcodes lists what is left, in order of name.
func (l *leftover) opcodes() []string {
	if l.left == nil {
		l.left = countOf(l.Do)
	}
	return slices.Sorted(maps.Keys(l.left))
}

func (l *leftover) steps() []Step {
	var out []Step
	for _, op := range l.opcodes() {
		if n := l.left[op]; n > 0 {
			out = append(out, Step{Opcode: op, Type: l.Type, Count: n})
		}
	}
	return out
}

// canceller takes away what both sides have. Every step works through hash tables over what is still left, so the whole is near
// linear, and every choice is made in program order, so it is deterministic.
type canceller struct {
	*pairing[*leftover]
	isEdited func(j int) bool // a new statement is on an edited line: it comes last, so that it is the new one of several equal ones
	out      bool             // a loop is gone, so what is in fewer loops now may be what was in it; what is in more of them is not
}

// level is in how many loops a statement is, where that tells which one it was.
func (c *canceller) level(l *leftover) int {
	if !c.out {
		return 0
	}
	return loopsAround(l.Scope)
}

// statementKey is what statements must share to be cancelled against each other.
type statementKey func(*facts.Statement) string

// whole cancels statements that are alike, in order.
func (c *canceller) whole(key statementKey) {
	c.inTurn(func(l *leftover) string {
		if !l.untouched() {
			return ""
		}
		return key(l.Statement)
	})
	for j, i := range c.was {
		switch {
		case i < 0:
		case c.level(c.fresh[j]) > c.level(c.old[i]):
			c.now[i], c.was[j] = unpaired, unpaired
		default:
			c.old[i].n, c.fresh[j].n = 0, 0
		}
	}
}

// single cancels operation against operation of the same type among statements that have a key in common.
func (c *canceller) single(key statementKey) {
	type leveled struct {
		kind  string
		level int
	}
	waiting, innermost := map[leveled][]int{}, 0
	for i := range c.old {
		o := c.old[i]
		if o.n == 0 {
			continue
		}
		innermost = max(innermost, c.level(o))
		for _, op := range o.opcodes() {
			if o.left[op] > 0 {
				k := leveled{kindOf(key, o) + "\x00" + op, c.level(o)}
				waiting[k] = append(waiting[k], i)
			}
		}
	}
	for _, j := range c.surestLast(key) {
		f := c.fresh[j]
		for _, op := range f.opcodes() {
			for k := (leveled{kindOf(key, f) + "\x00" + op, c.level(f)}); k.level <= innermost; k.level++ {
				waiting[k] = c.take(waiting[k], f, op)
			}
		}
	}
}

// surestLast orders the new statements that have something left, for cancelling. The first ones find a counterpart, and the last ones stay new. So those that
// are surely new come last: the more operations a statement has that the old model has nowhere, the later it comes. After these come the statements that alone
// are all that there is more of, and those on edited lines.
func (c *canceller) surestLast(key statementKey) []int {
	had := map[string]bool{}
	for _, o := range c.old {
		for _, op := range o.Do {
			had[op] = true
		}
	}
	more := c.surplus(key)
	unheard := make([]int, len(c.fresh))
	var order []int
	for _, j := range c.order {
		f := c.fresh[j]
		if f.n == 0 {
			continue
		}
		order = append(order, j)
		for _, op := range f.Do {
			if !had[op] {
				unheard[j]++
			}
		}
		if c.isEdited(j) || f.untouched() && maps.Equal(countOf(f.Do), more[kindOf(key, f)]) {
			unheard[j] = math.MaxInt
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(unheard[a], unheard[b]) })
	return order
}

func kindOf(key statementKey, l *leftover) string { return key(l.Statement) + "\x00" + l.Type }

// surplus counts what the new statements with a key in common have more of than the old ones.
func (c *canceller) surplus(key statementKey) map[string]map[string]int {
	more := map[string]map[string]int{}
	count := func(list []*leftover, sign int) {
		for _, l := range list {
			if l.n == 0 {
				continue
			}
			kind := kindOf(key, l)
			if more[kind] == nil {
				more[kind] = map[string]int{}
			}
			for _, op := range l.opcodes() {
				more[kind][op] += sign * l.left[op]
			}
		}
	}
	count(c.fresh, 1)
	count(c.old, -1)
	for _, ops := range more {
		maps.DeleteFunc(ops, func(_ string, n int) bool { return n <= 0 })
	}
	return more
}

// take cancels one opcode of a new statement against the old ones that wait.
func (c *canceller) take(waiting []int, fresh *leftover, op string) []int {
	for len(waiting) > 0 && fresh.left[op] > 0 {
		old := c.old[waiting[0]]
		n := min(old.left[op], fresh.left[op])
		old.left[op], old.n = old.left[op]-n, old.n-n
		fresh.left[op], fresh.n = fresh.left[op]-n, fresh.n-n
		if old.left[op] == 0 {
			waiting = waiting[1:]
		}
	}
	return waiting
}

// loopBody is in the scope of what JAX traces in the body of a loop.
const loopBody = "/while/body"

// mostLoops bounds the loops around a statement that count: each level is looked at for each statement.
const mostLoops = 32

// loopsAround counts the loops that a scope is in.
func loopsAround(scope string) int { return min(strings.Count(scope, loopBody), mostLoops) }

func inLoop(scope string) bool { return loopsAround(scope) > 0 }

func countWhiles(model []facts.Statement) (n int) {
	for i := range model {
		for _, op := range model[i].Do {
			if op == "while" {
				n++
			}
		}
	}
	return n
}

// moved finds work that moved into a loop, or into one more, with what is done to its operands there. That it is gone outside is not told a second time.
func moved(edits []Edit) []Edit {
	into := map[string]bool{} // the scopes that work moved to
	for _, heavy := range []bool{true, false} {
		for i := range edits {
			e := &edits[i]
			if !inLoop(e.Scope) || !heavy && !into[e.Scope] {
				continue
			}
			for _, s := range e.Added {
				if (effort(s.Opcode) >= heavyEffort) == heavy && takeOutside(edits, s, loopsAround(e.Scope)) {
					e.IntoLoop, into[e.Scope] = append(e.IntoLoop, s), true
				}
			}
		}
	}
	return slices.DeleteFunc(edits, func(e Edit) bool { return len(e.Added)+len(e.Removed) == 0 })
}

// takeOutside takes away as many of a step as went from where fewer loops are around them, if all of it did.
func takeOutside(edits []Edit, s Step, loops int) bool {
	var went []*Step
	n := 0
	for i := range edits {
		for j := range edits[i].Removed {
			if r := &edits[i].Removed[j]; r.Opcode == s.Opcode && r.Type == s.Type && loopsAround(edits[i].Scope) < loops {
				went, n = append(went, r), n+r.Count
			}
		}
	}
	if n < s.Count {
		return false
	}
	for _, r := range went {
		n = min(s.Count, r.Count)
		r.Count, s.Count = r.Count-n, s.Count-n
	}
	for i := range edits {
		edits[i].Removed = slices.DeleteFunc(edits[i].Removed, spent)
	}
	return true
}

// intoLoop says what is done in every step of a loop now, and takes it out of what came.
func intoLoop(edits []*Edit, added *[]Step) string {
	var list []Step
	for _, e := range edits {
		list = append(list, e.IntoLoop...)
	}
	if len(list) == 0 {
		return ""
	}
	*added, _ = cancelled(*added, list)
	if slices.ContainsFunc(list, Step.Computes) {
		list = phrase.Filter(list, Step.Computes)
	}
	return fmt.Sprintf("moved into a loop: %s", stepList(list))
}
