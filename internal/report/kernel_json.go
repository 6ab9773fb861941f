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
	l.someText("fingerprint", v.Print)
	l.close('}')
}

// formLines holds the lines of forms that were written: a model repeats its layers.
type formLines struct {
	at   map[*facts.Form][2]int
	kept []byte
}

// mostKept bounds how many lines of forms are kept, in bytes.
const mostKept = 1 << 20

func newFormLines() *formLines { return &formLines{at: map[*facts.Form][2]int{}} }

// forget makes room for the forms of another program where little is left. Programs of one dump share forms.
func (f *formLines) forget() {
	if len(f.kept) < mostKept/2 {
		return
	}
	clear(f.at)
	f.kept = f.kept[:0]
}

func (v kernelView) linesOfForm(l *jsonLines) {
	if v.forms == nil {
		linesOfForm(l, v.Form)
		return
	}
	if at, known := v.forms.at[v.Form]; known {
		l.out = append(l.out, v.forms.kept[at[0]:at[1]]...)
		return
	}
	apart := jsonLines{out: v.forms.kept, depth: l.depth, begun: true}
	linesOfForm(&apart, v.Form)
	begin := len(v.forms.kept)
	l.out = append(l.out, apart.out[begin:]...)
	if v.forms.kept = apart.out[:begin]; begin < mostKept {
		v.forms.kept, v.forms.at[v.Form] = apart.out, [2]int{begin, len(apart.out)}
	}
}

// linesOfForm says what a kernel does, but for what it costs.
func linesOfForm(l *jsonLines, f *facts.Form) {
	l.text("kind", f.Kind)
	l.text("class", classNames[f.Class])
	l.texts("do", f.Do)
	l.someText("root", f.Root)
	l.text("out", f.Out)
	l.texts("in", f.In)
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
