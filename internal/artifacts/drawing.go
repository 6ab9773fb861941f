package artifacts

import (
	"bytes"
	"errors"
)

// Drawing is a drawn computation with the computations that it calls.
type Drawing struct {
	Computation string // "main.19"
	Groups      []Group
	Nodes       []Node
	Calls       []Call
}

// Group is a frame around nodes. The first is the drawn computation; others are computations that an instruction calls, and fusions.
type Group struct {
	Fusion bool
	Kind   string // of a fusion: "kLoop"
	Parent int    // the frame around this one; -1 for the first
	id     string
}

// Node is one drawn instruction.
type Node struct {
	Name   string
	Opcode string // "" if the drawing does not contain it
	Kind   string // of a fusion that is drawn without its computation
	Target string // of a custom call
	Inline bool   // it calls a computation of one operation, which is drawn in its node
	Group  int
	id     string
}

// Call is the call of a group's computation by a node. A computation that several nodes call is drawn once.
type Call struct{ Node, Group int }

// ReadDrawing reads a .dot file, or the graph inside of an .html file.
func ReadDrawing(data []byte) (*Drawing, error) {
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("digraph")) {
		var err error
		if data, err = inside(data); err != nil {
			return nil, err
		}
	}
	s := scanner{lines: lines{rest: string(data)}}
	d, err := s.graph()
	if err == nil && len(d.Nodes)+len(d.Groups) < 2 {
		err = errors.New("the graph holds no instruction")
	}
	return d, err
}
