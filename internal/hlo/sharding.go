package hlo

import (
	"slices"
	"strconv"
)

// The types of an OpSharding.
const (
	shardingReplicated = iota
	shardingMaximal
	shardingTuple
	shardingOther
)

var shardingNames = []string{"replicated", "maximal", "tuple", "other", "manual", "unknown", "unreduced"}

func shardingName(kind int64) string {
	return shardingNames[min(uint64(kind), uint64(len(shardingNames)-1))]
}

// appendSharding prints an OpSharding, braces included.
func (p *attrPrinter) appendSharding(b []byte, body Range, depth int) []byte {
	s := p.inside(body)
	kind, devices := s.number(1), s.list(4) // type, tile_assignment_devices
	switch {
	case kind == shardingTuple && depth == 0:
		b = append(b, '{')
		for i, e := range s.bodies(5) { // tuple_shardings
			b = p.appendSharding(appendSeparator(b, i), e, 1)
		}
		return append(b, '}')
	case s.body(14).Len() > 0: // named_sharding
		return p.appendNamedSharding(b, s.body(14))
	}
	b = append(b, '{')
	switch {
	case kind == shardingOther:
		b = appendTiles(b, &s)
	case kind == shardingMaximal && len(devices) > 0:
		b = strconv.AppendInt(append(b, "maximal device="...), devices[0], 10)
	default:
		b = append(b, shardingName(kind)...)
	}
	if s.number(11) != 0 { // is_shard_group, shard_group_id, shard_group_type
		b = append(append(b, " shard_"...), []string{"as ", "like "}[min(uint64(s.number(13)), 1)]...)
		b = strconv.AppendInt(b, s.number(12), 10)
	}
	return append(b, '}')
}

// appendTiles prints the tiles of an OpSharding: "devices=[2,2,2]<=[8] last_tile_dim_replicate".
func appendTiles(b []byte, s *message) []byte {
	b = append(appendList(append(b, "devices=["...), s.list(3)), ']') // tile_assignment_dimensions
	if reshape := s.list(9); len(reshape) > 0 {                       // iota_reshape_dims, iota_transpose_perm
		b = appendIota(append(b, "<="...), reshape, s.list(10))
	} else {
		b = appendList(b, s.list(4)) // tile_assignment_devices
	}
	if s.number(6) != 0 { // replicate_on_last_tile_dim
		b = append(b, " last_tile_dim_replicate"...)
	}
	kinds := s.list(8) // last_tile_dims
	if len(kinds) == 0 {
		return b
	}
	b = appendEach(append(b, " last_tile_dims={"...), kinds, ", ", func(b []byte, kind int64) []byte { return append(b, shardingName(kind)...) })
	return append(b, '}')
}

// appendNamedSharding prints a NamedShardingProto: "{mesh['a'=2,'b'=2], [{'a'}, {?}], replicated={'b'}}".
func (p *attrPrinter) appendNamedSharding(b []byte, body Range) []byte {
	s := p.inside(body)
	mesh := p.mesh(s.body(2))
	b = mesh.append(append(b, '{'))
	if len(mesh.axes) > 0 {
		b = append(b, ", ["...)
		b = appendEach(b, s.bodies(3), ", ", func(b []byte, body Range) []byte { return p.appendDimSharding(b, &mesh, body) })
		b = append(b, ']')
	}
	b = p.appendAxes(b, "replicated", &mesh, s.bodies(4))
	b = p.appendAxes(b, "unreduced", &mesh, s.bodies(5))
	b = p.appendAxes(b, "manual", &mesh, s.bodies(7))
	return append(b, '}')
}

// appendDimSharding prints "{'a', 'b', ?}": the axes of one dimension, and `?` where more may be added.
func (p *attrPrinter) appendDimSharding(b []byte, m *mesh, body Range) []byte {
	dim := p.inside(body) // axes, is_closed
	axes := dim.bodies(1)
	b = p.appendAxisRefs(append(b, '{'), m, axes, ", ")
	switch {
	case dim.number(2) != 0:
		return append(b, '}')
	case len(axes) > 0:
		b = append(b, ", "...)
	}
	return append(b, "?}"...)
}

// appendAxes prints ", replicated={'a', 'b'}", and nothing without axes.
func (p *attrPrinter) appendAxes(b []byte, name string, m *mesh, axes []Range) []byte {
	if len(axes) == 0 {
		return b
	}
	b = append(append(append(b, ", "...), name...), "={"...)
	return append(p.appendAxisRefs(b, m, axes, ", "), '}')
}

func (p *attrPrinter) appendAxisRefs(b []byte, m *mesh, axes []Range, separator string) []byte {
	return appendEach(b, axes, separator, func(b []byte, axis Range) []byte { return p.appendAxis(b, m, axis) })
}

// domain prints domain={kind="sharding", entry={...}, exit={...}}. XLA prints the entry of the proto as the exit.
func (p *attrPrinter) domain() {
	p.value = append(p.value, `{kind="sharding", entry=`...)
	p.value = p.appendSharding(p.value, p.body(55), 0)
	p.value = append(p.value, ", exit="...)
	p.value = append(p.appendSharding(p.value, p.body(54), 0), '}')
	p.emit("domain")
}

// appendSeparator separates the i-th entry of a long list as XLA does.
func appendSeparator(b []byte, i int) []byte {
	if i == 0 {
		return b
	}
	b = append(b, ", "...)
	if i%5 != 0 {
		return b
	}
	b = append(b, "/*index="...)
	return append(strconv.AppendInt(b, int64(i), 10), "*/"...)
}

