// Package logs reads the logs and profiles of a run: what compilers and frameworks print, and what a profiler measures. The lines of a log
// may have any logger's prefix. Unknown lines are skipped; a known line in an unknown form is reported as seen but unreadable.
package logs

import (
	"bytes"
	"strconv"
	"strings"
)

// Kind is the subject of an event.
type Kind string

// The kinds of events.
const (
	Compile      Kind = "compile"           // one XLA compilation: Program, Value in seconds
	Retrace      Kind = "retrace"           // JAX traced a function again: Program, Where, Text
	Uncompilable Kind = "uncompilable-op"   // jit_compile=True met an operation that XLA cannot compile: Program, Op, Node, Where, Text
	LeftOut      Kind = "left-out"          // autoclustering says why a node is outside every cluster: Node, Op, Text
	Remat        Kind = "involuntary-remat" // the partitioner replicates a tensor: Program, Op (the model's name of it), Where, Text
	Spill        Kind = "spill"             // XLA's assembler runs out of registers: Op (the kernel's function), Value bytes that a thread stores
	Fallback     Kind = "cpu-fallback"      // an operation that PyTorch/XLA runs on the CPU: Op, Value times (0: not said)
	Metrics      Kind = "metrics"           // PyTorch/XLA reported its counters
	Compiles     Kind = "compiles"          // PyTorch/XLA counted its compilations: Value
	CompileTime  Kind = "compile-time"      // of one compilation, or the sum of all of PyTorch/XLA's: Value in seconds
	Compiled     Kind = "compiled"          // PyTorch/XLA compiled a graph, as for an operation that runs on the CPU, and does not say why
	Graph        Kind = "graph"             // PyTorch/XLA saved a graph, or compiled one and says why: Program, Key (its hash), Where, Text, Value inputs
	Argument     Kind = "argument"          // TensorFlow hands an argument over to XLA: Program, Value its place there, Key its place in the function, Text the variable's name
	Unreadable   Kind = "unreadable"        // a known line in an unknown form: Text
)

// Event is one statement of a log. Which fields are set depends on its kind.
type Event struct {
	Kind    Kind
	Line    int // from 1
	Program string
	Op      string
	Node    string
	Key     string
	Text    string
	Value   float64
	Where   Location

	logger string // what the line starts with, without its digits: tells one log handler from another
}

// Location is a line of Python.
type Location struct {
	File     string
	Line     int
	Column   int
	Function string
}

// reader walks the lines of a log.
type reader struct {
	data    []byte
	pos     int
	line    int // the number of the line last read
	events  []Event
	logger  string
	traced  map[string]string // functions whose first trace was seen, by place, and the logger that said so
	metrics torchMetrics

	compiling string // the function that TensorFlow last said it compiles
	explained bool   // PyTorch/XLA said why it compiles the graph that follows
}

// Read returns the events of a log, in order. Sums that occur in several places come last.
func Read(data []byte) []Event {
	r := &reader{data: data, traced: map[string]string{}, metrics: torchMetrics{fallbacks: map[string]Event{}}}
	for text, ok := r.next(); ok; text, ok = r.next() {
		r.read(text)
	}
	r.metrics.emit(r)
	return dropRepeats(r.events)
}

// marker is a text that identifies a line; read gets the text after it.
type marker struct {
	text string
	read func(r *reader, rest []byte)
}

// markers are tried in order; the first one in a line applies.
var markers = []marker{
	{"Finished XLA compilation of ", (*reader).jaxCompile},
	{"TRACING CACHE MISS at ", (*reader).jaxMiss},
	{"Detected unsupported operations when trying to compile graph ", (*reader).tfUncompilable},
	{" must be a compile-time constant", (*reader).tfConstant},
	{"Found uncompilable node ", (*reader).tfLeftOut},
	{"mark_for_compilation_pass.cc:", (*reader).tfMarking},
	{"] Compiled ", (*reader).tfCompiled},
	{"] XlaCompiler::CompileFunction ", (*reader).tfCompiling},
	{"]   XLA arg ", (*reader).tfArgument},
	{"Involuntary full rematerialization.", (*reader).remat},
	{"Registers are spilled to local memory in function '", (*reader).spill},
	{"Op(s) not lowered: ", (*reader).torchNotLowered},
	{"Counter: ", (*reader).torchCounter},
	{"Metric: ", (*reader).torchMetric},
	{"Compilation Analysis: Compilation Cause", (*reader).torchAnalysis},
	{"Computation hash: ", (*reader).torchCompiled},
	{"TensorsGraphInfo:", (*reader).torchGraph},
}

