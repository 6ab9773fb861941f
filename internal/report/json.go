package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
)

// writeJSON writes a value indented, keys of maps sorted, `<`, `>` and `&` as they are.
func writeJSON(w io.Writer, what string, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, err)
	}
	return nil
}

// asJSON renders a value that is its own JSON form.
func asJSON[T any](w io.Writer, v T, _ Options) error { return writeJSON(w, "the report", v) }

// resultJSON writes a result in its schema. Lists that are empty are written as such, not as null.
func resultJSON(w io.Writer, r *result.Result, _ Options) error {
	out := *r
	out.Findings = filled(out.Findings)
	out.Changes = append([]result.Change{}, out.Changes...)
	for i := range out.Changes {
		c := &out.Changes[i]
		c.Variants, c.Effects, c.Findings = filled(c.Variants), filled(c.Effects), filled(c.Findings)
	}
	out.Targets = append([]result.Target{}, out.Targets...)
	for i := range out.Targets {
		t := &out.Targets[i]
		t.NotCovered = filled(t.NotCovered)
		t.Programs = append([]result.Program{}, t.Programs...)
		for j := range t.Programs {
			t.Programs[j].Variants = filledVariants(t.Programs[j].Variants)
		}
	}
	return writeJSON(w, "the result", &out)
}

func filledVariants(variants []result.Variant) []result.Variant {
	out := append([]result.Variant{}, variants...)
	for i := range out {
		v := &out[i]
		v.Modules, v.Unstable, v.Facts = filled(v.Modules), filled(v.Unstable), filledMap(v.Facts)
	}
	return out
}

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func filledMap[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return m
}

// each is the view of every element. Of none it is an empty list, not null.
func each[T, V any](list []T, view func(*T) V) []V {
	out := make([]V, len(list))
	for i := range list {
		out[i] = view(&list[i])
	}
	return out
}

// The JSON forms of kernels. What a kernel does, and what its code needs, are structs of their own: the first is made once for each
// form, and the second is absent where it is not known.
type (
	kernelView struct {
		Variant string `json:"variant,omitempty"` // the signature, where a difference lists kernels of several variants
		Name    string `json:"name"`
		*formView
		OpName string       `json:"op_name,omitempty"`
		OpType string       `json:"op_type,omitempty"`
		Source hlo.Location `json:"source,omitzero"`
		Ops    []opView     `json:"ops,omitempty"` // with --all: they are most of a large program
		Bytes  int64        `json:"bytes"`
		Flops  int64        `json:"flops,omitempty"`
		Times  int64        `json:"times"`
		Loop   string       `json:"loop,omitempty"`
		Launch *launchView  `json:"launch,omitempty"`
		Code   *codeView    `json:"code,omitempty"`
		Print  string       `json:"fingerprint,omitempty"`
	}
	formView struct {
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
		Config   []string       `json:"config,omitempty"`
		Groups   string         `json:"groups,omitempty"`
	}
	opView struct {
		Opcode string       `json:"opcode"`
		Shape  string       `json:"shape"`
		OpName string       `json:"op_name,omitempty"`
		Source hlo.Location `json:"source,omitzero"`
	}
	launchView struct {
		Grid   [3]int64 `json:"grid"`
		Block  [3]int64 `json:"block"`
		Shared int64    `json:"shared_bytes"`
	}
	codeView struct {
		Registers   int64 `json:"registers,omitempty"`
		SpillStores int64 `json:"spill_store_bytes"`
		*assemblyView
		*occupancyView
	}
	assemblyView struct {
		SpillLoads int64 `json:"spill_load_bytes"`
		Shared     int64 `json:"shared_bytes"`
		Barriers   int64 `json:"barriers"`
	}
	occupancyView struct {
		Share   float64 `json:"occupancy"`
		Limited string  `json:"limited_by,omitempty"`
	}
)

var classNames = map[facts.Class]string{
	facts.ClassKernel: "kernel", facts.ClassLibrary: "library", facts.ClassCopy: "copy",
	facts.ClassCollective: "collective", facts.ClassControl: "control",
}

func viewKernels(kernels []facts.Kernel, all bool) []kernelView {
	out := make([]kernelView, len(kernels))
	forms := map[*facts.Form]*formView{}
	for i := range kernels {
		k := &kernels[i]
		if forms[k.Form] == nil {
			forms[k.Form] = viewForm(k.Form)
		}
		out[i] = viewFormed(k, forms[k.Form], all)
	}
	return out
}

func viewKernel(k *facts.Kernel, all bool) kernelView { return viewFormed(k, viewForm(k.Form), all) }

func viewFormed(k *facts.Kernel, form *formView, all bool) kernelView {
	v := kernelView{
		Name: k.Name, formView: form, OpName: k.OpName, OpType: k.OpType, Source: k.Source, Bytes: k.Bytes, Flops: k.Flops, Times: k.Times,
		Loop: k.Loop, Code: viewCode(k), Print: k.Print,
	}
	if all {
		for op := range k.Ops.All() {
			v.Ops = append(v.Ops, viewOp(op))
		}
	}
	if k.Threads() > 0 {
		v.Launch = &launchView{k.Plan.Grid, k.Plan.Block, k.Plan.Shared}
	}
	return v
}

// viewForm says what a kernel does, but for what it costs.
func viewForm(f *facts.Form) *formView {
	return &formView{
		Kind: f.Kind, Class: classNames[f.Class], Do: filled(f.Do.List()), Root: f.Root, Out: f.Out, In: filled(f.In.List()), Target: f.Target,
		Function: f.Function, Body: f.Written, Attrs: f.Attrs, Config: f.Config, Groups: f.Groups,
	}
}

func viewOp(op facts.Op) opView { return opView{op.Opcode, op.Shape, op.OpName, op.Source} }

// viewCode says what a kernel's code takes of the device; of a kernel that only a log mentions, what it spills.
func viewCode(k *facts.Kernel) *codeView {
	c := k.Code
	if c == nil {
		return nil
	}
	v := &codeView{Registers: c.Registers, SpillStores: c.SpillStores}
	if c.Registers > 0 {
		v.assemblyView = &assemblyView{c.SpillLoads, c.Shared, c.Barriers}
	}
	if o, known := k.Occupancy(); known {
		v.occupancyView = &occupancyView{o.Share(), o.Limited}
	}
	return v
}
