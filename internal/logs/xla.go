package logs

import (
	"strconv"
	"strings"
)

// remat reads the partitioner's warning that it replicates a tensor to change its sharding. Its wording changed twice; all versions contain the
// shardings, the instruction and its metadata.
func (r *reader) remat(rest []byte) {
	parts, ok := splitAt(string(rest), "from sharding ", " to ")
	if !ok {
		r.unreadable(r.line, "an involuntary rematerialization")
		return
	}
	from := parts[1]
	to, after, _ := strings.Cut(parts[2], "}")
	e := Event{Kind: Remat, Line: r.line, Op: between(after, `op_name="`, `"`), Text: "from sharding " + from + " to " + to + "}"}
	if program, _, ok := strings.Cut(e.Op, "/"); ok {
		e.Program = stripTransform(program)
	}
	if line, err := strconv.Atoi(between(after, "source_line=", " }")); err == nil {
		e.Where = Location{File: between(after, `source_file="`, `"`), Line: line}
	}
	if _, hlo, ok := strings.Cut(after, "HLO operation"); ok {
		e.Node = strings.TrimLeft(hlo, ": ")
		e.Node, _, _ = strings.Cut(e.Node, " = ")
	}
	r.add(e)
}

// between returns the text after start, up to any of the ending characters.
func between(s, start, end string) string {
	_, after, ok := strings.Cut(s, start)
	if !ok {
		return ""
	}
	if at := strings.IndexAny(after, end); at >= 0 {
		after = after[:at]
	}
	return after
}

// spill reads XLA's copy of a message of NVIDIA's assembler, after the function's opening quote:
//
//	ptxas warning : Registers are spilled to local memory in function 'my_tanh_matmul', 1116 bytes spill stores, 1116 bytes spill loads
func (r *reader) spill(rest []byte) {
	parts, ok := splitAt(string(rest), "', ", " bytes spill stores")
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if !ok || err != nil {
		r.unreadable(r.line, "a spill of registers")
		return
	}
	r.add(Event{Kind: Spill, Line: r.line, Op: parts[0], Value: float64(n)})
}