// read calls the reader of the first marker. A marker that begins with a space is after the text that it needs: its reader gets the whole line.
func (r *reader) read(text []byte) {
	for _, m := range markers {
		at := bytes.Index(text, []byte(m.text))
		if at < 0 {
			continue
		}
		r.logger = strings.Map(func(c rune) rune { // without the digits, which change from line to line
			if c >= '0' && c <= '9' {
				return -1
			}
			return c
		}, string(text[:at]))
		if m.text[0] != ' ' {
			text = text[at+len(m.text):]
		}
		m.read(r, text)
		return
	}
}

// next returns the next line without its end.
func (r *reader) next() ([]byte, bool) {
	if r.pos >= len(r.data) {
		return nil, false
	}
	rest := r.data[r.pos:]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	r.pos += min(end+1, len(rest))
	r.line++
	return bytes.TrimSuffix(rest[:end], []byte{'\r'}), true
}

// peek returns the next line without taking it.
func (r *reader) peek() ([]byte, bool) {
	pos, line := r.pos, r.line
	text, ok := r.next()
	r.pos, r.line = pos, line
	return text, ok
}

func (r *reader) add(e Event) {
	e.logger = r.logger
	r.events = append(r.events, e)
}

// unreadable records a known line in an unknown form.
func (r *reader) unreadable(line int, what string) {
	r.add(Event{Kind: Unreadable, Line: line, Text: what})
}

// dropRepeats drops repeated events: from two handlers of one logger, or from an error that is logged where it was raised and where it was caught.
func dropRepeats(events []Event) []Event {
	out := make([]Event, 0, len(events))
	at := map[Event]int{}
	for _, e := range events {
		key, once := repeatKey(e)
		if !once {
			if n := len(out); n > 0 && out[n-1].logger != e.logger {
				last := out[n-1]
				if last.Line, last.logger = e.Line, e.logger; last == e { // from another handler
					continue
				}
			}
			out = append(out, e)
			continue
		}
		if first, seen := at[key]; seen {
			if out[first].Where == (Location{}) {
				out[first].Where = e.Where
			}
			out[first].Value = max(out[first].Value, e.Value)
			continue
		}
		at[key] = len(out)
		out = append(out, e)
	}
	return out
}

// repeatKey identifies events that can occur only once. Compile times have nine digits: two equal ones are one compilation.
func repeatKey(e Event) (key Event, once bool) {
	switch e.Kind {
	case Compile:
		return Event{Kind: e.Kind, Program: e.Program, Value: e.Value}, true
	case Uncompilable, LeftOut:
		return Event{Kind: e.Kind, Program: e.Program, Op: e.Op, Node: e.Node}, true
	case Fallback:
		return Event{Kind: e.Kind, Op: e.Op}, true
	}
	return Event{}, false
}

// remat reads the partitioner's warning that it replicates a tensor. All versions of it contain the shardings, the instruction and its metadata.
func (r *reader) remat(rest []byte) {
	parts, ok := splitAt(string(rest), "from sharding ", " to ")
	if !ok {
		r.unreadable(r.line, "an involuntary rematerialization")
		return
	}
	from := parts[1]
	to, after, _ := strings.Cut(parts[2], "}")
	e := Event{Kind: Remat, Line: r.line, Text: "the partitioner replicates it on every device, to go from sharding " + from + " to " + to + "}"}
	e.metadata(after)
	if _, hlo, ok := strings.Cut(after, "HLO operation"); ok {
		e.Node = strings.TrimLeft(hlo, ": ")
		e.Node, _, _ = strings.Cut(e.Node, " = ")
	}
	r.add(e)
}

// metadata reads the model's name and line of the instruction that a message shows.
func (e *Event) metadata(instruction string) {
	e.Op = between(instruction, `op_name="`, `"`)
	if program, _, ok := strings.Cut(e.Op, "/"); ok {
		e.Program = stripTransform(program)
	}
	if line, err := strconv.Atoi(between(instruction, "source_line=", " }")); err == nil {
		e.Where = Location{File: between(instruction, `source_file="`, `"`), Line: line}
	}
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
