package logs

import (
	"strconv"
	"strings"
)

// remat reads the partitioner's warning that it replicates a tensor to change its sharding. Its wording changed twice; all versions contain the
// shardings, the instruction and its metadata.
func (r *reader) remat(rest []byte) {
	text := string(rest)
	_, after, ok := strings.Cut(text, "from sharding ")
	from, after, ok2 := strings.Cut(after, " to ")
	if !ok || !ok2 {
		r.unreadable(r.line, "an involuntary rematerialization")
		return
	}
	to, after, _ := strings.Cut(after, "}")
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
	function, amounts, _ := strings.Cut(string(rest), "', ")
	bytes, _, ok := strings.Cut(amounts, " bytes spill stores")
	n, err := strconv.ParseInt(bytes, 10, 64)
	if !ok || err != nil {
		r.unreadable(r.line, "a spill of registers")
		return
	}
	r.add(Event{Kind: Spill, Line: r.line, Op: function, Value: float64(n)})
}
