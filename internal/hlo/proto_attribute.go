package hlo

import (
	"bytes"
	"slices"
	"strconv"
)

// protoAttr returns one attribute. It reads those that are asked for most without printing the others.
func (m *Module) protoAttr(i InstrID, key string) (value string, ok bool) {
	in := &m.Instrs[i]
	switch {
	case key == "custom_call_target" && in.Opcode == OpCustomCall:
		return m.Text(m.protoField(i, 28)), true
	case key == "backend_config":
		if config := m.protoField(i, 43); config.Len() > 0 {
			return m.Text(config), true
		}
		if m.protoField(i, 99).Len() == 0 {
			return "", false
		}
	case key == "frontend_attributes":
		return m.protoPart(i, key, 68, (*attrPrinter).frontendAttributes)
	case key == "sharding":
		return m.protoPart(i, key, 40, (*attrPrinter).sharding)
	}
	p := m.printer()
	defer m.printers.Put(p)
	p.key, p.found = key, p.found[:0]
	p.print(m, i, nil)
	return string(p.found), p.stopped
}

// printer returns a printer that is not in use.
func (m *Module) printer() *attrPrinter {
	if p, spare := m.printers.Get().(*attrPrinter); spare {
		return p
	}
	return &attrPrinter{}
}

// protoPart returns the attribute that is printed from one message field of an instruction.
func (m *Module) protoPart(i InstrID, key string, field int, print func(*attrPrinter, Range)) (value string, ok bool) {
	body := m.protoField(i, field)
	if body == (Range{}) { // one that is there and empty says the default: a sharding is replicated
		return "", false
	}
	p := m.printer()
	defer m.printers.Put(p)
	p.key, p.found = key, p.found[:0]
	p.begin(m, i, nil)
	print(p, body)
	return string(p.found), p.stopped
}

// protoField returns the body of an instruction's first field with a number; the zero Range when there is none.
func (m *Module) protoField(i InstrID, number int) Range {
	return firstField(m.src, m.Instrs[i].message(), number)
}

// firstField returns the body of a message's first field with a number; the zero Range when there is none.
func firstField(src []byte, message Range, number int) Range {
	for f := fieldsOf(src, message); f.next(); {
		if f.tag == number<<3|wireBytes {
			return f.body
		}
	}
	return Range{}
}

// attrPrinter prints the attributes of one instruction after the other, and reuses its memory.
type attrPrinter struct {
	message // the instruction
	m       *Module
	in      *Instruction
	damage  brokenness                          // of the instruction or a message in it
	memory  messageMemory                       // of the instruction and the messages in it
	value   []byte                              // the value that is being printed
	yield   func(key string, value []byte) bool // nil: one attribute is looked for
	key     string                              // which one
	found   []byte                              // its value
	stopped bool
	keys    map[string]string // of a text: each key made a string once
}

// begin makes an instruction the one that is printed.
func (p *attrPrinter) begin(m *Module, i InstrID, yield func(key string, value []byte) bool) {
	p.m, p.in, p.yield, p.stopped, p.damage = m, &m.Instrs[i], yield, false, whole
	p.memory.fields, p.memory.numbers = p.memory.fields[:0], p.memory.numbers[:0]
	p.message = message{src: m.src, broken: &p.damage, memory: &p.memory}
}

// print yields the attributes in the order in which XLA prints them. A value is only valid until yield returns. If yield is nil, it looks for p.key.
func (p *attrPrinter) print(m *Module, i InstrID, yield func(key string, value []byte) bool) {
	p.begin(m, i, yield)
	if p.in.bare() {
		return
	}
	p.read(p.in.message())
	if int(p.in.Opcode) < NumOpcodes {
		for _, print := range opcodeAttrs[p.in.Opcode] {
			if print(p); p.stopped {
				return
			}
		}
	}
	p.parameterReplication() // from here on what any instruction can have
	p.accuracy()
	if p.has(40) {
		p.sharding(p.body(40))
	}
	p.frontendAttributes(p.body(68))
	p.controlPredecessors()
	p.listIfAny("outer_dimension_partitions", p.list(64))
	p.statistics()
	p.backendConfig()
}

// emit yields the value that was printed.
func (p *attrPrinter) emit(key string) {
	if p.damage != whole {
		p.value, p.damage = append(p.value[:0], "(damaged)"...), whole
	}
	switch {
	case p.stopped:
	case p.yield != nil:
		p.stopped = !p.yield(key, p.value)
	case key == p.key:
		p.found, p.stopped = append(p.found, p.value...), true
	}
	p.value = p.value[:0]
}

// each prints a repeated message field as a list in braces.
func (p *attrPrinter) each(key string, field int, separator string, print func(b []byte, body Range) []byte) {
	p.value = append(appendEach(append(p.value, '{'), p.bodies(field), separator, print), '}')
	p.emit(key)
}

