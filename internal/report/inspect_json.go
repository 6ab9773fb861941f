package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// InspectSchema names the JSON form of a dump's contents.
const InspectSchema = "xlagate.inspect/v1"

// What may be large is written piece by piece, between a head and a tail that are small.
type (
	inspectHead struct {
		Schema    string          `json:"schema"`
		Tool      result.Tool     `json:"tool"`
		Dump      string          `json:"dump"`
		Toolchain facts.Toolchain `json:"toolchain"`
	}
	inspectTail struct {
		Clusters *clustersView      `json:"clusters,omitempty"`
		Logs     *logsView          `json:"logs,omitempty"`
		Modules  []facts.ModuleInfo `json:"modules"`
		Drawings []drawingView      `json:"drawings,omitempty"`
		Passes   []passesView       `json:"passes,omitempty"`
		Profile  *profileView       `json:"profile,omitempty"`
		Problems []problemView      `json:"problems"`
		Ignored  []string           `json:"ignored"`
		Parts    []result.Part      `json:"parts,omitempty"`
	}
	programHead struct {
		Name string `json:"name"`
		Main bool   `json:"main,omitempty"`
	}
	programView struct {
		programHead
		Variants []variantView `json:"variants"`
	}
	variantHead struct {
		Signature   string        `json:"signature"`
		Result      string        `json:"result,omitempty"`
		Modules     []string      `json:"modules"`
		File        string        `json:"file,omitempty"`
		Fingerprint string        `json:"fingerprint"`
		InputPrint  string        `json:"input_fingerprint,omitempty"`
		Facts       facts.Numbers `json:"facts"`
		Unstable    []string      `json:"unstable"`
		Missing     []string      `json:"missing"`
		Params      []*paramView  `json:"params"`
	}
	variantTail struct {
		Constants []constantView `json:"constants,omitempty"`
		Buffers   []bufferView   `json:"buffers,omitempty"`
	}
	variantView struct {
		variantHead
		Kernels []kernelView `json:"kernels"`
		variantTail
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
	s := newJSONStream(w)
	s.object(func() {
		s.fields(inspectHead{Schema: InspectSchema, Tool: result.Tool{Name: "xlagate", Version: o.Version}, Dump: r.Dump, Toolchain: r.Toolchain})
		listOf(s, "programs", r.Programs, func(p **facts.Program) { streamProgram(s, *p, o.All) })
		listOf(s, "helpers", r.Helpers, func(p **facts.Program) { streamProgram(s, *p, o.All) })
		s.fields(viewTail(r, o.Parts))
	})
	return s.end("what the dump holds")
}

func streamProgram(s *jsonStream, p *facts.Program, all bool) {
	s.object(func() {
		s.fields(programHead{p.Name, p.Main})
		listOf(s, "variants", p.Variants, func(v **facts.Variant) { streamVariant(s, *v, all) })
	})
}

func streamVariant(s *jsonStream, v *facts.Variant, all bool) {
	s.object(func() {
		s.fields(viewVariantHead(v))
		forms := formLines{}
		listOf(s, "kernels", v.Kernels, func(k *facts.Kernel) { s.lines(kernelView{Kernel: k, all: all, forms: forms}.lines) })
		s.fields(viewVariantTail(v))
	})
}

func viewTail(r *facts.Report, parts []result.Part) inspectTail {
	v := inspectTail{
		Clusters: viewClusters(r.Clusters), Logs: viewLogs(r.Logs), Drawings: viewDrawings(r.Drawings), Passes: viewPasses(r.Passes),
		Profile: viewProfile(r.Profile), Modules: make([]facts.ModuleInfo, len(r.Modules)), Problems: make([]problemView, len(r.Problems)),
		Ignored: filled(r.Ignored), Parts: parts,
	}
	for i, m := range r.Modules {
		m.EntryParams = filled(m.EntryParams)
		m.Opcodes, m.CustomCallTargets = filledMap(m.Opcodes), filledMap(m.CustomCallTargets)
		v.Modules[i] = m
	}
	for i, p := range r.Problems {
		v.Problems[i] = problemView(p)
	}
	return v
}

func filledMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}

func viewProgram(p *facts.Program, all bool) *programView {
	v := &programView{programHead{p.Name, p.Main}, make([]variantView, len(p.Variants))}
	for i, variant := range p.Variants {
		v.Variants[i] = viewVariant(variant, all)
	}
	return v
}

func viewVariant(v *facts.Variant, all bool) variantView {
	return variantView{viewVariantHead(v), viewKernels(v.Kernels, all), viewVariantTail(v)}
}

func viewVariantHead(v *facts.Variant) variantHead {
	out := variantHead{
		Signature: v.Signature, Result: v.Result, Modules: filled(v.Modules), File: v.File, Fingerprint: v.Fingerprint, InputPrint: v.InputPrint,
		Facts: filledMap(v.Facts), Unstable: filled(v.Unstable), Missing: filled(v.Missing), Params: []*paramView{},
	}
	for i := range v.Params {
		out.Params = append(out.Params, viewParam(&v.Params[i]))
	}
	return out
}

func viewVariantTail(v *facts.Variant) (out variantTail) {
	for _, c := range v.Constants {
		out.Constants = append(out.Constants, constantView{c.Shape, c.Bytes, c.Value, c.OpName, viewSource(c.Source)})
	}
	for _, b := range v.Buffers {
		out.Buffers = append(out.Buffers, bufferView{b.Bytes, b.Shape, b.OpName, viewSource(b.Source)})
	}
	return out
}
