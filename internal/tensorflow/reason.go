package tensorflow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// reason says why a node is outside.
type reason struct {
	text       string
	system     bool // the node only counts or tests for a loop
	compilable bool // XLA could compile the node
}

// reasons finds out why nodes of one graph or function stay outside.
type reasons struct {
	nodes   []Node
	data    edges  // results that are read
	control []bool // counts or tests for a loop
	devices string // the type of device that the clusters are on, "" when there are none or several
}

// edges are the nodes before and behind each node.
type edges struct{ before, behind [][]int }

// edgesOf follows the inputs of nodes. A control input carries nothing: its node only waits.
func edgesOf(nodes []Node) edges {
	e := edges{make([][]int, len(nodes)), make([][]int, len(nodes))}
	index := make(map[string]int, len(nodes))
	for i := range nodes {
		index[nodes[i].Name] = i
	}
	for i := range nodes {
		for _, in := range nodes[i].Inputs {
			name, waits := strings.CutPrefix(in, "^")
			if at := strings.LastIndexByte(name, ':'); at > 0 && phrase.AllDigits(name[at+1:]) {
				name = name[:at]
			}
			if from, known := index[name]; known && !waits {
				e.before[i], e.behind[from] = append(e.before[i], from), append(e.behind[from], i)
			}
		}
	}
	return e
}

func newReasons(nodes []Node) *reasons {
	r := &reasons{nodes: nodes, data: edgesOf(nodes)}
	r.findLoopControl()
	r.devices = clusterDevice(nodes)
	return r
}

// of says why a node is outside. The first thing that keeps XLA away is the reason, even if there are others.
func (r *reasons) of(i int) reason {
	n := &r.nodes[i]
	switch {
	case r.control[i]:
		return reason{text: "it counts or tests for a loop that runs outside the clusters", system: true}
	case SystemOp(n.Op):
		return reason{text: systemReason(n), system: true}
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
	case !hasKernel(n.Op) && r.hostResource(i):
		return reason{text: "it works on a resource of the host: a table, a queue, a writer"}
	case !hasKernel(n.Op):
		return reason{text: "XLA has no kernel for it"}
	case r.devices != "" && deviceType(n.Device) != r.devices && n.Device != "":
		return reason{text: fmt.Sprintf("it is placed on %s, the clusters are on %s", deviceType(n.Device), r.devices)}
	}
	return reason{compilable: true, text: "XLA can compile it, but it is too small for a cluster with its neighbours (--tf_xla_min_cluster_size), " +
		"or something between them keeps them apart (TF_CPP_VMODULE=mark_for_compilation_pass=4 logs what)"}
}

// listOp recognises what works on lists of tensors, as loops that collect results do.
func listOp(n *Node) bool { return strings.HasPrefix(n.Op, "TensorList") || n.has(Variant) }

// stringOp recognises the operations on strings that name no type in their attributes.
func stringOp(op string) bool {
	return strings.Contains(op, "String") || strings.HasPrefix(op, "Regex") || strings.HasPrefix(op, "Print") || strings.HasPrefix(op, "Substr")
}

func systemReason(n *Node) string {
	switch n.Op {
	case "Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond":
		return "control flow"
	}
	return "a system operation"
}

// hostResource reports whether a node reads a resource that is no variable: one that is handed to it as such.
func (r *reasons) hostResource(i int) bool {
	n := &r.nodes[i]
	return n.has(Resource) || n.has(Variant) || slices.ContainsFunc(r.data.before[i], func(from int) bool { return r.nodes[from].has(Resource) })
}

// compilable reports whether nothing in the node itself keeps XLA away.
func (r *reasons) compilable(i int) bool {
	n := &r.nodes[i]
	return n.Cluster == "" && !r.control[i] && hasKernel(n.Op) && !pythonOps[n.Op] && !n.has(String) && !randomOps[n.Op] && !dynamicOps[n.Op] &&
		!listOp(n) && n.Op != "_Arg" && n.Op != "_Retval"
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
	return integers && loopOps[n.Op] && n.Cluster == "" && r.feedsLoop(i, true) && r.readsLoop(i)
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

// readsLoop reports whether a node reads nothing but loop variables, constants and other bookkeeping.
func (r *reasons) readsLoop(i int) bool {
	for _, from := range r.data.before[i] {
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
