package hlo

import "strconv"

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
			m.dims, m.perm = p.iotaTransform(f.body)
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

func (p *attrPrinter) iotaTransform(body Range) (dims, perm []int64) {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes, 1<<3 | wireVarint: // reshape_dims
			dims = appendNumbers(dims, &f)
		case 2<<3 | wireBytes, 2<<3 | wireVarint: // transpose_perm
			perm = appendNumbers(perm, &f)
		}
	}
	p.walked(&f)
	return dims, perm
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
