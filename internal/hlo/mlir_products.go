package hlo

import (
	"strconv"
	"strings"
)

// product adds an operation that multiplies matrices to those of the kernel.
func (w *mlirWalker) product(o *mlirOperation) {
	if !productOps[o.name] || len(o.operands) < 2 || len(o.results) == 0 {
		return
	}
	lhs, left := w.shape(w.value(o.operands[0]).kind)
	rhs, right := w.shape(w.value(o.operands[1]).kind)
	if out, ok := w.shape(o.results[0]); ok && left && right {
		p := KernelProduct{Op: o.name, Type: lhs.element, Out: out.String(), Precision: "default", Stack: w.places(o.place)}
		if rhs.bits() > lhs.bits() {
			p.Type = rhs.element
		}
		if known := kernelPrecisions[w.precision(o)]; known != "" && max(lhs.bits(), rhs.bits()) >= 32 { // products of narrower numbers are exact
			p.Precision = known
		}
		w.kernel.Products = append(w.kernel.Products, p)
	}
}

// precision returns the precision of a product as its dialect names it. Mosaic stores it in an attribute, Triton in the first property.
func (w *mlirWalker) precision(o *mlirOperation) string {
	if at := w.named(o.attributes, "precision"); o.mask&hasAttributes != 0 && at < uint64(len(w.attrs)) && !w.attrs[at].encoded {
		_, printed, _ := strings.Cut(string(w.attrs[at].data), "contract_precision<")
		printed, _, _ = strings.Cut(printed, ">")
		return printed
	}
	if n, ok := w.integer(w.property(o)); ok && n >= 0 && n < int64(len(inputPrecisions)) && strings.HasSuffix(o.name, ".dot") {
		return inputPrecisions[n]
	}
	return ""
}

// property returns the first property of an operation, an optional one, whose lowest bit is a flag.
func (w *mlirWalker) property(o *mlirOperation) uint64 {
	if o.mask&hasProperties == 0 || o.properties >= uint64(len(w.properties)) {
		return noAttribute
	}
	c := &mlirCursor{data: w.properties[o.properties].data}
	if at, there := c.flagged(); there {
		return at
	}
	return noAttribute
}

// integer reads an integer attribute. ok is false for others.
func (f *mlirFile) integer(at uint64) (n int64, ok bool) {
	if at >= uint64(len(f.attrs)) || f.attrs[at].code() != codeNumber {
		return 0, false
	}
	c := &mlirCursor{data: f.attrs[at].data}
	c.number()
	kind := c.number()
	if element := f.element(kind); element == "pred" || strings.HasSuffix(element, "8") {
		return int64(int8(c.byte())), !c.cut
	}
	n = c.signed()
	return n, !c.cut
}

// KernelProduct is a matrix product in the body of a kernel.
type KernelProduct struct {
	Op        string     // "tpu.matmul"
	Type      string     // the wider type of the operands, as HLO spells it: "f32"
	Out       string     // "f32[512,256]"
	Precision string     // default, high, highest, or the algorithm's name: dot_bf16_bf16_f32_x3
	Stack     []Location // its source lines, innermost first; none if the kernel has none
}

// productOps holds the operations that multiply matrices, for TPU, for GPU, and of MLIR itself.
var productOps = map[string]bool{"tpu.matmul": true, "tt.dot": true, "ttg.dot": true, "triton_gpu.dot": true, "vector.contract": true}

// kernelPrecisions holds HLO's precision or algorithm by its name in Mosaic and Triton.
var kernelPrecisions = map[string]string{
	"fp32": "highest", "ieee": "highest", "tf32x3": "high", "bf16x3": "dot_bf16_bf16_f32_x3", "bf16x6": "dot_bf16_bf16_f32_x6",
}

// inputPrecisions holds the names of Triton's enum, by number.
var inputPrecisions = []string{"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"}

// kernelShape is the type of a vector or a tensor.
type kernelShape struct {
	element string // as HLO spells it: "bf16", "s8"
	dims    []int64
}

// String returns the shape as HLO prints it: f32[8,128].
func (s kernelShape) String() string {
	return string(append(appendList([]byte(s.element+"["), s.dims), ']'))
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
		rank := c.count()
		if rank > maxNesting {
			return s, false
		}
		for range rank {
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