func appendEach[T any](b []byte, list []T, separator string, print func(b []byte, one T) []byte) []byte {
	for i, one := range list {
		if i > 0 {
			b = append(b, separator...)
		}
		b = print(b, one)
	}
	return b
}

func (p *attrPrinter) integer(key string, n int64) {
	p.value = strconv.AppendInt(p.value, n, 10)
	p.emit(key)
}

func (p *attrPrinter) integerUnless(key string, n, normal int64) {
	if n != normal {
		p.integer(key, n)
	}
}

func (p *attrPrinter) word(key, value string) {
	p.value = append(p.value, value...)
	p.emit(key)
}

func (p *attrPrinter) text(key string, body Range) {
	p.value = append(p.value, p.bytes(body)...)
	p.emit(key)
}

// braced prints a list in braces, even an empty one.
func (p *attrPrinter) braced(key string, numbers []int64) {
	p.value = append(appendList(append(p.value, '{'), numbers), '}')
	p.emit(key)
}

func (p *attrPrinter) listIfAny(key string, numbers []int64) {
	if len(numbers) > 0 {
		p.braced(key, numbers)
	}
}

// name prints a value of an enum type by its name, or by its number where it has none.
func (p *attrPrinter) name(key string, names []string, n int64) {
	if n >= 0 && n < int64(len(names)) {
		p.word(key, names[n])
		return
	}
	p.integer(key, n)
}

// sharding prints an OpSharding.
func (p *attrPrinter) sharding(body Range) {
	p.value = p.appendSharding(p.value, body, 0)
	p.emit("sharding")
}

// frontendAttributes prints a FrontendAttributes map with sorted keys. A value that is a dictionary itself is not quoted.
func (p *attrPrinter) frontendAttributes(body Range) {
	type entry struct{ key, value []byte }
	var entries []entry
	attributes := p.inside(body)
	for _, body := range attributes.bodies(1) { // map
		e := p.inside(body)
		entries = append(entries, entry{p.bytes(e.body(1)), p.bytes(e.body(2))})
	}
	if len(entries) == 0 {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	b := appendEach(append(p.value, '{'), entries, ",", func(b []byte, e entry) []byte {
		b = append(append(b, e.key...), '=')
		if n := len(e.value); n > 1 && e.value[0] == '{' && e.value[n-1] == '}' {
			return append(b, e.value...)
		}
		return append(appendEscaped(append(b, '"'), e.value), '"')
	})
	p.value = append(b, '}')
	p.emit("frontend_attributes")
}

// Quoted returns a text as XLA quotes it.
func Quoted(text string) string { return string(append(appendEscaped([]byte{'"'}, []byte(text)), '"')) }

// appendEscaped prints the text between the quotes of a string, as absl::CEscape does.
func appendEscaped(b, text []byte) []byte {
	for _, c := range text {
		switch {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '"' || c == '\'' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20 || c >= 0x7f:
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			b = append(b, c)
		}
	}
	return b
}

// controlPredecessors prints the names of the instructions that must run before this one.
func (p *attrPrinter) controlPredecessors() {
	predecessors := p.list(37)
	if len(predecessors) == 0 {
		return
	}
	b := appendEach(append(p.value, '{'), predecessors, ", ", func(b []byte, id int64) []byte {
		if at := slices.Index(p.m.ids[p.in.Comp], id); at >= 0 {
			return append(append(b, '%'), p.m.nameOf(p.m.Comps[p.in.Comp].First+InstrID(at))...)
		}
		return strconv.AppendInt(append(b, '%'), id, 10)
	})
	p.value = append(b, '}')
	p.emit("control-predecessors")
}

// statistics prints a StatisticsViz that holds any.
func (p *attrPrinter) statistics() {
	all := p.inside(p.body(82)) // stat_index_to_visualize, statistics
	if !all.has(2) {
		return
	}
	p.value = strconv.AppendInt(append(p.value, "{visualizing_index="...), all.number(1), 10)
	for _, body := range all.bodies(2) {
		stat := p.inside(body) // stat_name, stat_val
		p.value = append(append(p.value, ','), p.bytes(stat.body(1))...)
		if stat.has(2) {
			p.value = appendFloat64(append(p.value, '='), stat.float64(2))
		}
	}
	p.value = append(p.value, '}')
	p.emit("statistics")
}

// backendConfig prints field 43, or the payload that field 99 holds or refers to.
func (p *attrPrinter) backendConfig() {
	config := p.body(43)
	if config.Len() == 0 {
		payload := p.inside(p.body(99)) // value, id
		if config = payload.body(1); payload.has(2) && uint64(payload.number(2)) < uint64(len(p.m.payloads)) {
			config = p.m.payloads[payload.number(2)]
		}
	}
	if config.Len() > 0 {
		p.text("backend_config", config)
	}
}
