package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// meshOf reads the mesh from a module's header, {mesh = #sdy.mesh<["data"=2, "model"=4]>}, or else from the shardings. It returns none for a module
// with several meshes, whose axes would be ambiguous.
func meshOf(m *hlo.Module) []hlo.MeshAxis {
	printed, ok := m.Header.Attributes["xla.sdy.meshes"]
	if !ok {
		return meshInShardings(m)
	}
	_, rest, ok := strings.Cut(printed, "#sdy.mesh<[")
	if !ok || strings.Contains(rest, "#sdy.mesh<[") {
		return nil
	}
	list, _, _ := strings.Cut(rest, "]")
	return hlo.MeshAxes(list)
}

// partitioner says which of XLA's partitioners an unoptimized module was written for: Shardy names its meshes in the header, since JAX 0.12 in every sharding, and
// GSPMD only lists devices. It is "" where no argument tells.
func partitioner(m *hlo.Module) string {
	if _, named := m.Header.Attributes["xla.sdy.meshes"]; named {
		return "shardy"
	}
	found := ""
	for _, id := range m.Params(m.Entry) {
		switch printed := m.AttrText(id, "sharding"); {
		case strings.Contains(printed, "mesh["):
			return "shardy"
		case strings.Contains(printed, "devices="):
			found = "gspmd"
		}
	}
	return found
}

