package hlo

import (
	"bytes"
	"iter"
	"slices"
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

// protoAttr finds one attribute. Those that are asked for most are read without spelling the others.
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

// protoField is the body of the first field of an instruction with a number; empty when there is none.
func (m *Module) protoField(i InstrID, number int) Range {
	for f := fieldsOf(m.src, m.Instrs[i].message()); f.next(); {
		if f.tag == number<<3|wireBytes {
			return f.body
		}
	}
	return Range{}
}

// silent tells whether an opcode prints no attribute for which there is no field.
func (op Opcode) silent() bool {
	if int(op) >= len(opcodeAttrs) || opcodeAttrs[op] == nil {
		return true
	}
	switch op {
	case OpParameter, OpReshape, OpExponential, OpExponentialMinusOne, OpCbrt, OpCosine, OpErf, OpLog, OpLogPlusOne, OpLogistic,
		OpRsqrt, OpSine, OpSqrt, OpTan, OpTanh:
		return true
	}
	return false
}

// frontendAttributes prints a FrontendAttributes map with sorted keys; a value that is a dictionary itself is not quoted.
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
		p.value = appendAttributeValue(p.value, e.value)
	}
	p.value = append(p.value, '}')
	p.emit("frontend_attributes")
}

func (p *attrPrinter) bytes(r Range) []byte { return p.m.src[r.Start:r.End] }

func appendAttributeValue(b, value []byte) []byte {
	if len(value) > 1 && value[0] == '{' && value[len(value)-1] == '}' {
		return append(b, value...)
	}
	b = appendEscaped(append(b, '"'), value)
	return append(b, '"')
}

// appendEscaped writes what stands between the quotes of a printed string, as absl::CEscape does.
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

// protoName finds the name of the instruction with a proto id in a computation. Few instructions ask for one.
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

// backendConfig prints field 43, or the payload that 99 holds or points to.
func (p *attrPrinter) backendConfig() {
	config := p.body(43)
	if config.Len() == 0 {
		config = p.payload(p.body(99))
	}
	if config.Len() > 0 {
		p.text("backend_config", config)
	}
}

// payload is what a Payload holds, or the module's payload that it points to.
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

var accuracyModes = []string{"default", "highest"}

// accuracy prints a ResultAccuracy that is not the default.
func (p *attrPrinter) accuracy() {
	f := p.walk(p.body(91))
	for f.next() {
		switch f.tag {
		case 1<<3 | wireVarint: // mode
			if mode := min(f.value, 1); mode != 0 {
				p.word("result_accuracy", "{mode="+accuracyModes[mode]+"}")
			}
		case 2<<3 | wireBytes: // tolerance
			p.tolerance(f.body)
		}
	}
	p.walked(&f)
}

func (p *attrPrinter) tolerance(body Range) {
	var atol, rtol float64
	var ulps int64
	f := p.walk(body)
	for f.next() {
		v := fieldsOf(p.m.src, f.body)
		switch f.tag {
		case 1<<3 | wireFixed64: // atol
			atol = v.float64()
		case 2<<3 | wireFixed64: // rtol
			rtol = v.float64()
		case 3<<3 | wireVarint: // ulps
			ulps = int64(f.value)
		}
	}
	p.walked(&f)
	b := appendFloat64(append(p.value, "{tolerance={atol="...), atol)
	b = appendFloat64(append(b, ",rtol="...), rtol)
	b = strconv.AppendInt(append(b, ",ulps="...), ulps, 10)
	p.value = append(b, "}}"...)
	p.emit("result_accuracy")
}
