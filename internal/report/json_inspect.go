package report

import (
	"io"
	"time"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

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
		Strange []facts.StrangeModule `json:"not_dumped,omitempty"`
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
	v := &profileView{Files: p.Files, Devices: p.Devices, Time: p.Time, Runs: p.Runs, Hot: []hotView{}, Strange: p.Strange}
	for i := range p.Hot {
		h := &p.Hot[i]
		hot := hotView{Program: h.Program, Module: h.Module, Name: h.Name, Count: h.Count, Total: h.Total, Self: h.Self, Several: h.Several}
		if h.Kernel != nil {
			k := viewKernel(h.Kernel, false)
			hot.Kernel = &k
		}
		v.Hot = append(v.Hot, hot)
	}
	return v
}
