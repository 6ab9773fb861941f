package logs

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// tfUncompilable reads the error of a tf.function(jit_compile=True) that holds an operation without an XLA kernel:
//
//	__inference_strings_21[…] on XLA_CPU_JIT: AsString (No registered 'AsString' OpKernel …){{node AsString}}
//	The op is created at:
//	File "train.py", line 25, in strings
func (r *reader) tfUncompilable(rest []byte) {
	line := r.line
	text := string(rest)
	for range 3 { // the reason may go on in the next lines
		next, ok := r.peek()
		if !ok || !bytes.HasPrefix(next, []byte("\t (")) {
			break
		}
		r.next()
		text += "\n" + string(next)
	}
	parts, ok := splitAt(text, " on ", ": ", " (")
	op, reason := parts[2], parts[3]
	if !ok || op == "" {
		r.unreadable(line, "operations that XLA cannot compile")
		return
	}
	function, _, _ := strings.Cut(parts[0], "[")
	node := ""
	if _, after, ok := phrase.CutLast(reason, "{{node "); ok { // while/add}}
		node, _, _ = strings.Cut(after, "}}")
	}
	r.add(Event{Kind: Uncompilable, Line: line, Program: function, Op: op, Node: node, Text: firstReason(reason), Where: r.createdAt()})
}

// firstReason removes the repeated name of the node. Of the attributes that did not match, it keeps the element type, which is usually the reason.
func firstReason(s string) string {
	first, attributes, _ := strings.Cut(s, "\n")
	first, _, _ = strings.Cut(first, " compatible with node ")
	first = strings.TrimSuffix(strings.TrimSpace(first), ")")
	if t := between(attributes, "T=DT_", ", )"); t != "" {
		first += " with T=DT_" + t
	}
	return first
}

// createdAt reads the Python stack behind an error: the innermost line of the model's own code.
func (r *reader) createdAt() Location {
	var where Location
	if text, ok := r.peek(); !ok || !bytes.Contains(text, []byte("The op is created at")) && !bytes.Contains(text, []byte("Stack trace for op definition")) {
		return where
	}
	r.next()
	for {
		text, ok := r.peek()
		trimmed := bytes.TrimSpace(text)
		isFrame := bytes.HasPrefix(trimmed, []byte("File \""))
		if !ok || !isFrame && !bytes.HasPrefix(text, []byte("  ")) { // a frame's line of code is indented
			return where
		}
		r.next()
		if frame, ok := pythonFrame(string(trimmed)); isFrame && ok && !Installed(frame.File) {
			where = frame
		}
	}
}

// pythonFrame reads `File "train.py", line 25, in strings`, and a place of a syntax error, which is in no function.
func pythonFrame(s string) (Location, bool) {
	file, rest, ok := strings.Cut(strings.TrimPrefix(s, "File \""), "\", line ")
	number, function, _ := strings.Cut(rest, ", in ")
	n, err := strconv.Atoi(number)
	return Location{File: file, Line: n, Function: function}, ok && err == nil
}

// Installed reports whether a file belongs to a Python package or to the interpreter, and so is not part of the model.
func Installed(file string) bool {
	parts := []string{"site-packages/", "dist-packages/", "/lib/python", "<frozen ", "/__autograph_generated_file"}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(file, part) })
}

// tfConstant reads "Input 1 to node `ArgMax` with op ArgMax must be a compile-time constant."
func (r *reader) tfConstant(line []byte) {
	parts, ok := splitAt(string(line), "Input ", " to node `", "` with op ", " must be")
	if !ok {
		r.unreadable(r.line, "an argument that must be a compile-time constant")
		return
	}
	r.add(Event{Kind: Uncompilable, Line: r.line, Op: parts[3], Node: parts[2], Text: "input " + parts[1] + " must be a compile-time constant"})
}

