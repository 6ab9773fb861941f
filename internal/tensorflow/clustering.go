package tensorflow

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Clustering holds the clusters of a graph and the operations outside them.
type Clustering struct {
	Clusters []*Cluster // in order of appearance
	Outside  []*Outside // what no cluster took, in order of appearance
	Inside   int        // operations in clusters, the system's own not counted
	// Eager marks the graph of one operation that Python ran outside any function. Nothing can be clustered there, and nothing in it was left out of a cluster.
	Eager bool
}

// Outside is an operation that is in no cluster, with the node that it is in the graph.
type Outside struct {
	UnclusteredOp // without what the graph's file tells
	Node          *Node
	Body          string   // the library's function it is in, "" for the graph itself
	Collective    string   // what it exchanges between devices, as XLA calls it; "" for any other operation
	From, To      []string // of a collective: the compiled functions and clusters before and behind it
}

// ReasonLeft is the reason for an operation that a later pass removed from its cluster.
const ReasonLeft = "it was in a cluster; a later pass took it out again to spare copies or compilations"

// Ran reports whether the graph shows that autoclustering looked at it.
func (g *Graph) Ran() bool {
	return slices.ContainsFunc(g.Nodes, func(n *Node) bool {
		number, named := strings.CutPrefix(callee(n), "cluster_")
		launches := launchOps[n.Op] && named && phrase.AllDigits(number) && !IsHash(number) // not a function of xla.compile
		return n.Cluster != "" || n.Marked || n.Kernel || n.Op == "_XlaRun" || n.Op == "_XlaMerge" || launches
	})
}

// launchOps are the operations that compile a function when it first runs, and run it. Until 2018, autoclustering made one of each cluster.
var launchOps = setOf("_XlaLaunch", "XlaLaunch", "XlaLaunchV2")

// IsHash tells the number of a function of xla.compile, a hash of 64 bits, from that of a cluster, which is counted.
func IsHash(number string) bool { return len(number) >= 10 }

// Clustering sorts the graph's operations into clusters and those outside. It accepts a graph after any of the passes: with marked nodes, with
// clusters as functions, and with the operations that compile and run the clusters.
func (g *Graph) Clustering() *Clustering {
	s := &sorter{graph: g, out: &Clustering{}, clusters: map[string]*Cluster{}, bodies: map[string]bool{}, compiled: map[string]bool{}, runs: map[string]string{}}
	for _, n := range g.Nodes {
		if name := callee(n); (n.Op == "_XlaCompile" || launchOps[n.Op]) && name != "" && !s.compiled[name] {
			s.take(name, n) // a cluster that the graph compiles and runs with separate operations
			s.compiled[name] = true
			s.clusters[name].MustCompile = n.MustCompile && !isClusterName(name)
		}
	}
	s.join(g.Nodes)
	s.nodes(g.Nodes, "")
	s.out.Eager = g.eager(s.out)
	return s.out
}

// sorter does the work of Clustering.
type sorter struct {
	graph    *Graph
	out      *Clustering
	clusters map[string]*Cluster // by name
	compiled map[string]bool     // functions that _XlaCompile compiles: other calls of them are the way around XLA
	bodies   map[string]bool     // functions already looked into
	runs     map[string]string   // of each _XlaRun, by name, the cluster that it runs
}

// nodes sorts the nodes of the graph itself, or of a function that runs outside every cluster.
func (s *sorter) nodes(nodes []*Node, function string) {
	reasons, several := newReasons(nodes), s.severalClusters(nodes)
	for i, n := range nodes {
		switch {
		case n.Cluster != "":
			s.take(n.Cluster, n)
		case s.compiled[callee(n)]: // the call that runs when XLA does not, or the operations that are in the cluster's place
		case n.Kernel:
			s.take(n.Op, n)
		case s.mustCompile(n):
			s.take(callee(n), n)
			s.clusters[callee(n)].MustCompile = true
		default:
			o := &Outside{UnclusteredOp: reasons.of(i), Node: n, Body: function}
			s.leave(o)
			if several {
				o.Separates = reasons.separation(i)
			}
			if o.Collective = collectiveKind(n.Op); o.Collective != "" {
				o.From, o.To = s.reached(nodes, i, reasons.data.before), s.reached(nodes, i, reasons.data.behind)
			}
		}
	}
}

