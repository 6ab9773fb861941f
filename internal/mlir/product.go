package mlir

import "strings"

// Product is a matrix product in the body of a kernel.
type Product struct {
	Op        string  // "tpu.matmul"
	Type      string  // the wider of the types that it multiplies, as HLO spells it: "f32"
	Out       string  // "f32[512,256]"
	Precision string  // default, high, highest, or the algorithm's name: dot_bf16_bf16_f32_x3
	Flops     float64 // in one run of the body, in all loops around it; 0 where they cannot be told
	Stack     []Place // the lines that asked for it, the innermost first; none where the kernel does not say
}

// Place is a line of the source.
type Place struct {
	File string
	Line int
}

// productOps are the operations that multiply matrices, for TPU, for GPU, and of MLIR's own.
var productOps = map[string]bool{"tpu.matmul": true, "tt.dot": true, "ttg.dot": true, "triton_gpu.dot": true, "vector.contract": true}

// newProduct is what an operation multiplies.
func newProduct(op string, lhs, rhs, out shape, precision string) Product {
	p := Product{Op: op, Type: lhs.element, Out: out.String(), Precision: "default"}
	if rhs.bits() > lhs.bits() {
		p.Type = rhs.element
	}
	if known := precisions[precision]; known != "" && max(lhs.bits(), rhs.bits()) >= 32 { // of narrower numbers nothing is lost
		p.Precision = known
	}
	p.Flops = 2 * out.elements() * contracted(lhs, rhs, out)
	return p
}

// precisions are the names that Mosaic and Triton have for what HLO calls the precision or the algorithm of a product.
var precisions = map[string]string{
	"fp32": "highest", "ieee": "highest", "tf32x3": "high", "bf16x3": "dot_bf16_bf16_f32_x3", "bf16x6": "dot_bf16_bf16_f32_x6",
}

// inputPrecisions are Triton's by number.
var inputPrecisions = []string{"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"}

// precisionIn is the precision that a line or an attribute spells out, "" where it spells none.
func precisionIn(line string) string {
	for _, key := range []string{"contract_precision<", "inputPrecision = "} {
		if _, value, ok := strings.Cut(line, key); ok {
			value = value[:len(value)-len(strings.TrimLeft(value, "abcdefghijklmnopqrstuvwxyz0123456789"))]
			return value
		}
	}
	return ""
}
