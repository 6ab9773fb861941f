package hlo

import "strconv"

// sharding is an OpSharding; kind is an OpSharding.Type.
type sharding struct {
	kind             uint64
	dims, devices    []int64
	reshape, perm    []int64 // of an iota device assignment
	replicateLast    bool
	lastDims         []int64
	grouped          bool
	group, groupKind uint64
	elements         []Range
	named            Range
}

const (
	shardingReplicated = iota
	shardingMaximal
	shardingTuple
	shardingOther
)

var shardingNames = []string{"replicated", "maximal", "tuple", "other", "manual", "unknown", "unreduced"}

func (p *attrPrinter) sharding(body Range) (s sharding) {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // type
			s.kind = f.value
		case 3<<3 | wireBytes, 3<<3 | wireVarint: // tile_assignment_dimensions
			s.dims = appendNumbers(s.dims, &f)
		case 4<<3 | wireBytes, 4<<3 | wireVarint: // tile_assignment_devices
			s.devices = appendNumbers(s.devices, &f)
		case 5<<3 | wireBytes: // tuple_shardings
			s.elements = append(s.elements, f.body)
		case 6<<3 | wireVarint: // replicate_on_last_tile_dim
			s.replicateLast = f.value != 0
		case 8<<3 | wireBytes, 8<<3 | wireVarint: // last_tile_dims
			s.lastDims = appendNumbers(s.lastDims, &f)
		case 9<<3 | wireBytes, 9<<3 | wireVarint: // iota_reshape_dims
			s.reshape = appendNumbers(s.reshape, &f)
		case 10<<3 | wireBytes, 10<<3 | wireVarint: // iota_transpose_perm
			s.perm = appendNumbers(s.perm, &f)
		case 11<<3 | wireVarint: // is_shard_group
			s.grouped = f.value != 0
		case 12<<3 | wireVarint: // shard_group_id
			s.group = f.value
		case 13<<3 | wireVarint: // shard_group_type
			s.groupKind = f.value
		case 14<<3 | wireBytes: // named_sharding
			s.named = f.body
		}
	}
	p.walked(&f)
	return s
}

// appendSharding prints an OpSharding, braces included.
func (p *attrPrinter) appendSharding(b []byte, body Range, depth int) []byte {
	s := p.sharding(body)
	switch {
	case s.kind == shardingTuple && depth == 0:
		return p.appendTupleSharding(b, s.elements)
	case s.named.Len() > 0:
		return p.appendNamedSharding(b, s.named)
	}
	b = append(b, '{')
	switch {
	case s.kind == shardingOther:
		b = s.appendTiles(b)
	case s.kind == shardingMaximal && len(s.devices) > 0:
		b = strconv.AppendInt(append(b, "maximal device="...), s.devices[0], 10)
	default:
		b = append(b, shardingName(s.kind)...)
	}
	if s.grouped {
		b = append(append(b, " shard_"...), []string{"as ", "like "}[min(s.groupKind, 1)]...)
		b = strconv.AppendUint(b, s.group, 10)
	}
	return append(b, '}')
}

func shardingName(kind uint64) string {
	return shardingNames[min(kind, uint64(len(shardingNames)-1))]
}

func (p *attrPrinter) appendTupleSharding(b []byte, elements []Range) []byte {
	b = append(b, '{')
	for i, e := range elements {
		b = appendSeparator(b, i)
		b = p.appendSharding(b, e, 1)
	}
	return append(b, '}')
}

// appendTiles prints "devices=[2,2,2]<=[8] last_tile_dim_replicate".
func (s *sharding) appendTiles(b []byte) []byte {
	b = append(appendList(append(b, "devices=["...), s.dims), ']')
	if len(s.reshape) > 0 {
		b = appendIota(append(b, "<="...), s.reshape, s.perm)
	} else {
		b = appendList(b, s.devices)
	}
	if s.replicateLast {
		b = append(b, " last_tile_dim_replicate"...)
	}
	if len(s.lastDims) == 0 {
		return b
	}
	b = append(b, " last_tile_dims={"...)
	for i, kind := range s.lastDims {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, shardingName(uint64(kind))...)
	}
	return append(b, '}')
}

