package hlo

import "strings"

var (
	paddingTypes = []string{"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"}
	schedules    = []string{"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"}
	apiVersions  = []string{"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
		"API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"}
)

func (p *attrPrinter) customCall() {
	p.window()
	p.dimLabels()
	p.counts()
	p.precision()
	if p.has(75) {
		p.name("padding_type", paddingTypes, p.number(75))
	}
	p.text("custom_call_target", p.body(28))
	if p.number(56) != 0 {
		p.layoutConstraints()
	}
	p.flag("custom_call_has_side_effect", 65)
	if p.has(8) {
		p.customLiteral()
	}
	p.aliasing()
	if p.has(76) {
		p.name("schedule", schedules, p.number(76))
	}
	if v := p.number(77); v > 1 {
		p.name("api_version", apiVersions, v)
	}
}

// layoutConstraints prints operand_layout_constraints={f32[2]{0}, f32[]}.
func (p *attrPrinter) layoutConstraints() {
	p.value = append(p.value, '{')
	p.each(57, func(i int, body Range) {
		if i > 0 {
			p.value = append(p.value, ", "...)
		}
		p.value = append(p.value, p.shapeText(body)...)
	})
	p.value = append(p.value, '}')
	p.emit("operand_layout_constraints")
}

// shapeText prints a ShapeProto that is not an instruction's own shape, with its layout.
func (p *attrPrinter) shapeText(body Range) string {
	scratch := Module{}
	d := shapeDecoder{src: p.m.src, table: &scratch.shapes}
	id, ok := d.decode(body, 0)
	if !ok {
		p.broken = garbage
		return ""
	}
	return scratch.ShapeLayoutText(id)
}

func (p *attrPrinter) customLiteral() {
	p.value = appendLiteral(p.value, p.m.src, p.body(8), 0)
	p.emit("literal")
}

// appendLiteral prints a LiteralProto behind its shape, a tuple as ( s32[] 1, f32[2]{0} {1, 2} ).
func appendLiteral(b, src []byte, body Range, depth int) []byte {
	values, shape := decodeLiteral(src, body)
	if !strings.HasPrefix(shape, "(") || depth > maxNesting {
		return append(append(append(b, shape...), ' '), values...)
	}
	b = append(b, '(', ' ')
	first := true
	for f := fieldsOf(src, body); f.next(); {
		if f.tag != 10<<3|wireBytes { // tuple_literals
			continue
		}
		if !first {
			b = append(b, ',', ' ')
		}
		b, first = appendLiteral(b, src, f.body, depth+1), false
	}
	return append(b, ' ', ')')
}
