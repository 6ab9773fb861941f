package mlir

import (
	"math"
	"strings"
)

// measure adds what an operation multiplies, or how many elements it goes through.
func (w *walker) measure(o *operation) {
	if silent(o.name) {
		return
	}
	var operands, results []shape
	for _, i := range o.operands {
		if s, ok := w.shape(w.value(i).kind); ok {
			operands = append(operands, s)
		}
	}
	for _, kind := range o.results {
		if s, ok := w.shape(kind); ok {
			results = append(results, s)
		}
	}
	if productOps[o.name] && len(operands) > 1 && len(results) > 0 {
		p := newProduct(o.name, operands[0], operands[1], results[0], w.precision(o))
		p.Flops *= w.runs
		p.Stack = w.places(o.place, 0)
		w.kernel.Products = append(w.kernel.Products, p)
		return
	}
	w.kernel.Elements[o.name] += w.runs * most(append(operands, results...))
}

// most is how many elements the largest has; a number alone is one.
func most(shapes []shape) float64 {
	n := 1.0
	for _, s := range shapes {
		n = max(n, s.elements())
	}
	return n
}

// precision is what a product asks for, by the name of its dialect. Mosaic has it in an attribute, Triton in the first of its properties.
func (w *walker) precision(o *operation) string {
	if at := w.named(o.attributes, "precision"); o.mask&hasAttributes != 0 && at < uint64(len(w.attrs)) && !w.attrs[at].encoded {
		return precisionIn(string(w.attrs[at].data))
	}
	if n, ok := w.integer(w.property(o, true)); ok && n >= 0 && n < int64(len(inputPrecisions)) && strings.HasSuffix(o.name, ".dot") {
		return inputPrecisions[n]
	}
	return ""
}

// property is the first property of an operation. One that may be left out has a flag at its bottom.
func (w *walker) property(o *operation, optional bool) uint64 {
	if o.mask&hasProperties == 0 || o.properties >= uint64(len(w.properties)) {
		return none
	}
	c := &cursor{data: w.properties[o.properties]}
	if !optional {
		return c.number()
	}
	if at, there := c.flagged(); there {
		return at
	}
	return none
}

// codeNumber is the code of an attribute that holds a whole number.
const codeNumber = 8

// integer reads a whole number; ok is false for other attributes.
func (f *file) integer(at uint64) (n int64, ok bool) {
	if at >= uint64(len(f.attrs)) || f.attrs[at].code() != codeNumber {
		return 0, false
	}
	c := &cursor{data: f.attrs[at].data}
	c.number()
	kind := c.number()
	if element := f.element(kind); element == "pred" || strings.HasSuffix(element, "8") {
		return int64(int8(c.byte())), !c.cut
	}
	n = c.signed()
	return n, !c.cut
}

// constant is the number that an operation makes, if it is a constant one.
func (w *walker) constant(o *operation) (n int64, ok bool) {
	if !strings.HasSuffix(o.name, ".constant") {
		return 0, false
	}
	if o.mask&hasAttributes != 0 {
		if n, ok = w.integer(w.named(o.attributes, "value")); ok {
			return n, ok
		}
	}
	return w.integer(w.property(o, false))
}

// trips is how often what an operation holds runs each time that the operation does.
func (w *walker) trips(o *operation) float64 {
	switch {
	case o.name == loopOp && len(o.operands) > 2:
		first, end, step := w.value(o.operands[0]), w.value(o.operands[1]), w.value(o.operands[2])
		if first.known && end.known && step.known && step.number > 0 {
			return max(0, math.Ceil((float64(end.number)-float64(first.number))/float64(step.number)))
		}
		fallthrough
	case openLoop(o.name):
		w.kernel.Open = true
	}
	return 1
}

const loopOp = "scf.for"

func openLoop(op string) bool {
	return op == loopOp || op == "scf.while" || op == "cf.br" || op == "cf.cond_br"
}
