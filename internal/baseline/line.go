package baseline

import (
	"sort"
	"strconv"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// flow builds one line of the form {key: value, …}, leaving out what is empty.
type flow []byte

// newFlow has room for most lines.
func newFlow() flow { return append(make(flow, 0, 512), '{') }

// key begins a value: behind a comma, unless it is the first.
func (f *flow) key(name string) {
	if len(*f) > 1 {
		*f = append(*f, ", "...)
	}
	*f = append(append(*f, name...), ": "...)
}

func (f *flow) text(key, value string) {
	if value != "" {
		f.key(key)
		*f = appendQuoted(*f, value)
	}
}

func (f *flow) number(key string, value int64) {
	if value != 0 {
		f.key(key)
		*f = strconv.AppendInt(*f, value, 10)
	}
}

func (f *flow) yes(key string, value bool) {
	if value {
		f.key(key)
		*f = append(*f, "true"...)
	}
}

func (f *flow) list(key string, values []string) {
	if len(values) == 0 {
		return
	}
	f.key(key)
	*f = append(*f, '[')
	for i, value := range values {
		if i > 0 {
			*f = append(*f, ", "...)
		}
		*f = appendQuoted(*f, value)
	}
	*f = append(*f, ']')
}

// opcodes writes a list in which every operation of a kernel stands.
func (f *flow) opcodes(key string, do facts.Opcodes) {
	if len(do) == 0 {
		return
	}
	f.key(key)
	*f = append(*f, '[')
	for i, op := range do {
		quoted := quote(op.Opcode)
		for n := range op.Times {
			if i > 0 || n > 0 {
				*f = append(*f, ", "...)
			}
			*f = append(*f, quoted...)
		}
	}
	*f = append(*f, ']')
}

func (f *flow) counts(key string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	list := newFlow()
	for _, name := range sortedKeys(counts) {
		list.key(quote(name))
		list = strconv.AppendInt(list, int64(counts[name]), 10)
	}
	f.key(key)
	*f = append(append(*f, list...), '}')
}

// work writes what a launch asks of a device, three digits of each amount.
func (f *flow) work(key string, work *price.Work) {
	list := newFlow()
	for _, a := range price.ByName {
		if n := work[a]; n != 0 {
			list.key(a.String())
			list = strconv.AppendFloat(list, n, 'f', -1, 64)
		}
	}
	if len(list) > 1 {
		f.key(key)
		*f = append(append(*f, list...), '}')
	}
}

// String closes the mapping.
func (f *flow) String() string {
	*f = append(*f, '}')
	return string(*f)
}

// launched is all that is written of a kernel. Of thousands that a model repeats, only different ones are spelled.
type launched struct {
	*facts.Form
	op, dtype, loop string
	trips, guess    int64
	branch          string
	inLoop, inner   bool
}

func launchedAs(k *facts.Kernel) launched {
	return launched{Form: k.Form, op: k.OpName, dtype: k.OpType, loop: k.Loop, trips: k.Times, guess: k.Guess, branch: k.Branch, inLoop: k.InLoop, inner: !k.InEntry}
}

// line is what is written of it, put together in the memory of another line.
func (k *launched) line(f *flow) string {
	*f = (*f)[:1]
	f.opcodes("do", k.Do)
	f.text("kind", k.Kind)
	f.text("out", k.Out)
	f.text("op", k.op)
	f.text("type", k.dtype)
	f.text("root", k.Root)
	f.list("in", k.In.List())
	f.text("target", k.Target)
	f.text("function", k.Function)
	f.counts("body", k.Written)
	f.text("groups", k.Groups)
	f.text("axes", k.Axes)
	f.text("attrs", k.Attrs)
	f.list("config", k.Config)
	f.number("bytes", k.Bytes)
	f.number("flops", k.Flops)
	if k.trips > 1 {
		f.number("trips", k.trips)
	}
	f.number("guess", k.guess)
	f.text("branch", k.branch)
	f.number("length", k.Length)
	f.number("most", k.Most)
	f.yes("stops", k.Stops)
	f.yes("counts", k.Counts)
	f.text("loop", k.loop)
	f.yes("in_loop", k.inLoop)
	f.yes("inner", k.inner)
	f.yes("fusion", k.Fusion)
	f.text("class", classNames[k.Class])
	f.text("print", k.Print)
	f.text("family", k.Family)
	f.work("work", &k.Work)
	return f.String()
}

// classNames spells the classes of launches; a plain kernel needs no word.
var classNames = map[facts.Class]string{
	facts.ClassLibrary: "library", facts.ClassCopy: "copy", facts.ClassCollective: "collective", facts.ClassControl: "control",
}

func formatParam(p facts.Parameter) string {
	f := newFlow()
	f.text("name", p.Name)
	f.text("shape", p.Shape)
	f.text("layout", p.Layout)
	f.text("sharding", p.Sharding)
	f.text("spec", p.Spec)
	f.number("bytes", p.Bytes)
	f.yes("aliased", p.Aliased)
	f.yes("donated", p.Donated)
	f.yes("unused", p.Unused)
	f.text("constant", p.Constant)
	return f.String()
}

func formatOutput(o facts.Output) string {
	f := newFlow()
	f.text("shape", o.Shape)
	f.text("split", o.Split)
	f.text("sharding", o.Sharding)
	f.text("spec", o.Spec)
	f.number("bytes", o.Bytes)
	return f.String()
}

// modelLines are the operations that the model asks for, scope by scope: which line of the source asks for which of them may
// change without the model changing.
func modelLines(model []facts.Statement) []string {
	type place struct{ scope, dtype string }
	counts := map[place]map[string]int{}
	for i := range model {
		at := place{model[i].Scope, model[i].Type}
		if counts[at] == nil {
			counts[at] = map[string]int{}
		}
		for _, op := range model[i].Do {
			counts[at][op]++
		}
	}
	var lines []string
	for at, count := range counts {
		f := newFlow()
		f.text("scope", at.scope)
		f.text("type", at.dtype)
		f.counts("do", count)
		lines = append(lines, f.String())
	}
	sort.Strings(lines)
	return lines
}

func formatConstant(c facts.Constant) string {
	f := newFlow()
	f.text("shape", c.Shape)
	f.number("bytes", c.Bytes)
	f.text("value", c.Value)
	f.text("op", c.OpName)
	return f.String()
}

func formatBuffer(b facts.Buffer) string {
	f := newFlow()
	f.number("bytes", b.Bytes)
	f.text("shape", b.Shape)
	f.text("op", b.OpName)
	return f.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
