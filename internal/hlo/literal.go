package hlo

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// XLA prints a literal of more than maxLiteral elements as elided.
const (
	elided     = "{...}"
	maxLiteral = 10
	// maxEmptyRows bounds the print of a literal without elements, such as f32[1000000,0].
	maxEmptyRows = 1000
)

// Literal returns a constant's value as XLA prints it: "1", "{1, 2}", and "{...}" for more than ten elements, whether or not the source
// holds them all. It returns "" for any other instruction.
func (m *Module) Literal(i InstrID) string {
	switch {
	case m.Instrs[i].Opcode != OpConstant:
		return ""
	case m.Format == FormatText:
		return m.textLiteral(i)
	}
	for f := fieldsOf(m.src, m.Instrs[i].message()); f.next(); {
		if f.tag == 8<<3|wireBytes { // literal
			text, _ := decodeLiteral(m.src, f.body)
			return text
		}
	}
	return elided
}

// decodeLiteral prints a LiteralProto and its shape. It does not read the values of a literal that is elided.
func decodeLiteral(src []byte, body Range) (text, shape string) {
	scratch := Module{src: src, shapes: shapeTable{list: make([]Shape, 0, 1)}}
	d := shapeDecoder{src: src, table: &scratch.shapes}
	id, known := ShapeID(0), false
	for f := fieldsOf(src, body); f.next(); {
		if f.tag == 1<<3|wireBytes { // shape
			id, known = d.decode(f.body, 0)
		}
	}
	if !known {
		return elided, ""
	}
	s := scratch.Shape(id)
	shape = scratch.ShapeLayoutText(id)
	if s.Type == Tuple || s.ElementCount() > maxLiteral || slices.Max(append(s.Dims, 0)) > maxEmptyRows {
		return elided, shape
	}
	values := literalValues(src, body, s)
	if int64(len(values)) != s.ElementCount() {
		return elided, shape
	}
	p := literalPrinter{shape: s, values: values, minorToMajor: s.DimensionOrder()}
	return string(p.print(nil, nil)), shape
}

// literalPrinter prints values in logical order that are stored in the order of their layout.
type literalPrinter struct {
	shape        *Shape
	values       []string
	minorToMajor []int64
}

