package diff

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

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
	if c.Kind != result.KindCode || len(c.Edits) == 0 {
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