// callee is the function that a node calls, "" if it calls none.
func callee(n *Node) string {
	if len(n.Calls) == 0 {
		return ""
	}
	return n.Calls[0]
}

// mustCompile recognises the call of a tf.function(jit_compile=True).
func (s *sorter) mustCompile(n *Node) bool {
	name := callee(n)
	if name == "" {
		return false
	}
	f := s.graph.function(name)
	return n.MustCompile || f != nil && f.MustCompile
}

// join finds the cluster of each _XlaRun: the cluster of the _XlaCompile whose key is its last input, directly or through a Switch. Neither operation
// has an _xla_compile_id, which marks the operations inside an xla.compile.
func (s *sorter) join(nodes []*Node) {
	before := edgesOf(nodes, false).before
	for i, n := range nodes {
		if n.Op != "_XlaRun" || len(before[i]) == 0 {
			continue
		}
		key := before[i][len(before[i])-1]
		if nodes[key].Op == "Switch" && len(before[key]) > 0 {
			key = before[key][0]
		}
		if nodes[key].Op == "_XlaCompile" {
			s.runs[n.Name] = callee(nodes[key])
		}
	}
}

// take puts a node into a cluster, or instead of it the nodes of the function that it calls.
func (s *sorter) take(cluster string, n *Node) {
	c, known := s.clusters[cluster]
	if !known {
		c = &Cluster{Name: cluster, Device: n.Device}
		s.clusters[cluster], s.out.Clusters = c, append(s.out.Clusters, c)
	}
	if n.Cluster != "" {
		s.count(c, n.Op)
		return
	}
	if f := s.graph.function(cluster); f != nil && !known {
		for _, inside := range f.Nodes {
			s.count(c, inside.Op)
		}
	}
}

func (s *sorter) count(c *Cluster, op string) {
	if c.Ops == nil {
		c.Ops = map[string]int{}
	}
	c.Ops[op]++
	c.Size++
	if !SystemOp(op) {
		s.out.Inside++
	}
}

// leave records a node outside, and the nodes of the functions that it calls.
func (s *sorter) leave(o *Outside) {
	n := o.Node
	if n.Marked {
		o.System, o.Reason, o.Left = true, ReasonLeft, declusterPass
	}
	s.out.Outside = append(s.out.Outside, o)
	if (callOps[n.Op] || s.graph.function(n.Op) != nil) && s.enter(n) {
		o.System, o.Reason = true, "it calls a function, whose operations are judged one by one"
	}
}

// enter visits the functions that a node calls, each once. It reports whether the dump holds any of them.
func (s *sorter) enter(n *Node) bool {
	found := false
	for _, name := range append([]string{n.Op}, n.Calls...) {
		f := s.graph.function(name)
		if f == nil {
			continue
		}
		found = true
		if !s.bodies[name] {
			s.bodies[name] = true
			s.nodes(f.Nodes, name)
		}
	}
	return found
}

// PlainName removes the prefix of a node's name in an annotated dump: "unclustered/" or the cluster.
func PlainName(name string) string {
	first, rest, ok := strings.Cut(name, "/")
	if ok && (first == "unclustered" || isClusterName(first)) {
		return rest
	}
	return name
}

// eager recognises the graph that eager execution wraps around a single operation. There the node is called like its operation, and arguments and results like
// those of the operation's definition; a function's arguments carry its author's names or shapes, and its results come from Identity.
func (g *Graph) eager(c *Clustering) bool {
	if len(c.Clusters) > 0 {
		return false
	}
	ops := 0
	for _, n := range g.Nodes {
		switch n.Op {
		case "_Arg", "_DeviceArg":
			if n.Named {
				return false
			}
		case "_Retval", "_DeviceRetval":
			name := PlainName(n.Name)
			if !strings.HasSuffix(name, "_RetVal") || strings.HasPrefix(name, "identity") {
				return false
			}
		case "NoOp":
		default:
			if ops++; ops > 1 || PlainName(n.Name) != n.Op {
				return false
			}
		}
	}
	return ops == 1
}
