package hlo

import (
	"fmt"
	"iter"
	"strconv"
)

// Attrs yields an instruction's attributes in printed order: `dimensions`, `{0,1}`; `kind`, `kLoop`; `window`, `{size=3x3}`.
// A value is spelled as XLA's text printer spells it, whatever the module was read from; a quoted string comes unquoted and
// unescaped, and `backend_config={...}` as its content with the braces. Metadata is left out (see [Module.Metadata]); so are
// computations (see [Module.Callees]) and a parameter's or constant's arguments.
func (m *Module) Attrs(i InstrID) iter.Seq2[string, string] {
	switch in := &m.Instrs[i]; {
	case in.bare() && in.Opcode != OpGetTupleElement:
		return func(func(string, string) bool) {}
	case in.bare():
		return func(yield func(string, string) bool) { yield("index", strconv.Itoa(int(in.Param))) }
	case m.Format == FormatProto:
		return m.protoAttrs(i)
	}
	return m.textAttrs(i)
}

// Attr returns one attribute; see [Module.Attrs].
func (m *Module) Attr(i InstrID, key string) (string, bool) {
	switch in := &m.Instrs[i]; {
	case in.Opcode == OpGetTupleElement && key == "index":
		return strconv.Itoa(int(in.Param)), true
	case in.bare():
		return "", false
	case m.Format == FormatProto:
		return m.protoAttr(i, key)
	}
	return m.textAttr(i, key)
}

// Metadata decodes an instruction's metadata.
func (m *Module) Metadata(i InstrID) Metadata { return m.MetadataByID(m.Instrs[i].meta) }

// Literal is a constant's value as XLA prints it: "1", "{1, 2}", "{...}" for more than ten elements, whether or not the source
// holds them all. It is "" for what is no constant.
func (m *Module) Literal(i InstrID) string {
	if m.Instrs[i].Opcode != OpConstant {
		return ""
	}
	if m.Format == FormatProto {
		return m.protoLiteral(i)
	}
	return m.textLiteral(i)
}

// SyntaxError says where and why a module could not be read.
type SyntaxError struct {
	File         string
	Line, Column int    // 1-based, in bytes; 0 for a proto
	Offset       int64  // bytes from the start
	Near         string // the text it stopped at, at most 40 bytes
	Message      string // "the file ends inside an instruction of %fused_computation.4"
}

// Error is the place, the message and the text it stopped at.
func (e *SyntaxError) Error() string {
	place := fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	if e.Line == 0 {
		place = fmt.Sprintf("%s: at byte %d", e.File, e.Offset)
	}
	if e.Near == "" {
		return place + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s, near %q", place, e.Message, e.Near)
}
