package tensorflow

import (
	"slices"
	"strings"
)

// Trace is what stacks tell of the operations that XLA was given: those of the function that it compiled, and of what was laid into it.
type Trace struct {
	Function *Stacks   // nil where it is not known
	Within   []*Stacks // of bodies of loops and the like, any of which may be within
}

// Behind finds the model's frames of an operation by the name that XLA knows it by, innermost first. The operations of a gradient are told
// by the line of what it is the gradient of, those of a function that was called by the line of the call.
func (t *Trace) Behind(opName string) []Frame {
	for name := range strings.SplitSeq(opName, ";") { // the compiler made one operation of several
		forward, gradient := strings.CutPrefix(name, "gradient_tape/")
		if gradient {
			if own := t.around(above(forward)); len(own) > 0 {
				return own
			}
		}
		if own := t.around(name); len(own) > 0 {
			return own
		}
	}
	return nil
}

// around finds the frames of a node, else of the innermost node that it is named below.
func (t *Trace) around(name string) []Frame {
	for name != "" {
		if own, known := t.Function.Of(name); known {
			return own
		}
		if own := t.within(name); len(own) > 0 {
			return own
		}
		name = above(name)
	}
	return nil
}

// within finds a node in the bodies; nothing where they differ in what they call so.
func (t *Trace) within(name string) []Frame {
	var found []Frame
	for _, s := range t.Within {
		own := s.own[name]
		if len(own) > 0 && len(found) > 0 && !slices.Equal(own, found) {
			return nil
		}
		if len(own) > 0 {
			found = own
		}
	}
	return found
}

// above is the scope that a name stands in, "" at the top.
func above(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }
