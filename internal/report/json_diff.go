package report

import (
	"io"
	"math"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/result"
)

// DiffSchema names the JSON form of a difference.
const DiffSchema = "xlagate.diff/v1"

type (
	diffView struct {
		Schema    string         `json:"schema"`
		Tool      result.Tool    `json:"tool"`
		Old       string         `json:"old"`
		New       string         `json:"new"`
		Identical bool           `json:"identical"`
		Flags     []flagView     `json:"flags"` // compiler flags that differ
		Programs  []diffProgView `json:"programs"`
	}
	diffProgView struct {
		Program   string            `json:"program"`
		Was       string            `json:"was,omitempty"` // its name in the old dump, where that is another one
		Change    string            `json:"change"`
		Kernels   kernelsView       `json:"kernels"` // of all variants
		Variants  []diffVariantView `json:"variants"`
		Recompile []argumentView    `json:"recompile"`
	}
	kernelsView struct {
		Kept     int                `json:"kept"`
		Removed  []kernelView       `json:"removed"`
		Added    []kernelView       `json:"added"`
		Changed  []kernelChangeView `json:"changed"`
		Split    []regroupView      `json:"split"`
		Merged   []regroupView      `json:"merged"`
		Moved    []kernelChangeView `json:"moved"`
		Unrolled []unrollView       `json:"unrolled"`
	}
	kernelChangeView struct {
		Variant string     `json:"variant,omitempty"`
		Old     kernelView `json:"old"`
		New     kernelView `json:"new"`
		What    []string   `json:"what"`
	}
	regroupView struct {
		Variant string       `json:"variant,omitempty"`
		One     kernelView   `json:"one"`
		Many    []kernelView `json:"many"`
		Between []string     `json:"between"`
	}
	diffVariantView struct {
		Change    string             `json:"change"`
		Old       string             `json:"old,omitempty"` // signatures
		New       string             `json:"new,omitempty"`
		Rescaled  bool               `json:"rescaled"`
		Kept      int                `json:"kept"`
		Causes    []causeView        `json:"causes"`
		Facts     []factChangeView   `json:"facts"`
		Buffers   []bufferChangeView `json:"buffers"`
		Params    []paramChangeView  `json:"params"`
		Dtypes    []dtypeChangeView  `json:"dtypes"`
		FirstPass string             `json:"first_pass,omitempty"`
	}
	factChangeView struct {
		Name string   `json:"name"`
		Old  *float64 `json:"old"` // null: not dumped
		New  *float64 `json:"new"`
	}
	paramChangeView struct {
		Name string           `json:"name"`
		Old  *facts.Parameter `json:"old"`
		New  *facts.Parameter `json:"new"`
		What string           `json:"what"`
	}
	dtypeChangeView struct {
		Type  string `json:"type"`
		Old   int    `json:"old"`
		New   int    `json:"new"`
		First opView `json:"first"`
	}
	argumentView struct {
		Name   string   `json:"name"`
		Kind   string   `json:"kind"`
		Values []string `json:"values"`
		Detail string   `json:"detail,omitempty"`
	}
)

func diffJSON(w io.Writer, d *diff.Report, o Options) error {
	v := diffView{
		Schema: DiffSchema, Tool: result.Tool{Name: "xlagate", Version: o.Version}, Old: d.Old, New: d.New, Identical: d.Identical, Flags: viewFlags(d.Flags),
		Programs: make([]diffProgView, len(d.Programs)),
	}
	for i, p := range d.Programs {
		v.Programs[i] = viewDiffProgram(p, o.All)
	}
	return writeJSON(w, "the difference", v)
}

func viewDiffProgram(p *diff.Program, all bool) diffProgView {
	v := diffProgView{Program: p.Name, Was: p.Was, Change: p.Change, Kernels: emptyKernels(), Variants: []diffVariantView{}, Recompile: []argumentView{}}
	for _, variant := range p.Variants {
		name := ""
		if len(p.Variants) > 1 {
			name = signatureOf(variant)
		}
		v.Kernels.add(name, &variant.Kernels, all)
		v.Variants = append(v.Variants, viewDiffVariant(variant))
	}
	for _, a := range p.Recompile {
		v.Recompile = append(v.Recompile, argumentView{a.Name, a.Kind, filled(a.Values), a.Detail})
	}
	return v
}

// signatureOf is the signature of the new side, or of the old one where there is no new one.
func signatureOf(v *diff.Variant) string {
	switch {
	case v.New != nil:
		return v.New.Signature
	case v.Old != nil:
		return v.Old.Signature
	}
	return ""
}

func emptyKernels() kernelsView {
	return kernelsView{
		Removed: []kernelView{}, Added: []kernelView{}, Changed: []kernelChangeView{}, Split: []regroupView{}, Merged: []regroupView{},
		Moved: []kernelChangeView{}, Unrolled: []unrollView{},
	}
}

func (v *kernelsView) add(variant string, k *diff.Kernels, all bool) {
	v.Kept += k.Kept
	v.Removed = append(v.Removed, viewSide(variant, k.Removed, all)...)
	v.Added = append(v.Added, viewSide(variant, k.Added, all)...)
	v.Changed = append(v.Changed, viewChanges(variant, k.Changed, all)...)
	v.Moved = append(v.Moved, viewChanges(variant, k.Moved, all)...)
	v.Split = append(v.Split, viewRegroups(variant, k.Split, all)...)
	v.Merged = append(v.Merged, viewRegroups(variant, k.Merged, all)...)
	v.Unrolled = append(v.Unrolled, viewUnrolled(variant, k.Unrolled, all)...)
}

