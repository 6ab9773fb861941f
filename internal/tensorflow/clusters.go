package tensorflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/dump"
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
	Placed      Placement       `json:"-"`                     // the operations that autoclustering saw, by device
}

// Placement lists the operations on each device, the system's own left out.
type Placement map[string][]PlacedOp

// PlacedOp is an operation with its line in the model, where the dump tells it.
type PlacedOp struct {
	Op, Node string
	Source   hlo.Location
}

// Collective is an operation that exchanges data between devices in TensorFlow's own graph. XLA compiles what is before it and what is after it separately.
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

// Operations are the cluster's operations by kind, without the system's own, which [Clusters.Clustered] does not count either.
func (c *Cluster) Operations() map[string]int {
	ops := maps.Clone(c.Ops)
	maps.DeleteFunc(ops, func(op string, _ int) bool { return SystemOp(op) })
	return ops
}

// DeviceName cuts the device out of TensorFlow's name of it: "CPU:1" of "/job:localhost/replica:0/task:0/device:CPU:1".
func DeviceName(device string) string {
	_, name, _ := strings.Cut(device, "device:")
	return name
}

// UnclusteredOp is an operation that is in no cluster.
type UnclusteredOp struct {
	Op         string       `json:"op"` // "AsString"
	Node       string       `json:"node"`
	Function   string       `json:"function,omitempty"` // the tf.function it is in, "" for the main graph and where the dump does not tell
	Device     string       `json:"device,omitempty"`
	System     bool         `json:"system"`               // _Arg, _Retval, IteratorGetNext, …: always allowed
	Left       string       `json:"left_after,omitempty"` // the pass that took it out of a cluster again, "" when it never was in one
	Separates  Separation   `json:"-"`
	Compilable bool         `json:"-"`                // XLA could compile it: it is outside because of others
	Reason     string       `json:"reason,omitempty"` // why, where the dump or a log says so
	Source     hlo.Location `json:"source,omitzero"`  // the model's own line, where stack traces were dumped
	File       string       `json:"file,omitempty"`
}

// UserOps lists the operations outside that are not system operations.
func (c *Clusters) UserOps() []UnclusteredOp {
	return phrase.Filter(c.Unclustered, func(op UnclusteredOp) bool { return !op.System })
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
			for _, f := range g.graph.Functions {
				if f.Pipeline {
					out = append(out, pipelineFunction{slices.Sorted(slices.Values(f.Args)), keysOf(f.Nodes)})
				}
			}
		}
	}
	return out
}

// keysOf is the set of the keys of nodes.
func keysOf(nodes []*Node) nodeNames { return setOf(phrase.Map(nodes, nodeKey)...) }

