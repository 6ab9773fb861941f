package facts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
)

// Product is one matrix product or convolution of the optimized module: an operation, in a fusion or in a hand-written kernel as well, or a library call.
type Product struct {
	Opcode    string // dot, ragged-dot, convolution, the library call's target, or what the kernel's own language calls it: tpu.matmul
	Type      string // the widest element type that it multiplies
	Shape     string
	Precision string // default, high, highest, or the algorithm's name: dot_bf16_bf16_f32_x3
	Flops     int64  // 0 where they cannot be told
	OpName    string
	Source    hlo.Location
}

// products lists the products and counts them by type and precision. It also counts conversions between floating-point types, which a narrow type may cost.
func (r *reader) products(v *Variant) {
	v.Facts[ProductsTotal], v.Facts[ConvertsCount], v.Facts[ConvertsElements] = 0, 0, 0
	for id := range r.notable(r.isProduct) {
		p, md := r.product(id), r.metadata(id)
		p.OpName, p.Source = md.OpName, r.sources.locate(md)
		v.addProduct(r, id, &p)
	}
	for id := range r.notable(func(id hlo.InstrID) bool { return r.m.Instrs[id].Opcode == hlo.OpCustomCall && r.m.Kernel(id) != nil }) {
		for _, p := range r.written(id) {
			v.addProduct(r, id, &p)
		}
	}
	for id := range r.notable(func(id hlo.InstrID) bool { return r.m.Instrs[id].Opcode == hlo.OpConvert }) {
		operands := r.m.Operands(id)
		if len(operands) == 1 && r.floating(r.m.Instrs[id].Shape) && r.floating(r.m.Instrs[operands[0]].Shape) {
			v.count(r, id, ConvertsCount, 1)
			v.count(r, id, ConvertsElements, float64(r.m.Shape(r.m.Instrs[id].Shape).ElementCount()))
		}
	}
}

func (r *reader) isProduct(id hlo.InstrID) bool {
	switch r.m.Instrs[id].Opcode {
	case hlo.OpDot, hlo.OpRaggedDot, hlo.OpScaledDot, hlo.OpConvolution:
		return true
	case hlo.OpCustomCall:
		target := strings.ToLower(r.m.AttrText(id, "custom_call_target"))
		library := strings.HasPrefix(target, "__") || strings.Contains(target, "eigen")
		return library && !strings.Contains(target, "reorder") && slices.ContainsFunc(libraryCalls, func(part string) bool { return strings.Contains(target, part) })
	}
	return false
}

func (v *Variant) addProduct(r *reader, id hlo.InstrID, p *Product) {
	v.Products = append(v.Products, p)
	for _, fact := range []ID{ProductsTotal, ProductType.Of(p.Type), ProductPrecision.Of(p.Precision)} {
		v.count(r, id, fact, 1)
	}
}

// product returns a product without its place in the model. Calls that say the same share one.
func (r *reader) product(id hlo.InstrID) Product {
	call := r.alike().Call(id)
	if known, ok := r.productOf[call]; ok {
		return known
	}
	p := Product{Type: r.widest(id), Shape: r.shape(r.productShape(id))}
	if r.m.Instrs[id].Opcode == hlo.OpCustomCall {
		config := r.m.AttrText(id, "backend_config")
		p.Opcode = r.m.AttrText(id, "custom_call_target")
		p.Precision, p.Flops = cmp.Or(libraryPrecision(config), r.operandPrecision(id)), r.libraryFlops(id, config)
	} else {
		p.Opcode, p.Precision, p.Flops = r.opcode(id), r.operandPrecision(id), int64(r.costs().Instr(id).Flops)
	}
	p.Flops = max(0, p.Flops)
	r.productOf[call] = p
	return p
}

// productShape returns the shape of a product's result. A library call returns a tuple of the result and its workspace.
func (r *reader) productShape(id hlo.InstrID) hlo.ShapeID {
	shape := r.m.Instrs[id].Shape
	if elements := r.m.Shape(shape).Elements; len(elements) > 0 {
		return elements[0]
	}
	return shape
}

// libraryCalls are parts of the names, in lower case, of custom calls that multiply matrices: cuBLAS (__cublas$lt$groupedMatmul), cuDNN
// (__cudnn$blockScaledDot), hipBLASLt, MIOpen, oneDNN, Eigen. One that only reorders a filter (__cudnn$convReorderFilter) does not.
var libraryCalls = []string{"matmul", "gemm", "conv", "fmha", "scaleddot"}

// widest returns the wider type of the first two operands, which a product multiplies.
func (r *reader) widest(id hlo.InstrID) string {
	widest := hlo.TypeInvalid
	operands := r.m.Operands(id)
	for _, o := range operands[:min(2, len(operands))] {
		if t := r.m.Shape(r.m.Instrs[o].Shape).Type; widest == hlo.TypeInvalid || t.Bytes() > widest.Bytes() {
			widest = t
		}
	}
	return widest.String()
}

// floating reports whether a shape's elements are real numbers of any width.
func (r *reader) floating(shape hlo.ShapeID) bool {
	name := r.m.Shape(shape).Type.String()
	return strings.HasPrefix(name, "f") || name == "bf16"
}

