package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// InspectSchema names the JSON form of a dump's contents.
const InspectSchema = "xlagate.inspect/v1"

type (
	inspectView struct {
		Schema    string             `json:"schema"`
		Tool      result.Tool        `json:"tool"`
		Dump      string             `json:"dump"`
		Toolchain facts.Toolchain    `json:"toolchain"`
		Programs  []programView      `json:"programs"`
		Helpers   []programView      `json:"helpers"`
		Clusters  *clustersView      `json:"clusters,omitempty"`
		Logs      *logsView          `json:"logs,omitempty"`
		Modules   []facts.ModuleInfo `json:"modules"`
		Drawings  []drawingView      `json:"drawings,omitempty"`
		Passes    []passesView       `json:"passes,omitempty"`
		Profile   *profileView       `json:"profile,omitempty"`
		Problems  []problemView      `json:"problems"`
		Ignored   []string           `json:"ignored"`
		Parts     []result.Part      `json:"parts,omitempty"`
	}
	programView struct {
		Name     string        `json:"name"`
		Main     bool          `json:"main,omitempty"`
		Variants []variantView `json:"variants"`
	}
	variantView struct {
		Signature   string         `json:"signature"`
		Result      string         `json:"result,omitempty"`
		Modules     []string       `json:"modules"`
		File        string         `json:"file,omitempty"`
		Fingerprint string         `json:"fingerprint"`
		InputPrint  string         `json:"input_fingerprint,omitempty"`
		Facts       facts.Numbers  `json:"facts"`
		Unstable    []string       `json:"unstable"`
		Missing     []string       `json:"missing"`
		Params      []*paramView   `json:"params"`
		Kernels     []kernelView   `json:"kernels"`
		Constants   []constantView `json:"constants,omitempty"`
		Buffers     []bufferView   `json:"buffers,omitempty"`
	}
	constantView struct {
		Shape  string      `json:"shape"`
		Bytes  int64       `json:"bytes"`
		Value  string      `json:"value,omitempty"`
		OpName string      `json:"op_name,omitempty"`
		Source *sourceView `json:"source,omitempty"`
	}
	bufferView struct {
		Bytes  int64       `json:"bytes"`
		Shape  string      `json:"shape,omitempty"`
		OpName string      `json:"op_name,omitempty"`
		Source *sourceView `json:"source,omitempty"`
	}
	problemView struct {
		File    string `json:"file,omitempty"`
		Program string `json:"program,omitempty"`
		Message string `json:"message"`
		Mend    string `json:"mend,omitempty"`
	}
)

func inspectJSON(w io.Writer, r *facts.Report, o Options) error {
	v := inspectView{
		Schema: InspectSchema, Tool: result.Tool{Name: "xlagate", Version: o.Version}, Dump: r.Dump, Toolchain: r.Toolchain,
		Programs: viewPrograms(r.Programs, o.All), Helpers: viewPrograms(r.Helpers, o.All), Clusters: viewClusters(r.Clusters), Logs: viewLogs(r.Logs),
		Drawings: viewDrawings(r.Drawings), Passes: viewPasses(r.Passes), Profile: viewProfile(r.Profile),
		Modules: make([]facts.ModuleInfo, len(r.Modules)), Problems: make([]problemView, len(r.Problems)), Ignored: filled(r.Ignored),
		Parts: o.Parts,
	}
	for i, m := range r.Modules {
		m.EntryParams = filled(m.EntryParams)
		m.Opcodes, m.CustomCallTargets = filledMap(m.Opcodes), filledMap(m.CustomCallTargets)
		v.Modules[i] = m
	}
	for i, p := range r.Problems {
		v.Problems[i] = problemView(p)
	}
	return writeJSON(w, "what the dump holds", v)
}

func filledMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
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
	out := variantView{
		Signature: v.Signature, Result: v.Result, Modules: filled(v.Modules), File: v.File, Fingerprint: v.Fingerprint, InputPrint: v.InputPrint,
		Facts: filledMap(v.Facts), Unstable: filled(v.Unstable), Missing: filled(v.Missing), Params: []*paramView{}, Kernels: viewKernels(v.Kernels, all),
	}
	for i := range v.Params {
		out.Params = append(out.Params, viewParam(&v.Params[i]))
	}
	for _, c := range v.Constants {
		out.Constants = append(out.Constants, constantView{c.Shape, c.Bytes, c.Value, c.OpName, viewSource(c.Source)})
	}
	for _, b := range v.Buffers {
		out.Buffers = append(out.Buffers, bufferView{b.Bytes, b.Shape, b.OpName, viewSource(b.Source)})
	}
	return out
}