// firstGroups lists the devices of each collective's first group, by kernel.
func (r *reader) firstGroups(launches []launch) map[int][]int64 {
	first := map[int][]int64{}
	for i, l := range launches {
		if l.moves == hlo.NoInstr {
			continue
		}
		if groups := parseGroups(r.m.AttrText(l.moves, "replica_groups")); len(groups) > 0 {
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
func axesOf(group []int64, mesh []hlo.MeshAxis) string {
	best := ""
	fewest := len(mesh) + 1
	for set := 1; set < 1<<len(mesh); set++ {
		var names []string
		for i := range mesh {
			if set>>i&1 == 1 && mesh[i].Size > 1 {
				names = append(names, mesh[i].Name)
			}
		}
		if len(names) < fewest && slices.Equal(group, slices.Sorted(slices.Values(hlo.DevicesAlong(mesh, func(axis int) bool { return set>>axis&1 == 1 })))) {
			best, fewest = strings.Join(names, ", "), len(names)
		}
	}
	return best
}

// spelledSpec spells how the model spreads a value over its mesh, as JAX does, P('data', None), from the text after the mesh's name in a sharding of Shardy:
// mesh, [{"data"}, {}]>. It is "" where no axis splits the value.
func spelledSpec(sharding string) string {
	_, rest, _ := strings.Cut(sharding, "[")
	dims, _, _ := strings.Cut(rest, "]")
	return partitionSpec(phrase.Map(strings.Split(dims, "{")[1:], axisNames))
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

// namedSharding is a sharding by the axes of a mesh, as JAX 0.12 hands it to the compiler: {mesh['a'=2,'b'=4], [{'a'}, {?}], replicated={'b'}}.
type namedSharding struct {
	mesh []hlo.MeshAxis
	dims [][]string // the axes that split each dimension, 'a' or 'a':(1)2 for a part of one
	more string     // what follows the dimensions, and the order of the devices where they have one
}

const (
	replicatedSharding = "{replicated}"
	namedPrefix        = "{mesh["
	maximalPrefix      = "{maximal_mesh[device_id="
)

// parseNamed reads a sharding by axes; not ok where it is spelled otherwise.
func parseNamed(printed string) (s namedSharding, ok bool) {
	list, rest, ok := strings.Cut(strings.TrimPrefix(printed, namedPrefix), "]")
	if !ok || !strings.HasPrefix(printed, namedPrefix) {
		return s, false
	}
	if s.mesh = hlo.MeshAxes(list); len(s.mesh) == 0 {
		return s, false
	}
	rest = strings.TrimSuffix(rest, "}")
	at := strings.Index(rest, ", [")
	if at < 0 { // of a value without dimensions
		s.more = strings.TrimSuffix(rest, ", replicated")
		return s, true
	}
	dims, behind, _ := strings.Cut(rest[at+len(", ["):], "]")
	s.more = rest[:at] + behind
	s.dims = phrase.Map(strings.Split(dims, "{")[1:], axisNames)
	return s, true
}

// InTiles says how a value is divided among the devices, in the two ways that are kept: as HLO printed it before there were names, {devices=[8,1]<=[8]}, so that
// one model's baselines can be compared across versions, and as the model says it, P('x', None).
func InTiles(printed string) (tiles, spec string) {
	if device, is := strings.CutPrefix(printed, maximalPrefix); is {
		return "{maximal device=" + strings.TrimSuffix(device, "]}") + "}", ""
	}
	s, ok := parseNamed(printed)
	if !ok {
		return printed, ""
	}
	if spec = partitionSpec(s.dims); spec == "" && !strings.Contains(s.more, "unreduced") && !strings.Contains(s.more, "manual") {
		return replicatedSharding, ""
	}
	if tiles, ok = s.tiles(); !ok {
		return printed, spec
	}
	return tiles, spec
}

// tiles is the sharding in tiles; not ok where it says what tiles cannot, or splits an axis.
func (s *namedSharding) tiles() (string, bool) {
	if rest := strings.Trim(s.more, ", "); rest != "" && (!strings.HasPrefix(rest, "replicated={") || strings.IndexByte(rest, '}') != len(rest)-1) {
		return "", false
	}
	var used []int // axes, by where they are in the mesh
	var sizes []int64
	for _, dim := range s.dims {
		size := int64(1)
		for _, name := range dim {
			at := slices.IndexFunc(s.mesh, func(a hlo.MeshAxis) bool { return "'"+a.Name+"'" == name })
			if at < 0 || slices.Contains(used, at) {
				return "", false
			}
			size *= s.mesh[at].Size
			used = append(used, at)
		}
		sizes = append(sizes, size)
	}
	rest := int64(1)
	for at := range s.mesh {
		if !slices.Contains(used, at) {
			rest *= s.mesh[at].Size
			used = append(used, at)
		}
	}
	if !slices.ContainsFunc(sizes, func(n int64) bool { return n > 1 }) {
		return replicatedSharding, true // axes of one device split nothing
	}
	last := ""
	if rest > 1 {
		sizes, last = append(sizes, rest), " last_tile_dim_replicate"
	}
	return "{devices=" + bracketed(sizes) + "<=" + deviceOrder(s.mesh, used) + last + "}", true
}

// deviceOrder spells the devices of a mesh whose axes are taken in another order, as XLA does: axes that stay neighbours are one, [8] or [2,4]T(1,0).
func deviceOrder(mesh []hlo.MeshAxis, order []int) string {
	order = slices.DeleteFunc(order, func(at int) bool { return mesh[at].Size == 1 })
	var firsts []int // of each run of neighbours
	sizes := map[int]int64{}
	for i, at := range order {
		if i > 0 && follows(mesh, order[i-1], at) {
			sizes[firsts[len(firsts)-1]] *= mesh[at].Size
			continue
		}
		firsts, sizes[at] = append(firsts, at), mesh[at].Size
	}
	sorted := slices.Sorted(slices.Values(firsts))
	dims := phrase.Map(sorted, func(at int) int64 { return sizes[at] })
	perm := phrase.Map(firsts, func(at int) int64 { return int64(slices.Index(sorted, at)) })
	if len(perm) < 2 {
		return bracketed(dims)
	}
	return bracketed(dims) + "T(" + strings.Trim(bracketed(perm), "[]") + ")"
}

// follows reports whether an axis is the next of a mesh behind another, but for axes of one device.
func follows(mesh []hlo.MeshAxis, before, at int) bool {
	return before < at && !slices.ContainsFunc(mesh[before+1:at], func(a hlo.MeshAxis) bool { return a.Size > 1 })
}

func bracketed(numbers []int64) string {
	return "[" + strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",") + "]"
}

// meshInShardings reads the mesh off the shardings of a module's entry computation; nil where they name none, or several.
func meshInShardings(m *hlo.Module) []hlo.MeshAxis {
	var mesh []hlo.MeshAxis
	for id, end := m.Body(m.Entry); id < end; id++ {
		printed := m.AttrText(id, "sharding")
		if strings.HasPrefix(printed, "{{") {
			printed = printed[1:]
		}
		s, ok := parseNamed(printed)
		switch {
		case !ok:
		case mesh != nil && !slices.Equal(mesh, s.mesh):
			return nil
		default:
			mesh = s.mesh
		}
	}
	return mesh
}

// shardingTarget is the custom call that with_sharding_constraint becomes.
const shardingTarget = "Sharding"

// constraint is a sharding constraint as the model spells it, "Sharding P('data', None)", or as the compiler does where that was not dumped.
func (w *modelWalk) constraint(id hlo.InstrID) string {
	if _, spec, ok := strings.Cut(w.r.m.AttrText(id, "frontend_attributes"), `xla.sdy.sharding="#sdy.sharding_per_value<[<@`); ok {
		if spelled := spelledSpec(spec); spelled != "" {
			return shardingTarget + " " + spelled
		}
		return shardingTarget + " P()"
	}
	printed := w.r.m.AttrText(id, "sharding")
	sharding, spec := InTiles(printed)
	if sharding == replicatedSharding && sharding != printed {
		spec = "P()"
	}
	return strings.TrimSpace(shardingTarget + " " + cmp.Or(spec, sharding))
}
