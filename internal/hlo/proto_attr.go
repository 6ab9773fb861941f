package hlo

import (
	"iter"
	"strconv"
)

// protoAttrs yields an instruction's attributes as the text would print them; see [Module.Attrs].
func (m *Module) protoAttrs(i InstrID) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var p attrPrinter
		p.print(m, i, func(key string, value []byte) bool { return yield(key, string(value)) })
	}
}

// attrPrinter spells the attributes of one instruction after the other; it keeps its memory between them.
type attrPrinter struct {
	m       *Module
	in      *Instruction
	fields  []protoField
	first   [fieldCount]int32 // the index into fields of a field number's first occurrence + 1; 0 when absent
	value   []byte            // the value that is being spelled
	numbers []int64           // of the repeated field that was asked for last
	yield   func(key string, value []byte) bool
	stopped bool
	broken  brokenness // of a message inside the instruction
}

// fieldCount is behind the last field number of HloInstructionProto that is read.
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
	if op := int(p.in.Opcode); op < len(opcodeAttrs) && opcodeAttrs[op] != nil {
		opcodeAttrs[op](p)
	}
	p.common()
}

// index notes where each field of the instruction lies.
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

// common spells what any instruction can have.
func (p *attrPrinter) common() {
	if p.has(40) {
		p.value = p.appendSharding(p.value, p.body(40), 0)
		p.emit("sharding")
	}
	p.frontendAttributes(p.body(68))
	p.controlPredecessors()
	p.listUnlessEmpty("outer_dimension_partitions", p.repeated(64))
	p.statistics()
	p.backendConfig()
}

// emit yields the value that was spelled.
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

// number is a scalar field's value, 0 when it is absent.
func (p *attrPrinter) number(field int) int64 {
	if k := p.first[field]; k != 0 {
		return int64(p.fields[k-1].value)
	}
	return 0
}

// body is a message, string or bytes field, empty when it is absent.
func (p *attrPrinter) body(field int) Range {
	if k := p.first[field]; k != 0 {
		return p.fields[k-1].body
	}
	return Range{}
}

// each calls do for every occurrence of a repeated message field.
func (p *attrPrinter) each(field int, do func(i int, body Range)) {
	k := p.first[field]
	if k == 0 {
		return
	}
	n := 0
	for _, f := range p.fields[k-1:] {
		if f.number == int32(field) {
			do(n, f.body)
			n++
		}
	}
}

// walk walks a message inside the instruction; end it with p.walked.
func (p *attrPrinter) walk(body Range) fields { return fieldsOf(p.m.src, body) }

func (p *attrPrinter) walked(f *fields) {
	if f.broken != whole {
		p.broken = f.broken
	}
}

// repeated is a repeated number field of the instruction, packed or not. It is valid until the next call.
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

// The simple kinds of attributes. Each appends what the text would print; an attribute that the text leaves out at its
// default is left out here.

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
	p.value = append(p.value, p.m.src[body.Start:body.End]...)
	p.emit(key)
}

// flag prints a true boolean.
func (p *attrPrinter) flag(key string, field int) {
	if p.number(field) != 0 {
		p.word(key, "true")
	}
}

// list prints a list in braces, empty or not.
func (p *attrPrinter) list(key string, numbers []int64) {
	p.value = append(p.value, '{')
	p.value = appendList(p.value, numbers)
	p.value = append(p.value, '}')
	p.emit(key)
}

func (p *attrPrinter) listUnlessEmpty(key string, numbers []int64) {
	if len(numbers) > 0 {
		p.list(key, numbers)
	}
}

// name prints an enum value by its number.
func (p *attrPrinter) name(key string, names []string, n int64) {
	if n >= 0 && n < int64(len(names)) {
		p.word(key, names[n])
		return
	}
	p.integer(key, n)
}
