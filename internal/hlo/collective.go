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
	sizes, rank := p.repeated(20), p.operandRank()
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
	var groups []Range
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // replica_groups
			groups = append(groups, f.body)
		case 2<<3 | wireBytes: // iota_replica_group_list
			return p.appendIotaGroups(b, f.body)
		}
	}
	p.walked(&f)
	return append(appendEach(append(b, '{'), groups, ",", p.appendGroup), '}')
}

// appendGroup prints a ReplicaGroup.
func (p *attrPrinter) appendGroup(b []byte, group Range) []byte {
	return append(appendList(append(b, '{'), p.lists(group)[1]), '}')
}

// appendIotaGroups prints an IotaReplicaGroupListProto: "[2,4]<=[4,2]T(1,0)".
func (p *attrPrinter) appendIotaGroups(b []byte, body Range) []byte {
	n := p.lists(body) // num_replica_groups, num_devices_per_group, iota_reshape_dims, iota_transpose_perm
	b = strconv.AppendInt(append(b, '['), last(n[1]), 10)
	b = strconv.AppendInt(append(b, ','), last(n[2]), 10)
	return appendIota(append(b, "]<="...), n[3], n[4])
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
	var axes []Range
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // mesh
			mesh = p.mesh(f.body)
		case 2<<3 | wireBytes: // axes
			axes = append(axes, f.body)
		}
	}
	p.walked(&f)
	b = append(mesh.append(b), " {"...)
	return append(p.appendAxisRefs(b, &mesh, axes, ","), '}')
}
