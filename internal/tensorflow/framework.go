// Package tensorflow reads TensorFlow's graph dumps (TF_DUMP_GRAPH_PREFIX) and measures what a framework reports about a run: which operations
// autoclustering put into clusters, why an operation is outside, and what the logs of TensorFlow, JAX and PyTorch/XLA say.
package tensorflow

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/logs"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Framework holds the measurements of what the framework itself dumped and logged.
type Framework struct {
	Clusters  *Clusters // nil where there is no graph
	Logs      *Logs     // nil where there are none
	Arguments Arguments
	Problems  []dump.Problem
}

// Read measures TensorFlow's graph dumps, also those in logs, and logs. Modules are the names of the dump's HLO modules, which belong to the clusters.
func Read(graphs, logs []*dump.File, modules []string) *Framework {
	f := &Framework{}
	f.Logs, f.Problems = readLogs(logs)
	for _, log := range logs {
		_ = log.Read(func(data []byte) error { // that it cannot be read is said once: see readLogs
			found, problems := embeddedGraphs(log.Path, data)
			graphs = append(graphs[:len(graphs):len(graphs)], found...)
			f.Problems = append(f.Problems, problems...)
			return nil
		})
	}
	f.Problems = append(f.Problems, failures(logs, len(modules) == 0 && len(graphs) == 0)...)
	dirs := graphDirs(graphs)
	f.Arguments = namedArguments(dirs, f.Logs)
	f.Clusters = measureClusters(dirs)
	for _, d := range dirs {
		f.Problems = append(f.Problems, d.problems...)
	}
	if f.Clusters != nil {
		f.Clusters.explain(f.Logs)
		f.Clusters.matchModules(modules)
	}
	return f
}

// failures reports the exceptions in logs: those that kept a function from being compiled, and, if nothing was compiled at all, the one that ended
// the program. An operation that XLA could not compile is a separate note, see [Logs.Uncompilable].
func failures(files []*dump.File, nothing bool) (problems []dump.Problem) {
	for _, log := range files {
		_ = log.Read(func(data []byte) error { // that it cannot be read is said once: see readLogs
			all := logs.FindFailures(data)
			for i, f := range all {
				end := "what it ended was not compiled"
				switch {
				case f.Op != "":
					continue
				case nothing && i == len(all)-1:
					end = "nothing was compiled"
				case !f.Compiling:
					continue
				}
				problems = append(problems, dump.Problem{
					File: fmt.Sprintf("%s:%d", log.Path, f.Line), Message: f.String() + "; " + end, Fix: "fix the program, until it ends well, and dump again",
				})
			}
			return nil
		})
	}
	return problems
}

// Merge adds the graphs of another part or dump.
func (c *Clusters) Merge(o *Clusters) *Clusters {
	switch {
	case c == nil:
		return o
	case o == nil:
		return c
	}
	all := *c
	all.Ran = c.Ran || o.Ran
	if all.Ran {
		all.Why = ""
	}
	all.Graphs, all.Eager, all.Pipeline, all.Clustered = c.Graphs+o.Graphs, c.Eager+o.Eager, c.Pipeline+o.Pipeline, c.Clustered+o.Clustered
	all.Unclustered, all.Clusters = slices.Concat(c.Unclustered, o.Unclustered), slices.Concat(c.Clusters, o.Clusters)
	all.Rewrites = slices.Concat(c.Rewrites, o.Rewrites)
	all.Collectives = slices.Concat(c.Collectives, o.Collectives)
	all.Placed = Placement{}
	for _, placed := range []Placement{c.Placed, o.Placed} {
		for device, ops := range placed {
			all.Placed[device] = append(all.Placed[device], ops...)
		}
	}
	return &all
}

// Merge adds the logs of another part or dump.
func (l *Logs) Merge(o *Logs) *Logs {
	switch {
	case l == nil:
		return o
	case o == nil:
		return l
	}
	all := &Logs{
		Compiles: map[string]int{}, Misses: slices.Concat(l.Misses, o.Misses), Notes: slices.Concat(l.Notes, o.Notes),
		Events: l.Events + o.Events, leftOut: map[string]string{},
		GraphBreaks: slices.Concat(l.GraphBreaks, o.GraphBreaks), Metrics: l.Metrics || o.Metrics,
	}
	for _, logs := range []*Logs{l, o} {
		maps.Copy(all.leftOut, logs.leftOut)
		for program, n := range logs.Compiles {
			all.Compiles[program] += n
		}
	}
	return all
}

