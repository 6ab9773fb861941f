package hlo

import (
	"bytes"
	"strconv"
	"strings"
)

// Metadata is the framework's description of an instruction.
type Metadata struct {
	OpType string
	OpName string // the model's own scope: "jit(train_step)/layer0/mlp/tanh"
	// Source is the innermost stack frame, or source_file and source_line.
	Source Location
	// Frame is the 1-based index into the table of stack frames, 0 for none; see [Module.Stack].
	Frame int32
}

// MetadataID numbers the distinct metadata of a module, which most instructions share with others. Metadata that differs only in its
// scheduling name is the same: each instruction in a dump for GPU has its own. 0 is no metadata.
type MetadataID int32

// MetadataID returns the id of an instruction's metadata.
func (m *Module) MetadataID(i InstrID) MetadataID { return m.Instrs[i].meta }

// Metadata decodes an instruction's metadata.
func (m *Module) Metadata(i InstrID) Metadata { return m.MetadataByID(m.Instrs[i].meta) }

// MetadataIDs returns the number of MetadataIDs, which all are below it.
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

// Location is a place in a source file. Line and Column are 1-based, and 0 if unknown.
type Location struct {
	File     string `json:"file"`
	Line     int32  `json:"line,omitempty"`
	Column   int32  `json:"column,omitempty"`
	Function string `json:"function,omitempty"`
}

// IsZero reports whether the place is unknown: without a file the rest says nothing.
func (l Location) IsZero() bool { return l.File == "" }

// Short returns the place without its directory, "train.py:99"; "" for no place.
func (l Location) Short() string {
	if l.File == "" {
		return ""
	}
	return l.File[strings.LastIndexByte(l.File, '/')+1:] + ":" + strconv.Itoa(int(l.Line))
}

// NamedFunction returns the function that the place is in; of a lambda or a comprehension the function that it is an expression of.
func (l Location) NamedFunction() string {
	const inside = ".<locals>."
	function := l.Function
	for at := strings.LastIndex(function, inside); at >= 0 && strings.HasPrefix(function[at+len(inside):], "<"); at = strings.LastIndex(function, inside) {
		function = function[:at]
	}
	return function
}

// FunctionInFile names the function that the place is in the same on every machine: "step (train.py)".
func (l Location) FunctionInFile() string {
	return l.NamedFunction() + " (" + l.File[strings.LastIndexByte(l.File, '/')+1:] + ")"
}

// frameTables holds the four tables in the header of jaxlib 0.8.3 and later (HloModuleProto.stack_frame_index).
type frameTables struct {
	files, functions []string
	locations        []frameLocation
	frames           []stackFrame
}

type frameLocation struct{ file, function, line, column int32 }

// stackFrame holds 1-based ids. The parent of the outermost frame is 0.
type stackFrame struct{ location, parent int32 }

