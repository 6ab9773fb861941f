package tensorflow

import (
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Clusters is the result of TensorFlow's autoclustering on the graphs of one dump.
type Clusters struct {
	Ran         bool            `json:"ran"`       // autoclustering looked at the graphs
	Why         string          `json:"-"`         // why it did not, as far as the dump tells; "" when it ran
	Graphs      int             `json:"graphs"`    // graphs of functions and sessions
	Eager       int             `json:"-"`         // operations that Python ran one by one, outside any function: never clustered, and not counted below
	Pipeline    int             `json:"-"`         // graphs of functions that tf.data runs on the host: their operations are system operations
	Clustered   int             `json:"clustered"` // operations in clusters; system operations are counted neither here nor there
	Clusters    []Cluster       `json:"clusters"`
	Unclustered []UnclusteredOp `json:"unclustered"`
	Collectives []Collective    `json:"collectives,omitempty"` // what TensorFlow, NCCL or Horovod exchange between devices outside of XLA, whether autoclustering ran or not
	Rewrites    []Rewrite       `json:"rewrites,omitempty"`    // what Grappler did to operations before, where its dumps are there
}

// Collective is an operation that exchanges data between devices in TensorFlow's own graph. XLA compiles the operations before it and those after
// it separately.
type Collective struct {
	Op       string       `json:"op"`   // "CollectiveReduceV2", "HorovodAllreduce"
	Kind     string       `json:"kind"` // "all-reduce", as XLA calls it
	Node     string       `json:"node"`
	Function string       `json:"function,omitempty"` // the tf.function it is in, "" for the main graph and where the dump does not tell
	From     []string     `json:"from,omitempty"`     // the compiled functions and clusters whose results it takes
	To       []string     `json:"to,omitempty"`       // those that take its result
	Source   hlo.Location `json:"source,omitzero"`
	File     string       `json:"file,omitempty"`
}

// Place says what the collective separates: "between gradients and update". It is "" if there is no compiled function around it.
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

// Cluster is a part of a graph that XLA compiles.
type Cluster struct {
	Name        string         `json:"name"` // "cluster_0"
	Function    string         `json:"function,omitempty"`
	Size        int            `json:"size"`                   // nodes, as TensorFlow's own summary counts them
	Ops         map[string]int `json:"ops"`                    // how many of each kind; nil when the dump does not hold the cluster's body
	Module      string         `json:"module,omitempty"`       // the module compiled from it, "" when none was found
	Modules     []string       `json:"modules,omitempty"`      // every module compiled from it: one for each signature it ran with
	MustCompile bool           `json:"must_compile,omitempty"` // a tf.function(jit_compile=True) inside the graph, compiled because it was asked for
	Device      string         `json:"device,omitempty"`
}

// UnclusteredOp is an operation that is in no cluster.
type UnclusteredOp struct {
	Op        string       `json:"op"` // "AsString"
	Node      string       `json:"node"`
	Function  string       `json:"function,omitempty"` // the tf.function it is in, "" for the main graph and where the dump does not tell
	Device    string       `json:"device,omitempty"`
	System    bool         `json:"system"`               // _Arg, _Retval, IteratorGetNext, …: always allowed
	Left      string       `json:"left_after,omitempty"` // the pass that took it out of a cluster again, "" when it never was in one
	Separates Separation   `json:"-"`
	Reason    string       `json:"reason,omitempty"` // why, where the dump or a log says so
	Source    hlo.Location `json:"source,omitzero"`  // the model's own line, where stack traces were dumped
	File      string       `json:"file,omitempty"`
}

// UserOps lists the operations outside that are not system operations.
func (c *Clusters) UserOps() []UnclusteredOp {
	var out []UnclusteredOp
	for _, op := range c.Unclustered {
		if !op.System {
			out = append(out, op)
		}
	}
	return out
}

// matchModules records for each cluster the HLO modules that were compiled from it. A module is named as in Variant.Modules
// ("module_0031.cluster_0__XlaCompiledKernel_true_…") or without its number.
func (c *Clusters) matchModules(modules []string) {
	for i := range c.Clusters {
		t := &c.Clusters[i]
		for _, m := range modules {
			if name, ok := ClusterOf(moduleStem(m)); ok && name == t.Name && !slices.Contains(t.Modules, m) {
				t.Modules = append(t.Modules, m)
			}
		}
		if len(t.Modules) > 0 {
			t.Module = t.Modules[0]
		}
	}
}

// moduleStem cuts "module_0031." off.
func moduleStem(module string) string {
	if number, name, ok := strings.Cut(module, "."); ok && strings.HasPrefix(number, "module_") {
		return name
	}
	return module
}

// pipelineFunction is a function that tf.data runs on a dataset's elements.
type pipelineFunction struct {
	args  []string // sorted
	nodes nodeNames
}

// pipelineFunctions collects them from the libraries of the graphs that build datasets.
func (d *graphDir) pipelineFunctions() []pipelineFunction {
	var out []pipelineFunction
	for _, graphs := range d.byPass {
		for _, g := range graphs {
			if g.graph == nil {
				continue
			}
			for i := range g.graph.Functions {
				if f := &g.graph.Functions[i]; f.Pipeline {
					out = append(out, newPipelineFunction(f))
				}
			}
		}
	}
	return out
}

func newPipelineFunction(f *Function) pipelineFunction {
	p := pipelineFunction{args: slices.Sorted(slices.Values(f.Args)), nodes: nodeNames{}}
	for i := range f.Nodes {
		p.nodes[nodeKey(&f.Nodes[i])] = true
	}
	return p
}

// runsOnHost recognises the graph of a function that tf.data runs: it has the same arguments, and no operations but that function's.
// TensorFlow shows such graphs to autoclustering too, but their place is the host. The operations outside become system operations.
func runsOnHost(g *Graph, c *Clustering, pipeline []pipelineFunction) bool {
	var args []string
	for i := range g.Nodes {
		if g.Nodes[i].Op == "_Arg" {
			args = append(args, PlainName(g.Nodes[i].Name))
		}
	}
	slices.Sort(args)
	if !slices.ContainsFunc(pipeline, func(p pipelineFunction) bool { return slices.Equal(args, p.args) && p.holds(c) }) {
		return false
	}
	for i := range c.Outside {
		if o := &c.Outside[i]; !o.System {
			o.System, o.Reason = true, "it belongs to the input pipeline, which runs on the host"
		}
	}
	return true
}

// holds reports whether the function has every operation that stayed outside.
func (p pipelineFunction) holds(c *Clustering) bool {
	for i := range c.Outside {
		if o := &c.Outside[i]; !o.System && !p.nodes[nodeKey(o.Node)] {
			return false
		}
	}
	return true
}

// explain adds to the reasons what TensorFlow's own log says about the nodes.
func (c *Clusters) explain(l *Logs) {
	if l == nil {
		return
	}
	for i := range c.Unclustered {
		op := &c.Unclustered[i]
		said := l.leftOut[op.Node+"\x00"+op.Op]
		if said == "" {
			said = l.leftOut[op.Node+"\x00"]
		}
		if said != "" && !op.System && op.Reason != said {
			op.Reason += "; TensorFlow's log says: " + said
		}
	}
}

// clusters derives from TensorFlow's clustering log what the graph dumps would show, as far as possible: kinds and numbers of operations, and names
// if the log has them. It is nil if the logs hold no summary.
func (l *Logs) clusters() *Clusters {
	if len(l.summaries) == 0 {
		return nil
	}
	out := &Clusters{Ran: true}
	for _, s := range l.summaries {
		if s.eager() {
			out.Eager++
			continue
		}
		out.Graphs++
		for _, c := range s.summary.Clusters {
			out.Clusters = append(out.Clusters, Cluster{Name: c.Name, Size: c.Size, Ops: c.Ops})
			for op, n := range c.Ops {
				if !SystemOp(op) {
					out.Clustered += n
				}
			}
		}
		s.outside(out)
	}
	return out
}

// eager recognises the graph of one operation that Python ran eagerly. A log shows less than a dump: a function of a single
// operation, none of it in a cluster, looks the same.
func (s clusterSummary) eager() bool {
	count := 0
	for op, n := range s.summary.Outside {
		switch op {
		case "_Arg", "_DeviceArg", "_Retval", "_DeviceRetval", "NoOp":
		default:
			count += n
		}
	}
	return s.summary.Inside == 0 && count == 1
}

// separationOf returns what a log says about an operation outside. A log does not say which operations read it, or whether XLA could compile it.
func separationOf(op string) Separation {
	if SystemOp(op) {
		return SystemSeparation(op)
	}
	return Separates
}

// outside adds the operations outside the clusters, one entry for each.
func (s clusterSummary) outside(out *Clusters) {
	for _, op := range slices.Sorted(maps.Keys(s.summary.Outside)) {
		for i := range s.summary.Outside[op] {
			u := UnclusteredOp{Op: op, System: SystemOp(op), File: s.log}
			if len(s.summary.Clusters) > 1 {
				u.Separates = separationOf(op)
			}
			if i < len(s.nodes[op]) {
				u.Node, u.Reason = s.nodes[op][i].Node, s.nodes[op][i].Text
			}
			out.Unclustered = append(out.Unclustered, u)
		}
	}
}
