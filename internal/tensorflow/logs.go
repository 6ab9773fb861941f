package tensorflow

import (
	"fmt"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/logs"
)

// Logs holds what the logs of a run say.
type Logs struct {
	Compiles map[string]int `json:"compiles"` // compilations by program
	Misses   []CacheMiss    `json:"misses"`
	Notes    []LogNote      `json:"notes"`
	Events   int            `json:"-"` // how many lines meant something

	arguments   map[string][]handedOver // what TensorFlow hands over to XLA, by function
	leftOut     map[string]string       // why autoclustering left a node out, by node and operation
	summaries   []clusterSummary
	GraphBreaks []GraphBreak `json:"-"` // of PyTorch/XLA's graphs, in the order in which they were compiled
	Metrics     bool         `json:"-"` // PyTorch/XLA's counters are in them
}

// CacheMiss is one explanation of a retrace.
type CacheMiss struct {
	Program string       `json:"program"`
	Where   hlo.Location `json:"source,omitzero"`
	Reason  string       `json:"reason"`
}

// LogNote is any other line that a rule reads. The program of what PyTorch/XLA does not say for single graphs is NamelessGraph.
type LogNote struct {
	Kind    logs.Kind    `json:"kind"`
	Program string       `json:"program,omitempty"`
	Log     string       `json:"log,omitempty"` // the log and the line
	Op      string       `json:"op,omitempty"`
	Where   hlo.Location `json:"source,omitzero"`
	Message string       `json:"message"`
	Value   float64      `json:"value,omitempty"`
}

// GraphBreak is a place where PyTorch/XLA ended a graph and had it compiled. The graph contains the operations up to that place.
type GraphBreak struct {
	Reason string       // as PyTorch/XLA says it: "user torch_xla.sync"
	Where  hlo.Location // the model's line
	Inputs int          // how many arguments the graph has; 0: not said
}

// graphBreakOf returns the cut that an event describes. A graph that was only saved has none.
func graphBreakOf(e logs.Event) (GraphBreak, bool) {
	return GraphBreak{Reason: e.Text, Where: placeOf(e.Where), Inputs: int(e.Value)}, e.Text != ""
}

// NamelessGraph is PyTorch/XLA's name of every graph that the model does not name. Its logs count the compilations of all graphs together, including
// named ones; xlagate assigns the count to this name.
const NamelessGraph = "SyncTensorsGraph"

// clusterSummary is autoclustering's own count of one graph, with its messages about nodes of that graph.
type clusterSummary struct {
	log     string
	summary *logs.Summary
	nodes   map[string][]logs.Event // what it said about nodes left out, by operation
}

// readLogs collects what the logs say, nil if there are none.
func readLogs(files []*dump.File) (*Logs, []dump.Problem) {
	if len(files) == 0 {
		return nil, nil
	}
	l := &Logs{Compiles: map[string]int{}, leftOut: map[string]string{}, arguments: map[string][]handedOver{}}
	graphs, counted := map[string]bool{}, false
	var problems []dump.Problem
	for _, f := range files {
		err := f.Read(func(data []byte) error {
			counted = l.take(f.Path, logs.Read(data), graphs) || counted
			return nil
		})
		if err != nil {
			problems = append(problems, dump.Problem{File: f.Path, Message: "the log cannot be read: " + plainly(err), Fix: "name the file that the run's output was written to, or leave the log out"})
		}
	}
	if !counted && len(graphs) > 0 && l.Compiles[NamelessGraph] == 0 {
		l.Compiles[NamelessGraph] = len(graphs)
	}
	return l, problems
}

// take adds what one log says. It adds the graphs of PyTorch/XLA that the log names by hash. It reports whether the log counts their compilations;
// a log may have only one of both.
func (l *Logs) take(path string, events []logs.Event, graphs map[string]bool) (counted bool) {
	nodes := map[string][]logs.Event{}
	for _, e := range events {
		log := fmt.Sprintf("%s:%d", path, e.Line)
		l.Events++
		switch e.Kind {
		case logs.Compile:
			l.Compiles[programOf(e.Program)]++
			l.note(logs.CompileTime, log, e)
		case logs.Retrace:
			l.Misses = append(l.Misses, CacheMiss{Program: programOf(e.Program), Where: placeOf(e.Where), Reason: e.Text})
		case logs.Compiles:
			l.Compiles[NamelessGraph] += int(e.Value)
			counted = true
		case logs.Metrics:
			l.Metrics = true
		case logs.Graph:
			graphs[e.Key] = true
			if cut, ok := graphBreakOf(e); ok {
				l.GraphBreaks = append(l.GraphBreaks, cut)
			}
		case logs.Argument:
			l.handOver(e)
		case logs.LeftOut:
			l.leftOut[e.Node+"\x00"+e.Op] = e.Text
			nodes[e.Op] = append(nodes[e.Op], e)
		case logs.Clusters:
			l.summaries = append(l.summaries, clusterSummary{log: log, summary: e.Summary, nodes: nodes})
			nodes = map[string][]logs.Event{}
		default:
			l.note(e.Kind, log, e)
		}
	}
	return counted
}

func (l *Logs) note(kind logs.Kind, log string, e logs.Event) {
	n := LogNote{Kind: kind, Op: e.Op, Where: placeOf(e.Where), Message: e.Text, Value: e.Value, Log: log}
	switch e.Kind {
	case logs.CompileTime, logs.Fallback:
		n.Program = NamelessGraph
	default:
		n.Program = programOf(e.Program)
	}
	l.Notes = append(l.Notes, n)
}

// Uncompilable lists one note for each operation of a function that XLA could not compile: a log repeats an error, and only some
// repetitions name the line.
func (l *Logs) Uncompilable() (notes []LogNote) {
	if l == nil {
		return nil
	}
	type key struct{ program, op string }
	at := map[key]int{}
	for _, n := range l.Notes {
		if n.Kind != logs.Uncompilable {
			continue
		}
		k := key{n.Program, n.Op}
		i, seen := at[k]
		switch {
		case !seen:
			at[k] = len(notes)
			notes = append(notes, n)
		case notes[i].Where.File == "" && n.Where.File != "":
			notes[i] = n
		}
	}
	return notes
}

func placeOf(w logs.Location) hlo.Location {
	return hlo.Location{File: w.File, Function: w.Function, Line: int32(w.Line), Column: int32(w.Column)}
}

// programOf returns the program of a name in a log, spelled as in module names: JAX's <lambda> is _lambda there, and TensorFlow's
// __inference_step_41 is step.
func programOf(name string) string {
	if name == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "__"); ok && (strings.HasPrefix(rest, "inference_") || strings.HasPrefix(rest, "forward_")) {
		return dump.ProgramName("a_" + wordsOnly(rest) + "__XlaMustCompile_")
	}
	if strings.HasPrefix(name, "cluster_") {
		return name
	}
	return dump.ProgramName("jit_" + wordsOnly(name))
}

// wordsOnly replaces what the frameworks do not put into module names.
func wordsOnly(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '.' || r == '-' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127 {
			return r
		}
		return '_'
	}, name)
}
