package tensorflow

import (
	"fmt"
	"strings"
)

// minClusterSize is how many operations a cluster must have unless --tf_xla_min_cluster_size says otherwise.
const minClusterSize = 4

// reason says why a node is outside.
type reason struct {
	text   string
	system bool // the node only counts or tests for a loop
}

// reasons finds out why nodes of one graph or function stay outside.
type reasons struct {
	nodes   []Node
	index   map[string]int
	users   [][]int // by node: who reads its results
	control []bool  // counts or tests for a loop
	group   []int   // by node: how many operations that XLA could compile hang together with it
	devices string  // the type of device that the clusters are on, "" when there are none or several
}

func newReasons(nodes []Node) *reasons {
	r := &reasons{nodes: nodes, index: make(map[string]int, len(nodes))}
	for i := range nodes {
		r.index[nodes[i].Name] = i
	}
	r.users = make([][]int, len(nodes))
	for i := range nodes {
		for _, in := range nodes[i].Inputs {
			if from, ok := r.producer(in); ok {
				r.users[from] = append(r.users[from], i)
			}
		}
	}
	r.findLoopControl()
	r.findGroups()
	r.devices = clusterDevice(nodes)
	return r
}

// producer finds the node behind a data input; control inputs have none.
func (r *reasons) producer(input string) (int, bool) {
	if strings.HasPrefix(input, "^") {
		return 0, false
	}
	if at := strings.LastIndexByte(input, ':'); at > 0 && isNumber(input[at+1:]) {
		input = input[:at]
	}
	i, ok := r.index[input]
	return i, ok
}

// of says why a node is outside. The first thing that keeps XLA away is the reason, even if there are others.
func (r *reasons) of(i int) reason {
	n := &r.nodes[i]
	switch {
	case r.control[i]:
		return reason{"it counts or tests for a loop that runs outside the clusters", true}
	case SystemOp(n.Op):
		return reason{systemReason(n), true}
	case pythonOps[n.Op]:
		return reason{text: "it calls back into Python"}
	case n.has(String) || stringOp(n.Op):
		return reason{text: "XLA has no strings"}
	case randomOps[n.Op]:
		return reason{text: "it draws from a random generator with state; a stateless one can be clustered"}
	case dynamicOps[n.Op]:
		return reason{text: "the shape of its result depends on the data"}
	case listOp(n):
		return reason{text: "lists of tensors (DT_VARIANT) cannot enter or leave a cluster"}
	case strings.HasPrefix(n.Op, "_Fused") || strings.HasPrefix(n.Op, "_Mkl"):
		return reason{text: "TensorFlow's own optimizer made it by fusing others, and XLA has no kernel for it"}
	case strings.HasPrefix(n.Op, "Collective"):
		return reason{text: "it is a collective of TensorFlow's own, which autoclustering leaves alone"}
	case strings.HasPrefix(n.Op, "Horovod"), strings.HasPrefix(n.Op, "Nccl"):
		return reason{text: "it is a collective outside of XLA: the program ends before it and another begins behind it"}
	case callOps[n.Op] || len(n.Calls) > 0:
		return reason{text: "it calls functions that XLA cannot compile whole"}
	case !hasKernel(n.Op) && r.hostResource(n):
		return reason{text: "it works on a resource of the host: a table, a queue, a writer"}
	case !hasKernel(n.Op):
		return reason{text: "XLA has no kernel for it"}
	case r.devices != "" && deviceType(n.Device) != r.devices && n.Device != "":
		return reason{text: fmt.Sprintf("it is placed on %s, the clusters are on %s", deviceType(n.Device), r.devices)}
	case r.group[i] < minClusterSize:
		return reason{text: fmt.Sprintf("XLA can compile it, but it makes only %s together with its neighbours; a cluster takes %d (--tf_xla_min_cluster_size)",
			operations(r.group[i]), minClusterSize)}
	}
	return reason{text: "XLA can compile it, but no cluster took it"}
}

// listOp recognises what works on lists of tensors, as loops that collect results do.
func listOp(n *Node) bool { return strings.HasPrefix(n.Op, "TensorList") || n.has(Variant) }

// stringOp recognises the operations on strings that name no type in their attributes.
func stringOp(op string) bool {
	return strings.Contains(op, "String") || strings.HasPrefix(op, "Regex") || strings.HasPrefix(op, "Print") || strings.HasPrefix(op, "Substr")
}

