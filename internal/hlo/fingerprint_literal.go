package hlo

import (
	"math"
	"strconv"
	"strings"
)

// canonicalLiteral spells numbers as XLA prints them: a hand may write 1.0 for 1. What is smaller than a normal float is 0: compiler
// threads of jaxlib 0.10 print it so.
func canonicalLiteral(t Type, literal string) string {
	switch {
	case t == Pred && literal == "1":
		return "true"
	case t == Pred && literal == "0":
		return "false"
	case t != F32 && t != F64 && t != BF16:
		return literal
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
	case t == F64:
		return string(appendFloat64(nil, v))
	case v != 0 && math.Abs(v) < smallestNormal:
		return string(appendFloat32(nil, float32(math.Copysign(0, v))))
	case t == F32:
		return string(appendFloat32(nil, float32(v)))
	}
	return number
}