// print prints the elements whose index begins with index.
func (p *literalPrinter) print(b []byte, index []int64) []byte {
	depth, rank := len(index), len(p.shape.Dims)
	if depth == rank {
		at, stride := int64(0), int64(1)
		for _, d := range p.minorToMajor {
			if 0 <= d && d < int64(rank) {
				at += index[d] * stride
				stride *= p.shape.Dims[d]
			}
		}
		return append(b, p.values[at]...)
	}
	size := p.shape.Dims[depth]
	space := " "
	if rank == 1 || depth == rank-1 && size <= 1 {
		space = ""
	}
	b = append(append(b, '{'), space...)
	for i := range size {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = p.print(b, append(index, i))
	}
	return append(append(b, space...), '}')
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

func (m *Module) textLiteral(i InstrID) string {
	in := &m.Instrs[i]
	open, shape := int(in.args)-1, m.Shape(in.Shape)
	t := text(m.src[:text(m.src).balanced(open)-1])
	start := t.blanks(open + 1)
	if shape.Type == Tuple || len(shape.Dims) > maxNesting || t.at(start, '{') && (shape.ElementCount() > maxLiteral || t.at(t.blanks(start+1), '.')) {
		return elided
	}
	var b strings.Builder
	t.writeLiteral(&b, start, len(shape.Dims))
	return b.String()
}

// writeLiteral spells a literal of so many dimensions as XLA does, on one line and without comments: `1`, `{1, 2}`, `{ { 1, 2 }, { 3, 4 } }`, `{ {0}, {5} }`.
func (t text) writeLiteral(b *strings.Builder, i, rank int) {
	if !t.at(i, '{') {
		b.WriteString(t.scalar(i, len(t)))
		return
	}
	t.writeList(b, i, rank, rank == 1)
}

// writeList spells one list and returns the offset behind it. XLA prints blanks inside the braces, but not of a vector and not of a row of one element or none.
func (t text) writeList(b *strings.Builder, i, rank int, vector bool) int {
	var elements []string
	end := t.blanks(i + 1)
	for end < len(t) && !t.at(end, '}') {
		var element strings.Builder
		start := end
		if t.at(start, '{') && rank > 1 {
			end = t.writeList(&element, start, rank-1, false)
		} else { // a list in a row is none of the shape: it stays as it is
			end = t.value(start)
			element.WriteString(t.scalar(start, end))
		}
		elements = append(elements, element.String())
		if end = t.blanks(end); t.at(end, ',') || end == start {
			end = t.blanks(end + 1)
		}
	}
	blank := " "
	if vector || rank <= 1 && len(elements) <= 1 {
		blank = ""
	}
	b.WriteString("{" + blank + strings.Join(elements, ", ") + blank + "}")
	return end + 1
}

// spelledLiteral spells a literal and the shape before it as XLA does: `s32[] 1`, `( s32[] 1, f32[2]{0} {1, 2} )`.
func spelledLiteral(value []byte) []byte {
	p, spelled := newTextParser(value, ""), []byte(nil)
	if caught(func() { spelled, _ = p.literal(nil, p.t.blanks(0)) }) != nil {
		return value
	}
	return spelled
}

// literal spells the literal at i and returns the offset behind it.
func (p *textParser) literal(b []byte, i int) ([]byte, int) {
	if p.t.at(i, '(') {
		return p.tupleLiteral(b, i)
	}
	id, i := p.shape(i)
	end, shape := p.t.value(i), p.m.Shape(id)
	b = append(append(b, p.m.ShapeLayoutText(id)...), ' ')
	if shape.ElementCount() > maxLiteral || len(shape.Dims) > maxNesting {
		return append(b, elided...), end
	}
	var values strings.Builder
	p.t[:end].writeLiteral(&values, i, len(shape.Dims))
	return append(b, values.String()...), end
}

func (p *textParser) tupleLiteral(b []byte, i int) ([]byte, int) {
	p.nest(i)
	b = append(b, '(', ' ')
	for i = p.t.blanks(i + 1); i < len(p.t) && !p.t.at(i, ')'); {
		b, i = p.literal(b, i)
		if i = p.t.blanks(i); p.t.at(i, ',') {
			b, i = append(b, ',', ' '), p.t.blanks(i+1)
		}
	}
	p.nesting--
	return append(b, ' ', ')'), i + 1
}

// scalar spells a number, a pair of numbers or a word, with single blanks.
func (t text) scalar(i, end int) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(string(t[i:end]), ",", ", ")), " ")
}

// literalFields holds, by type, the field of LiteralProto with the values, and how one is printed.
var literalFields = map[Type]struct {
	field int
	width int // bytes of one value; 0 for a varint
	value func(raw []byte, varint uint64) string
}{
	Pred: {2, 0, integerValue(64, false)},
	S32:  {4, 0, integerValue(64, true)}, S64: {5, 0, integerValue(64, true)}, U32: {6, 0, integerValue(64, false)}, U64: {7, 0, integerValue(64, false)},
	F32: {8, 4, float32Value}, F64: {9, 8, float64Value}, C64: {12, 8, complexValue(float32Value)}, C128: {18, 16, complexValue(float64Value)},
	U8: {3, 1, integerValue(8, false)}, S8: {15, 1, integerValue(8, true)}, U16: {16, 2, integerValue(16, false)}, S16: {17, 2, integerValue(16, true)},
	F16: {11, 2, smallFloat{exponent: 5, mantissa: 10, infinite: true}.digits(5)}, BF16: {13, 2, smallFloat{exponent: 8, mantissa: 7, infinite: true}.digits(4)},

	19: {19, 1, smallFloat{exponent: 5, mantissa: 2, infinite: true}.digits(2)},
	20: {20, 1, smallFloat{exponent: 4, mantissa: 3}.digits(3)},
	21: {21, 1, integerValue(4, true)},
	22: {22, 1, integerValue(4, false)},
	23: {23, 1, smallFloat{exponent: 4, mantissa: 3, bias: 11, zeroNaN: true}.digits(3)},
	24: {24, 1, smallFloat{exponent: 5, mantissa: 2, bias: 16, zeroNaN: true}.digits(2)},
	25: {25, 1, smallFloat{exponent: 4, mantissa: 3, bias: 8, zeroNaN: true}.digits(3)},
	26: {26, 1, integerValue(2, true)},
	27: {27, 1, integerValue(2, false)},
	28: {28, 1, smallFloat{exponent: 4, mantissa: 3, infinite: true}.digits(3)},
	29: {29, 1, smallFloat{exponent: 3, mantissa: 4, infinite: true}.digits(3)},
	30: {30, 1, integerValue(1, true)},
	31: {31, 1, integerValue(1, false)},
	32: {32, 1, smallFloat{exponent: 2, mantissa: 1, noNaN: true}.digits(2)},
	33: {33, 1, smallFloat{exponent: 8, mantissa: 0, signless: true}.digits(2)},
	35: {35, 1, smallFloat{exponent: 3, mantissa: 2, noNaN: true}.digits(2)},
	36: {36, 1, smallFloat{exponent: 2, mantissa: 3, noNaN: true}.digits(3)},
}

