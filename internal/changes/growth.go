package changes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Why picks the cause that adds most to what is weighed, the weightiest cause where none adds anything; nil without causes.
func (v *Variant) Why(weigh func(*facts.Kernel) int64) *Cause {
	var best *Cause
	most := int64(0)
	for i := range v.Causes {
		c := &v.Causes[i]
		var n int64
		for j := range c.After {
			n += weigh(&c.After[j])
		}
		for j := range c.Before {
			n -= weigh(&c.Before[j])
		}
		if best == nil || n > most {
			best, most = c, max(n, 0)
		}
	}
	return best
}

// Growth returns the cause that adds most of the kernels that fit, with the kernels before and after as evidence.
func (v *Variant) Growth(fits func(*facts.Kernel) bool) (*Cause, Evidence) {
	return v.growthBy(fits, func(k *facts.Kernel) int64 { return Flag(fits(k)) })
}

// growthBy is Growth with a weight for each kernel, such as its bytes. Without a baseline it returns the largest kernel.
func (v *Variant) growthBy(fits func(*facts.Kernel) bool, weigh func(*facts.Kernel) int64) (*Cause, Evidence) {
	if v == nil || v.Old == nil {
		return v.Largest(fits), Evidence{}
	}
	c := v.Why(weigh)
	if c == nil {
		return nil, Evidence{}
	}
	return c, c.Evidence(fits)
}

// CollectiveGrowth is Growth of collectives: it names the first that is new, what it moves, and along which axis of the mesh.
func (v *Variant) CollectiveGrowth(fits func(*facts.Kernel) bool) (*Cause, Evidence) {
	c, e := v.Growth(fits)
	if c != nil && v.Old != nil {
		if k := facts.FirstKernel(c.After, fits); k != nil {
			c = c.With("new: " + k.DescribeCollective())
		}
	}
	return c, e
}

// Largest points to the kernel that moves the most bytes of those that fit; nil when none does.
func (v *Variant) Largest(fits func(*facts.Kernel) bool) *Cause {
	if v == nil || v.New == nil {
		return nil
	}
	var most *facts.Kernel
	for k := range v.New.KernelsThat(fits) {
		if most == nil || k.Bytes > most.Bytes {
			most = k
		}
	}
	if most == nil {
		return nil
	}
	return CauseAt("", most).With("the largest is " + most.Describe())
}

// EditThat returns the first cause with an edit that fits, else the one that adds most kernels.
func (v *Variant) EditThat(fits func(Edit) bool) (*Cause, Evidence) {
	return v.editElse(fits, facts.AnyKernel)
}

// editElse returns the first cause with an edit that fits, else the one that adds most of some kernels.
func (v *Variant) editElse(fits func(Edit) bool, kernels func(*facts.Kernel) bool) (*Cause, Evidence) {
	for i := range v.Causes {
		if c := &v.Causes[i]; slices.ContainsFunc(c.Edits, fits) {
			return c, c.Evidence(facts.AnyKernel)
		}
	}
	return v.Growth(kernels)
}

// weights gives, for the facts that are counted from launches alone, what one launch adds to the fact.
var weights = map[facts.ID]func(*facts.Kernel) int64{
	facts.CostFlops:         func(k *facts.Kernel) int64 { return k.Flops },
	facts.CostBytes:         func(k *facts.Kernel) int64 { return k.Bytes },
	facts.FusionsTotal:      func(k *facts.Kernel) int64 { return Flag(k.Fusion) },
	facts.InstructionsAfter: func(k *facts.Kernel) int64 { return int64(1 + k.Do.Len()) },
	facts.CopiesCount:       func(k *facts.Kernel) int64 { return Flag(k.Class == facts.ClassCopy) },
	facts.TransposesCount:   func(k *facts.Kernel) int64 { return int64(k.Do.Times("transpose")) },
	facts.KernelsTotal:      func(k *facts.Kernel) int64 { return Flag(k.Class.Computes()) },
}

// Count returns what launches add to a fact. A weighted fact counts each launch as often as it runs.
func Count(fact facts.ID, kernels []facts.Kernel) (n float64) {
	weigh, runs := weights[fact], func(*facts.Kernel) float64 { return 1 }
	switch fact {
	case facts.CostWeightedBytes:
		weigh, runs = weights[facts.CostBytes], (*facts.Kernel).Runs
	case facts.CostWeightedFlops:
		weigh, runs = weights[facts.CostFlops], (*facts.Kernel).Runs
	case facts.KernelsWeighted:
		weigh, runs = weights[facts.KernelsTotal], (*facts.Kernel).Runs
	}
	for i := range kernels {
		n += float64(weigh(&kernels[i])) * runs(&kernels[i])
	}
	return n
}

// FactGrowth returns the cause of the growth of a fact.
func (v *Variant) FactGrowth(fact facts.ID) (*Cause, Evidence) {
	weigh := weights[fact]
	switch {
	case fact == facts.MemoryOutput:
		return v.ResultGrowth()
	case fact == facts.MemoryConstant:
		return v.constantGrowth()
	case fact.Group() == "memory":
		return v.memoryGrowth(fact)
	case fact.Group() == "price":
		return v.priceGrowth()
	case weigh == nil:
		return v.Growth(facts.AnyKernel)
	case fact.Group() == "cost":
		if c, e := longerLoop(v); c != nil {
			return c, e
		}
	}
	return v.growthBy(func(k *facts.Kernel) bool { return weigh(k) > 0 }, weigh)
}

// Keeper returns the index of the cause that more or less memory is put down to: donations of at least half as many bytes that came or went, or the
// one with the kernels that write the buffer that grew most; 0 if there is none.
func (v *Variant) Keeper() int {
	why := v.redonates()
	if why == nil {
		why = v.Why(v.keeps())
	}
	for i := range v.Causes {
		if &v.Causes[i] == why {
			return i
		}
	}
	return 0
}