// operandPrecision is the precision that a product requests: its algorithm, or the highest precision of an operand.
func (r *reader) operandPrecision(id hlo.InstrID) string {
	if algorithm, ok := r.m.Attr(id, "algorithm"); ok {
		return algorithm
	}
	return highest(r.m.AttrText(id, "operand_precision"))
}

// libraryPrecision returns the precision in the backend_config of a library call, "" if it has none, as for a convolution.
func libraryPrecision(config string) string {
	_, rest, ok := strings.Cut(config, `"precision_config":`)
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "}")
	if _, algorithm, ok := strings.Cut(rest, `"algorithm":"ALG_`); ok {
		if algorithm, _, _ = strings.Cut(algorithm, `"`); algorithm != "UNSET" {
			return strings.ToLower(algorithm)
		}
	}
	return highest(strings.ToLower(rest))
}

func highest(printed string) string {
	switch {
	case strings.Contains(printed, "highest"):
		return "highest"
	case strings.Contains(printed, "high"):
		return "high"
	}
	return "default"
}

// libraryFlops counts two operations, a multiplication and an addition, for each pair of an element of the result and one of the contracted dimensions.
// It is 0 if the call neither names these dimensions nor has a convolution's window.
func (r *reader) libraryFlops(id hlo.InstrID, config string) int64 {
	operands := r.m.Operands(id)
	if len(operands) < 2 {
		return 0
	}
	lhs, rhs, out := r.m.Shape(r.m.Instrs[operands[0]].Shape), r.m.Shape(r.m.Instrs[operands[1]].Shape), r.m.Shape(r.productShape(id))
	target := r.m.AttrText(id, "custom_call_target")
	switch { // the labels are those of the convolution that cuDNN goes back through
	case strings.HasSuffix(target, "$convBackwardInput"):
		lhs, out = out, lhs
	case strings.HasSuffix(target, "$convBackwardFilter"):
		rhs, out = out, rhs
	case strings.Contains(target, "fmha"):
		return attentionFlops(target, config, lhs)
	}
	if flops, ok := price.ConvolutionFlops(r.m, id, lhs, rhs, out); ok {
		return int64(flops)
	}
	contracted := configNumbers(config, "lhs_contracting_dimensions")
	if len(contracted) == 0 {
		return 0
	}
	width := int64(1)
	for _, d := range contracted {
		if d < 0 || d >= int64(len(lhs.Dims)) {
			return 0
		}
		width *= lhs.Dims[d]
	}
	flops := 2 * out.ElementCount() * width
	if strings.HasSuffix(target, "$groupedMatmul") && len(out.Dims) > len(rhs.Dims) && out.Dims[0] > 0 { // each group of the result sums its own rows: kRaggedContracting
		flops /= out.Dims[0]
	}
	return flops
}

// attentionFlops are those of the products of attention: two forward, five backward, each with all weights and the size of a head.
func attentionFlops(target, config string, query *hlo.Shape) int64 {
	products := int64(2)
	if strings.HasSuffix(target, "Backward") {
		products = 5
	}
	if _, rest, ok := strings.Cut(config, `"intermediate_tensor_shape"`); ok && len(query.Dims) > 0 {
		flops := 2 * products * query.Dims[len(query.Dims)-1]
		for _, n := range configNumbers(rest, "dimensions") {
			flops *= n
		}
		return flops
	}
	return 0
}

// configNumbers is a list of numbers in a backend_config, which quotes each; nil if there is none.
func configNumbers(config, key string) (numbers []int64) {
	_, list, _ := strings.Cut(config, `"`+key+`":`)
	list, _, _ = strings.Cut(strings.TrimLeft(list, " ["), "]")
	for quoted := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(strings.Trim(quoted, `" `), 10, 64)
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// written lists the products in a hand-written kernel. A product has its line in the kernel if that is one of the model, and the line of the call otherwise.
func (r *reader) written(id hlo.InstrID) []Product {
	kernel, md := r.m.Kernel(id), r.metadata(id)
	return phrase.Map(kernel.Products, func(p hlo.KernelProduct) Product {
		place := r.sources.own(p.Stack)
		if place == nil {
			place = r.sources.frames(md)
		}
		return Product{Opcode: p.Op, Type: p.Type, Shape: p.Out, Precision: p.Precision, OpName: md.OpName, Source: place.at()}
	})
}

// countEmulated counts the operations in double precision, which XLA for TPU computes as pairs of floats. The optimized module holds no f64: it counts
// the model's f64 operations whose names are still in it.
func (out *measuring) countEmulated() {
	if out.Toolchain.Backend != "tpu" {
		return
	}
	var running map[string]bool
	for i := range out.Variant.Model {
		s := &out.Variant.Model[i]
		if s.Type != "f64" && s.Type != "c128" {
			continue
		}
		if running == nil {
			running = opNames(out.Variant.Kernels)
		}
		if running[s.OpName] {
			out.Variant.Facts[Dtype.Of(s.Type)] += float64(len(s.Do))
		}
	}
}

// opNames are the model's names that kernels and the operations in them carry.
func opNames(kernels []Kernel) map[string]bool {
	names := map[string]bool{}
	for i := range kernels {
		names[kernels[i].OpName] = true
		for _, op := range kernels[i].Ops {
			names[op.OpName] = true
		}
	}
	delete(names, "")
	return names
}
