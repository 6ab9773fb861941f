package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// writeJSON writes a value indented, keys of maps sorted, `<`, `>` and `&` as they are. Lists that are empty are written as such, not as null.
func writeJSON(w io.Writer, what string, v any) error { return encodeJSON(w, what, v, "  ") }

func encodeJSON(w io.Writer, what string, v any, indent string) error {
	e := json.NewEncoder(uncommanded{w})
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(filled(reflect.ValueOf(v)).Interface()); err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, err)
	}
	return nil
}

// uncommanded writes JSON that spells the old form of a workflow command in another way: a log may hold the JSON.
type uncommanded struct{ w io.Writer }

// Write takes a whole value, as the encoder writes it.
func (u uncommanded) Write(p []byte) (int, error) {
	text := p
	if bytes.Contains(p, []byte("##[")) {
		text = bytes.ReplaceAll(p, []byte("##["), []byte(`#\u0023[`))
	}
	if _, err := u.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// filled copies a value with empty lists and maps in the place of nil ones, but for those that the JSON form leaves out when they are empty.
func filled(v reflect.Value) reflect.Value {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(filled(v.Elem()))
		return out
	case v.Kind() == reflect.Map && v.IsNil():
		return reflect.MakeMap(v.Type())
	case v.Kind() == reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(filled(v.Index(i)))
		}
		return out
	case v.Kind() == reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for field, value := range out.Fields() {
			if value.CanSet() && !(value.IsZero() && strings.Contains(field.Tag.Get("json"), ",omit")) {
				value.Set(filled(value))
			}
		}
		return out
	}
	return v
}

// asJSON renders a value that is its own JSON form.
func asJSON[T any](w io.Writer, v T, _ Options) error { return writeJSON(w, "the report", v) }

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
		Kind: f.Kind, Class: classNames[f.Class], Do: append([]string{}, f.Do.List()...), Root: f.Root, Out: f.Out, In: append([]string{}, f.In.List()...), Target: f.Target,
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

// InspectSchema names the JSON form of a dump's contents.
const InspectSchema = "xlagate.inspect/v1"

// The JSON form of a dump's contents. Times are in nanoseconds.
type (
	inspectView struct {
		Schema    string               `json:"schema"`
		Tool      result.Tool          `json:"tool"`
		Dump      string               `json:"dump"`
		Toolchain facts.Toolchain      `json:"toolchain"`
		Programs  []programView        `json:"programs"`
		Helpers   []programView        `json:"helpers"`
		Clusters  *tensorflow.Clusters `json:"clusters,omitempty"`
		Logs      *tensorflow.Logs     `json:"logs,omitempty"`
		Modules   []facts.ModuleInfo   `json:"modules"`
		Drawings  []facts.Drawing      `json:"drawings,omitempty"`
		Passes    []passesView         `json:"passes,omitempty"`
		Profile   *profileView         `json:"profile,omitempty"`
		Problems  []facts.Problem      `json:"problems"`
		Ignored   []string             `json:"ignored"`
		Parts     []result.Part        `json:"parts,omitempty"`
	}
	programView struct {
		Name     string        `json:"name"`
		Main     bool          `json:"main,omitempty"`
		Variants []variantView `json:"variants"`
	}
	variantView struct {
		Signature   string            `json:"signature"`
		Result      string            `json:"result,omitempty"`
		Modules     []string          `json:"modules"`
		File        string            `json:"file,omitempty"`
		Fingerprint string            `json:"fingerprint"`
		InputPrint  string            `json:"input_fingerprint,omitempty"`
		Facts       facts.Values      `json:"facts"`
		Unstable    []string          `json:"unstable"`
		Reached     string            `json:"reached,omitempty"`
		Missing     []string          `json:"missing"`
		Params      []facts.Parameter `json:"params"`
		Kernels     []kernelView      `json:"kernels"`
		Constants   []facts.Constant  `json:"constants,omitempty"`
		Buffers     []facts.Buffer    `json:"buffers,omitempty"`
	}
	passesView struct {
		Module  string     `json:"module"`
		Program string     `json:"program"`
		Stages  []passView `json:"stages"`
	}
	passView struct {
		Label        string         `json:"label"`
		Kind         string         `json:"kind"`
		Number       *int           `json:"number,omitempty"`
		Pipeline     string         `json:"pipeline,omitempty"`
		Pass         string         `json:"pass,omitempty"`
		File         string         `json:"file"`
		Changed      bool           `json:"changed"`
		Computations int            `json:"computations"`
		Instructions int            `json:"instructions"`
		Fusions      int            `json:"fusions"`
		Collectives  int            `json:"collectives"`
		Opcodes      map[string]int `json:"opcodes"`
		Fingerprint  string         `json:"fingerprint"`
	}
	profileView struct {
		Files   []string              `json:"files"`
		Devices []string              `json:"devices"`
		Time    time.Duration         `json:"time_ns"`
		Runs    map[string]int        `json:"runs"`
		Hot     []hotView             `json:"hot"`
		Strange []facts.UnknownModule `json:"not_dumped,omitempty"`
	}
	hotView struct {
		Program string        `json:"program"`
		Module  string        `json:"module"`
		Name    string        `json:"name"`
		Count   int           `json:"count"`
		Total   time.Duration `json:"total_ns"`
		Self    time.Duration `json:"self_ns"`
		Several bool          `json:"ambiguous,omitempty"`
		Kernel  *kernelView   `json:"kernel,omitempty"`
	}
)

