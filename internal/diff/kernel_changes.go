package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
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
	for _, d := range c.deltas() {
		c.What = append(c.What, d.String())
	}
	return c
}

// Delta is one way in which a kernel differs from its counterpart.
type Delta struct {
	Of      DeltaKind
	Was, Is string // what it had and has no more; what it has and had not
}

// DeltaKind is what of a kernel differs.
type DeltaKind int

// The kinds of deltas.
const (
	DeltaOperations DeltaKind = iota // opcodes
	DeltaBody                        // operations of a handwritten kernel
	DeltaOutput
	DeltaInputs
	DeltaKindOfKernel
	DeltaTarget
	DeltaGroups
	DeltaAttributes
	DeltaLoop // it runs in a loop, or not
	DeltaRuns
	DeltaInside // nothing of the above: constants, or connections inside
)

// deltas lists how the kernel differs.
func (c *KernelChange) deltas() (list []Delta) {
	add := func(of DeltaKind, was, is string) {
		if was != is {
			list = append(list, Delta{of, was, is})
		}
	}
	old, fresh := &c.Old, &c.New
	add(DeltaOperations, without(old.Do, fresh.Do).Counted(), without(fresh.Do, old.Do).Counted())
	if old.Written != nil && fresh.Written != nil {
		add(DeltaBody, more(old.Written, fresh.Written), more(fresh.Written, old.Written))
	}
	if old.Out != fresh.Out {
		was, is := hlo.ShapeText(old.Out).Elements(), hlo.ShapeText(fresh.Out).Elements()
		list = append(list, Delta{DeltaOutput, few(minus(was, is)), few(minus(is, was))})
	}
	if !slices.Equal(old.In, fresh.In) && !(carries(old) && carries(fresh)) {
		was, is := old.In, fresh.In
		list = append(list, Delta{DeltaInputs, few(minus(was, is)), few(minus(is, was))})
	}
	add(DeltaKindOfKernel, old.Kind, fresh.Kind)
	add(DeltaTarget, old.Target, fresh.Target)
	add(DeltaGroups, old.Groups, fresh.Groups)
	add(DeltaAttributes, old.Attrs, fresh.Attrs)
	if len(list) > 0 {
		return list
	}
	switch {
	case old.InLoop != fresh.InLoop:
		return []Delta{{DeltaLoop, inLoopRuns(old), inLoopRuns(fresh)}}
	case max(old.Times, 1) != max(fresh.Times, 1):
		return []Delta{{DeltaRuns, runs(old), runs(fresh)}}
	}
	return []Delta{{Of: DeltaInside}}
}

// carries reports whether a kernel hands on what it reads, as a loop does.
func carries(k *facts.Kernel) bool { return len(k.In) == 1 && k.In[0] == k.Out }

// deltaVerbs are what is said of a kind of delta: of what came alone, of what went alone, and of what took its place.
var deltaVerbs = map[DeltaKind][3]string{
	DeltaOperations:   {"gained %s", "lost %s", "lost %[2]s, gained %[1]s"},
	DeltaBody:         {"its body gained %s", "its body lost %s", "its body lost %[2]s, gained %[1]s"},
	DeltaOutput:       {"also writes %s", "no longer writes %s", "writes %s instead of %s"},
	DeltaInputs:       {"also reads %s", "no longer reads %s", "reads %s instead of %s"},
	DeltaKindOfKernel: {"is %s", "is no longer %s", "is %s instead of %s"},
	DeltaTarget:       {"calls %s", "no longer calls %s", "calls %s instead of %s"},
	DeltaGroups:       {"runs over groups %s", "no longer runs over groups %s", "runs over groups %s instead of %s"},
	DeltaAttributes:   {"has %s", "no longer has %s", "has %s instead of %s"},
	DeltaLoop:         {"moved into a loop: runs %s", "moved out of a loop"},
	DeltaRuns:         {2: "runs %s instead of %s"},
}

// String is "lost tanh", "reads bf16[8,4096] instead of f32[8,4096]".
func (d Delta) String() string {
	verbs := deltaVerbs[d.Of]
	switch {
	case d.Of == DeltaInside:
		return "same operations, but other constants or connections inside"
	case d.Of == DeltaInputs && d.Was == "" && d.Is == "":
		return "reads its operands in another order"
	case d.Of == DeltaOutput && d.Was == "" && d.Is == "":
		return "writes its results in another order"
	case d.Of == DeltaLoop && d.Is == "":
		return verbs[1]
	case d.Was == "":
		return fmt.Sprintf(verbs[0], d.Is)
	case d.Is == "":
		return fmt.Sprintf(verbs[1], d.Was)
	}
	return fmt.Sprintf(verbs[2], d.Is, d.Was)
}

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

// inLoopRuns is runs of a kernel in a loop; "" for any other.
func inLoopRuns(k *facts.Kernel) string {
	if !k.InLoop {
		return ""
	}
	return runs(k)
}
