package tensorflow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// minClusterSize is how many operations a cluster must have unless --tf_xla_min_cluster_size says otherwise.
const minClusterSize = 4

// reasons finds out why nodes of one graph or function stay outside.
type reasons struct {
	nodes   []*Node
	data    edges   // results that are read
	order   edges   // the same, and what only waits for another
	control []bool  // counts or tests for a loop
	parts   []bool  // by node: no cluster can take it, and what XLA could compile is on either side of it
	level   []int   // by node: how many such operations come before it, one behind the other
	group   []group // by node: the operations that XLA could compile together with it
	least   int     // of how many operations a cluster is made
	devices string  // the type of device that the clusters are on, "" when there are none or several
}

// edges are the nodes before and behind each node.
type edges struct{ before, behind [][]int }

// edgesOf follows the inputs of nodes. A control input carries nothing: its node only waits.
func edgesOf(nodes []*Node, control bool) edges {
	e := edges{make([][]int, len(nodes)), make([][]int, len(nodes))}
	index := make(map[string]int, len(nodes))
	for i, n := range nodes {
		index[n.Name] = i
	}
	for i, n := range nodes {
		for _, in := range n.Inputs {
			name, waits := strings.CutPrefix(in, "^")
			if at := strings.LastIndexByte(name, ':'); at > 0 && phrase.AllDigits(name[at+1:]) {
				name = name[:at]
			}
			if from, known := index[name]; known && (control || !waits) {
				e.before[i], e.behind[from] = append(e.before[i], from), append(e.behind[from], i)
			}
		}
	}
	return e
}

// group is what hangs together and could be a cluster: nothing in it waits for an operation outside that waits for another part of it.
type group struct {
	size  int      // Identities and constants do not count, as in TensorFlow's own count
	parts []string // the operations that part it from others that XLA could compile, sorted
}

func newReasons(nodes []*Node) *reasons {
	r := &reasons{nodes: nodes, data: edgesOf(nodes, false), order: edgesOf(nodes, true), least: minClusterSize}
	r.findLoopControl()
	r.findLevels()
	r.findGroups()
	r.findLeast()
	for _, n := range nodes {
		if n.Cluster == "" {
			continue
		}
		switch d := deviceType(n.Device); {
		case r.devices == "":
			r.devices = d
		case d != r.devices: // there are several
			r.devices = ""
			return r
		}
	}
	return r
}

// of says why a node is outside, and what that makes of it. The first thing that keeps XLA away is the reason, even if there are others.
func (r *reasons) of(i int) UnclusteredOp {
	n := r.nodes[i]
	switch {
	case r.control[i]:
		return UnclusteredOp{Reason: "it counts or tests for a loop that runs outside the clusters", System: true}
	case controlFlow[n.Op]:
		return UnclusteredOp{Reason: "control flow", System: true}
	case SystemOp(n.Op):
		return UnclusteredOp{Reason: "a system operation", System: true}
	case pythonOps[n.Op]:
		return UnclusteredOp{Reason: "it calls back into Python"}
	case n.has(String) || strings.Contains(n.Op, "String") || strings.HasPrefix(n.Op, "Regex") || strings.HasPrefix(n.Op, "Print") || strings.HasPrefix(n.Op, "Substr"):
		return UnclusteredOp{Reason: "XLA has no strings"}
	case randomOps[n.Op]:
		return UnclusteredOp{Reason: "it draws from a random generator with state; a stateless one can be clustered"}
	case dynamicOps[n.Op]:
		return UnclusteredOp{Reason: "the shape of its result depends on the data"}
	case listOp(n):
		return UnclusteredOp{Reason: "lists of tensors (DT_VARIANT) cannot enter or leave a cluster"}
	case strings.HasPrefix(n.Op, "_Fused") || strings.HasPrefix(n.Op, "_Mkl"):
		return UnclusteredOp{Reason: "TensorFlow's own optimizer made it by fusing others, and XLA has no kernel for it"}
	case strings.HasPrefix(n.Op, "Collective"):
		return UnclusteredOp{Reason: "it is a collective of TensorFlow's own, which autoclustering leaves alone"}
	case strings.HasPrefix(n.Op, "Horovod"), strings.HasPrefix(n.Op, "Nccl"):
		return UnclusteredOp{Reason: "it is a collective outside of XLA: the program ends before it and another begins behind it"}
	case callOps[n.Op] || len(n.Calls) > 0:
		return UnclusteredOp{Reason: "it calls functions that XLA cannot compile whole"}
	case !hasKernel(n.Op) && (n.has(Resource) || n.has(Variant) || slices.ContainsFunc(r.data.before[i], func(from int) bool { return r.nodes[from].has(Resource) })):
		return UnclusteredOp{Reason: "it works on a resource of the host: a table, a queue, a writer"}
	case !hasKernel(n.Op):
		return UnclusteredOp{Reason: "XLA has no kernel for it"}
	case r.devices != "" && deviceType(n.Device) != r.devices && n.Device != "":
		return UnclusteredOp{Reason: fmt.Sprintf("it is placed on %s, the clusters are on %s", deviceType(n.Device), r.devices)}
	case r.group[i].size < r.least:
		parted, verb := "", "stands"
		if len(r.group[i].parts) > 1 {
			verb = "stand"
		}
		if parts := phrase.List(phrase.First(r.group[i].parts, 3), "and"); parts != "" {
			parted = "; " + parts + " " + verb + " between them and others"
		}
		return UnclusteredOp{Compilable: true, Reason: fmt.Sprintf("XLA can compile it, but it makes only %s together with its neighbours%s; a cluster takes %d (--tf_xla_min_cluster_size)",
			phrase.Some(r.group[i].size, "operation"), parted, r.least)}
	}
	return UnclusteredOp{Compilable: true, Reason: "XLA can compile it, but no cluster took it (TF_CPP_VMODULE=mark_for_compilation_pass=4 logs why)"}
}