func operations(n int) string {
	if n == 1 {
		return "1 operation"
	}
	return fmt.Sprintf("%d operations", n)
}

func systemReason(n *Node) string {
	switch n.Op {
	case "Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond":
		return "control flow"
	}
	return "a system operation"
}

// hostResource reports whether a node reads a resource that is no variable: one that is handed to it as such.
func (r *reasons) hostResource(n *Node) bool {
	if n.has(Resource) || n.has(Variant) {
		return true
	}
	for _, in := range n.Inputs {
		if from, ok := r.producer(in); ok && r.nodes[from].has(Resource) {
			return true
		}
	}
	return false
}

// compilable reports whether nothing in the node itself keeps XLA away.
func (r *reasons) compilable(i int) bool {
	n := &r.nodes[i]
	return n.Cluster == "" && !r.control[i] && hasKernel(n.Op) && !pythonOps[n.Op] && !n.has(String) && !randomOps[n.Op] && !dynamicOps[n.Op] &&
		!listOp(n) && n.Op != "_Arg" && n.Op != "_Retval"
}

// findGroups counts, for each operation that XLA could compile, those that hang together with it. Identities and constants do not
// count, as in TensorFlow's own count.
func (r *reasons) findGroups() {
	r.group = make([]int, len(r.nodes))
	seen := make([]bool, len(r.nodes))
	for i := range r.nodes {
		if seen[i] || !r.compilable(i) {
			continue
		}
		members, size := r.connected(i, seen), 0
		for _, m := range members {
			if op := r.nodes[m].Op; op != "Identity" && op != "Const" {
				size++
			}
		}
		for _, m := range members {
			r.group[m] = size
		}
	}
}

// connected collects the compilable nodes that hang together with one, whichever way the data flows.
func (r *reasons) connected(start int, seen []bool) []int {
	members := []int{start}
	seen[start] = true
	visit := func(i int) {
		if !seen[i] && r.compilable(i) {
			seen[i] = true
			members = append(members, i)
		}
	}
	for at := 0; at < len(members); at++ {
		for _, in := range r.nodes[members[at]].Inputs {
			if from, ok := r.producer(in); ok {
				visit(from)
			}
		}
		for _, user := range r.users[members[at]] {
			visit(user)
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
		for i := range r.nodes {
			if !r.control[i] && r.loopControl(i) {
				r.control[i], changed = true, true
			}
		}
	}
}

func (r *reasons) loopControl(i int) bool {
	n := &r.nodes[i]
	integers := n.has(Int32) || n.has(Int64) || strings.HasPrefix(n.Op, "Logical")
	return integers && loopOps[n.Op] && n.Cluster == "" && r.feedsLoop(i, true) && r.readsLoop(n)
}

// feedsLoop reports whether only a loop's skeleton reads a node, directly or through one Identity.
func (r *reasons) feedsLoop(i int, through bool) bool {
	for _, user := range r.users[i] {
		switch op := r.nodes[user].Op; {
		case op == "LoopCond" || op == "NextIteration" || r.control[user]:
		case op == "Identity" && through && r.feedsLoop(user, false):
		default:
			return false
		}
	}
	return len(r.users[i]) > 0
}

// readsLoop reports whether a node reads nothing but loop variables, constants and other bookkeeping.
func (r *reasons) readsLoop(n *Node) bool {
	for _, in := range n.Inputs {
		from, ok := r.producer(in)
		if !ok {
			continue
		}
		switch op := r.nodes[from].Op; op {
		case "Switch", "Merge", "Enter", "Const", "Identity":
		default:
			if !loopOps[op] {
				return false
			}
		}
	}
	return true
}

// deviceType cuts the type out of "/job:localhost/replica:0/task:0/device:GPU:0".
func deviceType(device string) string {
	_, rest, ok := strings.Cut(device, "device:")
	if !ok {
		return ""
	}
	kind, _, _ := strings.Cut(rest, ":")
	return kind
}

// clusterDevice is the one type of device that the clusters are on.
func clusterDevice(nodes []Node) string {
	kind := ""
	for i := range nodes {
		if nodes[i].Cluster == "" {
			continue
		}
		switch d := deviceType(nodes[i].Device); {
		case kind == "":
			kind = d
		case d != kind:
			return ""
		}
	}
	return kind
}
