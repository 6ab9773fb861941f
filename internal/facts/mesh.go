package facts

import (
	"slices"
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
func (r *reader) firstGroups(launches []launch) map[int][]int64 {
	first := map[int][]int64{}
	for i, l := range launches {
		if l.moves == hlo.NoInstr {
			continue
		}
		if groups := parseGroups(r.attr(l.moves, "replica_groups")); len(groups) > 0 {
			first[i] = slices.Sorted(slices.Values(groups[0]))
		}
	}
	return first
}

// nameAxes says of every collective along which axes of the mesh it runs.
func (r *reader) nameAxes(v *Variant, groups map[int][]int64) {
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
func axesOf(group []int64, mesh []axis) string {
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
func devicesAlong(mesh []axis, set int) []int64 {
	devices, stride := []int64{0}, int64(1)
	for i := len(mesh) - 1; i >= 0; i-- {
		if set>>i&1 == 1 {
			devices = spread(devices, int64(mesh[i].size), stride)
		}
		stride *= int64(mesh[i].size)
	}
	slices.Sort(devices)
	return devices
}

// spread repeats devices along one more axis.
func spread(devices []int64, size, stride int64) []int64 {
	if size < 1 || int64(len(devices))*size > maxDevices {
		return nil
	}
	out := make([]int64, 0, int64(len(devices))*size)
	for at := range size {
		for _, d := range devices {
			out = append(out, d+at*stride)
		}
	}
	return out
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
