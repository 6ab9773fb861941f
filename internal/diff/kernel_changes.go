package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// whatChanged says in sentences how a kernel differs from its counterpart.
func whatChanged(old, fresh *facts.Kernel) []string {
	var out []string
	if gone := without(old.Do, fresh.Do); len(gone) > 0 {
		out = append(out, gone.Counted()+" left it")
	}
	if come := without(fresh.Do, old.Do); len(come) > 0 {
		out = append(out, come.Counted()+" joined it")
	}
	out = append(out, bodyChanges(old.Written, fresh.Written)...)
	out = appendChange(out, "writes", old.Out, fresh.Out)
	if !old.In.Equal(fresh.In) {
		out = append(out, reads(old.In.List(), fresh.In.List()))
	}
	out = appendChange(out, "is", old.Kind, fresh.Kind)
	out = appendChange(out, "calls", old.Target, fresh.Target)
	out = appendChange(out, "runs over groups", old.Groups, fresh.Groups)
	out = appendChange(out, "has", old.Attrs, fresh.Attrs)
	if len(out) == 0 {
		out = append(out, "the same operations, with other constants or wired differently inside")
	}
	return out
}

// bodyChanges says which operations a kernel that was written by hand has more and fewer of.
func bodyChanges(old, fresh map[string]int) []string {
	var out []string
	if old == nil || fresh == nil {
		return nil
	}
	if gone := fewer(old, fresh); gone != "" {
		out = append(out, gone+" left its body")
	}
	if come := fewer(fresh, old); come != "" {
		out = append(out, come+" joined its body")
	}
	return out
}

// fewer names what b has fewer of than a: "math.exp, 2 arith.mulf".
func fewer(a, b map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		switch n := a[name] - b[name]; {
		case n == 1:
			parts = append(parts, name)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(phrase.Within(parts, 8), ", ")
}

func appendChange(out []string, verb, old, fresh string) []string {
	if old == fresh {
		return out
	}
	switch {
	case old == "":
		return append(out, fmt.Sprintf("%s %s", verb, fresh))
	case fresh == "":
		return append(out, fmt.Sprintf("no longer %s %s", verb, old))
	}
	return append(out, fmt.Sprintf("%s %s instead of %s", verb, fresh, old))
}

func reads(old, fresh []string) string {
	gone, come := minus(old, fresh), minus(fresh, old)
	switch {
	case len(gone) == 0 && len(come) == 0:
		return "reads its operands in another order"
	case len(gone) == 0:
		return "reads " + few(come) + " as well"
	case len(come) == 0:
		return "no longer reads " + few(gone)
	}
	return "reads " + few(come) + " instead of " + few(gone)
}

func few(list []string) string {
	if len(list) > 4 {
		return strings.Join(list[:3], ", ") + fmt.Sprintf(" and %d more", len(list)-3)
	}
	return strings.Join(list, ", ")
}

// without is what a does more often than b.
func without(a, b facts.Opcodes) facts.Opcodes {
	var out facts.Opcodes
	for _, op := range a {
		if op.Times -= b.Times(op.Opcode); op.Times > 0 {
			out = append(out, op)
		}
	}
	return out
}

// minus is the multiset difference, in order.
func minus(a, b []string) []string {
	left := countOf(b)
	var out []string
	for _, s := range a {
		if left[s] > 0 {
			left[s]--
			continue
		}
		out = append(out, s)
	}
	return out
}

func movement(old, fresh *facts.Kernel) []string {
	switch {
	case !old.InLoop && fresh.InLoop:
		return []string{"moved into a loop: runs " + runs(fresh)}
	case old.InLoop && !fresh.InLoop:
		return []string{"moved out of a loop"}
	}
	return []string{fmt.Sprintf("runs %s instead of %s", runs(fresh), strings.TrimSuffix(runs(old), " times"))}
}

// runs says how often a kernel runs; in a loop nobody may know.
func runs(k *facts.Kernel) string {
	switch {
	case k.Times > 1:
		return fmt.Sprintf("%d times", k.Times)
	case k.InLoop:
		return "an unknown number of times"
	}
	return "once"
}

// growth is what a kernel computes and moves more than it did.
func (c *KernelChange) growth() int64 { return c.New.Flops + c.New.Bytes - c.Old.Flops - c.Old.Bytes }
