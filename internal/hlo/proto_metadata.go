package hlo

// protoMetadata decodes an OpMetadata.
func (m *Module) protoMetadata(body Range) Metadata {
	var md Metadata
	m.opMetadata(body, &md)
	place := m.innermost(md.Frame)
	if md.Source.File == "" || sameLine(place, md.Source) {
		md.Source = place
	} else {
		md.Frame = 0 // jaxlib 0.8.1 writes both, with frames of other instructions
	}
	return md
}

func sameLine(a, b Location) bool { return a.File == b.File && a.Line == b.Line }

func (m *Module) opMetadata(body Range, md *Metadata) {
	for f := fieldsOf(m.src, body); f.next(); {
		switch f.tag {
		case 1<<3 | wireBytes: // op_type
			md.OpType = m.Text(f.body)
		case 2<<3 | wireBytes: // op_name
			md.OpName = m.Text(f.body)
		case 3<<3 | wireBytes: // source_file
			md.Source.File = m.Text(f.body)
		case 4<<3 | wireVarint: // source_line
			md.Source.Line = int32(f.value)
		case 15<<3 | wireVarint: // stack_frame_id
			md.Frame = int32(f.value)
		case 18<<3 | wireVarint: // source_column
			md.Source.Column = int32(f.value)
		}
	}
}