// listOp recognises what works on lists of tensors, as loops that collect results do.
func listOp(n *Node) bool { return strings.HasPrefix(n.Op, "TensorList") || n.has(Variant) }

// compilable reports whether nothing in the node itself keeps XLA away.
func (r *reasons) compilable(i int) bool {
	n := r.nodes[i]
	return n.Cluster == "" && !r.control[i] && hasKernel(n.Op) && !pythonOps[n.Op] && !n.has(String) && !randomOps[n.Op] && !dynamicOps[n.Op] &&
		!listOp(n) && n.Op != "_Arg" && n.Op != "_Retval"
}

// findLevels counts, for every node, the operations on the way to it that part what XLA could compile. A loop is followed once.
func (r *reasons) findLevels() {
	r.level = make([]int, len(r.nodes))
	behind, ahead := r.reached(r.order.behind), r.reached(r.order.before)
	r.parts = make([]bool, len(r.nodes))
	for i, n := range r.nodes {
		r.parts[i] = behind[i] && ahead[i] && n.Cluster == "" && !r.compilable(i)
	}
	seen := make([]bool, len(r.nodes))
	var visit func(i int) int
	visit = func(i int) int {
		if seen[i] {
			return r.level[i]
		}
		seen[i] = true
		for _, from := range r.order.before[i] {
			level := visit(from)
			if r.parts[from] {
				level++
			}
			r.level[i] = max(r.level[i], level)
		}
		return r.level[i]
	}
	for i := range r.nodes {
		visit(i)
	}
}

// reached marks what can be reached from the operations that XLA could compile.
func (r *reasons) reached(next [][]int) []bool {
	found := make([]bool, len(r.nodes))
	var queue []int
	for i := range r.nodes {
		if r.compilable(i) {
			queue = append(queue, next[i]...)
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if !found[i] {
			found[i] = true
			queue = append(queue, next[i]...)
		}
	}
	return found
}

// findGroups collects, for each operation that XLA could compile, those that hang together with it.
func (r *reasons) findGroups() {
	r.group = make([]group, len(r.nodes))
	seen := make([]bool, len(r.nodes))
	for i := range r.nodes {
		if seen[i] || !r.compilable(i) {
			continue
		}
		members := r.connected(i, seen)
		var g group
		for _, m := range members {
			if op := r.nodes[m].Op; op != "Identity" && op != "Const" {
				g.size++
			}
			for _, i := range slices.Concat(r.order.behind[m], r.order.before[m]) {
				if r.parts[i] && !slices.Contains(g.parts, r.nodes[i].Op) {
					g.parts = append(g.parts, r.nodes[i].Op)
				}
			}
		}
		slices.Sort(g.parts)
		for _, m := range members {
			r.group[m] = g
		}
	}
}

// findLeast looks for clusters that are smaller than --tf_xla_min_cluster_size says by default. One that calls a function may be, and later passes shrink some.
func (r *reasons) findLeast() {
	size := map[string]int{}
	for _, n := range r.nodes {
		switch {
		case n.Cluster == "" && n.Marked:
			return
		case n.Cluster != "" && len(n.Calls) > 0:
			size[n.Cluster] += minClusterSize
		case n.Cluster != "" && n.Op != "Identity" && n.Op != "Const":
			size[n.Cluster]++
		}
	}
	for _, n := range size {
		r.least = min(r.least, n)
	}
}

// connected collects the compilable nodes that hang together with one, whichever way the data flows, and could be a cluster with it.
func (r *reasons) connected(start int, seen []bool) []int {
	members := []int{start}
	seen[start] = true
	for at := 0; at < len(members); at++ {
		for _, i := range slices.Concat(r.data.before[members[at]], r.data.behind[members[at]]) {
			if !seen[i] && r.compilable(i) && r.level[i] == r.level[start] {
				seen[i] = true
				members = append(members, i)
			}
		}
	}
	return members
}

// findLoopControl marks the integer arithmetic that only counts and tests for loops: it reads nothing but loop variables and
// constants, and only the loop's skeleton reads it.
func (r *reasons) findLoopControl() {
	r.control = make([]bool, len(r.nodes))
	for changed := true; changed; {
		changed = false
		for i, n := range r.nodes {
			readsOther := func(from int) bool {
				op := r.nodes[from].Op
				return !loopOps[op] && !slices.Contains([]string{"Switch", "Merge", "Enter", "Const", "Identity"}, op)
			}
			integers := n.has(Int32) || n.has(Int64) || strings.HasPrefix(n.Op, "Logical")
			if !r.control[i] && integers && loopOps[n.Op] && n.Cluster == "" && r.feedsLoop(i, true) && !slices.ContainsFunc(r.data.before[i], readsOther) {
				r.control[i], changed = true, true
			}
		}
	}
}

// feedsLoop reports whether only a loop's skeleton reads a node, directly or through one Identity.
func (r *reasons) feedsLoop(i int, through bool) bool {
	for _, user := range r.data.behind[i] {
		switch op := r.nodes[user].Op; {
		case op == "LoopCond" || op == "NextIteration" || r.control[user]:
		case op == "Identity" && through && r.feedsLoop(user, false):
		default:
			return false
		}
	}
	return len(r.data.behind[i]) > 0
}

// deviceType cuts the type out of a device's name: "GPU".
func deviceType(device string) string {
	kind, _, _ := strings.Cut(DeviceName(device), ":")
	return kind
}
