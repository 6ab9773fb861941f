package report

import (
	"io"
	"math"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
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
		Name string     `json:"name"`
		Old  *paramView `json:"old"`
		New  *paramView `json:"new"`
		What string     `json:"what"`
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
	for i := range kernels {
		out = append(out, kernelView{Kernel: &kernels[i], all: all, variant: variant})
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
		v.Facts = append(v.Facts, factChangeView{f.Name, dumped(f.Old), dumped(f.New)})
	}
	for _, p := range d.Params {
		v.Params = append(v.Params, paramChangeView{p.Name, (*paramView)(p.Old), (*paramView)(p.New), p.What})
	}
	for i := range d.Dtypes {
		t := &d.Dtypes[i]
		v.Dtypes = append(v.Dtypes, dtypeChangeView{t.Type, t.Old, t.New, opView(t.First)})
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