// Stack returns the stack frames of metadata, innermost first. Without a frame it returns the one place of source_file and source_line, or none.
func (m *Module) Stack(md Metadata) []Location {
	if md.Frame == 0 {
		if md.Source.File == "" {
			return nil
		}
		return []Location{md.Source}
	}
	depth, t := 0, &m.frames
	for id := md.Frame; id > 0 && int(id) <= len(t.frames) && depth < 256; id = t.frames[id-1].parent {
		depth++
	}
	stack, id := make([]Location, depth), md.Frame
	for i := range stack {
		frame := t.frames[id-1]
		stack[i], id = t.location(frame.location), frame.parent
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

// metadataIndex numbers the metadata of a module.
type metadataIndex struct {
	hashTable
	parts []distinct // by MetadataID
	named bool       // scheduling names were seen

	last   MetadataID   // that was asked for
	behind []MetadataID // by MetadataID: what was asked for behind it the last time
}

// distinct holds the parts of metadata that tell it from other metadata: all of it, or what is before and behind the scheduling name.
type distinct struct{ before, behind Range }

// likely returns the number of the metadata that came behind the last one before, if the source has it at an offset; else 0. The operations of a
// model follow each other in every fusion that they are part of: two thirds of all metadata on a CPU are found so, and need no hash.
func (x *metadataIndex) likely(m *Module, at int) MetadataID {
	id := x.behind[x.last]
	text := m.src[m.metas[id].Start:m.metas[id].End]
	if len(text) == 0 || len(text) > len(m.src)-at || string(m.src[at:at+len(text)]) != string(text) {
		return 0
	}
	x.last = id
	return id
}

// found notes that metadata was asked for.
func (x *metadataIndex) found(id MetadataID) MetadataID {
	x.behind[x.last], x.last = id, id
	return id
}

// find returns the number of metadata, 0 when it was not added yet.
func (x *metadataIndex) find(m *Module, r Range) MetadataID {
	parts := distinct{before: r}
	if x.named {
		parts = m.withoutSchedulingName(r)
	}
	if id := MetadataID(x.slot(m, parts, m.hash(parts)).number); id > 0 {
		return x.found(id)
	}
	return 0
}

// add returns the number of metadata, a new one when it was not added yet.
func (x *metadataIndex) add(m *Module, r Range) MetadataID {
	if r.Len() == 0 {
		return 0
	}
	if id := x.likely(m, int(r.Start)); id > 0 && m.metas[id].Len() == r.Len() {
		return id
	}
	if id := x.find(m, r); id > 0 {
		return id
	}
	parts := m.withoutSchedulingName(r)
	x.named = x.named || parts.before != r
	x.makeSpare()
	hash, id := m.hash(parts), len(m.metas)
	m.metas, x.parts, x.behind = append(m.metas, r), append(x.parts, parts), append(x.behind, 0)
	x.fill(x.slot(m, parts, hash), hash, int32(id-1))
	return x.found(MetadataID(id))
}

// slot returns the slot of metadata, a free one when it was not added yet.
func (x *metadataIndex) slot(m *Module, parts distinct, hash uint32) *hashSlot {
	for i := hash; ; i++ {
		slot := &x.slots[i&uint32(len(x.slots)-1)]
		if known := x.parts[slot.number]; slot.number == 0 || slot.hash == hash &&
			string(m.src[parts.before.Start:parts.before.End]) == string(m.src[known.before.Start:known.before.End]) &&
			string(m.src[parts.behind.Start:parts.behind.End]) == string(m.src[known.behind.Start:known.behind.End]) {
			return slot
		}
	}
}

// withoutSchedulingName leaves out the value of scheduling_name="fusion.12", and of a proto OpMetadata.scheduling_name (16).
func (m *Module) withoutSchedulingName(r Range) distinct {
	if m.Format == FormatProto {
		f := fieldsOf(m.src, r)
		for start := r.Start; f.next(); start = f.body.End {
			if f.tag == 16<<3|wireBytes {
				return distinct{Range{r.Start, start}, Range{f.body.End, r.End}}
			}
		}
		return distinct{before: r}
	}
	const key = `scheduling_name="`
	n := bytes.Index(m.src[r.Start:r.End], []byte(key))
	if n < 0 {
		return distinct{before: r}
	}
	start := int(r.Start) + n + len(key)
	end := text(m.src).quoted(start - 1)
	if end > int(r.End) {
		return distinct{before: r}
	}
	return distinct{Range{r.Start, uint32(start)}, Range{uint32(end), r.End}}
}

func (m *Module) hash(parts distinct) uint32 {
	t := text(m.src)
	a := t.spelling(int(parts.before.Start), int(parts.before.End))
	h := mixed(a.head, a.rest)
	if parts.behind.Len() > 0 {
		b := t.spelling(int(parts.behind.Start), int(parts.behind.End))
		h = mixed(h^b.head, b.rest)
	}
	return uint32(h ^ h>>32)
}

// textMetadata decodes {op_name="x" source_line=3}, with or without commas between the fields.
func (m *Module) textMetadata(r Range) Metadata {
	var md Metadata
	t := text(m.src)
	for i := t.blanks(int(r.Start) + 1); i < int(r.End); {
		end := t.ident(i)
		if end == i || !t.at(end, '=') {
			i++ // a blank, a comma or the closing brace
			continue
		}
		next := t.ident(end + 1)
		switch {
		case t.is(end+1, classQuote):
			next = t.quoted(end + 1)
		case t.is(end+1, classOpening):
			next = t.balanced(end + 1)
		}
		value := t[end+1 : next]
		switch string(t[i:end]) {
		case "op_type":
			md.OpType = string(unquoted(value))
		case "op_name":
			md.OpName = string(unquoted(value))
		case "source_file":
			md.Source.File = string(unquoted(value))
		case "source_line":
			md.Source.Line = decimal(value)
		case "source_column":
			md.Source.Column = decimal(value)
		case "stack_frame_id":
			md.Frame = decimal(value)
		}
		i = next
	}
	if place := m.innermost(md.Frame); place.File != "" {
		md.Source = place
	}
	return md
}

func decimal(digits []byte) int32 {
	n, err := strconv.ParseInt(string(unquoted(digits)), 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}

// innermost returns the place of a stack frame.
func (m *Module) innermost(frame int32) Location {
	if frame < 1 || int(frame) > len(m.frames.frames) {
		return Location{}
	}
	return m.frames.location(m.frames.frames[frame-1].location)
}

// protoMetadata decodes an OpMetadata.
func (m *Module) protoMetadata(body Range) (md Metadata) {
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
	place := m.innermost(md.Frame)
	if md.Source.File == "" || md.Source.File == place.File && md.Source.Line == place.Line {
		md.Source = place
	} else {
		md.Frame = 0 // jaxlib 0.8.1 writes both, with frames of other instructions
	}
	return md
}
