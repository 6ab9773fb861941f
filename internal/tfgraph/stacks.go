package tfgraph

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Frame is one line of a Python stack.
type Frame struct {
	File     string
	Line     int
	Function string
}

// Stacks are the Python stacks of a function's operations, by node: the innermost frame of the model's own code. They are what
// TF_DUMP_GRAPH_GROUPS=op_stacktrace dumps.
type Stacks map[string]Frame

const stacksHeader = "node_id,node_name,stackframes"

// ParseStacks reads an op_stacktrace dump: "2,matmul,/a/train.py(145): <module>;/a/model.py(12): layer;…" in each line, outermost frame first.
func ParseStacks(data []byte) (Stacks, error) {
	out := Stacks{}
	lines := bytes.Split(data, []byte{'\n'})
	if strings.TrimSpace(string(lines[0])) != stacksHeader {
		return nil, &SyntaxError{Line: 1, Column: 1, Message: fmt.Sprintf("expected %q", stacksHeader)}
	}
	for i, line := range lines[1:] {
		fields := bytes.SplitN(bytes.TrimSpace(line), []byte{','}, 3)
		if len(fields) == 1 && len(fields[0]) == 0 {
			continue
		}
		if len(fields) != 3 {
			return nil, &SyntaxError{Line: i + 2, Column: 1, Message: "expected a node's number, its name and its stack"}
		}
		if f, ok := ownFrame(string(fields[2])); ok {
			out[string(fields[1])] = f
		}
	}
	return out, nil
}

// ownFrame is the innermost frame that does not belong to an installed package.
func ownFrame(stack string) (Frame, bool) {
	frames := strings.Split(stack, ";")
	for i := len(frames) - 1; i >= 0; i-- {
		if f, ok := parseFrame(frames[i]); ok && !installed(f.File) {
			return f, true
		}
	}
	return Frame{}, false
}

// parseFrame reads "/a/model.py(12): layer".
func parseFrame(text string) (Frame, bool) {
	place, function, ok := strings.Cut(strings.TrimSpace(text), "): ")
	file, line, ok2 := cutLast(place, "(")
	n, err := strconv.Atoi(line)
	return Frame{File: file, Line: n, Function: function}, ok && ok2 && err == nil
}

// installed recognises files of Python packages and of the interpreter itself.
func installed(file string) bool {
	for _, part := range []string{"/site-packages/", "/dist-packages/", "/lib/python", "<frozen "} {
		if strings.Contains(file, part) {
			return true
		}
	}
	return false
}

// Of finds the frame of a node, also of one that was laid into the graph from a function's body: "while/body/_1/while/add" was
// "while/add" there.
func (s Stacks) Of(node string) (Frame, bool) {
	if f, ok := s[node]; ok {
		return f, true
	}
	parts := strings.Split(node, "/")
	for i := len(parts) - 2; i > 0; i-- {
		if number, ok := strings.CutPrefix(parts[i], "_"); ok && isNumber(number) {
			f, ok := s[strings.Join(parts[i+1:], "/")]
			return f, ok
		}
	}
	return Frame{}, false
}
