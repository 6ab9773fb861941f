package hlo

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
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

// Ints reads a list of integers as attributes and layouts hold it, with or without braces: {0,1} or 1,0. It is nil when something else stands there.
func Ints(s string) []int64 {
	s = strings.Trim(s, "{} ")
	list := []int64{}
	if s == "" {
		return list
	}
	for field := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

func (m *Module) textAttrs(i InstrID) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for key, value := range m.ownAttributes(i) {
			k := m.Text(key)
			if !yield(k, attributeValueText(k, m.src[value.Start:value.End])) {
				return
			}
		}
	}
}

func (m *Module) textAttr(i InstrID, key string) (string, bool) {
	for k, value := range m.ownAttributes(i) {
		if string(m.src[k.Start:k.End]) == key {
			return attributeValueText(key, m.src[value.Start:value.End]), true
		}
	}
	return "", false
}

// ownAttributes yields the keys and values that textAttrs yields, as they are spelled.
func (m *Module) ownAttributes(i InstrID) iter.Seq2[Range, Range] {
	return func(yield func(key, value Range) bool) {
		if m.Instrs[i].bare() {
			return
		}
		for key, value := range text(m.src).attributes(m.Instrs[i].attrs) {
			k := m.src[key.Start:key.End]
			if _, callee := calleeRole(k); callee || string(k) == "metadata" || !m.owns(i, k) {
				continue
			}
			if !yield(key, value) {
				return
			}
		}
	}
}

// owns tells whether an attribute belongs to the instruction. Behind `<op>-start` stand those of the async-start and those of the
// operation that it wraps.
func (m *Module) owns(i InstrID, key []byte) bool {
	shared, ofStart := asyncAttributes[string(key)]
	switch in := &m.Instrs[i]; {
	case shared:
		return true
	case m.Comps[in.Comp].wrapped:
		return !ofStart
	case in.Opcode == OpAsyncStart && m.callees[in.callees] == 1 && m.Comps[m.Callees(i)[0]].wrapped:
		return ofStart
	}
	return true
}

// asyncAttributes are those behind `<op>-start` that are the async-start's; true: XLA gives them to the wrapped operation too.
var asyncAttributes = map[string]bool{
	"async_execution_thread": false, "control-predecessors": false, "origin": false, "parameter_replication": false,
	"sharding": false, "backend_config": true, "frontend_attributes": true, "metadata": true, "statistics": true,
}

// attributeValueText spells the value of an attribute as the long form does.
func attributeValueText(key string, value []byte) string {
	if key == "control-predecessors" {
		return withPercents(attributeText(value))
	}
	return string(spelledValue(key, value))
}

// spelledValue is the value of an attribute as XLA spells it, without quotes.
func spelledValue(key string, value []byte) []byte {
	switch key {
	case "literal":
		return spelledLiteral(value)
	case "domain", "sharding":
		return withoutMetadata(value)
	}
	return unquoted(value)
}

// withoutMetadata leaves out what a sharding says of where it comes from: a proto of it prints it nowhere else either.
func withoutMetadata(sharding []byte) []byte {
	key := []byte(" metadata=")
	at := bytes.Index(sharding, key)
	if at < 0 {
		return sharding
	}
	end := text(sharding).value(at + len(key))
	return append(sharding[:at:at], withoutMetadata(sharding[end:])...)
}

// attributeText is a value without its quotes.
func attributeText(value []byte) string {
	if len(value) > 0 && class[value[0]]&classQuote != 0 {
		return unquote(value)
	}
	return string(value)
}

// withPercents spells a list of names as the long form does: {%a, %b}.
func withPercents(list string) string {
	var b strings.Builder
	for i, t := 0, text(list); i < len(t); {
		end := t.ident(i)
		if end > i && (i == 0 || t[i-1] != '%' && t[i-1] != '#') {
			b.WriteByte('%')
		}
		end = max(end, i+1)
		b.Write(t[i:end])
		i = end
	}
	return b.String()
}

// dictionary yields the entries of {key="value",key2={...}}.
func (t text) dictionary(r Range) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		i := t.blanks(int(r.Start) + 1)
		for i+1 < int(r.End) {
			end := t.ident(i)
			value := t.blanks(end)
			if end == i || !t.at(value, '=') {
				return
			}
			value = t.blanks(value + 1)
			next := t.attributeValue(Range{}, value)
			if t.at(value, '{') {
				next = t.braces(value)
			}
			if !yield(string(t[i:end]), attributeText(t[value:min(next, len(t))])) {
				return
			}
			if i = t.blanks(next); t.at(i, ',') {
				i = t.blanks(i + 1)
			}
		}
	}
}

// attrReader walks attributes without making strings of their values.
type attrReader struct {
	proto attrPrinter
	keys  map[string]string // the keys of a text, each made a string once
}

// each yields what Attrs would yield. A value is only valid until yield returns.
func (r *attrReader) each(m *Module, i InstrID, yield func(key string, value []byte) bool) {
	if m.Format == FormatProto {
		r.proto.print(m, i, yield)
		return
	}
	for key, value := range m.ownAttributes(i) {
		k := r.key(m.src[key.Start:key.End])
		if !yield(k, spelledValue(k, m.src[value.Start:value.End])) {
			return
		}
	}
}

func (r *attrReader) key(spelling []byte) string {
	if key, known := r.keys[string(spelling)]; known {
		return key
	}
	if r.keys == nil {
		r.keys = make(map[string]string)
	}
	key := string(spelling)
	r.keys[key] = key
	return key
}

// unquoted is a value without its quotes; only one with escapes is copied.
func unquoted(value []byte) []byte {
	switch {
	case len(value) < 2 || class[value[0]]&classQuote == 0:
		return value
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1]
	}
	return []byte(unquote(value))
}