// appendNamedSharding prints a NamedShardingProto: "{mesh['a'=2,'b'=2], [{'a'}, {?}], replicated={'b'}}".
func (p *attrPrinter) appendNamedSharding(b []byte, body Range) []byte {
	var mesh mesh
	var dims, replicated, unreduced, manual []Range
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 2<<3 | wireBytes: // mesh
			mesh = p.mesh(f.body)
		case 3<<3 | wireBytes: // dim_shardings
			dims = append(dims, f.body)
		case 4<<3 | wireBytes: // replicated_axes
			replicated = append(replicated, f.body)
		case 5<<3 | wireBytes: // unreduced_axes
			unreduced = append(unreduced, f.body)
		case 7<<3 | wireBytes: // manual_axes
			manual = append(manual, f.body)
		}
	}
	p.walked(&f)
	b = mesh.append(append(b, '{'))
	if len(mesh.axes) > 0 {
		b = append(b, ", ["...)
		b = appendEach(b, dims, ", ", func(b []byte, body Range) []byte { return p.appendDimSharding(b, &mesh, body) })
		b = append(b, ']')
	}
	b = p.appendAxes(b, "replicated", &mesh, replicated)
	b = p.appendAxes(b, "unreduced", &mesh, unreduced)
	b = p.appendAxes(b, "manual", &mesh, manual)
	return append(b, '}')
}

// appendDimSharding prints "{'a', 'b', ?}": the axes of one dimension, and `?` where more may be added.
func (p *attrPrinter) appendDimSharding(b []byte, m *mesh, body Range) []byte {
	var axes []Range
	closed := false
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // axes
			axes = append(axes, f.body)
		case 2<<3 | wireVarint: // is_closed
			closed = f.value != 0
		}
	}
	p.walked(&f)
	b = p.appendAxisRefs(append(b, '{'), m, axes, ", ")
	switch {
	case closed:
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
	axes       []meshAxis
	devices    []int64
	dims, perm []int64 // of the iota that permutes the devices
}

type meshAxis struct {
	name string
	size int64
}

func (p *attrPrinter) mesh(body Range) (m mesh) {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // axes
			m.axes = append(m.axes, p.meshAxis(f.body))
		case 2<<3 | wireBytes, 2<<3 | wireVarint: // device_ids
			m.devices = appendNumbers(m.devices, &f)
		case 3<<3 | wireBytes: // iota_transform
			n := p.lists(f.body) // reshape_dims, transpose_perm
			m.dims, m.perm = n[1], n[2]
		}
	}
	p.walked(&f)
	return m
}

func (p *attrPrinter) meshAxis(body Range) (a meshAxis) {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // name
			a.name = p.m.Text(f.body)
		case 2<<3 | wireVarint: // size
			a.size = int64(f.value)
		}
	}
	p.walked(&f)
	return a
}

// append prints "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0))".
func (m *mesh) append(b []byte) []byte {
	if len(m.axes) == 0 && len(m.devices) == 1 {
		b = append(b, "maximal_mesh[device_id="...)
		return append(strconv.AppendInt(b, m.devices[0], 10), ']')
	}
	b = append(b, "mesh["...)
	for i, a := range m.axes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '\''), a.name...), "'="...)
		b = strconv.AppendInt(b, a.size, 10)
	}
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
	var axis uint64
	var part [8]int64
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // mesh_axis_index
			axis = f.value
		case 2<<3 | wireBytes: // sub_axis_info
			part = p.numbersOf(f.body)
		}
	}
	p.walked(&f)
	if axis >= uint64(len(m.axes)) {
		return strconv.AppendUint(append(b, '#'), axis, 10)
	}
	b = append(append(append(b, '\''), m.axes[axis].name...), '\'')
	if part == ([8]int64{}) {
		return b
	}
	b = strconv.AppendInt(append(b, ":("...), part[1], 10)
	return strconv.AppendInt(append(b, ')'), part[2], 10)
}