func inspectJSON(w io.Writer, r *facts.Report, o Options) error {
	indent := "  "
	if o.OneLine {
		indent = ""
	}
	return encodeJSON(w, "what the dump holds", &inspectView{
		Schema: InspectSchema, Tool: result.Tool{Name: "xlagate", Version: o.Version}, Dump: r.Dump, Toolchain: r.Toolchain,
		Programs: viewPrograms(r.Programs, o.All), Helpers: viewPrograms(r.Helpers, o.All), Clusters: r.Clusters, Logs: r.Logs,
		Modules: r.Modules, Drawings: r.Drawings, Passes: viewPasses(r.Passes), Profile: viewProfile(r.Profile), Problems: r.Problems,
		Ignored: r.Ignored, Parts: o.Parts,
	}, indent)
}

func viewPrograms(programs []*facts.Program, all bool) []programView {
	out := make([]programView, len(programs))
	for i, p := range programs {
		out[i] = programView{Name: p.Name, Main: p.Main, Variants: make([]variantView, len(p.Variants))}
		for j, v := range p.Variants {
			out[i].Variants[j] = viewVariant(v, all)
		}
	}
	return out
}

func viewVariant(v *facts.Variant, all bool) variantView {
	return variantView{
		Signature: v.Signature, Result: v.Result, Modules: v.Modules, File: v.File, Fingerprint: v.Fingerprint, InputPrint: v.InputPrint,
		Facts: v.Facts, Unstable: v.Unstable, Reached: v.Reached, Missing: v.Missing, Params: v.Params,
		Kernels: viewKernels(v.Kernels, all), Constants: v.Constants, Buffers: v.Buffers,
	}
}

func viewPasses(modules []facts.ModulePasses) []passesView {
	var out []passesView
	for _, m := range modules {
		v := passesView{Module: m.Module, Program: m.Program, Stages: []passView{}}
		for i := range m.Stages {
			v.Stages = append(v.Stages, viewPass(&m.Stages[i], i > 0 && m.Stages[i].Changed(&m.Stages[i-1])))
		}
		out = append(out, v)
	}
	return out
}

func viewPass(s *facts.PassStage, changed bool) passView {
	v := passView{
		Label: s.Label, Kind: string(s.Kind), Pipeline: s.Pass.Pipeline, Pass: s.Pass.After, File: s.File, Changed: changed,
		Computations: s.Computations, Instructions: s.Instructions, Fusions: s.Fusions, Collectives: s.Collectives,
		Opcodes: s.Opcodes, Fingerprint: s.Fingerprint,
	}
	if s.Pass.Pipeline != "" {
		v.Number = &s.Pass.Number
	}
	return v
}

func viewProfile(p *facts.Profile) *profileView {
	if p == nil {
		return nil
	}
	v := &profileView{Files: p.Files, Devices: p.Devices, Time: p.Time, Runs: p.Runs, Hot: []hotView{}, Strange: p.Unknown}
	for i := range p.Hot {
		h := &p.Hot[i]
		hot := hotView{Program: h.Program, Module: h.Module, Name: h.Name, Count: h.Count, Total: h.Total, Self: h.Self, Several: h.Ambiguous}
		if h.Kernel != nil {
			k := viewKernel(h.Kernel, false)
			hot.Kernel = &k
		}
		v.Hot = append(v.Hot, hot)
	}
	return v
}
