package report

import (
	"time"

	"github.com/xlagate/xlagate/internal/facts"
)

// The JSON forms of drawings, passes and profiles. Times are in nanoseconds.
type (
	drawingView struct {
		File    string `json:"file"`
		Module  string `json:"module"`
		Name    string `json:"computation,omitempty"`
		Stage   string `json:"stage"`
		Main    bool   `json:"main,omitempty"`
		Format  string `json:"format"`
		Nodes   int    `json:"nodes"`
		Fusions int    `json:"fusions"`
		Kernels int    `json:"kernels"`
		Why     string `json:"not_exact,omitempty"`
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
		Files   []string        `json:"files"`
		Devices []string        `json:"devices"`
		Time    time.Duration   `json:"time_ns"`
		Runs    map[string]int  `json:"runs"`
		Hot     []hotView       `json:"hot"`
		Strange []strangeModule `json:"not_dumped,omitempty"`
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
	strangeModule struct {
		Name string        `json:"name"`
		Time time.Duration `json:"time_ns"`
	}
)

func viewDrawings(drawings []facts.Drawing) []drawingView {
	var out []drawingView
	for _, d := range drawings {
		out = append(out, drawingView(d))
	}
	return out
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
		Opcodes: filledMap(s.Opcodes), Fingerprint: s.Fingerprint,
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
	v := &profileView{Files: filled(p.Files), Devices: filled(p.Devices), Time: p.Time, Runs: filledMap(p.Runs), Hot: []hotView{}}
	for i := range p.Hot {
		h := &p.Hot[i]
		hot := hotView{Program: h.Program, Module: h.Module, Name: h.Name, Count: h.Count, Total: h.Total, Self: h.Self, Several: h.Several}
		if h.Kernel != nil {
			k := viewKernel(h.Kernel, false)
			hot.Kernel = &k
		}
		v.Hot = append(v.Hot, hot)
	}
	for _, s := range p.Strange {
		v.Strange = append(v.Strange, strangeModule(s))
	}
	return v
}
