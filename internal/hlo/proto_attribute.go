package hlo

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
)

// protoAttrs yields an instruction's attributes as the text prints them; see [Module.Attrs].
func (m *Module) protoAttrs(i InstrID) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var p attrPrinter
		p.print(m, i, func(key string, value []byte) bool { return yield(key, string(value)) })
	}
}

// protoAttr returns one attribute. It reads those that are asked for most without printing the others.
func (m *Module) protoAttr(i InstrID, key string) (string, bool) {
	in := &m.Instrs[i]
	switch {
	case key == "kind" && in.Opcode == OpFusion:
		return m.Text(m.protoField(i, 11)), true
	case key == "custom_call_target" && in.Opcode == OpCustomCall:
		return m.Text(m.protoField(i, 28)), true
	case key == "backend_config":
		if config := m.protoField(i, 43); config.Len() > 0 {
			return m.Text(config), true
		}
		if m.protoField(i, 99).Len() == 0 {
			return "", false
		}
	case key == "frontend_attributes" && m.protoField(i, 68).Len() == 0:
		return "", false
	}
	for k, v := range m.protoAttrs(i) {
		if k == key {
			return v, true
		}
	}
	return "", false
}

// protoField returns the body of an instruction's first field with a number, empty when there is none.
func (m *Module) protoField(i InstrID, number int) Range {
	for f := fieldsOf(m.src, m.Instrs[i].message()); f.next(); {
		if f.tag == number<<3|wireBytes {
			return f.body
		}
	}
	return Range{}
}

// attrPrinter prints the attributes of one instruction after the other, and reuses its memory.
type attrPrinter struct {
	m       *Module
	in      *Instruction
	fields  []protoField
	first   [fieldCount]int32 // by field number: the index into fields of the first occurrence + 1; 0 when there is none
	value   []byte            // the value that is being printed
	numbers []int64           // see repeated
	yield   func(key string, value []byte) bool
	stopped bool
	broken  brokenness // of a message inside the instruction
}

// fieldCount is above the highest field number of HloInstructionProto that is read.
const fieldCount = 104

type protoField struct {
	number int32
	value  uint64
	body   Range
}

// print yields the attributes in the order in which XLA prints them. A value is only valid until yield returns.
func (p *attrPrinter) print(m *Module, i InstrID, yield func(key string, value []byte) bool) {
	if m.Instrs[i].bare() {
		return
	}
	p.m, p.in, p.yield, p.stopped = m, &m.Instrs[i], yield, false
	p.index()
	if int(p.in.Opcode) < NumOpcodes {
		for _, print := range opcodeAttrs[p.in.Opcode] {
			print(p)
		}
	}
	p.common()
}

// index notes where each field of the instruction is.
func (p *attrPrinter) index() {
	p.fields, p.first = p.fields[:0], [fieldCount]int32{}
	for f := fieldsOf(p.m.src, p.in.message()); f.next(); {
		number := f.tag >> 3
		if number >= fieldCount {
			continue
		}
		p.fields = append(p.fields, protoField{int32(number), f.value, f.body})
		if p.first[number] == 0 {
			p.first[number] = int32(len(p.fields))
		}
	}
}

// common prints the attributes that any instruction can have.
func (p *attrPrinter) common() {
	p.parameterReplication()
	p.accuracy()
	if p.has(40) {
		p.value = p.appendSharding(p.value, p.body(40), 0)
		p.emit("sharding")
	}
	p.frontendAttributes(p.body(68))
	p.controlPredecessors()
	p.listIfAny("outer_dimension_partitions", p.repeated(64))
	p.statistics()
	p.backendConfig()
}

// emit yields the value that was printed.
func (p *attrPrinter) emit(key string) {
	if p.broken != whole {
		p.value, p.broken = append(p.value[:0], "(damaged)"...), whole
	}
	if !p.stopped {
		p.stopped = !p.yield(key, p.value)
	}
	p.value = p.value[:0]
}

func (p *attrPrinter) has(number int) bool { return p.first[number] != 0 }

// number returns the value of a scalar field, 0 when it is absent.
func (p *attrPrinter) number(field int) int64 {
	if k := p.first[field]; k != 0 {
		return int64(p.fields[k-1].value)
	}
	return 0
}

// body returns a message, string or bytes field, empty when it is absent.
func (p *attrPrinter) body(field int) Range {
	if k := p.first[field]; k != 0 {
		return p.fields[k-1].body
	}
	return Range{}
}

// bytes returns the content of a field.
func (p *attrPrinter) bytes(r Range) []byte { return p.m.src[r.Start:r.End] }

// messages calls do for every occurrence of a repeated message field.
func (p *attrPrinter) messages(field int, do func(body Range)) {
	if k := p.first[field]; k != 0 {
		for _, f := range p.fields[k-1:] {
			if f.number == int32(field) {
				do(f.body)
			}
		}
	}
}

// each prints a repeated message field as a list in braces.
func (p *attrPrinter) each(key string, field int, separator string, print func(b []byte, body Range) []byte) {
	var bodies []Range
	p.messages(field, func(body Range) { bodies = append(bodies, body) })
	p.value = append(appendEach(append(p.value, '{'), bodies, separator, print), '}')
	p.emit(key)
}

func appendEach(b []byte, bodies []Range, separator string, print func(b []byte, body Range) []byte) []byte {
	for i, body := range bodies {
		if i > 0 {
			b = append(b, separator...)
		}
		b = print(b, body)
	}
	return b
}

