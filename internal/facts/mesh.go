package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
)

// axis is one axis of the device mesh that the model names: "data" of size 2.
type axis struct {
	name string
	size int
}

// meshOf reads the mesh from a module's header, {mesh = #sdy.mesh<["data"=2, "model"=4]>}, or else from the shardings. It returns none for a module
// with several meshes, whose axes would be ambiguous.
func meshOf(m *hlo.Module) []axis {
	printed, ok := m.Header.Attributes["xla.sdy.meshes"]
	if !ok {
		return meshInShardings(m)
	}
	_, rest, ok := strings.Cut(printed, "#sdy.mesh<[")
	if !ok || strings.Contains(rest, "#sdy.mesh<[") {
		return nil
	}
	list, _, _ := strings.Cut(rest, "]")
	return meshAxes(list)
}

// maxDevices bounds the devices of a group that are spelled out.
const maxDevices = 1 << 16

// firstGroups lists the devices of each collective's first group, by kernel.
func (r *reader) firstGroups(launches []launch) map[int][]int {
	groups := map[int][]int{}
	for i, l := range launches {
		if l.moves != hlo.NoInstr {
			groups[i] = r.firstGroup(l.moves)
		}
	}
	return groups
}

// nameAxes says of every collective along which axes of the mesh it runs.
func (r *reader) nameAxes(v *Variant, groups map[int][]int) {
	if len(groups) == 0 {
		return
	}
	mesh := meshOf(r.m)
	if len(mesh) == 0 || len(mesh) > 8 {
		return
	}
	for i, devices := range groups {
		if k := &v.Kernels[i]; len(devices) > 1 && k.Axes == "" {
			named := *k.Form
			named.Axes = axesOf(devices, mesh)
			k.Form = r.interner.form(named)
		}
	}
}

// axesOf finds the fewest axes whose devices, seen from the first one, are the group; "" when there are none.
func axesOf(group []int, mesh []axis) string {
	best := ""
	fewest := len(mesh) + 1
	for set := 1; set < 1<<len(mesh); set++ {
		var names []string
		for i := range mesh {
			if set>>i&1 == 1 && mesh[i].size > 1 {
				names = append(names, mesh[i].name)
			}
		}
		if len(names) < fewest && slices.Equal(group, devicesAlong(mesh, set)) {
			best, fewest = strings.Join(names, ", "), len(names)
		}
	}
	return best
}

// devicesAlong lists the devices that the chosen axes reach from the first device, in order.
func devicesAlong(mesh []axis, set int) []int {
	devices := []int{0}
	stride := 1
	for i := len(mesh) - 1; i >= 0; i-- {
		if set>>i&1 == 1 {
			devices = spread(devices, mesh[i].size, stride)
		}
		stride *= mesh[i].size
	}
	slices.Sort(devices)
	return devices
}

// spread repeats devices along one more axis.
func spread(devices []int, size, stride int) []int {
	if size < 1 || len(devices)*size > maxDevices {
		return nil
	}
	out := make([]int, 0, len(devices)*size)
	for at := range size {
		for _, d := range devices {
			out = append(out, d+at*stride)
		}
	}
	return out
}

// firstGroup lists the devices of a collective's first group, in order; nil where the spelling does not tell.
func (r *reader) firstGroup(id hlo.InstrID) []int {
	printed, _ := r.m.Attr(id, "replica_groups")
	var group []int
	switch {
	case strings.HasPrefix(printed, "{{"):
		first, _, _ := strings.Cut(printed[2:], "}")
		group = numbers(first)
	case strings.HasPrefix(printed, "["):
		group = iotaGroup(printed)
	case strings.HasPrefix(printed, "mesh["):
		group = meshGroup(printed)
	}
	slices.Sort(group)
	return group
}