func viewSide(variant string, kernels []facts.Kernel, all bool) []kernelView {
	var out []kernelView
	for _, k := range viewKernels(kernels, all) {
		k.Variant = variant
		out = append(out, k)
	}
	return out
}

func viewChanges(variant string, changes []diff.KernelChange, all bool) []kernelChangeView {
	var out []kernelChangeView
	for i := range changes {
		c := &changes[i]
		out = append(out, kernelChangeView{variant, viewKernel(&c.Old, all), viewKernel(&c.New, all), filled(c.What)})
	}
	return out
}

func viewRegroups(variant string, regroups []diff.Regroup, all bool) []regroupView {
	var out []regroupView
	for i := range regroups {
		g := &regroups[i]
		out = append(out, regroupView{variant, viewKernel(&g.One, all), viewKernels(g.Many, all), filled(g.Between)})
	}
	return out
}

func viewDiffVariant(d *diff.Variant) diffVariantView {
	v := diffVariantView{
		Change: d.Change, Rescaled: d.Rescaled, Kept: d.Kernels.Kept, FirstPass: d.FirstPass,
		Causes: viewCauses(d.Causes), Buffers: viewBuffers(d.Buffers), Facts: []factChangeView{}, Params: []paramChangeView{}, Dtypes: []dtypeChangeView{},
	}
	if d.Old != nil {
		v.Old = d.Old.Signature
	}
	if d.New != nil {
		v.New = d.New.Signature
	}
	for _, f := range d.Facts {
		v.Facts = append(v.Facts, factChangeView{string(f.Name), dumped(f.Old), dumped(f.New)})
	}
	for _, p := range d.Params {
		v.Params = append(v.Params, paramChangeView{p.Name, p.Old, p.New, p.What})
	}
	for i := range d.Dtypes {
		t := &d.Dtypes[i]
		v.Dtypes = append(v.Dtypes, dtypeChangeView{t.Type, t.Old, t.New, viewOp(t.First)})
	}
	return v
}

// dumped is the number, or nothing where the fact was not dumped.
func dumped(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

type (
	causeView struct {
		Kind    string       `json:"kind"`
		Summary string       `json:"summary"`
		OpName  string       `json:"op_name,omitempty"`
		OpType  string       `json:"op_type,omitempty"`
		Source  hlo.Location `json:"source,omitzero"`
		Before  int          `json:"kernels_before"`
		After   int          `json:"kernels_after"`
		Edits   []editView   `json:"edits,omitempty"`
	}
	editView struct {
		Scope   string       `json:"scope,omitempty"`
		Source  hlo.Location `json:"source,omitzero"`
		Caller  hlo.Location `json:"caller,omitzero"`
		Added   []stepView   `json:"added,omitempty"`
		Removed []stepView   `json:"removed,omitempty"`
	}
	stepView struct {
		Opcode string `json:"opcode"`
		Type   string `json:"type,omitempty"`
		Count  int    `json:"count"`
	}
	unrollView struct {
		Variant string     `json:"variant,omitempty"`
		One     kernelView `json:"one"`
		Copies  int        `json:"copies"`
	}
	bufferChangeView struct {
		Shape  string       `json:"shape"`
		Old    int64        `json:"old_bytes"`
		New    int64        `json:"new_bytes"`
		OpName string       `json:"op_name,omitempty"`
		Source hlo.Location `json:"source,omitzero"`
	}
	flagView struct {
		Name string `json:"name"`
		Old  string `json:"old"`
		New  string `json:"new"`
	}
)

func viewCauses(causes []diff.Cause) []causeView {
	out := []causeView{}
	for i := range causes {
		c := &causes[i]
		view := causeView{
			Kind: c.Kind, Summary: c.Title, OpName: c.OpName, OpType: c.OpType, Source: c.Source, Before: len(c.Before), After: len(c.After),
		}
		for j := range c.Edits {
			e := &c.Edits[j]
			view.Edits = append(view.Edits, editView{
				Scope: e.Scope, Source: e.Source, Caller: e.Caller, Added: viewSteps(e.Added), Removed: viewSteps(e.Removed),
			})
		}
		out = append(out, view)
	}
	return out
}

func viewSteps(steps []diff.Step) []stepView {
	var out []stepView
	for _, s := range steps {
		out = append(out, stepView{s.Opcode, s.Type, s.Count})
	}
	return out
}

func viewUnrolled(variant string, unrolled []diff.Unroll, all bool) []unrollView {
	var out []unrollView
	for i := range unrolled {
		out = append(out, unrollView{variant, viewKernel(&unrolled[i].One, all), len(unrolled[i].Copies)})
	}
	return out
}

func viewBuffers(changes []diff.BufferChange) []bufferChangeView {
	out := []bufferChangeView{}
	for i := range changes {
		b := &changes[i]
		out = append(out, bufferChangeView{Shape: b.New.Shape, Old: b.Old, New: b.New.Bytes, OpName: b.New.OpName, Source: b.New.Source})
	}
	return out
}

func viewFlags(flags []diff.FlagChange) []flagView {
	out := []flagView{}
	for _, f := range flags {
		out = append(out, flagView(f))
	}
	return out
}
