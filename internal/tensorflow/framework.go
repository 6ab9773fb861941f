// Package tensorflow reads TensorFlow's graph dumps (TF_DUMP_GRAPH_PREFIX) and measures what a framework reports about a run: which operations
// autoclustering put into clusters, why an operation is outside, and what the logs of TensorFlow, JAX and PyTorch/XLA say.
package tensorflow

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/logs"
)

// Framework holds the measurements of what the framework itself dumped and logged.
type Framework struct {
	Clusters  *Clusters // nil where no graph and no log tells of any
	Logs      *Logs     // nil where there are none
	Arguments Arguments
	Problems  []dump.Problem
}

// Read measures TensorFlow's graph dumps, and logs. Graphs in a log count like dumped ones. If no graph shows the result of autoclustering, its
// summaries in the logs do. Modules are the names of the dump's HLO modules, which are matched with the clusters.
func Read(graphs, logs []*dump.File, modules []string) *Framework {
	f := &Framework{}
	f.Logs, f.Problems = readLogs(logs)
	for _, log := range logs {
		found, problems := graphsInLog(log)
		graphs = append(graphs[:len(graphs):len(graphs)], found...)
		f.Problems = append(f.Problems, problems...)
	}
	f.Problems = append(f.Problems, failures(logs, len(modules) == 0 && len(graphs) == 0)...)
	dirs := graphDirs(graphs)
	f.Arguments = namedArguments(dirs, f.Logs)
	f.Clusters = measureClusters(dirs)
	for _, d := range dirs {
		f.Problems = append(f.Problems, d.problems...)
	}
	if f.Logs != nil && (f.Clusters == nil || !f.Clusters.Ran) {
		if fromLogs := f.Logs.clusters(); fromLogs != nil {
			f.Clusters = fromLogs
		}
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

// plainly is an error without the path of the file, because the caller adds the path.
func plainly(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
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
		Events: l.Events + o.Events, leftOut: map[string]string{}, summaries: slices.Concat(l.summaries, o.summaries),
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
	stem, _, _ := cutLast(moduleStem(module), ".")
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

// handOver records an argument. A function that is compiled again passes the same arguments.
func (l *Logs) handOver(e logs.Event) {
	function, at := ModuleName(e.Program), int(e.Value)
	index, err := strconv.Atoi(e.Key)
	if err == nil && at == len(l.arguments[function]) {
		l.arguments[function] = append(l.arguments[function], handedOver{index, e.Text})
	}
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

// mapped selects the arguments of a function that are passed to XLA. A variable has its own name, unless several variables have the same name, as
// unnamed ones do.
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
	for i := range g.Nodes {
		count[g.Nodes[i].UserName]++
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
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
