package diff

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// Place is the operation that a cause is about, as the kernels that it brought have it. A stored baseline has no lines, so that of several
// operations alike any may pass for the new one; what runs now tells which it is.
func (c *Cause) Place() facts.Op {
	asked := c.heaviest()
	if asked == "" || c.Edits[0].OneCall {
		return c.Op
	}
	place := c.Op
	for i := range c.After {
		for _, op := range opsOf(&c.After[i]) {
			switch {
			case op.Source.File == "" || !sameWork(op.Opcode, asked):
			case line(op.Source) == line(c.Op.Source):
				return c.Op
			case line(place.Source) == line(c.Op.Source):
				place = op
			}
		}
	}
	return place
}

// heaviest is the operation that tells most of what the model asks for now where the cause stands; "" where it asks for nothing new there.
func (c *Cause) heaviest() (opcode string) {
	if c.Kind != CauseModel || len(c.Edits) == 0 {
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

// sameWork says whether two operations do the same: a TPU multiplies matrices by convolutions.
func sameWork(a, b string) bool {
	product := func(opcode string) bool { return opcode == "dot" || opcode == "convolution" }
	return a == b || product(a) && product(b)
}
