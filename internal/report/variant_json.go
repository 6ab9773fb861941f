package report

import "github.com/xlagate/xlagate/internal/facts"

// The JSON forms of programs and of what a variant holds; like kernels they write themselves.
type (
	programView struct {
		*facts.Program
		all   bool
		forms *formLines
	}
	variantView struct {
		*facts.Variant
		all   bool
		forms *formLines
	}
	paramView    facts.Parameter
	constantView facts.Constant
	bufferView   facts.Buffer
)

// MarshalJSON leaves out what is not so.
func (v paramView) MarshalJSON() ([]byte, error) { return marshalLines(v.lines) }

func (v programView) lines(l *jsonLines) {
	l.open('{')
	l.text("name", v.Name)
	l.yes("main", v.Main)
	linesOf(l, "variants", v.Variants, func(variant **facts.Variant) {
		v.forms.forget()
		variantView{*variant, v.all, v.forms}.lines(l)
	})
	l.close('}')
}

func (v variantView) lines(l *jsonLines) {
	l.open('{')
	v.linesOfHead(l)
	linesOf(l, "kernels", v.Kernels, func(k *facts.Kernel) { kernelView{Kernel: k, all: v.all, forms: v.forms}.lines(l) })
	if len(v.Constants) > 0 {
		linesOf(l, "constants", v.Constants, func(c *facts.Constant) { constantView(*c).lines(l) })
	}
	if len(v.Buffers) > 0 {
		linesOf(l, "buffers", v.Buffers, func(b *facts.Buffer) { bufferView(*b).lines(l) })
	}
	l.close('}')
}

func (v variantView) linesOfHead(l *jsonLines) {
	l.text("signature", v.Signature)
	l.someText("result", v.Result)
	l.texts("modules", v.Modules)
	l.someText("file", v.File)
	l.text("fingerprint", v.Fingerprint)
	l.someText("input_fingerprint", v.InputPrint)
	l.key("facts")
	l.open('{')
	for _, name := range sortedKeys(v.Facts) {
		l.amount(name, v.Facts[name])
	}
	l.close('}')
	l.texts("unstable", v.Unstable)
	l.someText("reached", v.Reached)
	l.texts("missing", v.Missing)
	linesOf(l, "params", v.Params, func(p *facts.Parameter) { paramView(*p).lines(l) })
}

func (v paramView) lines(l *jsonLines) {
	l.open('{')
	l.text("name", v.Name)
	l.text("shape", v.Shape)
	l.someText("layout", v.Layout)
	l.someText("sharding", v.Sharding)
	l.number("bytes", v.Bytes)
	l.yes("aliased", v.Aliased)
	l.yes("donated", v.Donated)
	l.yes("unused", v.Unused)
	l.someText("constant", v.Constant)
	l.close('}')
}

func (v constantView) lines(l *jsonLines) {
	l.open('{')
	l.text("shape", v.Shape)
	l.number("bytes", v.Bytes)
	l.someText("value", v.Value)
	l.someText("op_name", v.OpName)
	linesOfSource(l, v.Source)
	l.close('}')
}

func (v bufferView) lines(l *jsonLines) {
	l.open('{')
	l.number("bytes", v.Bytes)
	l.someText("shape", v.Shape)
	l.someText("op_name", v.OpName)
	linesOfSource(l, v.Source)
	l.close('}')
}
