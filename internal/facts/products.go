package facts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/price"
)

// Product is one matrix product or convolution of the optimized module, also inside a fusion or a kernel that was written by hand, or a library call
// that is one.
type Product struct {
	Opcode    string // dot, ragged-dot, convolution, the library call's target, or what the kernel's own language calls it: tpu.matmul
	Type      string // the widest element type that it multiplies
	Shape     string
	Precision string // default, high, highest, or the algorithm's name: dot_bf16_bf16_f32_x3
	Flops     int64  // 0 where they cannot be told
	OpName    string
	Source    hlo.Location
}

// products lists what multiplies matrices, and counts it by type and by precision. It counts the conversions between floating-point
// types, too: a product in a narrow type that is fed by conversions is no gain.
func (r *reader) products(v *Variant) {
	v.Facts[ProductsTotal], v.Facts[ConvertsCount], v.Facts[ConvertsElements] = 0, 0, 0
	for id := range r.notable(r.isProduct) {
		p, md := r.product(id), r.metadata(id)
		p.OpName, p.Source = md.OpName, r.sources.locate(md)
		v.addProduct(r, id, r.interner.product(p))
	}
	for id := range r.notable(func(id hlo.InstrID) bool { return r.m.Instrs[id].Opcode == hlo.OpCustomCall && r.m.Kernel(id) != nil }) {
		for _, p := range r.written(id) {
			v.addProduct(r, id, r.interner.product(p))
		}
	}
	for id := range r.notable(func(id hlo.InstrID) bool { return r.m.Instrs[id].Opcode == hlo.OpConvert }) {
		if r.floating(r.m.Instrs[id].Shape) && r.floating(r.operandShape(id)) {
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
		return multiplies(r.m.AttrText(id, "custom_call_target"))
	}
	return false
}

func (v *Variant) addProduct(r *reader, id hlo.InstrID, p *Product) {
	v.Products = append(v.Products, p)
	for _, fact := range []ID{ProductsTotal, ProductType.Of(p.Type), ProductPrecision.Of(p.Precision)} {
		v.count(r, id, fact, 1)
	}
}

// product is a product without its place in the model, found out once for all that say the same.
func (r *reader) product(id hlo.InstrID) Product {
	call := r.alike().Call(id)
	if known, ok := r.productOf[call]; ok {
		return known
	}
	p := Product{Type: r.widest(id), Shape: r.shape(r.product1(id))}
	if r.m.Instrs[id].Opcode == hlo.OpCustomCall {
		config := r.m.AttrText(id, "backend_config")
		p.Opcode = r.m.AttrText(id, "custom_call_target")
		p.Precision, p.Flops = cmp.Or(libraryPrecision(config), r.operandPrecision(id)), r.libraryFlops(id, config)
	} else {
		p.Opcode, p.Precision, p.Flops = r.opcode(id), r.operandPrecision(id), int64(r.price().Instr(id).Flops)
	}
	p.Flops = max(0, p.Flops)
	r.productOf[call] = p
	return p
}

// product1 is the shape of what a product leaves: a library call returns its workspace beside it.
func (r *reader) product1(id hlo.InstrID) hlo.ShapeID {
	shape := r.m.Instrs[id].Shape
	if elements := r.m.Shape(shape).Elements; len(elements) > 0 {
		return elements[0]
	}
	return shape
}

// libraryCalls are parts of the names of custom calls that multiply matrices: cuBLAS, cuDNN, hipBLASLt, MIOpen, oneDNN, Eigen.
var libraryCalls = []string{"matmul", "gemm", "conv", "fmha", "MatMul", "Conv"}

func multiplies(target string) bool {
	if !strings.HasPrefix(target, "__") && !strings.Contains(target, "Eigen") {
		return false
	}
	return slices.ContainsFunc(libraryCalls, func(part string) bool { return strings.Contains(target, part) })
}

// widest is the widest type among the first two operands: what a product multiplies.
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

func (r *reader) operandShape(id hlo.InstrID) hlo.ShapeID {
	operands := r.m.Operands(id)
	if len(operands) == 0 {
		return r.m.Instrs[id].Shape
	}
	return r.m.Instrs[operands[0]].Shape
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

// libraryPrecision is the same of a library call, from its backend_config; "" where that says nothing, as of a convolution.
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

// libraryFlops is a multiply-add for each element of the result and of the contracted dimensions, where the call names them, or has a convolution's window.
func (r *reader) libraryFlops(id hlo.InstrID, config string) int64 {
	operands := r.m.Operands(id)
	if len(operands) < 2 {
		return 0
	}
	lhs, rhs, out := r.m.Shape(r.m.Instrs[operands[0]].Shape), r.m.Shape(r.m.Instrs[operands[1]].Shape), r.m.Shape(r.product1(id))
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
	return 2 * out.ElementCount() * width
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

// written are the products in the body of a kernel that was written by hand. Where it is the model's own, it knows the line of each; else the place of all is
// where it is called.
func (r *reader) written(id hlo.InstrID) []Product {
	kernel, md := r.m.Kernel(id), r.metadata(id)
	list := make([]Product, len(kernel.Products))
	for i, p := range kernel.Products {
		place := r.sources.own(p.Stack)
		if place == nil {
			place = r.sources.frames(md)
		}
		list[i] = Product{Opcode: p.Op, Type: p.Type, Shape: p.Out, Precision: p.Precision, OpName: md.OpName, Source: place.at()}
	}
	return list
}

// countModelProducts counts the products of the model by the widest type that they multiply. The compiler for CPU computes those of sixteen
// bits in f32, so that its own module does not tell them from others.
func (out *measuring) countModelProducts(r *reader) {
	if out.Toolchain.Backend != "cpu" {
		return
	}
	for id := range r.notable(r.isProduct) {
		out.Variant.count(r, id, AskedType.Of(r.widest(id)), 1)
	}
}

// countEmulated counts the operations in double precision that the compiler for TPU spells as pairs of floats. Its optimized module
// holds no f64, but what the model asked for and nothing folded away still runs under the model's names.
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
			out.Variant.Facts.add(Dtype.Of(s.Type), int64(len(s.Do)))
		}
	}
}

// opNames are the model's names that kernels and the operations in them carry.
func opNames(kernels []Kernel) map[string]bool {
	names := map[string]bool{}
	for i := range kernels {
		names[kernels[i].OpName] = true
		for op := range kernels[i].Ops.All() {
			names[op.OpName] = true
		}
	}
	delete(names, "")
	return names
}