// tfLeftOut reads "Unique (op Unique): Unique op".
func (r *reader) tfLeftOut(rest []byte) {
	line := r.line
	parts, ok := splitAt(string(rest), " (op ", ")")
	if !ok {
		r.unreadable(line, "an operation that XLA cannot compile")
		return
	}
	reason := parts[2]
	if next, ok := r.peek(); ok && bytes.HasPrefix(next, []byte("\t (")) {
		r.next()
		reason += "\n" + string(next)
	}
	r.add(Event{Kind: LeftOut, Line: line, Node: parts[0], Op: parts[1], Text: firstReason(strings.TrimPrefix(reason, ": "))})
}

// tfMarking reads what the marking pass itself says.
func (r *reader) tfMarking(rest []byte) {
	_, text, ok := strings.Cut(string(rest), "] ")
	if !ok {
		return
	}
	if edge, ok := strings.CutPrefix(text, "Could not contract <"); ok {
		r.tfApart(edge)
		return
	}
	for _, verb := range []string{"Rejecting ", "Isolating "} {
		what, ok := strings.CutPrefix(text, verb)
		node, reason, ok2 := strings.Cut(what, ": ")
		if ok && ok2 && !strings.Contains(node, " ") {
			r.add(Event{Kind: LeftOut, Line: r.line, Node: node, Text: strings.TrimSuffix(reason, ".")})
		}
	}
}

// tfApart reads "Exp #4> -> <add + 2 others #7> because contracting the edge would create a cycle via [AsString].": two operations, or the groups
// that they were joined with until then, that cannot be in one cluster.
func (r *reader) tfApart(edge string) {
	parts, ok := splitAt(edge, "> -> <", "> because ")
	if !ok {
		r.unreadable(r.line, "an edge that autoclustering does not contract")
		return
	}
	from, _, _ := strings.Cut(parts[0], " ")
	to, _, _ := strings.Cut(parts[1], " ")
	for _, pair := range [][2]string{{from, to}, {to, from}} {
		r.add(Event{Kind: LeftOut, Line: r.line, Node: pair[0], Text: "it cannot join " + pair[1] + ": " + strings.TrimSuffix(parts[2], ".")})
	}
}

// tfCompiled reads "cluster_0 1 times, compile time: 442172 us, cumulative: …".
func (r *reader) tfCompiled(rest []byte) {
	name, after, ok := strings.Cut(string(rest), " ")
	count, after, ok2 := strings.Cut(after, " times, compile time: ")
	micros, _, ok3 := strings.Cut(after, " us")
	if !ok || !ok2 { // "Compiled cluster using XLA!  This line is logged at most once …"
		return
	}
	n, err := strconv.ParseFloat(micros, 64)
	if !ok3 || err != nil {
		r.unreadable(r.line, "a compilation of "+name+", without its time")
		return
	}
	r.add(Event{Kind: Compile, Line: r.line, Program: name, Key: count, Value: n / 1e6})
}

// tfCompiling reads "__inference_step_81[_XlaMustCompile=true,…]". The line "CompileFunction: FILE" has no name.
func (r *reader) tfCompiling(rest []byte) { r.compiling = string(bytes.TrimSpace(rest)) }

// tfArgument reads "2 shape: f32[8,16] name: dense1/kernel/0 TF arg 3 node name: ". Only variables have names. A number at the end makes them unique.
func (r *reader) tfArgument(rest []byte) {
	parts, ok := splitAt(string(rest), " shape: ", " name: ", " TF arg ", " node name:")
	n, err := strconv.Atoi(parts[0])
	if !ok || err != nil {
		r.unreadable(r.line, "an argument that TensorFlow passes to XLA")
		return
	}
	name, index := parts[2], parts[3]
	if variable, number, ok := phrase.CutLast(name, "/"); ok && strings.Trim(number, "0123456789") == "" {
		name = variable
	}
	r.add(Event{Kind: Argument, Line: r.line, Program: r.compiling, Value: float64(n), Key: index, Text: name})
}
