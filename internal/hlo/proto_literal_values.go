package hlo

import (
	"encoding/binary"
	"math"
	"strconv"
)

// literalFields says in which field of LiteralProto the values of a type lie, and how: as varints, as fixed numbers in a
// packed field, or as little-endian bytes.
var literalFields = map[Type]struct {
	field int
	width int // bytes of one value; 0 for a varint
	value func(raw []byte, varint uint64) string
}{
	Pred: {2, 0, boolValue},
	S32:  {4, 0, signedValue}, S64: {5, 0, signedValue}, U32: {6, 0, unsignedValue}, U64: {7, 0, unsignedValue},
	F32: {8, 4, float32Value}, F64: {9, 8, float64Value}, C64: {12, 8, complex64Value}, C128: {18, 16, complex128Value},
	U8: {3, 1, rawUnsigned}, S8: {15, 1, rawSigned}, U16: {16, 2, rawUnsigned}, S16: {17, 2, rawSigned},
	F16: {11, 2, halfValue}, BF16: {13, 2, bfloatValue},
}

// literalValues prints the values of a literal in the order in which they are stored.
func literalValues(src []byte, body Range, s *Shape) []string {
	kind, known := literalFields[s.Type]
	if !known {
		return smallValues(src, body, s)
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

func boolValue(_ []byte, v uint64) string {
	if v != 0 {
		return "1"
	}
	return "0"
}

func signedValue(_ []byte, v uint64) string   { return strconv.FormatInt(int64(v), 10) }
func unsignedValue(_ []byte, v uint64) string { return strconv.FormatUint(v, 10) }

func rawUnsigned(raw []byte, _ uint64) string {
	if len(raw) == 1 {
		return strconv.FormatUint(uint64(raw[0]), 10)
	}
	return strconv.FormatUint(uint64(binary.LittleEndian.Uint16(raw)), 10)
}

func rawSigned(raw []byte, _ uint64) string {
	if len(raw) == 1 {
		return strconv.FormatInt(int64(int8(raw[0])), 10)
	}
	return strconv.FormatInt(int64(int16(binary.LittleEndian.Uint16(raw))), 10)
}

func float32Value(raw []byte, _ uint64) string {
	return string(appendFloat32(nil, math.Float32frombits(binary.LittleEndian.Uint32(raw))))
}

func float64Value(raw []byte, _ uint64) string {
	return string(appendFloat64(nil, math.Float64frombits(binary.LittleEndian.Uint64(raw))))
}

func complex64Value(raw []byte, _ uint64) string {
	return "(" + float32Value(raw[:4], 0) + ", " + float32Value(raw[4:], 0) + ")"
}

func complex128Value(raw []byte, _ uint64) string {
	return "(" + float64Value(raw[:8], 0) + ", " + float64Value(raw[8:], 0) + ")"
}

// A floating-point value is printed with the digits that always suffice, and where that is enough with a few less.

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

// spellFloat turns Go's names for what is no number into XLA's; a NaN with an unusual payload shows it.
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

func halfValue(raw []byte, _ uint64) string {
	bits := uint32(binary.LittleEndian.Uint16(raw))
	return smallFloat{exponent: 5, mantissa: 10, infinite: true}.print(bits, 5)
}

func bfloatValue(raw []byte, _ uint64) string {
	v := math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw)) << 16)
	return spellFloat(strconv.AppendFloat(nil, float64(v), 'g', 4, 64), math.Signbit(float64(v)), 0, 0)
}