// walk walks a message inside the instruction. Call walked at its end.
func (p *attrPrinter) walk(body Range) fields { return fieldsOf(p.m.src, body) }

func (p *attrPrinter) walked(f *fields) {
	if f.broken != whole {
		p.broken = f.broken
	}
}

// repeated returns a repeated number field of the instruction, packed or not. It is valid until the next call.
func (p *attrPrinter) repeated(field int) []int64 {
	p.numbers = p.numbers[:0]
	for k := p.first[field]; k != 0 && int(k) <= len(p.fields); k++ {
		if part := &p.fields[k-1]; part.number == int32(field) {
			f := fields{src: p.m.src, body: part.body}
			p.numbers = appendNumbers(p.numbers, &f)
			p.walked(&f)
		}
	}
	return p.numbers
}

// lists reads a message of numbers and lists of numbers, by field number.
func (p *attrPrinter) lists(body Range) (n [16][]int64) {
	f := p.walk(body)
	for f.next() {
		if field := f.tag >> 3; field < len(n) && (f.tag&7 == wireBytes || f.tag&7 == wireVarint) {
			n[field] = appendNumbers(n[field], &f)
		}
	}
	p.walked(&f)
	return n
}

// last returns a scalar that lists read.
func last(numbers []int64) int64 {
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)-1]
}

// numbersOf reads a message of numbers, by field number.
func (p *attrPrinter) numbersOf(body Range) (n [8]int64) {
	f := p.walk(body)
	for f.next() {
		if f.tag < len(n)<<3 && f.tag&7 == wireVarint {
			n[f.tag>>3] = int64(f.value)
		}
	}
	p.walked(&f)
	return n
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

// list prints a list in braces, even an empty one.
func (p *attrPrinter) list(key string, numbers []int64) {
	p.value = append(appendList(append(p.value, '{'), numbers), '}')
	p.emit(key)
}

func (p *attrPrinter) listIfAny(key string, numbers []int64) {
	if len(numbers) > 0 {
		p.list(key, numbers)
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

// frontendAttributes prints a FrontendAttributes map with sorted keys. A value that is a dictionary itself is not quoted.
func (p *attrPrinter) frontendAttributes(body Range) {
	type entry struct{ key, value []byte }
	var entries []entry
	f := p.walk(body)
	for f.next() {
		if f.tag == 1<<3|wireBytes { // map
			key, value := mapEntry(&f)
			entries = append(entries, entry{p.bytes(key), p.bytes(value)})
		}
	}
	p.walked(&f)
	if len(entries) == 0 {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	p.value = append(p.value, '{')
	for i, e := range entries {
		if i > 0 {
			p.value = append(p.value, ',')
		}
		p.value = append(append(p.value, e.key...), '=')
		if n := len(e.value); n > 1 && e.value[0] == '{' && e.value[n-1] == '}' {
			p.value = append(p.value, e.value...)
		} else {
			p.value = append(appendEscaped(append(p.value, '"'), e.value), '"')
		}
	}
	p.value = append(p.value, '}')
	p.emit("frontend_attributes")
}

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
	predecessors := p.repeated(37)
	if len(predecessors) == 0 {
		return
	}
	p.value = append(p.value, '{')
	for i, id := range predecessors {
		if i > 0 {
			p.value = append(p.value, ", "...)
		}
		p.value = append(append(p.value, '%'), p.m.protoName(p.in.Comp, id)...)
	}
	p.value = append(p.value, '}')
	p.emit("control-predecessors")
}

// protoName returns the name of the instruction with a proto id in a computation, or the id where no instruction has it.
func (m *Module) protoName(c CompID, id int64) string {
	if at := slices.Index(m.ids[c], id); at >= 0 {
		return m.InstrName(m.Comps[c].First + InstrID(at))
	}
	return strconv.FormatInt(id, 10)
}

// statistics prints a StatisticsViz that holds any.
func (p *attrPrinter) statistics() {
	index := uint64(0)
	var stats []byte
	f := p.walk(p.body(82))
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // stat_index_to_visualize
			index = f.value
		case 2<<3 | wireBytes: // statistics
			stats = p.appendStatistic(append(stats, ','), f.body)
		}
	}
	p.walked(&f)
	if len(stats) == 0 {
		return
	}
	p.value = strconv.AppendUint(append(p.value, "{visualizing_index="...), index, 10)
	p.value = append(append(p.value, stats...), '}')
	p.emit("statistics")
}

func (p *attrPrinter) appendStatistic(b []byte, body Range) []byte {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // stat_name
			b = append(b, p.bytes(f.body)...)
		case 2<<3 | wireFixed64: // stat_val
			v := fieldsOf(p.m.src, f.body)
			b = appendFloat64(append(b, '='), v.float64())
		}
	}
	p.walked(&f)
	return b
}

// backendConfig prints field 43, or the payload that field 99 holds or refers to.
func (p *attrPrinter) backendConfig() {
	config := p.body(43)
	if config.Len() == 0 {
		config = p.payload(p.body(99))
	}
	if config.Len() > 0 {
		p.text("backend_config", config)
	}
}

// payload returns the bytes that a Payload holds, or the module's payload that it refers to.
func (p *attrPrinter) payload(body Range) (config Range) {
	f := p.walk(body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // value
			config = f.body
		case 2<<3 | wireVarint: // id
			if f.value < uint64(len(p.m.payloads)) {
				config = p.m.payloads[f.value]
			}
		}
	}
	p.walked(&f)
	return config
}
