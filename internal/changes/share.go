package changes

import (
	"cmp"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
)

// kernelChange is kernels that went and those that came for them.
type kernelChange struct {
	before, after []facts.Kernel
	note          func(*suspect) // adds them to their cause
	cause         *suspect
}

// share puts every change of a kernel down to a cause. It takes the kernels in the order in which they run: one that only reads other values has the cause of the
// kernel that makes them.
func (b *blame) share() {
	place := map[string]int{}
	for i := range b.v.New.Kernels {
		place[b.v.New.Kernels[i].Name] = i
	}
	first := func(c *kernelChange) int {
		at := len(place)
		for i := range c.after {
			at = min(at, place[c.after[i].Name])
		}
		return at
	}
	list := b.v.Kernels.changes()
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(x, y *kernelChange) int { return cmp.Compare(first(x), first(y)) })
	for _, c := range order {
		c.cause = b.put(c.before, c.after)
	}
	for _, c := range list {
		c.cause.Before, c.cause.After = append(c.cause.Before, c.before...), append(c.cause.After, c.after...)
		c.note(c.cause)
	}
}

// changes lists what came, went or is another, what tells most first.
func (k *Kernels) changes() (list []*kernelChange) {
	add := func(before, after []facts.Kernel, note func(*suspect)) {
		list = append(list, &kernelChange{before: before, after: after, note: note})
	}
	for i := range k.Split {
		add([]facts.Kernel{k.Split[i].One}, k.Split[i].Many, func(s *suspect) { s.split = append(s.split, &k.Split[i]) })
	}
	for i := range k.Unrolled {
		add([]facts.Kernel{k.Unrolled[i].One}, k.Unrolled[i].Many, func(s *suspect) { s.unroll = append(s.unroll, &k.Unrolled[i]) })
	}
	for i := range k.Merged {
		add(k.Merged[i].Many, []facts.Kernel{k.Merged[i].One}, func(*suspect) {})
	}
	for _, c := range k.Changed {
		add([]facts.Kernel{c.Old}, []facts.Kernel{c.New}, func(s *suspect) { s.own.Changed = append(s.own.Changed, c) })
	}
	for _, c := range k.Moved {
		add([]facts.Kernel{c.Old}, []facts.Kernel{c.New}, func(s *suspect) { s.own.Moved = append(s.own.Moved, c) })
	}
	for _, added := range k.Added {
		add(nil, []facts.Kernel{added}, func(s *suspect) { s.own.Added = append(s.own.Added, added) })
	}
	for _, removed := range k.Removed {
		add([]facts.Kernel{removed}, nil, func(s *suspect) { s.own.Removed = append(s.own.Removed, removed) })
	}
	return list
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
	if s.more == nil {
		s.more = map[string]int{}
	}
	for i := range before {
		s.more[before[i].Root]--
	}
	for i := range after {
		b.made[after[i].Name] = s
		s.more[after[i].Root]++
	}
	return s
}

// of finds the cause of kernels that went and came. It is the weightiest edit that their operations pass through. If there is none, it is the cause of what a
// kernel reads, or of what takes its place; then the weightiest edit in their scopes; then one in a scope around them; then the weightiest of all.
func (b *blame) of(before, after []facts.Kernel) *suspect {
	all := slices.Concat(after, before)
	if len(all) > 0 && b.donated != nil && !slices.ContainsFunc(all, b.copiesOther) {
		return b.donated
	}
	s := b.find(after, func(op facts.Op) []place { return append(b.editAt(op), place{line: line(op.Source)}) })
	if s == nil && len(before) == 1 && len(after) == 1 {
		s = b.upstream(&before[0], &after[0])
	}
	if s == nil && len(before) == 0 {
		s = b.readBy(after)
	}
	if s == nil && len(after) == 0 {
		s = b.without(before)
	}
	if s == nil {
		s = b.find(all, func(op facts.Op) []place { return []place{{scope: scopeOf(op.OpName)}, {scope: op.OpName}} })
	}
	for i := 0; i < len(all) && s == nil; i++ {
		s = b.enclosing(scopeOf(all[i].OpName))
	}
	if s == nil {
		s = b.heaviest(func(*suspect) bool { return true })
	}
	return s
}

// upstream returns the suspect of what a kernel reads, if it does what it did with other shapes; nil if there is none.
func (b *blame) upstream(old, fresh *facts.Kernel) *suspect {
	if slices.Equal(old.In, fresh.In) || old.Do.String() != fresh.Do.String() || old.Attrs != fresh.Attrs {
		return nil
	}
	for _, from := range fresh.From {
		if s := b.made[b.v.New.Kernels[from].Name]; s != nil {
			return s
		}
	}
	return nil
}

// readBy returns the weightiest suspect of what kernels that came read; nil if they read nothing that changed.
func (b *blame) readBy(after []facts.Kernel) (best *suspect) {
	for i := range after {
		for _, from := range after[i].From {
			if s := b.made[b.v.New.Kernels[from].Name]; s != nil && (best == nil || s.weight > best.weight) {
				best = s
			}
		}
	}
	return best
}

// without returns the suspect of kernels that went: the suspect of their scope, if it takes away such operations, else the one that brought most kernels with
// the same root in their place. It returns nil if none did.
func (b *blame) without(before []facts.Kernel) (best *suspect) {
	if s := b.find(before, func(op facts.Op) []place { return []place{{scope: scopeOf(op.OpName)}} }); s != nil && s.takesAway(&before[0]) {
		return s
	}
	most := 0
	for _, s := range b.suspects {
		if n := s.more[before[0].Root]; n > most {
			best, most = s, n
		}
	}
	return best
}

// takesAway reports whether an edit of the suspect takes an operation of a kernel away.
func (s *suspect) takesAway(k *facts.Kernel) bool {
	return slices.ContainsFunc(s.edits, func(e *Edit) bool {
		return slices.ContainsFunc(e.Removed, func(step Step) bool {
			opcode, _ := step.split()
			return k.Do.Times(opcode) > 0
		})
	})
}

// copiesOther reports whether a kernel is anything but a copy of an argument whose donation changed. The model has no copies: the compiler makes them to
// keep a buffer, or to write results into it.
func (b *blame) copiesOther(k facts.Kernel) bool {
	return k.Class != facts.ClassCopy || !slices.ContainsFunc(b.redonated, func(p *facts.Parameter) bool { return p.Shape == k.Out })
}
