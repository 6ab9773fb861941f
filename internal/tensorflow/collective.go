package tensorflow

import (
	"slices"
	"strings"
)

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
