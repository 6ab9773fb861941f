package facts

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// moved is what one device puts in or gets out of a collective, whichever is more: an all-gather's result, a reduce-scatter's
// operand.
func (r *reader) moved(id hlo.InstrID) int64 {
	return max(r.operandBytes(id), r.m.ShapeBytes(r.resultShape(id)))
}

// result is the shape of what a launch leaves, without what only serves its being asynchronous.
func (r *reader) result(l launch) hlo.ShapeID {
	if l.moves != hlo.NoInstr {
		return r.resultShape(l.moves)
	}
	return r.resultShape(l.id)
}

// resultShape is the shape of what an operation leaves. The dedicated -start operations return their operands and contexts
// beside it.
func (r *reader) resultShape(id hlo.InstrID) hlo.ShapeID {
	in := &r.m.Instrs[id]
	elements := r.m.Shape(in.Shape).Elements
	switch in.Opcode {
	case hlo.OpAllGatherStart, hlo.OpCollectivePermuteStart:
		if len(elements) >= 2 {
			return elements[1]
		}
	case hlo.OpCopyStart, hlo.OpSend, hlo.OpRecv:
		if len(elements) >= 1 {
			return elements[0]
		}
	}
	return in.Shape
}

// groups says over which devices a collective runs: "2 of 4" is two groups of four.
func (r *reader) groups(id hlo.InstrID) string {
	if pairs, ok := r.m.Attr(id, "source_target_pairs"); ok {
		return fmt.Sprintf("%d pairs", strings.Count(pairs, "{")-1)
	}
	printed, ok := r.m.Attr(id, "replica_groups")
	if !ok {
		return ""
	}
	count, size := parseGroups(printed)
	if count == 0 {
		count, size = 1, int(r.m.Header.ReplicaCount*r.m.Header.NumPartitions)
	}
	return fmt.Sprintf("%d of %d", count, size)
}

// parseGroups reads the spellings of replica_groups: {{0,1},{2,3}}, [2,4]<=[8], mesh['a'=2,'b'=4] {'a'}. A count of 0 stands
// for one group of all.
func parseGroups(printed string) (count, size int) {
	switch {
	case strings.HasPrefix(printed, "{{"):
		first, _, _ := strings.Cut(printed[2:], "}")
		return strings.Count(printed, "{") - 1, strings.Count(first, ",") + 1
	case strings.HasPrefix(printed, "["):
		list, _, _ := strings.Cut(printed[1:], "]")
		a, b, several := strings.Cut(list, ",")
		if !several {
			a, b = "1", a
		}
		count, _ = strconv.Atoi(a)
		size, _ = strconv.Atoi(b)
		return max(0, count), max(0, size)
	case strings.HasPrefix(printed, "mesh["):
		return meshGroups(printed)
	}
	return 0, 0
}

// meshGroups multiplies the sizes of the axes behind the mesh for the group, those of the other axes for the count. An axis
// `'a':(2)4` is the part of 'a' of size 4.
func meshGroups(printed string) (count, size int) {
	all, rest, _ := strings.Cut(printed[len("mesh["):], "]")
	total, axes := 1, map[string]int{}
	for _, axis := range strings.Split(all, ",") {
		name, digits, _ := strings.Cut(axis, "=")
		n, _ := strconv.Atoi(digits)
		axes[axisName(name)] = n
		total *= n
	}
	at := strings.LastIndexByte(rest, '{')
	if at < 0 || total == 0 {
		return 0, 0
	}
	size = 1
	for _, axis := range strings.Split(strings.TrimRight(rest[at+1:], "} "), ",") {
		name, part, split := strings.Cut(axis, ":")
		n := axes[axisName(name)]
		if split {
			n, _ = strconv.Atoi(part[strings.IndexByte(part, ')')+1:])
		}
		size *= max(1, n)
	}
	return total / size, size
}

func axisName(s string) string { return strings.Trim(s, ` '"`) }
