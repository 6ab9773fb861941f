package report

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// The JSON forms of what a variant holds; names and meaning are those of the facts. Kernels, and what is in them, write themselves: a
// large program has tens of thousands.
type (
	kernelView struct {
		*facts.Kernel
		all     bool // the operations in it too: they are most of a large program
		forms   *formLines
		variant string // the signature, where a difference tells kernels of several variants
	}
	opView     facts.Op
	sourceView hlo.Location
)

var classNames = map[facts.Class]string{
	facts.ClassKernel: "kernel", facts.ClassLibrary: "library", facts.ClassCopy: "copy",
	facts.ClassCollective: "collective", facts.ClassControl: "control",
}

func viewKernel(k *facts.Kernel, all bool) kernelView { return kernelView{Kernel: k, all: all} }

func viewKernels(kernels []facts.Kernel, all bool) []kernelView {
	out := make([]kernelView, len(kernels))
	for i := range kernels {
		out[i] = viewKernel(&kernels[i], all)
	}
	return out
}

func viewSource(l hlo.Location) *sourceView {
	if l.File == "" {
		return nil
	}
	return (*sourceView)(&l)
}

// MarshalJSON writes the kernel with its form's fields as its own.
func (v kernelView) MarshalJSON() ([]byte, error) { return marshalLines(v.lines) }

// MarshalJSON writes the operation as a kernel does that holds it.
func (v opView) MarshalJSON() ([]byte, error) { return marshalLines(v.lines) }

// MarshalJSON leaves out what is not known.
func (v sourceView) MarshalJSON() ([]byte, error) { return marshalLines(v.lines) }

func (v kernelView) lines(l *jsonLines) {
	l.open('{')
	l.someText("variant", v.variant)
	l.text("name", v.Name)
	v.behindName(l)
	l.close('}')
}

// behindName writes what depends on the form and the site alone, but where the operations or the launch are written too.
func (v kernelView) behindName(l *jsonLines) {
	key := formAtSite{v.Form, v.Site}
	switch {
	case v.forms == nil || v.all || v.Plan != nil || v.Code != nil || !v.forms.kernels.seen(key):
		v.linesBehindName(l)
	case !v.forms.kernels.again(l, key):
		v.forms.kernels.write(l, key, v.linesBehindName)
	}
}

func (v kernelView) linesBehindName(l *jsonLines) {
	v.linesOfForm(l)
	l.someText("op_name", v.OpName)
	l.someText("op_type", v.OpType)
	linesOfSource(l, v.Source)
	v.linesOfOps(l)
	l.number("bytes", v.Bytes)
	l.someNumber("flops", v.Flops)
	l.number("times", v.Times)
	l.someText("loop", v.Loop)
	v.linesOfLaunch(l)
	v.linesOfCode(l)
	l.someText("fingerprint", v.Print)
}

func (v kernelView) linesOfForm(l *jsonLines) {
	if v.forms == nil {
		linesOfForm(l, v.Form)
	} else if !v.forms.forms.again(l, v.Form) {
		v.forms.forms.write(l, v.Form, func(l *jsonLines) { linesOfForm(l, v.Form) })
	}
}

// linesOfForm says what a kernel does, but for what it costs.
func linesOfForm(l *jsonLines, f *facts.Form) {
	l.text("kind", f.Kind)
	l.text("class", classNames[f.Class])
	l.key("do")
	l.open('[')
	for op := range f.Do.All() {
		l.newLine()
		l.out = appendText(l.out, op)
	}
	l.close(']')
	l.someText("root", f.Root)
	l.text("out", f.Out)
	l.texts("in", f.In.List())
	l.someText("target", f.Target)
	l.someText("function", f.Function)
	if len(f.Written) > 0 {
		l.key("body")
		l.open('{')
		for _, op := range sortedKeys(f.Written) {
			l.number(op, int64(f.Written[op]))
		}
		l.close('}')
	}
	l.someText("attrs", f.Attrs)
	if len(f.Config) > 0 {
		l.texts("config", f.Config)
	}
	l.someText("groups", f.Groups)
}

func (v kernelView) linesOfOps(l *jsonLines) {
	if !v.all || v.Ops.Len() == 0 {
		return
	}
	l.key("ops")
	l.open('[')
	for op := range v.Ops.All() {
		l.newLine()
		opView(op).lines(l)
	}
	l.close(']')
}

func (v kernelView) linesOfLaunch(l *jsonLines) {
	if v.Threads() <= 0 {
		return
	}
	l.key("launch")
	l.open('{')
	l.numbers("grid", v.Plan.Grid[:])
	l.numbers("block", v.Plan.Block[:])
	l.number("shared_bytes", v.Plan.Shared)
	l.close('}')
}

func (v opView) lines(l *jsonLines) {
	l.open('{')
	l.text("opcode", v.Opcode)
	l.text("shape", v.Shape)
	l.someText("op_name", v.OpName)
	linesOfSource(l, v.Source)
	l.close('}')
}

func linesOfSource(l *jsonLines, at hlo.Location) {
	if at.File != "" {
		l.key("source")
		sourceView(at).lines(l)
	}
}

func (v sourceView) lines(l *jsonLines) {
	l.open('{')
	l.text("file", v.File)
	l.someNumber("line", int64(v.Line))
	l.someNumber("column", int64(v.Column))
	l.someText("function", v.Function)
	l.close('}')
}
