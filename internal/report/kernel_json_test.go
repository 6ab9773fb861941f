package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// The forms of a kernel as encoding/json would write them.
type (
	kernelForm struct {
		Variant  string         `json:"variant,omitempty"`
		Name     string         `json:"name"`
		Kind     string         `json:"kind"`
		Class    string         `json:"class"`
		Do       []string       `json:"do"`
		Root     string         `json:"root,omitempty"`
		Out      string         `json:"out"`
		In       []string       `json:"in"`
		Target   string         `json:"target,omitempty"`
		Function string         `json:"function,omitempty"`
		Body     map[string]int `json:"body,omitempty"`
		Attrs    string         `json:"attrs,omitempty"`
		Groups   string         `json:"groups,omitempty"`
		OpName   string         `json:"op_name,omitempty"`
		OpType   string         `json:"op_type,omitempty"`
		Source   *sourceForm    `json:"source,omitempty"`
		Ops      []opForm       `json:"ops,omitempty"`
		Bytes    int64          `json:"bytes"`
		Flops    int64          `json:"flops,omitempty"`
		Times    int64          `json:"times"`
		Loop     string         `json:"loop,omitempty"`
		Launch   *launchForm    `json:"launch,omitempty"`
		Print    string         `json:"fingerprint,omitempty"`
	}
	launchForm struct {
		Grid   [3]int64 `json:"grid"`
		Block  [3]int64 `json:"block"`
		Shared int64    `json:"shared_bytes"`
	}
	opForm struct {
		Opcode string      `json:"opcode"`
		Shape  string      `json:"shape"`
		OpName string      `json:"op_name,omitempty"`
		Source *sourceForm `json:"source,omitempty"`
	}
	sourceForm struct {
		File     string `json:"file"`
		Line     int32  `json:"line,omitempty"`
		Column   int32  `json:"column,omitempty"`
		Function string `json:"function,omitempty"`
	}
)

func formOfKernel(v kernelView) kernelForm {
	f := kernelForm{
		Variant: v.variant, Name: v.Name, Kind: v.Kind, Class: classNames[v.Class], Do: filled(v.Do.List()), Root: v.Root, Out: v.Out, In: filled(v.In.List()),
		Target: v.Target, Attrs: v.Attrs, Groups: v.Groups, OpName: v.OpName, OpType: v.OpType, Source: formOfSource(v.Source), Bytes: v.Bytes,
		Flops: v.Flops, Times: v.Times, Loop: v.Loop, Print: v.Print, Function: v.Function, Body: v.Written,
	}
	if v.Threads() > 0 {
		f.Launch = &launchForm{Grid: v.Plan.Grid, Block: v.Plan.Block, Shared: v.Plan.Shared}
	}
	if v.all {
		for op := range v.Ops.All() {
			f.Ops = append(f.Ops, opForm{op.Opcode, op.Shape, op.OpName, formOfSource(op.Source)})
		}
	}
	return f
}

func formOfSource(l hlo.Location) *sourceForm {
	if l.File == "" {
		return nil
	}
	return &sourceForm{l.File, l.Line, l.Column, l.Function}
}

func anyForm(t *rapid.T) *facts.Form {
	text := rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z.<>&"\\/é]*`), rapid.String())
	texts := rapid.SliceOfN(text, 0, 3)
	return &facts.Form{
		Kind: text.Draw(t, "kind"), Class: facts.Class(rapid.IntRange(0, 4).Draw(t, "class")), Do: facts.OpcodesOf(texts.Draw(t, "do")...), In: facts.ShapesOf(texts.Draw(t, "in")...),
		Root: text.Draw(t, "root"), Out: text.Draw(t, "out"), Target: text.Draw(t, "target"), Function: text.Draw(t, "function"),
		Written: rapid.MapOfN(text, rapid.Int(), 0, 3).Draw(t, "body"), Attrs: text.Draw(t, "attrs"), Groups: text.Draw(t, "groups"),
		Bytes: rapid.Int64().Draw(t, "bytes"), Flops: rapid.Int64Range(0, 2).Draw(t, "flops"), Print: text.Draw(t, "print"),
	}
}

func anyKernel(t *rapid.T, f *facts.Form) kernelView {
	text := rapid.OneOf(rapid.Just(""), rapid.String())
	line := rapid.Int32Range(0, 3)
	source := hlo.Location{File: text.Draw(t, "file"), Line: line.Draw(t, "line"), Column: line.Draw(t, "column"), Function: text.Draw(t, "function")}
	return kernelView{
		Kernel: &facts.Kernel{
			Form: f, Name: text.Draw(t, "name"),
			Site: &facts.Site{
				OpName: text.Draw(t, "op_name"), OpType: text.Draw(t, "op_type"), Source: source, Times: rapid.Int64().Draw(t, "times"), Loop: text.Draw(t, "loop"),
			},
			Ops:  facts.ListOf(facts.Op{Opcode: "add", Shape: "f32[]", Source: source}),
			Plan: rapid.Ptr(anyPlan(), true).Draw(t, "plan"),
		},
		all: rapid.Bool().Draw(t, "all"), variant: text.Draw(t, "variant"),
	}
}

func anyPlan() *rapid.Generator[facts.Plan] {
	return rapid.Custom(func(t *rapid.T) facts.Plan {
		return facts.Plan{Grid: [3]int64{rapid.Int64Range(-1, 2).Draw(t, "grid"), 1, 1}, Block: [3]int64{32, 1, 1}}
	})
}

// A kernel that writes itself says what encoding/json would say, alone and in a list of several of one form, some at one site.
func TestKernelLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		views, forms := []kernelView{}, []kernelForm{}
		shared, kept := anyForm(t), newFormLines()
		for range rapid.IntRange(0, 6).Draw(t, "kernels") {
			v := anyKernel(t, shared)
			if v.forms = kept; len(views) > 0 && rapid.Bool().Draw(t, "again") {
				v.Site = views[0].Site
			}
			views, forms = append(views, v), append(forms, formOfKernel(v))
		}
		want := encoded(t, "  ", map[string][]kernelForm{"kernels": forms})
		var got bytes.Buffer
		s := newJSONStream(&got)
		s.object(func() { listOf(s, "kernels", views, func(v *kernelView) { s.lines(v.lines) }) })
		if err := s.end("kernels"); err != nil || got.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, got.String(), want)
		}
		if got, want := encoded(t, "", views), encoded(t, "", forms); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
}

func encoded(t *rapid.T, indent string, v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