// literalValues prints the values of a literal in the order in which they are stored.
func literalValues(src []byte, body Range, s *Shape) []string {
	kind, known := literalFields[s.Type]
	if !known {
		return nil
	}
	var values []string
	for f := fieldsOf(src, body); f.next(); {
		if f.tag>>3 != kind.field {
			continue
		}
		if kind.width > 0 {
			for b := src[f.body.Start:f.body.End]; len(b) >= kind.width; b = b[kind.width:] {
				values = append(values, kind.value(b[:kind.width], 0))
			}
			continue
		}
		for p := fieldsOf(src, f.body); p.more(); {
			values = append(values, kind.value(nil, p.varint()))
		}
	}
	if s.Type == Pred && len(s.Dims) == 0 && len(values) == 1 {
		values[0] = strconv.FormatBool(values[0] == "1")
	}
	return values
}

// integerValue prints integers of so many bits.
func integerValue(bits int, signed bool) func(raw []byte, varint uint64) string {
	return func(raw []byte, v uint64) string {
		if v = (v | littleEndian(raw)) << (64 - bits); signed {
			return strconv.FormatInt(int64(v)>>(64-bits), 10)
		}
		return strconv.FormatUint(v>>(64-bits), 10)
	}
}

func littleEndian(raw []byte) (v uint64) {
	for i, b := range raw {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func float32Value(raw []byte, _ uint64) string {
	return string(appendFloat32(nil, math.Float32frombits(binary.LittleEndian.Uint32(raw))))
}

func float64Value(raw []byte, _ uint64) string {
	return string(appendFloat64(nil, math.Float64frombits(binary.LittleEndian.Uint64(raw))))
}

func complexValue(part func(raw []byte, varint uint64) string) func(raw []byte, varint uint64) string {
	return func(raw []byte, _ uint64) string {
		half := len(raw) / 2
		return "(" + part(raw[:half], 0) + ", " + part(raw[half:], 0) + ")"
	}
}

// appendFloat32 prints a number with six digits if these suffice to tell it from others, and else with nine. appendFloat64 prints 15 or 17.
func appendFloat32(b []byte, v float32) []byte {
	short := strconv.AppendFloat(nil, float64(v), 'g', 6, 64)
	if back, _ := strconv.ParseFloat(string(short), 32); float32(back) != v && v == v {
		short = strconv.AppendFloat(nil, float64(v), 'g', 9, 64)
	}
	return append(b, spellFloat(short, math.Signbit(float64(v)), math.Float32bits(v)&0x7fffff, 0x400000)...)
}

func appendFloat64(b []byte, v float64) []byte {
	short := strconv.AppendFloat(nil, v, 'g', 15, 64)
	if back, _ := strconv.ParseFloat(string(short), 64); back != v && v == v {
		short = strconv.AppendFloat(nil, v, 'g', 17, 64)
	}
	return append(b, spellFloat(short, math.Signbit(v), 0, 0)...)
}

// spellFloat turns Go's names of infinities and NaN into XLA's. XLA prints the payload of a NaN that is not the quiet one.
func spellFloat(printed []byte, negative bool, payload, quiet uint32) string {
	switch text := string(printed); text {
	case "+Inf":
		return "inf"
	case "-Inf":
		return "-inf"
	case "NaN":
		text = "nan"
		if payload != quiet {
			text = "nan(0x" + strconv.FormatUint(uint64(payload), 16) + ")"
		}
		if negative {
			text = "-" + text
		}
		return text
	default:
		return text
	}
}

// smallFloat is a floating-point format of at most sixteen bits: sign, exponent and mantissa from the top.
type smallFloat struct {
	exponent, mantissa int
	bias               int  // 0: 2^(exponent-1) - 1
	infinite           bool // IEEE: the highest exponent means infinity and NaN
	signless           bool
	zeroNaN            bool // NaN is minus zero (the fnuz formats)
	noNaN              bool // every bit pattern is a number
}

// digits prints numbers with so many significant digits.
func (s smallFloat) digits(n int) func(raw []byte, varint uint64) string {
	return func(raw []byte, _ uint64) string {
		v, negative := s.value(uint32(littleEndian(raw)))
		return spellFloat(strconv.AppendFloat(nil, v, 'g', n, 64), negative, 0, 0)
	}
}

func (s smallFloat) value(bits uint32) (v float64, negative bool) {
	exponent := int(bits >> s.mantissa & (1<<s.exponent - 1))
	mantissa := bits & (1<<s.mantissa - 1)
	negative = !s.signless && bits>>(s.mantissa+s.exponent)&1 != 0
	bias := s.bias
	if bias == 0 {
		bias = 1<<(s.exponent-1) - 1
	}
	top := exponent == 1<<s.exponent-1
	isNaN := top && mantissa == 1<<s.mantissa-1
	switch {
	case s.zeroNaN:
		isNaN = exponent == 0 && mantissa == 0 && negative
	case s.infinite:
		isNaN = top && mantissa != 0
	}
	switch {
	case isNaN && !s.noNaN:
		return math.NaN(), negative
	case s.infinite && top:
		v = math.Inf(1)
	case exponent == 0 && !s.signless:
		v = math.Ldexp(float64(mantissa), 1-bias-s.mantissa)
	default:
		v = math.Ldexp(float64(mantissa|1<<s.mantissa), exponent-bias-s.mantissa)
	}
	if negative {
		v = -v
	}
	return v, negative
}

// canonicalLiteral spells numbers as XLA prints them: a person may write 1.0 for 1. A subnormal float is 0, as the compiler threads of
// jaxlib 0.10 print it, and so is -0: XLA prints the sign, and its parser reads a 0 back.
func canonicalLiteral(t Type, literal string) string {
	switch {
	case t == Pred && literal == "1":
		return "true"
	case t == Pred && literal == "0":
		return "false"
	}
	var b strings.Builder
	for len(literal) > 0 {
		n := strings.IndexAny(literal, "0123456789-")
		if n < 0 {
			break
		}
		end := n + len(literal[n:])
		if k := strings.IndexAny(literal[n:], ", })"); k >= 0 {
			end = n + k
		}
		b.WriteString(literal[:n])
		b.WriteString(canonicalNumber(t, literal[n:end]))
		literal = literal[end:]
	}
	return b.String() + literal
}

const smallestNormal = 0x1p-126

func canonicalNumber(t Type, number string) string {
	bits := 32
	if t == F64 {
		bits = 64
	}
	v, err := strconv.ParseFloat(number, bits)
	switch {
	case err != nil:
		return number
	case v == 0, t != F64 && math.Abs(v) < smallestNormal:
		return "0"
	case t == F64:
		return string(appendFloat64(nil, v))
	case t == F32:
		return string(appendFloat32(nil, float32(v)))
	}
	return number
}
