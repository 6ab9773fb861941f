// Package tensorflow reads TensorFlow's graph dumps (TF_DUMP_GRAPH_PREFIX) and measures what a framework says of a run: what
// autoclustering took into its clusters, why an operation stays outside, and what the logs of TensorFlow, JAX and PyTorch/XLA add.
package tensorflow

import (
	"fmt"

	"github.com/xlagate/xlagate/internal/logs"
)

// Read measures what the framework itself left behind: TensorFlow's graph dumps, and logs. Graphs that were written into a log
// count like dumped ones, and where no graph shows what autoclustering did, its own summaries in the logs do. Modules are the names of
// the dump's HLO modules, of which the clusters find theirs.
func Read(graphs, logs []File, modules []string) (*Clusters, *Logs, []Problem) {
	said, problems := readLogs(logs)
	for _, log := range logs {
		found, more := graphsInLog(log)
		graphs = append(graphs[:len(graphs):len(graphs)], found...)
		problems = append(problems, more...)
	}
	if len(modules) == 0 && len(graphs) == 0 {
		problems = append(problems, whyNothing(logs)...)
	}
	clusters, more := measureClusters(graphs)
	problems = append(problems, more...)
	if said != nil && (clusters == nil || !clusters.Ran) {
		if fromLogs := said.clusters(); fromLogs != nil {
			clusters = fromLogs
		}
	}
	if clusters != nil {
		clusters.explain(said)
		clusters.matchModules(modules)
	}
	return clusters, said, problems
}

// whyNothing says why nothing was compiled where a log holds the exception that ended the program. An operation that XLA could not compile
// is a finding of its own.
func whyNothing(files []File) (problems []Problem) {
	for _, log := range files {
		_ = log.Read(func(data []byte) error { // that it cannot be read is said once: see readLogs
			if f := logs.FindFailure(data); f != nil && f.Op == "" {
				problems = append(problems, Problem{
					File: fmt.Sprintf("%s:%d", log.Path, f.Line), Message: f.String() + "; nothing was compiled", Fix: "fix the program, until it ends well, and dump again",
				})
			}
			return nil
		})
	}
	return problems
}

// Problem is a graph or a log that could not be read.
type Problem struct {
	File    string // with line and column where known
	Message string
	Fix     string
}
