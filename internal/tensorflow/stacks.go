package tensorflow

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/wire"
)

// Stacks are the Python stacks of a function's operations, as far as they run through the model's own code. They are what
// TF_DUMP_GRAPH_GROUPS=op_stacktrace dumps.
type Stacks struct {
	Called hlo.Location // the line that called the function and so had it traced; zero where no stack tells

	own map[string][]hlo.Location // by node, innermost first, within the function that was traced
}

const stacksHeader = "node_id,node_name,stackframes"

// ParseStacks reads an op_stacktrace dump: "2,matmul,/a/train.py(145): <module>;/a/model.py(12): layer;…" in each line, outermost frame first.
func ParseStacks(data []byte) (*Stacks, error) {
	out := &Stacks{own: map[string][]hlo.Location{}}
	header, rest, _ := bytes.Cut(data, []byte{'\n'})
	if string(bytes.TrimSpace(header)) != stacksHeader {
		return nil, &wire.SyntaxError{Line: 1, Column: 1, Message: fmt.Sprintf("expected %q", stacksHeader)}
	}
	known := map[string]hlo.Location{}
	for line := 2; len(rest) > 0; line++ {
		var row []byte
		row, rest, _ = bytes.Cut(rest, []byte{'\n'})
		fields := bytes.SplitN(bytes.TrimSpace(row), []byte{','}, 3)
		if len(fields) == 1 && len(fields[0]) == 0 {
			continue
		}
		if len(fields) != 3 {
			return nil, &wire.SyntaxError{Line: line, Column: 1, Message: "expected a node's number, its name and its stack"}
		}
		out.add(string(fields[1]), fields[2], known)
	}
	return out, nil
}

// add keeps a node's own frames up to where its function was traced, and the first one outside. Most frames are known: they repeat.
func (s *Stacks) add(node string, stack []byte, known map[string]hlo.Location) {
	var own []hlo.Location
	traced := false
	for end := len(stack); end >= 0; {
		start := bytes.LastIndexByte(stack[:end], ';') + 1
		text := stack[start:end]
		end = start - 1
		f, seen := known[string(text)]
		if !seen {
			f = ownFrame(string(text))
			known[string(text)] = f
		}
		switch {
		case f.Function == tracing:
			traced = true
		case f.File == "":
		case !traced:
			own = append(own, f)
		default:
			if s.Called.File == "" {
				s.Called = f
			}
			end = -1
		}
	}
	s.own[node] = own
}

// tracing is the frame of TensorFlow that traces a function: the frames outside of it call the function.
const tracing = "_create_concrete_function"

// ownFrame reads a frame; of an installed package only the function's name counts.
func ownFrame(text string) hlo.Location {
	f, ok := parseFrame(text)
	switch {
	case !ok:
		return hlo.Location{}
	case logs.Installed(f.File):
		return hlo.Location{Function: f.Function}
	}
	return f
}

// parseFrame reads "/a/model.py(12): layer".
func parseFrame(text string) (hlo.Location, bool) {
	place, function, ok := strings.Cut(strings.TrimSpace(text), "): ")
	file, line, ok2 := cutLast(place, "(")
	n, err := strconv.Atoi(line)
	return hlo.Location{File: file, Line: int32(n), Function: function}, ok && ok2 && err == nil
}

// Of finds the model's frames of a node, innermost first, also of one that was laid into the graph from a function's body:
// "while/body/_1/while/add" was "while/add" there.
func (s *Stacks) Of(node string) (own []hlo.Location, known bool) {
	if s == nil {
		return nil, false
	}
	if own, known = s.own[node]; known {
		return own, true
	}
	parts := strings.Split(node, "/")
	for i := len(parts) - 2; i > 0; i-- {
		if number, ok := strings.CutPrefix(parts[i], "_"); ok && isNumber(number) {
			own, known = s.own[strings.Join(parts[i+1:], "/")]
			return own, known
		}
	}
	return nil, false
}

// Nodes are the names of all nodes.
func (s *Stacks) Nodes() iter.Seq[string] { return maps.Keys(s.own) }

// Trace is what stacks tell of the operations that XLA was given: those of the function that it compiled, and of what was laid into it.
type Trace struct {
	Function *Stacks   // nil where it is not known
	Within   []*Stacks // of bodies of loops and the like, any of which may be within
}

// Behind finds the model's frames of an operation by the name that XLA knows it by, innermost first. The operations of a gradient are told
// by the line of what it is the gradient of, those of a function that was called by the line of the call.
func (t *Trace) Behind(opName string) []hlo.Location {
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
func (t *Trace) around(name string) []hlo.Location {
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
func (t *Trace) within(name string) []hlo.Location {
	var found []hlo.Location
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

// above is the scope of a name, "" at the top.
func above(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }
