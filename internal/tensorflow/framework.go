// Package tensorflow reads TensorFlow's graph dumps (TF_DUMP_GRAPH_PREFIX) and measures what a framework reports about a run: which operations
// autoclustering put into clusters, why an operation is outside, and what the logs of TensorFlow, JAX and PyTorch/XLA say.
package tensorflow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

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