// Argument is one argument of a compiled function, as TensorFlow describes it.
type Argument struct {
	Name     string
	Captured bool // nobody hands it over: the function reads it
}

// Arguments holds the arguments of compiled functions by the function's name in XLA's module names. XLA itself does not get the names of arguments.
type Arguments map[string][]Argument

// Of returns a module's arguments, nil if they are not known or if their number differs from the module's.
func (a Arguments) Of(module string, count int) []Argument {
	stem, _, _ := phrase.CutLast(moduleStem(module), ".")
	if own := a[stem]; len(own) == count {
		return own
	}
	return nil
}

// handedOver is an argument in TensorFlow's log of what it passes to XLA.
type handedOver struct {
	index    int    // its place among the function's arguments, of which constants are not handed over
	variable string // its name; "" for what is no variable
}

// namedArguments combines the arguments in the graphs of compiled functions with those in the log.
func namedArguments(dirs []*graphDir, l *Logs) Arguments {
	functions := Arguments{}
	for _, d := range dirs {
		for _, g := range d.load(d.byPass[PassCompileFunction]) {
			functions.add(ModuleName(g.function), argumentsOf(g.graph))
		}
	}
	if l == nil {
		return functions
	}
	out := maps.Clone(functions)
	for function, handed := range l.arguments {
		out[function] = mapped(functions[function], handed)
	}
	return out
}

// mapped selects the arguments of a function that are passed to XLA. A variable has its own name, unless several have the same, as unnamed ones do.
func mapped(own []Argument, handed []handedOver) []Argument {
	names, arguments := map[string]int{}, make([]Argument, len(handed))
	for i, h := range handed {
		if h.index < len(own) {
			arguments[i] = own[h.index]
		}
		names[cmp.Or(h.variable, arguments[i].Name)]++
	}
	for i, h := range handed {
		if h.variable != "" && names[h.variable] == 1 {
			arguments[i] = Argument{h.variable, true}
		}
	}
	return arguments
}

// add records a function's arguments. If two processes have different functions of that name, the arguments are not known.
func (a Arguments) add(function string, arguments []Argument) {
	if was, known := a[function]; known && !slices.Equal(was, arguments) {
		arguments = nil
	}
	a[function] = arguments
}

// clusterArgument ends the name of a cluster's argument: "images_0_arg" is the first result of the node images, "images_1_arg" is images:1.
var clusterArgument = regexp.MustCompile(`_(\d+)_arg$`)

// argumentsOf lists a function's arguments by the names in the model. A captured value has the name of the operation that reads it.
func argumentsOf(g *Graph) (arguments []Argument) {
	count := map[string]int{}
	for _, n := range g.Nodes {
		count[n.UserName]++
	}
	for _, n := range g.Nodes {
		if n.Op != "_Arg" || n.Index < 0 || n.Index > len(g.Nodes) {
			continue
		}
		if n.Index >= len(arguments) {
			arguments = append(arguments, make([]Argument, n.Index+1-len(arguments))...)
		}
		a := Argument{strings.TrimSuffix(clusterArgument.ReplaceAllString(n.Name, ":$1"), ":0"), n.UserName == "" || n.has(Resource)}
		if !a.Captured && count[n.UserName] == 1 {
			a.Name = n.UserName
		}
		arguments[n.Index] = a
	}
	return arguments
}

