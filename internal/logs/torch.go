package logs

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/phrase"
)

// torchMetrics are the counters of a metrics report. A file holds one report per step, each counting from the start, so the last one counts.
type torchMetrics struct {
	first     int // the line of the first counter that tells, 0 where there is none
	fallbacks map[string]Event
	compiles  *Event
	time      *Event
}

// emit adds the events of the last report.
func (m *torchMetrics) emit(r *reader) {
	r.logger = ""
	if m.first > 0 {
		r.add(Event{Kind: Metrics, Line: m.first})
	}
	for _, op := range slices.Sorted(maps.Keys(m.fallbacks)) {
		r.add(m.fallbacks[op])
	}
	for _, e := range []*Event{m.compiles, m.time} {
		if e != nil {
			r.add(*e)
		}
	}
}

// torchCounter reads a counter and the value in the next line. Counters named aten:: count operations that XLA did not run, xla:: those that it ran.
func (r *reader) torchCounter(rest []byte) {
	name := strings.TrimSpace(string(rest))
	fallback, lowered := strings.HasPrefix(name, "aten::"), strings.HasPrefix(name, "xla::")
	if !fallback && !lowered && name != "UncachedCompile" {
		return
	}
	line := r.line
	n, err := strconv.ParseFloat(r.field("Value:"), 64)
	switch {
	case err != nil:
		r.unreadable(line, "the counter "+name+", without its value")
		return
	case fallback:
		r.metrics.fallbacks[name] = Event{Kind: Fallback, Line: line, Op: name, Value: n}
	case !lowered:
		r.metrics.compiles = &Event{Kind: Compiles, Line: line, Value: n}
	}
	if r.metrics.first == 0 {
		r.metrics.first = line
	}
}

// field reads "Value: 88" from the next line, "" if that line is another.
func (r *reader) field(name string) string {
	text, _ := r.peek()
	value, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte(name))
	if !ok {
		return ""
	}
	r.next()
	return string(bytes.TrimSpace(value))
}

// torchMetric reads the sum of a metric. Only the time of compilations is used.
func (r *reader) torchMetric(rest []byte) {
	if strings.TrimSpace(string(rest)) != "CompileTime" {
		return
	}
	line := r.line
	r.field("TotalSamples:")
	d, err := torchDuration(r.field("Accumulator:"))
	if err != nil {
		r.unreadable(line, "the metric CompileTime, without its sum")
		return
	}
	r.metrics.time = &Event{Kind: CompileTime, Line: line, Value: d.Seconds()}
}

// torchDuration reads "05s195ms079.227us" and "01m02s000ms000.000us"; days are written 1d.
func torchDuration(s string) (time.Duration, error) {
	if days, rest, ok := strings.Cut(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil {
			return 0, err
		}
		d, err := time.ParseDuration(rest)
		return time.Duration(n)*24*time.Hour + d, err
	}
	return time.ParseDuration(s)
}

// torchNotLowered reads "aten::nonzero, aten::unique,  Please open a GitHub issue with the above op lowering requests."
func (r *reader) torchNotLowered(rest []byte) {
	list, _, _ := strings.Cut(string(rest), "Please open")
	for _, op := range strings.Split(list, ",") {
		if op = strings.TrimSpace(op); op == "" {
			continue
		}
		if _, counted := r.metrics.fallbacks[op]; !counted {
			r.metrics.fallbacks[op] = Event{Kind: Fallback, Line: r.line, Op: op}
		}
	}
}

// torchFrame reads "  train (/srv/train.py:16)".
func torchFrame(text []byte) (Location, bool) {
	function, place, ok := strings.Cut(strings.TrimSpace(string(text)), " (")
	file, line, ok2 := phrase.CutLast(strings.TrimSuffix(place, ")"), ":")
	n, err := strconv.Atoi(line)
	return Location{File: file, Line: n, Function: function}, ok && ok2 && err == nil
}

// torchGraph reads one record of XLA_SAVE_TENSORS_FILE: the Python frames, innermost first, the graph, which it skips, and the hash.
func (r *reader) torchGraph([]byte) {
	e := Event{Kind: Graph, Line: r.line}
	for text, ok := r.next(); ok && !bytes.HasPrefix(text, []byte("## BEGIN_GRAPH")); text, ok = r.next() {
		if f, ok := torchFrame(text); ok && e.Where == (Location{}) && !Installed(f.File) {
			e.Where = f
		}
	}
	for text, ok := r.next(); ok; text, ok = r.next() {
		if hash, ok := bytes.CutPrefix(text, []byte("Graph Hash: ")); ok {
			e.Key = string(bytes.TrimSpace(hash))
		}
		if bytes.HasPrefix(text, []byte("## END_GRAPH")) {
			break
		}
	}
	if e.Key == "" {
		r.unreadable(e.Line, "a graph that PyTorch/XLA saved, without its hash")
		return
	}
	r.add(e)
}

// torchAnalysis reads a block of PT_XLA_DEBUG: why a graph was compiled, which one, and from where.
func (r *reader) torchAnalysis([]byte) {
	e := Event{Kind: Graph, Line: r.line}
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
		r.unreadable(e.Line, "why PyTorch/XLA compiled a graph")
		return
	}
	r.add(e)
	r.explained = true
}

// ScalarRead is the operation with which Python reads a number from a tensor of PyTorch/XLA.
const ScalarRead = "aten::_local_scalar_dense"

// torchCompiled reads "Computation hash: 48e9", which follows the reason of a compilation if there is one.
func (r *reader) torchCompiled([]byte) {
	if !r.explained {
		r.add(Event{Kind: Compiled, Line: r.line})
	}
	r.explained = false
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
		if e.Where == (Location{}) && !Installed(f.File) {
			e.Where = f
		}
	} else if e.Text == "" && strings.HasPrefix(string(text), "  ") {
		e.Text = plain
	}
}
