package hlo

import (
	"bytes"
	"iter"
	"strings"
)

// key takes `, key=`; it is empty when no attribute follows.
func (t text) key(i int) spelling {
	if t.at(i, '\n') { // nearly always the next instruction follows
		i = t.line(i)
	}
	if i = t.blanks(i); !t.at(i, ',') {
		return spelling{}
	}
	key := t.name(t.blanks(t.blank(i + 1)))
	if !t.at(key.end(), '=') {
		return spelling{}
	}
	return key
}

// attributeKey takes `, key=` and the blanks behind it; ok is false when no attribute follows.
func (t text) attributeKey(i int) (key Range, value int, ok bool) {
	if i = t.blanks(i); !t.at(i, ',') {
		return Range{}, i, false
	}
	start := t.blanks(t.blank(i + 1))
	end := t.ident(start)
	if end == start || !t.at(end, '=') {
		return Range{}, i, false
	}
	return Range{uint32(start), uint32(end)}, t.blanks(end + 1), true
}

// attributeValue skips the value of an attribute. In braces behind these two keys may stand what is no HLO, and before a literal its shape.
func (t text) attributeValue(key Range, i int) int {
	switch name := t[key.Start:key.End]; {
	case t.at(i, '{'):
		if string(name) == "backend_config" || string(name) == "frontend_attributes" {
			return t.braces(i)
		}
	case string(name) == "literal" && !t.at(i, '('):
		return t.value(t.blanks(t.shape(i)))
	}
	return t.value(i)
}

// attributes yields keys and values as they are spelled. The device ids of a mesh belong to the attribute before them, the thread of a
// nested computation to that computation.
func (t text) attributes(start uint32) iter.Seq2[Range, Range] {
	return func(yield func(key, value Range) bool) {
		key, value, ok := t.attributeKey(int(start))
		for ok {
			end := t.attributeValue(key, value)
			next, start, more := t.attributeKey(end)
			for more && (string(t[next.Start:next.End]) == "device_ids" || string(t[next.Start:next.End]) == "execution_thread") {
				end = t.attributeValue(next, start)
				next, start, more = t.attributeKey(end)
			}
			if !yield(key, Range{uint32(value), uint32(end)}) {
				return
			}
			key, value, ok = next, start, more
		}
	}
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
