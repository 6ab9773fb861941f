package tensorflow

import (
	"github.com/xlagate/xlagate/internal/hlo"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Clusters is what TensorFlow's autoclustering did to the graphs of one dump.
type Clusters struct {
	Ran         bool   // autoclustering looked at the graphs
	Why         string // why it did not, as far as the dump tells; "" when it ran
	Graphs      int    // graphs of functions and sessions
	Eager       int    // operations that Python ran one by one, outside any function: never clustered, and not counted below
	Pipeline    int    // graphs of functions that tf.data runs on the host: their operations are system operations
	Clustered   int    // operations in clusters; system operations are counted neither here nor there
	Unclustered []UnclusteredOp
	Clusters    []FrameworkCluster
	Rewrites    []Rewrite    // what Grappler did to operations before, where its dumps are there
	Collectives []Collective // what TensorFlow, NCCL or Horovod exchange between devices outside of XLA, whether autoclustering ran or not
}

// Collective is an operation that exchanges data between devices in TensorFlow's own graph: what XLA compiles ends before it, and begins
// anew behind it.
type Collective struct {
	Op       string // "CollectiveReduceV2", "HorovodAllreduce"
	Kind     string // "all-reduce", as XLA calls it
	Node     string
	Function string   // the tf.function it stands in, "" for the main graph and where the dump does not tell
	From, To []string // the compiled functions and clusters whose results it takes, and those that take its result
	Source   hlo.Location
	File     string
}

// Place says what the collective parts: "between gradients and update"; "" when nothing that XLA compiles is around it.
func (o *Collective) Place() string {
	from, to := phrase.List(o.From, "and"), phrase.List(o.To, "and")
	switch {
	case from != "" && to != "":
		return "between " + from + " and " + to
	case from != "":
		return "behind " + from
	case to != "":
		return "before " + to
	}
	return ""
}

// FrameworkCluster is one cluster that autoclustering made.
type FrameworkCluster struct {
	Name        string // "cluster_0"
	Function    string
	Ops         map[string]int
	Size        int      // nodes, as TensorFlow's own summary counts them
	Module      string   // the module compiled from it, "" when none was found
	Modules     []string // every module compiled from it: one for each signature it ran with
	MustCompile bool     // a tf.function(jit_compile=True) inside the graph, compiled because it was asked for
	Device      string
}

// UnclusteredOp is an operation that no cluster took.
type UnclusteredOp struct {
	Op       string // "AsString"
	Node     string
	Function string // the tf.function it stands in, "" for the main graph and where the dump does not tell
	Device   string
	System   bool   // _Arg, _Retval, IteratorGetNext, …: always allowed
	Left     string // the pass that took it out of a cluster again, "" when it never was in one
	Parts    Parting
	Reason   string       // why, where the dump or a log says so
	Source   hlo.Location // the model's own line, where stack traces were dumped
	File     string
}

// UserOps lists what was left out without being a system operation.
func (c *Clusters) UserOps() []UnclusteredOp {
	var out []UnclusteredOp
	for _, op := range c.Unclustered {
		if !op.System {
			out = append(out, op)
		}
	}
	return out
}
