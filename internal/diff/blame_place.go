package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// finish gives a cause its sentence and its place in the model.
func (s *suspect) finish(v *Variant) Cause {
	title := s.title(v)
	c := s.Cause
	for _, e := range s.edits {
		c.Edits = append(c.Edits, *e)
	}
	c.Title = title
	s.locate(&c, v)
	return c
}

// locate finds where in the model a cause stands: at the devices' talk that a sharding brought, else, where the cause itself does not say,
// at the weightiest kernel that came, else at the nearest line of the model.
func (s *suspect) locate(c *Cause, v *Variant) {
	if talks := facts.FirstKernel(s.After, func(k *facts.Kernel) bool { return k.Class == facts.ClassCollective && k.OpName != "" }); c.Kind == KindSharding && talks != nil {
		c.place([]facts.Kernel{*talks})
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

// weightiestFirst orders kernels by what a run of them computes and moves: what took the place of something that went is hardly the smallest.
func weightiestFirst(kernels []facts.Kernel) []facts.Kernel {
	weight := func(k facts.Kernel) int64 { return (k.Flops + k.Bytes) * max(k.Times, 1) }
	return slices.SortedStableFunc(slices.Values(kernels), func(a, b facts.Kernel) int { return cmp.Compare(weight(b), weight(a)) })
}

// toWork moves a cause to the line of the kernels that it brought which does most of what it added. A stored baseline has no lines, so that of several
// equal operations any may pass for the new one; what runs now tells which it is.
func (c *Cause) toWork() {
	asked := c.heaviest()
	if asked == "" || c.Edits[0].OneCall {
		return
	}
	place := facts.Op{OpName: c.OpName, Source: c.Source}
	for i := range c.After {
		for _, op := range opsOf(&c.After[i]) {
			switch {
			case op.Source.File == "" || !sameWork(op.Opcode, asked):
			case line(op.Source) == line(c.Source):
				return
			case line(place.Source) == line(c.Source):
				place = op
			}
		}
	}
	c.OpName, c.Source = place.OpName, place.Source
}

// heaviest is the operation that tells most of what the model asks for now where the cause stands; "" where it asks for nothing new there.
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