// redonates returns the change of donations that is behind the memory at the peak: what is given away no longer exists twice.
func (v *Variant) redonates() *Cause {
	if v == nil || v.Old == nil || v.New == nil {
		return nil
	}
	lost, grown := v.Old.Facts[facts.DonationBytes]-v.New.Facts[facts.DonationBytes], v.New.Facts[facts.MemoryPeak]-v.Old.Facts[facts.MemoryPeak]
	at := slices.IndexFunc(v.Causes, func(c Cause) bool { return c.Kind == KindDonation })
	if at < 0 || lost*grown <= 0 || 2*math.Abs(lost) < math.Abs(grown) {
		return nil
	}
	return &v.Causes[at]
}

// keeps returns a weight for each kernel: 1 if it writes the buffer that grew most, else 0. If no buffer is known to have grown, the weight is the bytes that the
// kernel moves.
func (v *Variant) keeps() func(*facts.Kernel) int64 {
	if v == nil || len(v.Buffers) == 0 {
		return func(k *facts.Kernel) int64 { return k.Bytes }
	}
	return func(k *facts.Kernel) int64 { return Flag(v.Buffers[0].writtenBy(k)) }
}

// tellingGrowth is the share of the growth that a buffer accounts for at the least when it is named.
const tellingGrowth = 0.1

// memoryGrowth returns the cause of more memory with the buffer that grew most.
func (v *Variant) memoryGrowth(fact facts.ID) (*Cause, Evidence) {
	if c := v.redonates(); c != nil && fact == facts.MemoryPeak {
		return c, c.Evidence(facts.AnyKernel)
	}
	c, e := v.growthBy(facts.AnyKernel, v.keeps())
	if c == nil || v.Old == nil || len(v.Buffers) == 0 {
		return c, e
	}
	if grown := &v.Buffers[0]; float64(grown.New.Bytes-grown.Old) >= tellingGrowth*(v.New.Facts[fact]-v.Old.Facts[fact]) {
		if c = c.With(grown.String()); c.Source.File == "" {
			c.Source = grown.New.Source
		}
	}
	for i := range v.Buffers[:min(len(v.Buffers), MaxLines)] {
		e.After = append(e.After, v.Buffers[i].String())
	}
	return c, e
}

// ResultGrowth returns the cause of larger results with the result that is new or grew.
func (v *Variant) ResultGrowth() (*Cause, Evidence) {
	c, e := v.growthBy(func(k *facts.Kernel) bool { return k.Result }, func(k *facts.Kernel) int64 { return Flag(k.Result) })
	op, text := NewResult(v)
	if c == nil || text == "" || strings.Contains(c.Title, text) {
		return c, e
	}
	if c = c.With(text); op.Source.File != "" {
		c.OpName, c.Source = op.OpName, op.Source
	}
	return c, e
}

// writtenBy reports whether a kernel's value is what the buffer holds.
func (b *BufferChange) writtenBy(k *facts.Kernel) bool {
	return b.New.OpName != "" && (k.OpName == b.New.OpName || slices.ContainsFunc(k.Outs, func(op facts.Op) bool { return op.OpName == b.New.OpName }))
}

// String is "f32[64,256] (64.0 KiB) is kept in memory for jit(step)/tanh".
func (b *BufferChange) String() string {
	text := fmt.Sprintf("%s (%s) is kept in memory", b.New.Shape, phrase.Bytes(float64(b.New.Bytes)))
	if b.Old > 0 {
		is, was := phrase.Apart(float64(b.New.Bytes), float64(b.Old), "bytes")
		text = fmt.Sprintf("%s takes %s, not %s", b.New.Shape, is, was)
	}
	if b.New.OpName != "" {
		text += " for " + b.New.OpName
	}
	return text
}

// Flag is 1 for true.
func Flag(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// constantGrowth names the largest constant that is new, and the argument that it was.
func (v *Variant) constantGrowth() (*Cause, Evidence) {
	var e Evidence
	constants := NewConstants(v)
	var bytes float64
	for _, k := range constants {
		bytes += float64(k.Bytes)
		e.After = AddLine(e.After, fmt.Sprintf("constant %s (%s) %s", k.Shape, phrase.Bytes(float64(k.Bytes)), k.OpName))
	}
	if len(constants) == 0 || v.Old != nil && bytes < min(notable, v.New.ConstantBytes()-v.Old.ConstantBytes()) {
		return nil, e // those that were there are in a wider type
	}
	if at := slices.IndexFunc(v.Causes, func(c Cause) bool { return c.Kind == KindConstants }); at >= 0 {
		return &v.Causes[at], e
	}
	return constantCause(v, largestOf(constants)), e
}

// priceGrowth returns the cause that adds most to the predicted step.
func (v *Variant) priceGrowth() (*Cause, Evidence) {
	if v.Old == nil || len(v.Causes) == 0 {
		return v.Growth(facts.AnyKernel)
	}
	costs := v.StepIntervals()
	dearest := 0
	for i := range costs {
		if costs[i].Middle > costs[dearest].Middle {
			dearest = i
		}
	}
	return &v.Causes[dearest], v.Causes[dearest].Evidence(facts.AnyKernel)
}

// launchTime is how long some kernels of a variant take in a run, in nanoseconds. A kernel in a branch counts as if every run took the branch.
func launchTime(v *facts.Variant, kernels []facts.Kernel) float64 {
	if v.Device == nil {
		return 0
	}
	part := *v
	part.Kernels = kernels
	var ns float64
	for _, p := range part.Prices(v.Device) {
		ns += p.NS()
	}
	return ns
}