// numbers reads a list of numbers; nil when one is none.
func numbers(list string) []int {
	var out []int
	for _, digits := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if err != nil || n < 0 || len(out) >= maxDevices {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// iotaGroup reads the first group of [2,4]<=[8] or [4,2]<=[2,4]T(1,0).
func iotaGroup(printed string) []int {
	shape, rest, _ := strings.Cut(strings.TrimPrefix(printed, "["), "]")
	sizes := numbers(shape)
	rest, ok := strings.CutPrefix(rest, "<=[")
	list, order, _ := strings.Cut(rest, "]")
	dims := numbers(list)
	if !ok || len(sizes) == 0 || len(dims) == 0 {
		return nil
	}
	perm := numbers(strings.TrimSuffix(strings.TrimPrefix(order, "T("), ")"))
	if perm == nil {
		for d := range dims {
			perm = append(perm, d)
		}
	}
	return transposed(dims, perm, sizes[len(sizes)-1])
}

// transposed lists the first n ids of an iota of the given dimensions after a transposition.
func transposed(dims, perm []int, n int) []int {
	if len(perm) != len(dims) || n > maxDevices {
		return nil
	}
	stride := make([]int, len(dims))
	for d, s := len(dims)-1, 1; d >= 0; d-- {
		stride[d] = s
		s *= dims[d]
	}
	ids := make([]int, n)
	for i := range ids {
		rest := i
		for p := len(perm) - 1; p >= 0; p-- {
			if perm[p] >= len(dims) || dims[perm[p]] == 0 {
				return nil
			}
			ids[i] += rest % dims[perm[p]] * stride[perm[p]]
			rest /= dims[perm[p]]
		}
	}
	return ids
}

// meshGroup reads the first group of mesh['a'=2,'b'=4] {'b'}; an axis `'a':(2)4` is the part of 'a' of size 4 behind one of 2.
func meshGroup(printed string) []int {
	all, rest, _ := strings.Cut(printed[len("mesh["):], "]")
	sizes, strides := map[string]int{}, map[string]int{}
	axes := strings.Split(all, ",")
	total := 1
	for i := len(axes) - 1; i >= 0; i-- {
		name, digits, _ := strings.Cut(axes[i], "=")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || total > maxDevices {
			return nil
		}
		sizes[axisName(name)], strides[axisName(name)] = n, total
		total *= n
	}
	at := strings.LastIndexByte(rest, '{')
	if at < 0 {
		return nil
	}
	devices := []int{0}
	for _, entry := range strings.Split(strings.TrimRight(rest[at+1:], "} "), ",") {
		name, part, split := strings.Cut(entry, ":")
		size, stride := sizes[axisName(name)], strides[axisName(name)]
		if split {
			before, after, _ := strings.Cut(strings.TrimPrefix(part, "("), ")")
			pre, _ := strconv.Atoi(before)
			n, _ := strconv.Atoi(after)
			if pre < 1 || n < 1 {
				return nil
			}
			size, stride = n, stride*size/(pre*n)
		}
		devices = spread(devices, size, stride)
	}
	return devices
}

// shardingSpec spells how the model spreads an argument over its mesh, as JAX does: P('data', None). It is "" for an argument that
// no axis splits.
func shardingSpec(frontendAttributes string) string {
	_, rest, ok := strings.Cut(frontendAttributes, `xla.sdy.sharding="#sdy.sharding<@`)
	if !ok {
		return ""
	}
	return spelledSpec(rest)
}

// spelledSpec returns the text after the mesh's name in a sharding of Shardy: mesh, [{"data"}, {}]>.
func spelledSpec(sharding string) string {
	_, rest, _ := strings.Cut(sharding, "[")
	dims, _, _ := strings.Cut(rest, "]")
	var axes [][]string
	for _, dim := range strings.Split(dims, "{")[1:] {
		axes = append(axes, axisNames(dim))
	}
	return partitionSpec(axes)
}

// partitionSpec spells the axes that split each dimension as JAX does, ('data', None); "" where none splits any.
func partitionSpec(dims [][]string) string {
	var parts []string
	split := false
	for _, names := range dims {
		split = split || len(names) > 0
		switch len(names) {
		case 0:
			parts = append(parts, "None")
		case 1:
			parts = append(parts, names[0])
		default:
			parts = append(parts, "("+strings.Join(names, ", ")+")")
		}
	}
	if !split {
		return ""
	}
	return "P(" + strings.Join(parts, ", ") + ")"
}

// axisNames lists the quoted names in one dimension's part of a sharding.
func axisNames(dim string) []string {
	dim, _, _ = strings.Cut(dim, "}")
	var names []string
	for _, word := range strings.Split(dim, ",") {
		name, part, isPart := strings.Cut(word, ":")
		if name = strings.Trim(name, ` '"\?`); name == "" {
			continue
		}
		name = "'" + name + "'"
		if isPart {
			name += ":" + part
		}
		names = append(names, name)
	}
	return names
}