// Logs holds what the logs of a run say.
type Logs struct {
	Compiles map[string]int `json:"compiles"` // compilations by program
	Misses   []CacheMiss    `json:"misses"`
	Notes    []LogNote      `json:"notes"`
	Events   int            `json:"-"` // how many lines meant something

	arguments   map[string][]handedOver // what TensorFlow hands over to XLA, by function
	leftOut     map[string]string       // why autoclustering left a node out, by node and operation
	GraphBreaks []GraphBreak            `json:"-"` // of PyTorch/XLA's graphs, in the order in which they were compiled
	Metrics     bool                    `json:"-"` // PyTorch/XLA's counters are in them
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
	Reason string       // as PyTorch/XLA says it: "user torch_xla.sync"; "" where it says nothing
	Where  hlo.Location // the model's line
	Inputs int          // how many arguments the graph has; 0: not said
}

// EndsFunction reports whether the graph ended with the function that torch_xla.compile named it for, not within it.
func (b *GraphBreak) EndsFunction() bool { return strings.Contains(b.Reason, "torch_xla.compile") }

// ReadsValue reports whether the graph ended because Python read a tensor's value: .item(), print, a branch, or an operation on the CPU.
func (b *GraphBreak) ReadsValue() bool {
	return b != nil && b.Where.File != "" && strings.Contains(b.Reason, TensorRead)
}

// TensorRead is the reason in PyTorch/XLA's log if Python reads the value of a tensor.
const TensorRead = "access tensor value"

// NamelessGraph is PyTorch/XLA's name of every graph that the model does not name. Its logs count the compilations of all graphs together, including
// named ones; xlagate assigns the count to this name.
const NamelessGraph = "SyncTensorsGraph"

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
			problems = append(problems, dump.Problem{File: f.Path, Message: "the log cannot be read: " + dump.Reason(err),
				Fix: "name the file that the run's output was written to, or leave the log out"})
		}
	}
	if !counted && len(graphs) > 0 && l.Compiles[NamelessGraph] == 0 {
		l.Compiles[NamelessGraph] = len(graphs)
	}
	return l, problems
}

// take adds what one log says, and the graphs of PyTorch/XLA that it names by hash. counted says that the log counts their compilations: it may do only one.
func (l *Logs) take(path string, events []logs.Event, graphs map[string]bool) (counted bool) {
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
			if e.Text != "" { // one that was only saved has no reason
				l.GraphBreaks = append(l.GraphBreaks, GraphBreak{Reason: e.Text, Where: placeOf(e.Where), Inputs: int(e.Value)})
			}
		case logs.Compiled:
			l.GraphBreaks = append(l.GraphBreaks, GraphBreak{})
		case logs.Argument: // a function that is compiled again passes the same ones
			function := ModuleName(e.Program)
			if index, err := strconv.Atoi(e.Key); err == nil && int(e.Value) == len(l.arguments[function]) {
				l.arguments[function] = append(l.arguments[function], handedOver{index, e.Text})
			}
		case logs.LeftOut:
			l.leftOut[e.Node+"\x00"+e.Op] = e.Text
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

// Uncompilable lists one note for each operation of a function that XLA could not compile: a log repeats an error, and only some repetitions name the line.
func (l *Logs) Uncompilable() (notes []LogNote) {
	if l == nil {
		return nil
	}
	all := phrase.Filter(l.Notes, func(n LogNote) bool { return n.Kind == logs.Uncompilable })
	for _, same := range phrase.Group(all, func(n LogNote) [2]string { return [2]string{n.Program, n.Op} }) {
		placed := slices.IndexFunc(same, func(n LogNote) bool { return n.Where.File != "" })
		notes = append(notes, same[max(placed, 0)])
	}
	return notes
}

func placeOf(w logs.Location) hlo.Location {
	return hlo.Location{File: w.File, Function: w.Function, Line: int32(w.Line), Column: int32(w.Column)}
}

// programOf returns the program of a name in a log, spelled as in module names: JAX's <lambda> is _lambda there, and TensorFlow's __inference_step_41 is step.
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
	program := dump.ProgramName("jit_" + wordsOnly(name))
	if strings.Trim(program, "_") == strings.Trim(name, "_") {
		return name // with the underscores at its end
	}
	return program
}

// wordsOnly replaces what the frameworks do not put into module names.
func wordsOnly(name string) string { return notInModules.ReplaceAllString(name, "_") }

var notInModules = regexp.MustCompile(`[^\w.\-\x{80}-\x{10FFFF}]`)
