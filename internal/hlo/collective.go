package hlo

import (
	"slices"
	"strconv"
)

func (p *attrPrinter) channel() { p.integerUnless("channel_id", p.number(26), 0) }

func (p *attrPrinter) transfer() {
	p.channel()
	p.flag("is_host_transfer", 47)
}

// collective prints what every collective has.
func (p *attrPrinter) collective() {
	p.grouped()
	p.flag("use_global_device_ids", 71)
}

func (p *attrPrinter) grouped() {
	p.channel()
	p.replicaGroups()
	p.flag("constrain_layout", 56)
}

func (p *attrPrinter) gathering() {
	p.grouped()
	p.dimensions()
	p.flag("use_global_device_ids", 71)
}

func (p *attrPrinter) scattering() {
	p.collective()
	p.dimensions()
}

func (p *attrPrinter) splitting() {
	p.grouped()
	p.listUnlessEmpty("dimensions", p.repeated(14))
}

func (p *attrPrinter) permute() {
	p.channel()
	p.value = append(p.value, '{')
	p.each(52, func(i int, body Range) {
		if i > 0 {
			p.value = append(p.value, ',')
		}
		n := p.numbersOf(body)
		p.value = strconv.AppendInt(append(p.value, '{'), n[1], 10)
		p.value = strconv.AppendInt(append(p.value, ','), n[2], 10)
		p.value = append(p.value, '}')
	})
	p.value = append(p.value, '}')
	p.emit("source_target_pairs")
	p.sliceSizes()
}

// sliceSizes prints what a permutation in place moves: slice_sizes={{4,8},{4,8}}. The file holds one list for all slices.
func (p *attrPrinter) sliceSizes() {
	sizes, rank := p.repeated(20), p.operandRank()
	if len(sizes) == 0 || rank == 0 {
		return
	}
	p.value = append(p.value, '{')
	for i, size := range slices.Collect(slices.Chunk(sizes, rank)) {
		if i > 0 {
			p.value = append(p.value, ',')
		}
		p.value = append(appendList(append(p.value, '{'), size), '}')
	}
	p.value = append(p.value, '}')
	p.emit("slice_sizes")
}

// operandRank is the rank of the first operand, of its first element where it is a tuple.
func (p *attrPrinter) operandRank() int {
	operands := list(p.m.operands, p.in.operands)
	if len(operands) == 0 {
		return 0
	}
	s := p.m.Shape(p.m.Instrs[operands[0]].Shape)
	for len(s.Elements) > 0 {
		s = p.m.Shape(s.Elements[0])
	}
	return len(s.Dims)
}

func (p *attrPrinter) async() {
	if p.has(78) {
		p.integerUnless("async_group_id", p.number(78), -1)
	}
	if thread := p.m.Text(p.body(79)); thread != "" && thread != "main" {
		p.word("async_execution_thread", thread)
	}
	p.aliasing()
}

// replicaGroups prints the groups in the spelling that the file keeps them in: lists, iota or mesh axes.
func (p *attrPrinter) replicaGroups() {
	b := p.value
	switch {
	case p.has(93): // mesh_axes_replica_group_list
		b = p.appendMeshGroups(b, p.body(93))
	case p.has(92): // iota_collective_device_list
		b = p.appendIotaGroups(b, p.body(92))
	case p.has(87): // collective_device_list
		b = p.appendDeviceList(b, p.body(87))
	default:
		b = append(b, '{')
		p.each(49, func(i int, body Range) { b = p.appendGroup(b, i, body) })
		b = append(b, '}')
	}
	p.value = b
	p.emit("replica_groups")
}

// appendDeviceList prints a CollectiveDeviceListProto.
func (p *attrPrinter) appendDeviceList(b []byte, body Range) []byte {
	start, groups := len(b), 0
	b = append(b, '{')
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // replica_groups
			b = p.appendGroup(b, groups, f.body)
			groups++
		case 2<<3 | wireBytes: // iota_replica_group_list
			return p.appendIotaGroups(b[:start], f.body)
		}
	}
	p.walked(&f)
	return append(b, '}')
}

// appendGroup prints the i-th ReplicaGroup of a list.
func (p *attrPrinter) appendGroup(b []byte, i int, group Range) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = append(b, '{')
	f := p.walk(group)
	for f.next() {
		if f.tag == 1<<3|wireBytes || f.tag == 1<<3|wireVarint { // replica_ids
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = appendList(b, appendNumbers(nil, &f))
		}
	}
	p.walked(&f)
	return append(b, '}')
}

// appendIotaGroups prints an IotaReplicaGroupListProto: "[2,4]<=[4,2]T(1,0)".
func (p *attrPrinter) appendIotaGroups(b []byte, body Range) []byte {
	var groups, size uint64
	var dims, perm []int64
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // num_replica_groups
			groups = f.value
		case 2<<3 | wireVarint: // num_devices_per_group
			size = f.value
		case 3<<3 | wireBytes, 3<<3 | wireVarint: // iota_reshape_dims
			dims = appendNumbers(dims, &f)
		case 4<<3 | wireBytes, 4<<3 | wireVarint: // iota_transpose_perm
			perm = appendNumbers(perm, &f)
		}
	}
	p.walked(&f)
	b = strconv.AppendUint(append(b, '['), groups, 10)
	b = strconv.AppendUint(append(b, ','), size, 10)
	b = append(b, "]<="...)
	return appendIota(b, dims, perm)
}

// appendIota prints "[4,2]T(1,0)", without the permutation when it keeps the order.
func appendIota(b []byte, dims, perm []int64) []byte {
	b = append(appendList(append(b, '['), dims), ']')
	if len(perm) > 1 {
		b = append(appendList(append(b, "T("...), perm), ')')
	}
	return b
}

// appendMeshGroups prints a MeshAxesReplicaGroupListProto: "mesh['a'=2,'b'=4] {'a'}".
func (p *attrPrinter) appendMeshGroups(b []byte, body Range) []byte {
	var mesh mesh
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // mesh
			mesh = p.mesh(f.body)
			b = append(mesh.append(b), " {"...)
		case 2<<3 | wireBytes: // axes
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = p.appendAxis(b, &mesh, f.body)
		}
	}
	p.walked(&f)
	return append(b, '}')
}
