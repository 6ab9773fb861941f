package hlo

import (
	"slices"
	"strconv"
)

func (p *attrPrinter) sourceTargetPairs() {
	p.each("source_target_pairs", 52, ",", func(b []byte, body Range) []byte {
		n := p.numbersOf(body)
		return append(appendList(append(b, '{'), n[1:3]), '}')
	})
}

// sliceSizes prints the sizes of the slices that a permutation in place moves: slice_sizes={{4,8},{4,8}}. The file holds one list for all.
func (p *attrPrinter) sliceSizes() {
	sizes, rank := p.list(20), p.operandRank()
	if len(sizes) == 0 || rank == 0 {
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

// operandRank returns the rank of the first operand, of its first element where it is a tuple.
func (p *attrPrinter) operandRank() int {
	operands := listAt(p.m.operands, p.in.operands)
	if len(operands) == 0 {
		return 0
	}
	s := p.m.Shape(p.m.Instrs[operands[0]].Shape)
	for len(s.Elements) > 0 {
		s = p.m.Shape(s.Elements[0])
	}
	return len(s.Dims)
}

// replicaGroups prints the groups in the form in which the file has them: lists, iota or mesh axes.
func (p *attrPrinter) replicaGroups() {
	switch {
	case p.has(93): // mesh_axes_replica_group_list
		p.value = p.appendMeshGroups(p.value, p.body(93))
	case p.has(92): // iota_collective_device_list
		p.value = p.appendIotaGroups(p.value, p.body(92))
	case p.has(87): // collective_device_list
		p.value = p.appendDeviceList(p.value, p.body(87))
	default:
		p.each("replica_groups", 49, ",", p.appendGroup)
		return
	}
	p.emit("replica_groups")
}

// appendDeviceList prints a CollectiveDeviceListProto.
func (p *attrPrinter) appendDeviceList(b []byte, body Range) []byte {
	devices := p.inside(body) // replica_groups, iota_replica_group_list
	if devices.has(2) {
		return p.appendIotaGroups(b, devices.body(2))
	}
	return append(appendEach(append(b, '{'), devices.bodies(1), ",", p.appendGroup), '}')
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

// appendMeshGroups prints a MeshAxesReplicaGroupListProto: "mesh['a'=2,'b'=4] {'a'}".
func (p *attrPrinter) appendMeshGroups(b []byte, body Range) []byte {
	groups := p.inside(body) // mesh, axes
	mesh := p.mesh(groups.body(1))
	b = append(mesh.append(b), " {"...)
	return append(p.appendAxisRefs(b, &mesh, groups.bodies(2), ","), '}')
}
