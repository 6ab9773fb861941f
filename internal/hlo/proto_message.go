package hlo

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// message is a serialized message taken apart into its fields.
type message struct {
	src    []byte
	fields []messageField
	broken *brokenness    // set when the message or a list of numbers in it is damaged
	memory *messageMemory // nil: the fields and the lists have memory of their own
}

// messageMemory holds the fields and the lists of numbers of a message and of those inside it, which are used at the same time.
type messageMemory struct {
	fields  []messageField
	numbers []int64
}

type messageField struct {
	tag   int
	value uint64
	body  Range
}

// messageOf takes a message apart.
func messageOf(src []byte, body Range, broken *brokenness) message {
	m := message{src: src, broken: broken}
	m.read(body)
	return m
}

// read takes another message apart.
func (m *message) read(body Range) {
	var own messageMemory
	memory := cmp.Or(m.memory, &own)
	start := len(memory.fields)
	f := fieldsOf(m.src, body)
	for f.next() {
		memory.fields = append(memory.fields, messageField{f.tag, f.value, f.body})
	}
	m.fields = memory.fields[start:]
	m.note(f.broken)
}

func (m *message) note(b brokenness) {
	if b != whole {
		*m.broken = b
	}
}

// has reports whether the message has a field.
func (m *message) has(field int) bool {
	return slices.ContainsFunc(m.fields, func(f messageField) bool { return f.tag>>3 == field })
}

// number returns the value of a number field, 0 when it is absent.
func (m *message) number(field int) int64 { return int64(m.last(field<<3 | wireVarint).value) }

// body returns the range of a message, string or bytes field, empty when it is absent.
func (m *message) body(field int) Range { return m.last(field<<3 | wireBytes).body }

// last returns the last field with a tag.
func (m *message) last(tag int) (last messageField) {
	for _, f := range m.fields {
		if f.tag == tag {
			last = f
		}
	}
	return last
}

// bytes returns the content of a range.
func (m *message) bytes(r Range) []byte { return m.src[r.Start:r.End] }

// bodies returns the ranges of a repeated message field.
func (m *message) bodies(field int) (bodies []Range) {
	for _, f := range m.fields {
		if f.tag == field<<3|wireBytes {
			bodies = append(bodies, f.body)
		}
	}
	return bodies
}

// list returns the numbers of a repeated field, packed or not.
func (m *message) list(field int) []int64 {
	var own messageMemory
	memory := cmp.Or(m.memory, &own)
	start := len(memory.numbers)
	for _, f := range m.fields {
		if f.tag == field<<3|wireBytes || f.tag == field<<3|wireVarint {
			packed := fields{src: m.src, body: f.body}
			memory.numbers = appendNumbers(memory.numbers, &packed)
			m.note(packed.broken)
		}
	}
	return memory.numbers[start:]
}

// float64 returns the value of a field of type double, 0 when it is absent.
func (m *message) float64(field int) float64 {
	if f := m.last(field<<3 | wireFixed64); f.tag > 0 {
		return math.Float64frombits(binary.LittleEndian.Uint64(m.bytes(f.body)))
	}
	return 0
}

// float32 returns the value of a field of type float, 0 when it is absent.
func (m *message) float32(field int) float32 {
	if f := m.last(field<<3 | wireFixed32); f.tag > 0 {
		return math.Float32frombits(binary.LittleEndian.Uint32(m.bytes(f.body)))
	}
	return 0
}

// inside takes a message inside this one apart.
func (m *message) inside(body Range) message {
	inner := message{src: m.src, broken: m.broken, memory: m.memory}
	inner.read(body)
	return inner
}

// numbersOf reads a message of numbers inside this one, by field number.
func (m *message) numbersOf(body Range) (n [8]int64) {
	f := fieldsOf(m.src, body)
	for f.next() {
		if f.tag < len(n)<<3 && f.tag&7 == wireVarint {
			n[f.tag>>3] = int64(f.value)
		}
	}
	m.note(f.broken)
	return n
}
