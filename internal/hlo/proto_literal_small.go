package hlo

import (
	"math"
	"strconv"
)

// smallFloat is a floating-point format of at most sixteen bits: sign, exponent and mantissa from the top.
type smallFloat struct {
	exponent, mantissa int
	bias               int  // 0: 2^(exponent-1) - 1
	infinite           bool // IEEE: the highest exponent means infinity and NaN
	signless           bool
	zeroNaN            bool // NaN is minus zero (the fnuz formats)
	noNaN              bool // every bit pattern is a number
}

// smallTypes are the types whose values are stored as one byte each, by the field of LiteralProto that holds them.
var smallTypes = map[Type]struct {
	field  int
	digits int // printed significant digits; 0 for integers
	bits   int // of an integer
	signed bool
	format smallFloat
}{
	19: {19, 2, 0, false, smallFloat{exponent: 5, mantissa: 2, infinite: true}},
	20: {20, 3, 0, false, smallFloat{exponent: 4, mantissa: 3}},
	21: {21, 0, 4, true, smallFloat{}},
	22: {22, 0, 4, false, smallFloat{}},
	23: {23, 3, 0, false, smallFloat{exponent: 4, mantissa: 3, bias: 11, zeroNaN: true}},
	24: {24, 2, 0, false, smallFloat{exponent: 5, mantissa: 2, bias: 16, zeroNaN: true}},
	25: {25, 3, 0, false, smallFloat{exponent: 4, mantissa: 3, bias: 8, zeroNaN: true}},
	26: {26, 0, 2, true, smallFloat{}},
	27: {27, 0, 2, false, smallFloat{}},
	28: {28, 3, 0, false, smallFloat{exponent: 4, mantissa: 3, infinite: true}},
	29: {29, 3, 0, false, smallFloat{exponent: 3, mantissa: 4, infinite: true}},
	30: {30, 0, 1, true, smallFloat{}},
	31: {31, 0, 1, false, smallFloat{}},
	32: {32, 2, 0, false, smallFloat{exponent: 2, mantissa: 1, noNaN: true}},
	33: {33, 2, 0, false, smallFloat{exponent: 8, mantissa: 0, signless: true}},
	35: {35, 2, 0, false, smallFloat{exponent: 3, mantissa: 2, noNaN: true}},
	36: {36, 3, 0, false, smallFloat{exponent: 2, mantissa: 3, noNaN: true}},
}

// smallValues prints the values of a type of at most eight bits.
func smallValues(src []byte, body Range, s *Shape) []string {
	kind, known := smallTypes[s.Type]
	if !known {
		return nil
	}
	var values []string
	for f := fieldsOf(src, body); f.next(); {
		if f.tag != kind.field<<3|wireBytes {
			continue
		}
		for _, raw := range src[f.body.Start:f.body.End] {
			switch {
			case kind.digits > 0:
				values = append(values, kind.format.print(uint32(raw), kind.digits))
			case kind.signed:
				values = append(values, strconv.Itoa(int(int8(raw<<(8-kind.bits))>>(8-kind.bits))))
			default:
				values = append(values, strconv.Itoa(int(raw&(1<<kind.bits-1))))
			}
		}
	}
	return values
}

func (s smallFloat) print(bits uint32, digits int) string {
	v, negative := s.value(bits)
	if math.IsNaN(v) {
		return spellFloat([]byte("NaN"), negative, 0, 0)
	}
	return spellFloat(strconv.AppendFloat(nil, v, 'g', digits, 64), negative, 0, 0)
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
	switch {
	case s.isNaN(top, exponent, mantissa, negative):
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

func (s smallFloat) isNaN(top bool, exponent int, mantissa uint32, negative bool) bool {
	switch {
	case s.noNaN:
		return false
	case s.zeroNaN:
		return exponent == 0 && mantissa == 0 && negative
	case s.infinite:
		return top && mantissa != 0
	}
	return top && mantissa == 1<<s.mantissa-1
}
