package hlo

import (
	"math"
	"strconv"
	"strings"
)

// kernelShape is the type of a vector or a tensor.
type kernelShape struct {
	element string // as HLO spells it: "bf16", "s8"
	dims    []int64
}

func (s kernelShape) elements() float64 { return multiplied(s.dims) }

// multiplied multiplies lengths, up to unreal.
func multiplied(lengths []int64) float64 {
	n := 1.0
	for _, length := range lengths {
		n = min(n*float64(max(0, length)), unreal)
	}
	return n
}

// unreal bounds sizes: only a broken file reaches it.
const unreal = 1 << 53

// String returns the shape as HLO prints it: f32[8,128].
func (s kernelShape) String() string {
	dims := make([]string, len(s.dims))
	for i, d := range s.dims {
		dims[i] = strconv.FormatInt(d, 10)
	}
	return s.element + "[" + strings.Join(dims, ",") + "]"
}

// bits returns the width of the elements, 0 where their name does not have it.
func (s kernelShape) bits() int {
	digits := strings.TrimLeft(s.element, "abcdefghijklmnopqrstuvwxyz")
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	n, _ := strconv.Atoi(digits)
	return n
}

// Codes of types that have elements, and of the elements.
const (
	codeInteger        = 0
	codeTensor         = 13
	codeEncodedTensor  = 14
	codeVector         = 19
	signednessBits     = 2
	unsignedSignedness = 2
)

var floats = map[uint64]string{3: "bf16", 4: "f16", 5: "f32", 6: "f64"}

// shape reads the type of a vector or a tensor. ok is false for others.
func (f *mlirFile) shape(i uint64) (s kernelShape, ok bool) {
	if i >= uint64(len(f.types)) {
		return s, false
	}
	e := &f.types[i]
	c := &mlirCursor{data: e.data}
	switch code := e.code(); code {
	case codeTensor, codeEncodedTensor, codeVector:
		c.number()
		if code == codeEncodedTensor {
			c.number()
		}
		for range c.count() {
			s.dims = append(s.dims, c.signed())
		}
		s.element = f.element(c.number())
		return s, !c.cut && s.element != ""
	}
	return s, false
}

// element returns a numeric type as HLO spells it, "" for others. The bytecode spells out the types that it cannot encode.
func (f *mlirFile) element(i uint64) string {
	if i >= uint64(len(f.types)) {
		return ""
	}
	e := &f.types[i]
	if !e.encoded {
		return elementOf(string(e.data))
	}
	c := &mlirCursor{data: e.data}
	switch code := e.code(); {
	case code == codeInteger:
		c.number()
		n := c.number()
		return integerType(n>>signednessBits, n%(1<<signednessBits) == unsignedSignedness)
	case code > 0:
		return floats[uint64(code)]
	}
	return ""
}

func integerType(bits uint64, unsigned bool) string {
	switch {
	case bits == 1:
		return "pred"
	case unsigned:
		return "u" + strconv.FormatUint(bits, 10)
	}
	return "s" + strconv.FormatUint(bits, 10)
}

// elementOf spells a printed numeric type as HLO does, and returns "" for other types.
func elementOf(printed string) string {
	digits := strings.TrimPrefix(strings.TrimPrefix(printed, "u"), "i")
	if bits, err := strconv.ParseUint(digits, 10, 16); err == nil && digits != printed {
		return integerType(bits, printed[0] == 'u')
	}
	if strings.HasPrefix(printed, "f") || printed == "bf16" {
		return strings.ToLower(printed)
	}
	return ""
}

// contracted returns the length of the dimension that a product sums over, 0 if unknown: the square root of the sizes of both operands divided
// by the size of the result and by the batch, which are the dimensions of the result before the last two.
func contracted(lhs, rhs, out kernelShape) float64 {
	shared := multiplied(out.dims[:max(0, len(out.dims)-2)])
	if out.elements() == 0 || shared == 0 {
		return 0
	}
	square := lhs.elements() * rhs.elements() / out.elements() / shared
	if k := math.Round(math.Sqrt(square)); k*k == square {
		return k
	}
	return 0
}
