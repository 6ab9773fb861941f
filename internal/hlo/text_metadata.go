package hlo

import "strconv"

// textMetadata reads {op_name="x" source_line=3}; commas between the fields are allowed.
func (m *Module) textMetadata(r Range) Metadata {
	var md Metadata
	t := text(m.src)
	for i := t.blanks(int(r.Start) + 1); i < int(r.End); {
		end := t.ident(i)
		if end == i || !t.at(end, '=') {
			i++ // a blank, a comma or the closing brace
			continue
		}
		next := t.field(end + 1)
		md.set(string(t[i:end]), attributeText(t[end+1:next]))
		i = next
	}
	if place := m.innermost(md.Frame); place.File != "" {
		md.Source = place
	}
	return md
}

// field skips the value of a metadata field.
func (t text) field(i int) int {
	switch {
	case t.is(i, classQuote):
		return t.quoted(i)
	case t.is(i, classOpening):
		return t.balanced(i)
	}
	return t.ident(i)
}

func (md *Metadata) set(field, value string) {
	switch field {
	case "op_type":
		md.OpType = value
	case "op_name":
		md.OpName = value
	case "source_file":
		md.Source.File = value
	case "source_line":
		md.Source.Line = decimal(value)
	case "source_column":
		md.Source.Column = decimal(value)
	case "stack_frame_id":
		md.Frame = decimal(value)
	}
}

func decimal(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}

// innermost is the place of a stack frame.
func (m *Module) innermost(frame int32) Location {
	if frame < 1 || int(frame) > len(m.frames.frames) {
		return Location{}
	}
	return m.frames.location(m.frames.frames[frame-1].location)
}
