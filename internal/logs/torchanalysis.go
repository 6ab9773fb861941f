package logs

import (
	"bytes"
	"strconv"
	"strings"
)

// torchAnalysis reads a block of PT_XLA_DEBUG: why a graph was compiled or executed, which one, and from where.
func (r *reader) torchAnalysis(kind Kind) {
	e := Event{Kind: kind, Line: r.line}
	for {
		line, ok := r.peek()
		_, text, found := bytes.Cut(line, []byte("Analysis: "))
		if !ok || !found || bytes.HasPrefix(text, []byte("---")) || bytes.HasPrefix(text, []byte("===")) {
			break
		}
		r.next()
		e.analysis(text)
	}
	if e.Key == "" {
		r.unreadable(e.Line, "why PyTorch/XLA compiled or executed a graph")
		return
	}
	r.add(e)
}

func (e *Event) analysis(text []byte) {
	plain := strings.TrimSpace(string(text))
	if hash, ok := strings.CutPrefix(plain, "Graph Hash: "); ok {
		e.Key = hash
	} else if name, ok := strings.CutPrefix(plain, "Graph Name: "); ok {
		e.Program = name
	} else if n, ok := strings.CutPrefix(plain, "Number of Graph Inputs: "); ok {
		e.Value, _ = strconv.ParseFloat(n, 64)
	} else if f, ok := torchFrame(text); ok {
		if e.Where == (Location{}) && !installed(f.File) {
			e.Where = f
		}
	} else if e.Text == "" && strings.HasPrefix(string(text), "  ") {
		e.Text = plain
	}
}
