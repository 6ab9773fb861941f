package hlo

// Metadata is what the framework said about an instruction.
type Metadata struct {
	OpType string
	OpName string // the model's own scope: "jit(train_step)/layer0/mlp/tanh"
	// Source is the place the instruction names: the innermost stack frame, or source_file and source_line.
	Source Location
	// Frame is the 1-based index into the stack-frame table, 0 when there is none; see [Module.Stack].
	Frame int32
}

// MetadataID tells the metadata of a module apart: most instructions share theirs with others. A scheduling name makes no difference:
// each instruction in a dump for GPU has its own. 0 stands for none.
type MetadataID int32

// MetadataID finds an instruction's metadata without decoding it.
func (m *Module) MetadataID(i InstrID) MetadataID { return m.Instrs[i].meta }

// MetadataIDs is the number behind the last MetadataID.
func (m *Module) MetadataIDs() int { return len(m.metas) }

// MetadataByID decodes metadata.
func (m *Module) MetadataByID(id MetadataID) Metadata {
	switch {
	case id == 0:
		return Metadata{}
	case m.Format == FormatProto:
		return m.protoMetadata(m.metas[id])
	}
	return m.textMetadata(m.metas[id])
}

// Location is a place in a source file. Line and Column are 1-based; 0 means not known.
type Location struct {
	File     string
	Function string
	Line     int32
	Column   int32
}

// frameTables are the four header tables of jaxlib 0.8.3 and later (HloModuleProto.stack_frame_index).
type frameTables struct {
	files, functions []string
	locations        []frameLocation
	frames           []stackFrame
}

type frameLocation struct{ file, function, line, column int32 }

// stackFrame holds 1-based ids; parent 0 means root (the text prints the parent + 1, the reader subtracts it again).
type stackFrame struct{ location, parent int32 }

// Stack returns the frames behind an instruction's metadata, innermost first. Without frame tables it is the one place that
// source_file and source_line give, or empty.
func (m *Module) Stack(md Metadata) []Location {
	if md.Frame == 0 {
		if md.Source.File == "" {
			return nil
		}
		return []Location{md.Source}
	}
	var stack []Location
	for id := md.Frame; id > 0 && int(id) <= len(m.frames.frames) && len(stack) < 256; {
		frame := m.frames.frames[id-1]
		stack = append(stack, m.frames.location(frame.location))
		id = frame.parent
	}
	return stack
}

func (t *frameTables) location(id int32) Location {
	if id < 1 || int(id) > len(t.locations) {
		return Location{}
	}
	l := t.locations[id-1]
	return Location{File: entry(t.files, l.file), Function: entry(t.functions, l.function), Line: l.line, Column: l.column}
}

func entry(table []string, id int32) string {
	if id < 1 || int(id) > len(table) {
		return ""
	}
	return table[id-1]
}
