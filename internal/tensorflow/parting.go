package tensorflow

import (
	"slices"
	"strings"
)

// Parting reports whether an operation outside of the clusters may be what keeps them apart.
type Parting int

// The values of Parting: the greater, the likelier.
const (
	PartsNothing Parting = iota // its function holds fewer than two clusters, or it only feeds another operation that is outside
	MayPart                     // XLA could compile it
	Parts
)

// severalClusters reports whether operations of more than one cluster are among the nodes. What was compiled because it was asked for is apart
// for that alone.
func (s *sorter) severalClusters(nodes []Node) bool {
	first := ""
	for i := range nodes {
		name := s.clusterOf(&nodes[i])
		switch {
		case name == "" || s.mustCompile(&nodes[i]):
		case first == "":
			first = name
		case name != first:
			return true
		}
	}
	return false
}

// clusterOf is the cluster that a node is in or represents, "" if there is none.
func (s *sorter) clusterOf(n *Node) string {
	switch {
	case n.Cluster != "":
		return n.Cluster
	case s.compiled[callee(n)], s.mustCompile(n):
		return callee(n)
	case n.Kernel:
		return n.Op
	}
	return s.runs[n.Name]
}

// parting judges a node outside the clusters by itself and by what reads it.
func (r *reasons) parting(i int) Parting {
	switch {
	case SystemOp(r.nodes[i].Op):
		return SystemParting(r.nodes[i].Op)
	case r.feedsOutside(i):
		return PartsNothing
	case r.compilable(i):
		return MayPart
	}
	return Parts
}

// SystemParting judges a system operation. Only the branches of a condition part clusters, and what counts or steps a variable may.
func SystemParting(op string) Parting {
	switch op {
	case "Switch":
		return Parts
	case "AssignAddVariableOp", "AssignSubVariableOp":
		return MayPart
	}
	return PartsNothing
}

// feedsOutside reports whether a node's results go to nothing but operations of the model that no cluster took, as a text's do that is printed.
func (r *reasons) feedsOutside(i int) bool {
	for _, user := range r.users[i] {
		if n := &r.nodes[user]; n.Cluster != "" || n.Kernel || SystemOp(n.Op) {
			return false
		}
	}
	return len(r.users[i]) > 0
}

// collectivePrefixes begin the names of operations by which TensorFlow's own runtime, NCCL or Horovod exchange data between devices.
var collectivePrefixes = []string{"Collective", "Nccl", "Horovod"}

// collectiveKinds tell by a part of an operation's name what it exchanges, as XLA calls it; the first that is in it has it. What only
// prepares an exchange or asks for the number of processes is none.
var collectiveKinds = []struct{ part, kind string }{
	{"reducescatter", "reduce-scatter"},
	{"reduce", "all-reduce"},
	{"gather", "all-gather"},
	{"alltoall", "all-to-all"},
	{"permute", "collective-permute"},
	{"bcast", "collective-broadcast"},
	{"broadcast", "collective-broadcast"},
}

// CollectiveKind is what an operation outside of XLA exchanges between devices, "" when it is no collective.
func CollectiveKind(op string) string {
	for _, prefix := range collectivePrefixes {
		name, ok := strings.CutPrefix(op, prefix)
		if !ok {
			continue
		}
		name = strings.ToLower(name)
		for _, k := range collectiveKinds {
			if strings.Contains(name, k.part) {
				return k.kind
			}
		}
	}
	return ""
}

// parted finds the compiled functions and clusters whose results reach a node, and those that its results reach, with nothing compiled
// on the way.
func (s *sorter) parted(r *reasons, i int) (from, to []string) {
	from = s.reached(r, i, func(at int) []int {
		var producers []int
		for _, in := range r.nodes[at].Inputs {
			if p, ok := r.producer(in); ok {
				producers = append(producers, p)
			}
		}
		return producers
	})
	to = s.reached(r, i, func(at int) []int { return r.users[at] })
	return from, to
}

func (s *sorter) reached(r *reasons, start int, next func(at int) []int) (found []string) {
	seen := make([]bool, len(r.nodes))
	for queue := next(start); len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		name := s.clusterOf(&r.nodes[at])
		switch {
		case name == "":
			queue = append(queue, next(at)...)
		case !slices.Contains(found, name):
			found = append(found, name)
		}
	}
	return found
}
