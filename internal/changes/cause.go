package changes

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Cause is an edit or another change from outside that causes differences. A rule that knows no cause uses one to point to a place of the model.
type Cause struct {
	Kind   string         `json:"kind"`            // a kind of result.Change; "" for a place of the model that is not known to have been edited
	Title  string         `json:"title"`           // what was done
	Notes  []string       `json:"notes,omitempty"` // what a rule found out besides
	OpName string         `json:"op_name,omitempty"`
	OpType string         `json:"op_type,omitempty"`
	Source hlo.Location   `json:"source,omitzero"`
	Edits  []Edit         `json:"edits,omitempty"` // of kind code: the places of the model, the weightiest first
	Edit   string         `json:"-"`               // the edit that it is, as [Edited] names it; "" where none is known
	Exact  bool           `json:"-"`               // Source is the place, whatever lines the kernels come from
	Before []facts.Kernel `json:"-"`               // the kernels that it took away
	After  []facts.Kernel `json:"-"`               // and those that it brought

	remats   bool          // it is what jax.checkpoint computes again now, or does no more
	again    bool          // an edited line calls a function once more
	products bool          // the title begins with the type of the products, see [Variant.nameProducts]
	grown    *facts.Kernel // the first of the products that compute more than before, see [suspect.grownProducts]
	of       *Cause        // the cause that this one is a copy of
	suspect  *suspect      // which it was, before its title was found
}

// CauseAt returns a cause of which only a kernel is known.
func CauseAt(title string, k *facts.Kernel) *Cause {
	return &Cause{Title: title, OpName: k.OpName, OpType: k.OpType, Source: k.Source}
}

// Root returns the cause of the variant's differences that c is, or is a copy of.
func (c *Cause) Root() *Cause {
	if c.of != nil {
		return c.of
	}
	return c
}

// Of returns a copy of c that is put down to a cause of the variant's differences.
func (c *Cause) Of(root *Cause) *Cause {
	own := *c
	own.of = root.Root()
	return &own
}

// With returns a copy of c with one more note.
func (c *Cause) With(note string) *Cause {
	noted := *c
	noted.of, noted.Notes = c.Root(), append(slices.Clone(c.Notes), note)
	return &noted
}

// At returns a copy of c at the place of a kernel.
func (c *Cause) At(k *facts.Kernel) *Cause {
	moved := *c
	moved.of, moved.OpName, moved.OpType, moved.Source = c.Root(), k.OpName, k.OpType, k.Source
	return &moved
}

// Keeps reports whether the cause is that jax.checkpoint no longer computes something again, so that it is kept.
func (c *Cause) Keeps() bool {
	return slices.ContainsFunc(c.Edits, func(e Edit) bool { return forgotten(&e) })
}

// Evidence lists the kernels that a cause took away and brought: those that fit, or all if none fits.
func (c *Cause) Evidence(fits func(*facts.Kernel) bool) Evidence {
	e := Evidence{Before: LinesOf(c.Before, fits), After: LinesOf(c.After, fits)}
	if len(e.Before)+len(e.After) == 0 {
		e = Evidence{Before: LinesOf(c.Before, facts.AnyKernel), After: LinesOf(c.After, facts.AnyKernel)}
	}
	return e
}

// MaxLines bounds the lines that a finding carries on each side.
const MaxLines = 12

// LinesOf describes the kernels that fit, equal ones in one line, those that compute and move most first: what is not shown matters least.
func LinesOf(kernels []facts.Kernel, fits func(*facts.Kernel) bool) []string {
	var lines []string
	count := map[string]int{}
	kernels = weightiestFirst(kernels)
	for i := range kernels {
		if !fits(&kernels[i]) {
			continue
		}
		line := kernels[i].Describe()
		if count[line]++; count[line] == 1 {
			lines = append(lines, line)
		}
	}
	more := len(lines) - MaxLines
	lines = lines[:min(len(lines), MaxLines)]
	for i, line := range lines {
		if n := count[line]; n > 1 {
			lines[i] = fmt.Sprintf("%d × %s", n, line)
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more kinds of kernels", more))
	}
	return lines
}

// AddLine appends a line while there are few.
func AddLine(lines []string, line string) []string {
	if len(lines) >= MaxLines {
		return lines
	}
	return append(lines, line)
}

// AddNew appends the lines that are not there yet, without empty ones.
func AddNew(lines []string, more ...string) []string {
	for _, line := range more {
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// CauseOf finds the cause that brought a kernel of the new program; nil when none did.
func (v *Variant) CauseOf(k *facts.Kernel) *Cause {
	for i := range v.Causes {
		if slices.ContainsFunc(v.Causes[i].After, func(o facts.Kernel) bool { return o.Name == k.Name && o.Print == k.Print }) {
			return &v.Causes[i]
		}
	}
	return nil
}

// The kinds of changes.
const (
	KindCode      = "code"      // the model was edited
	KindArguments = "arguments" // the program is called with other shapes or types, or compiled for more of them
	KindDonation  = "donation"  // arguments lend their buffers to results no longer, or do now
	KindConstants = "constants" // something is baked into the program
	KindResults   = "results"   // the program returns something else
	KindSharding  = "sharding"  // values are spread over the devices in another way
	KindToolchain = "toolchain" // another compiler or framework made the program
	KindFlags     = "flags"     // it was compiled with other flags
	KindUnknown   = "unknown"
)

// Evidence holds the lines that show a change, before and after.
type Evidence struct{ Before, After []string }

// KindOf returns the kind of the change that a cause is. A cause with a place in the model counts as an edit there.
func KindOf(c *Cause) string {
	switch {
	case c == nil:
		return KindUnknown
	case c.Kind != "":
		return c.Kind
	case c.Source.File != "" || c.OpName != "" || c.OpType != "":
		return KindCode
	}
	return KindUnknown
}

// Brought reports whether the operation that another cause names came with this one.
func (c *Cause) Brought(named *Cause) bool {
	at := func(opName string, line hlo.Location) bool {
		return named.OpName != "" && opName == named.OpName || named.Source.Line > 0 && line.File == named.Source.File && line.Line == named.Source.Line
	}
	return slices.ContainsFunc(c.After, func(k facts.Kernel) bool { return at(k.OpName, k.Source) }) ||
		slices.ContainsFunc(c.Edits, func(e Edit) bool { return len(e.Added) > 0 && at(e.OpName, e.Source) })
}
