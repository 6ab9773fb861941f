package hlo

// header reads what the text has on its first line and in its stack-frame tables.
func (r *protoReader) header(p *moduleFields) {
	h := &r.m.Header
	h.NumPartitions, h.ReplicaCount = 1, 1
	r.devices(p.devices)
	r.aliases(p.aliases)
	r.donors(p.donors)
	h.Attributes = r.attributes(p.attributes)
	r.frameTables(p.frames)
}

// devices reads a DeviceAssignmentProto, the only place where the counts stand.
func (r *protoReader) devices(body Range) {
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // replica_count
			r.m.Header.ReplicaCount = int64(f.value)
		case 2<<3 | wireVarint: // computation_count
			r.m.Header.NumPartitions = int64(f.value)
		}
	}
	r.finished(&f, "the device assignment", Range{})
}

func (r *protoReader) aliases(body Range) {
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // entries
			r.m.Header.Aliases = append(r.m.Header.Aliases, r.alias(f.body))
		}
	}
	r.finished(&f, "input_output_alias", Range{})
}

func (r *protoReader) alias(body Range) (a Alias) {
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes, 1<<3 | wireVarint: // output_shape_index
			a.Output = appendNumbers(a.Output, &f)
		case 2<<3 | wireVarint: // parameter_number
			a.Param = int64(f.value)
		case 3<<3 | wireBytes, 3<<3 | wireVarint: // parameter_shape_index
			a.ParamIndex = appendNumbers(a.ParamIndex, &f)
		case 4<<3 | wireVarint: // kind
			a.Must = f.value == 2
		}
	}
	r.finished(&f, "input_output_alias", Range{})
	return a
}

func (r *protoReader) donors(body Range) {
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // entries
			r.m.Header.Donors = append(r.m.Header.Donors, r.donor(f.body))
		}
	}
	r.finished(&f, "buffer_donor", Range{})
}

func (r *protoReader) donor(body Range) (d Donor) {
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // parameter_number
			d.Param = int64(f.value)
		case 2<<3 | wireBytes, 2<<3 | wireVarint: // parameter_shape_index
			d.ParamIndex = appendNumbers(d.ParamIndex, &f)
		}
	}
	r.finished(&f, "buffer_donor", Range{})
	return d
}

// attributes reads FrontendAttributes, a map; nil when there are none.
func (r *protoReader) attributes(body Range) map[string]string {
	var attributes map[string]string
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag != 1<<3|wireBytes { // map
			continue
		}
		if attributes == nil {
			attributes = make(map[string]string)
		}
		key, value := mapEntry(&f)
		attributes[r.m.Text(key)] = r.m.Text(value)
	}
	r.finished(&f, "frontend_attributes", Range{})
	return attributes
}

// mapEntry reads an entry of a map from string to string.
func mapEntry(f *fields) (key, value Range) {
	e := fieldsOf(f.src, f.body)
	for e.next() {
		switch e.tag {
		case 1<<3 | wireBytes:
			key = e.body
		case 2<<3 | wireBytes:
			value = e.body
		}
	}
	f.broken = e.broken
	return key, value
}

// frameTables reads a StackFrameIndexProto.
func (r *protoReader) frameTables(body Range) {
	t := &r.m.frames
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // file_names
			t.files = append(t.files, r.m.Text(f.body))
		case 2<<3 | wireBytes: // function_names
			t.functions = append(t.functions, r.m.Text(f.body))
		case 3<<3 | wireBytes: // file_locations
			n := r.numbers(f.body)
			t.locations = append(t.locations, frameLocation{file: n[1], function: n[2], line: n[3], column: n[4]})
		case 4<<3 | wireBytes: // stack_frames
			n := r.numbers(f.body)
			t.frames = append(t.frames, stackFrame{location: n[1], parent: n[2]})
		}
	}
	r.finished(&f, "stack_frame_index", Range{})
}

// numbers reads a message that holds nothing but numbers, by field number.
func (r *protoReader) numbers(body Range) (n [8]int32) {
	f := fieldsOf(r.src, body)
	for f.next() {
		if f.tag < len(n)<<3 && f.tag&7 == wireVarint {
			n[f.tag>>3] = int32(f.value)
		}
	}
	r.finished(&f, "stack_frame_index", Range{})
	return n
}