// mesh is a MeshProto.
type mesh struct {
	axes       []MeshAxis
	devices    []int64
	dims, perm []int64 // of the iota that permutes the devices
}

func (p *attrPrinter) mesh(body Range) (m mesh) {
	mesh := p.inside(body) // axes, device_ids, iota_transform
	for _, body := range mesh.bodies(1) {
		axis := p.inside(body) // name, size
		m.axes = append(m.axes, MeshAxis{string(p.bytes(axis.body(1))), axis.number(2)})
	}
	iota := p.inside(mesh.body(3)) // reshape_dims, transpose_perm
	m.devices, m.dims, m.perm = mesh.list(2), iota.list(1), iota.list(2)
	return m
}

// append prints "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0))".
func (m *mesh) append(b []byte) []byte {
	if len(m.axes) == 0 && len(m.devices) == 1 {
		b = append(b, "maximal_mesh[device_id="...)
		return append(strconv.AppendInt(b, m.devices[0], 10), ']')
	}
	b = appendEach(append(b, "mesh["...), m.axes, ",", func(b []byte, a MeshAxis) []byte {
		b = append(append(append(b, '\''), a.Name...), "'="...)
		return strconv.AppendInt(b, a.Size, 10)
	})
	b = append(b, ']')
	switch {
	case len(m.dims) > 0:
		b = append(appendIota(append(b, ", device_ids=("...), m.dims, m.perm), ')')
	case len(m.devices) > 0:
		b = append(appendList(append(b, ", device_ids=("...), m.devices), ')')
	}
	return b
}

// appendAxis prints an AxisRefProto: "'a'", or "'a':(1)2" for a part of an axis.
func (p *attrPrinter) appendAxis(b []byte, m *mesh, body Range) []byte {
	ref := p.inside(body) // mesh_axis_index, sub_axis_info
	axis, part := uint64(ref.number(1)), p.numbersOf(ref.body(2))
	if axis >= uint64(len(m.axes)) {
		return strconv.AppendUint(append(b, '#'), axis, 10)
	}
	b = append(append(append(b, '\''), m.axes[axis].Name...), '\'')
	if part == ([8]int64{}) {
		return b
	}
	b = strconv.AppendInt(append(b, ":("...), part[1], 10)
	return strconv.AppendInt(append(b, ')'), part[2], 10)
}

func (p *attrPrinter) sourceTargetPairs() {
	p.each("source_target_pairs", 52, ",", func(b []byte, body Range) []byte {
		n := p.numbersOf(body)
		return append(appendList(append(b, '{'), n[1:3]), '}')
	})
}

// sliceSizes prints the sizes of the slices that a permutation in place moves: slice_sizes={{4,8},{4,8}}. The file holds one list for all.
func (p *attrPrinter) sliceSizes() {
	sizes, operands := p.list(20), listAt(p.m.operands, p.in.operands)
	if len(sizes) == 0 || len(operands) == 0 {
		return
	}
	s := p.m.Shape(p.m.Instrs[operands[0]].Shape)
	for len(s.Elements) > 0 {
		s = p.m.Shape(s.Elements[0])
	}
	rank := len(s.Dims)
	if rank == 0 {
		return
	}
	p.value = append(p.value, '{')
	for size := range slices.Chunk(sizes, rank) {
		if len(p.value) > 1 {
			p.value = append(p.value, ',')
		}
		p.value = append(appendList(append(p.value, '{'), size), '}')
	}
	p.value = append(p.value, '}')
	p.emit("slice_sizes")
}

// replicaGroups prints the groups in the form in which the file has them: lists, iota or mesh axes.
func (p *attrPrinter) replicaGroups() {
	switch {
	case p.has(93): // mesh_axes_replica_group_list
		groups := p.inside(p.body(93)) // mesh, axes
		mesh := p.mesh(groups.body(1))
		p.value = append(mesh.append(p.value), " {"...)
		p.value = append(p.appendAxisRefs(p.value, &mesh, groups.bodies(2), ","), '}')
	case p.has(92): // iota_collective_device_list
		p.value = p.appendIotaGroups(p.value, p.body(92))
	case p.has(87): // collective_device_list
		devices := p.inside(p.body(87)) // replica_groups, iota_replica_group_list
		if devices.has(2) {
			p.value = p.appendIotaGroups(p.value, devices.body(2))
		} else {
			p.value = append(appendEach(append(p.value, '{'), devices.bodies(1), ",", p.appendGroup), '}')
		}
	default:
		p.each("replica_groups", 49, ",", p.appendGroup)
		return
	}
	p.emit("replica_groups")
}

// appendGroup prints a ReplicaGroup.
func (p *attrPrinter) appendGroup(b []byte, body Range) []byte {
	group := p.inside(body)
	return append(appendList(append(b, '{'), group.list(1)), '}')
}

// appendIotaGroups prints an IotaReplicaGroupListProto: "[2,4]<=[4,2]T(1,0)".
func (p *attrPrinter) appendIotaGroups(b []byte, body Range) []byte {
	m := p.inside(body) // num_replica_groups, num_devices_per_group, iota_reshape_dims, iota_transpose_perm
	b = strconv.AppendInt(append(b, '['), m.number(1), 10)
	b = strconv.AppendInt(append(b, ','), m.number(2), 10)
	return appendIota(append(b, "]<="...), m.list(3), m.list(4))
}

// appendIota prints "[4,2]T(1,0)", without the permutation when it keeps the order.
func appendIota(b []byte, dims, perm []int64) []byte {
	b = append(appendList(append(b, '['), dims), ']')
	if len(perm) > 1 {
		b = append(appendList(append(b, "T("...), perm), ')')
	}
	return b
}
