package changes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// KernelChange is one kernel before and after, and in words how it differs.
type KernelChange struct {
	Old  facts.Kernel `json:"old"`
	New  facts.Kernel `json:"new"`
	What []string     `json:"what"`
}

// ChangeOf compares a kernel with its counterpart.
func ChangeOf(old, fresh *facts.Kernel) KernelChange {
	c := KernelChange{Old: *old, New: *fresh}
	c.exchanged("", without(old.Do, fresh.Do).Counted(), without(fresh.Do, old.Do).Counted())
	if old.Written != nil && fresh.Written != nil {
		c.exchanged("its body ", more(old.Written, fresh.Written), more(fresh.Written, old.Written))
		c.instead("its grid has", gridSteps(old), gridSteps(fresh))
	}
	c.arrays("writes", "its results", hlo.ShapeText(old.Out).Elements(), hlo.ShapeText(fresh.Out).Elements())
	if !carries(old) || !carries(fresh) {
		c.arrays("reads", "its operands", old.In, fresh.In)
	}
	c.instead("is", old.Kind, fresh.Kind)
	c.instead("calls", old.Target, fresh.Target)
	c.instead("runs over groups", old.Groups, fresh.Groups)
	c.instead("has", old.Attrs, fresh.Attrs)
	switch {
	case len(c.What) > 0:
	case old.InLoop && !fresh.InLoop:
		c.add("moved out of a loop")
	case !old.InLoop && fresh.InLoop:
		c.add("moved into a loop: runs " + runs(fresh))
	case old.Runs() != fresh.Runs():
		c.instead("runs", runs(old), runs(fresh))
	default:
		c.add(sameOperations)
	}
	return c
}

// gridSteps says how often the body of a hand-written kernel runs: "64 steps".
func gridSteps(k *facts.Kernel) string {
	return phrase.Count(int(k.Work[price.Steps]), "step", "steps")
}

func (c *KernelChange) add(what string) { c.What = append(c.What, what) }

// exchanged says which operations the kernel lost and gained.
func (c *KernelChange) exchanged(whose, lost, gained string) {
	switch {
	case lost != "" && gained != "":
		c.add(whose + "lost " + lost + ", gained " + gained)
	case lost != "":
		c.add(whose + "lost " + lost)
	case gained != "":
		c.add(whose + "gained " + gained)
	}
}

// instead says what took the place of what.
func (c *KernelChange) instead(verb, was, is string) {
	switch {
	case was == is:
	case was == "":
		c.add(verb + " " + is)
	case is == "":
		c.add("no longer " + verb + " " + was)
	default:
		c.add(verb + " " + is + " instead of " + was)
	}
}

// arrays says which shapes the kernel reads or writes instead of others.
func (c *KernelChange) arrays(verb, which string, was, is []string) {
	switch gone, came := few(minus(was, is)), few(minus(is, was)); {
	case slices.Equal(was, is):
	case gone == came:
		c.add(verb + " " + which + " in another order")
	case gone == "":
		c.add("also " + verb + " " + came)
	default:
		c.instead(verb, gone, came)
	}
}

// carries reports whether a kernel hands on what it reads, as a loop does.
func carries(k *facts.Kernel) bool { return len(k.In) == 1 && k.In[0] == k.Out }

// byItself reports whether the kernel differs although it reads what it read before.
func (c *KernelChange) byItself() bool { return slices.Equal(c.Old.In, c.New.In) }

// growth is what a kernel computes and moves more than it did.
func (c *KernelChange) growth() int64 { return c.New.Flops + c.New.Bytes - c.Old.Flops - c.Old.Bytes }

// more names what a has more of than b: "math.exp, 2 arith.mulf".
func more(a, b map[string]int) string {
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
	p := newPairing(b, a)
	p.inTurn(func(s string) string { return s })
	return p.added()
}

// runs says how often a kernel runs.
func runs(k *facts.Kernel) string {
	switch {
	case k.Times > 1:
		return fmt.Sprintf("%d times", k.Times)
	case k.InLoop:
		return "an unknown number of times"
	}
	return "once"
}

// sameOperations is said of a kernel, or of a whole model, in which nothing else is known to differ.
const sameOperations = "same operations; constants or order differ"