// runsOnHost recognises the graph of a function that tf.data runs: it has the same arguments, and no operations but that function's.
// TensorFlow shows such graphs to autoclustering too, but their place is the host. The operations outside become system operations.
func runsOnHost(g *Graph, c *Clustering, pipeline []pipelineFunction) bool {
	var args []string
	for _, n := range g.Nodes {
		if n.Op == "_Arg" {
			args = append(args, PlainName(n.Name))
		}
	}
	slices.Sort(args)
	runs := func(p pipelineFunction) bool {
		return slices.Equal(args, p.args) && !slices.ContainsFunc(c.Outside, func(o *Outside) bool { return !o.System && !p.nodes[nodeKey(o.Node)] })
	}
	if !slices.ContainsFunc(pipeline, runs) {
		return false
	}
	for _, o := range c.Outside {
		if !o.System {
			o.System, o.Reason = true, "it belongs to the input pipeline, which runs on the host"
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
		said := cmp.Or(l.leftOut[op.Node+"\x00"+op.Op], l.leftOut[op.Node+"\x00"])
		if said != "" && !op.System && op.Reason != said {
			op.Reason += "; TensorFlow's log says: " + said
		}
	}
}

// measureClusters says what autoclustering did to the graphs of a dump: nil when there are none. Each graph is dumped after several
// passes; the file right after MarkForCompilation is the one that counts, and where it is missing the next later one.
func measureClusters(dirs []*graphDir) *Clusters {
	if len(dirs) == 0 {
		return nil
	}
	out := &Clusters{Placed: Placement{}}
	for _, d := range dirs {
		if files := d.mlir(); len(files) > 0 { // said once of a directory
			d.problems = append(d.problems, dump.Problem{
				File: files[0], Message: fmt.Sprintf("not readable: %d TensorFlow graphs in MLIR's tfg dialect", len(files)),
				Fix: "dump again without --tf_dump_graphs_in_tfg",
			})
		}
		d.measure(out)
	}
	if !out.Ran {
		out.Why = whyNotRun(dirs)
		out.Unclustered, out.Clusters, out.Placed = nil, nil, nil
	}
	return out
}

// measure adds one process's graphs.
func (d *graphDir) measure(out *Clusters) {
	graphs, ran := d.marked()
	d.nameFunctions(graphs)
	out.Rewrites = append(out.Rewrites, d.rewrites()...)
	left := d.leftLater(graphs)
	known := nodeNames{}
	for _, g := range graphs {
		maps.Copy(known, keysOf(g.graph.Nodes))
	}
	pipeline := d.pipelineFunctions()
	for _, g := range graphs {
		c := g.graph.Clustering()
		d.addCollectives(out, g, c, known)
		switch {
		case c.Eager:
			out.Eager++
			continue
		case runsOnHost(g.graph, c, pipeline):
			out.Pipeline++
		default:
			out.Graphs++
			out.Ran = out.Ran || ran
		}
		if !ran {
			continue
		}
		d.add(out, g, c, known)
		for _, n := range g.graph.Nodes {
			name := PlainName(n.Name)
			if device := DeviceName(n.Device); device != "" && !SystemOp(n.Op) {
				out.Placed[device] = append(out.Placed[device], PlacedOp{n.Op, name, d.lineOf(g.function, name)})
			}
			if pass := left[g][nodeKey(n)]; pass != "" && n.Cluster != "" { // a cluster had it and lost it again; the graph itself counts it as clustered
				lost := UnclusteredOp{System: true, Left: pass, Reason: ReasonLeft}
				out.Unclustered = append(out.Unclustered, d.unclustered(g, &Outside{UnclusteredOp: lost, Node: n}))
			}
		}
	}
}

// marked picks one graph for each function or session that ran, and says whether autoclustering looked at them. TensorFlow writes the graph after marking only
// where it found something that XLA could compile; the dump before the next pass is always there and holds the others.
func (d *graphDir) marked() (graphs []*namedGraph, ran bool) {
	main := d.load(d.byPass[PassMark])
	if len(main) == 0 {
		main = d.load(d.byPass[PassMarkAnnotated])
	}
	ran = len(main) > 0
	laterDumps := [][]*namedGraph{d.byPass[PassBeforeDynamism], d.byPass[PassEncapsulateBefore]}
	if len(d.byPass[PassMark])+len(d.byPass[PassMarkAnnotated]) == 0 { // otherwise the graphs of later passes look different, and cannot be matched
		laterDumps = append(laterDumps, d.named(strings.HasSuffix, "MarkForCompilationPass"), d.byPass[PassEncapsulateAfter], d.byPass[PassBuildXlaOps],
			d.named(strings.HasSuffix, "after_opt_group_post_rewrite_for_exec"), d.named(strings.HasSuffix, "before_partition"))
	}
	for _, later := range laterDumps {
		loaded := d.load(later)
		if len(loaded) == 0 {
			continue
		}
		rest := unmatched(loaded, main)
		for _, g := range rest {
			ran = ran || g.graph.Ran()
		}
		return append(main, rest...), ran
	}
	return main, ran
}

// named lists the files of the dumper that names them by function whose tag has the part where fits looks for it.
func (d *graphDir) named(fits func(tag, part string) bool, part string) []*namedGraph {
	return slices.DeleteFunc(slices.Clone(d.byPass[PassNamed]), func(g *namedGraph) bool { return !fits(g.name.Tag, part) })
}

// unmatched returns the graphs that are not, node by node, among the others; each of those stands for one. Between marking and encapsulating, a pass
// takes nodes out of clusters: the names that remain show the graph.
func unmatched(graphs, others []*namedGraph) []*namedGraph {
	count := map[string]int{}
	for _, g := range others {
		count[nodeList(g.graph)]++
	}
	var out []*namedGraph
	for _, g := range graphs {
		key := nodeList(g.graph)
		if count[key] > 0 {
			count[key]--
			continue
		}
		if g.name.Pass != PassEncapsulateBefore || sameGraph(g, others) == nil {
			out = append(out, g)
		}
	}
	return out
}

// nodeList writes a graph's nodes and operations in order of name, by which dumps of the same graph are recognised.
func nodeList(g *Graph) string {
	lines := phrase.Map(g.Nodes, nodeKey)
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// add counts one graph. Operations of a function's body are left out where that function's own graph was dumped as well.
func (d *graphDir) add(out *Clusters, g *namedGraph, c *Clustering, known nodeNames) {
	out.Clustered += c.Inside
	slices.SortFunc(c.Clusters, func(a, b *Cluster) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range c.Clusters {
		t.Function = programOf(g.function)
		out.Clusters = append(out.Clusters, *t)
	}
	for _, o := range c.Outside {
		if o.Body == "" || !known[nodeKey(o.Node)] {
			out.Unclustered = append(out.Unclustered, d.unclustered(g, o))
		}
	}
}

// addCollectives lists what exchanges data outside of XLA. One in a function's body is left out where that function's own graph was dumped.
func (d *graphDir) addCollectives(out *Clusters, g *namedGraph, c *Clustering, known nodeNames) {
	for _, o := range c.Outside {
		if o.Collective == "" || o.Body != "" && known[nodeKey(o.Node)] {
			continue
		}
		op := d.unclustered(g, o)
		out.Collectives = append(out.Collectives, Collective{
			Op: op.Op, Kind: o.Collective, Node: op.Node, Function: op.Function, From: programsOf(o.From), To: programsOf(o.To), Source: op.Source, File: op.File,
		})
	}
}

// programsOf names compiled functions as the programs that they become.
func programsOf(functions []string) []string {
	var out []string
	for _, f := range functions {
		if name := programOf(f); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// unclustered describes a node outside the clusters, in its function and at its line as far as the dump tells them. Bodies of loops and conditions are
// numbered by TensorFlow: the function is the first that has a name of the author's.
func (d *graphDir) unclustered(g *namedGraph, o *Outside) UnclusteredOp {
	op := o.UnclusteredOp
	op.Op, op.Node, op.Device, op.File = o.Node.Op, PlainName(o.Node.Name), o.Node.Device, g.file.Path
	op.Source = d.lineOf(cmp.Or(o.Body, g.function), op.Node)
	functions := []string{o.Body, g.function, o.Node.Origin}
	if at := slices.IndexFunc(functions, IsFunctionName); at >= 0 {
		op.Function = programOf(functions[at])
	}
	return op
}

// nodeKey tells nodes of one graph apart, and finds them again in another dump of it.
func nodeKey(n *Node) string { return PlainName(n.Name) + "\x00" + n.Op }
