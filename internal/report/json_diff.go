package report

import (
	"cmp"
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
		Schema    string            `json:"schema"`
		Tool      result.Tool       `json:"tool"`
		Old       string            `json:"old"`
		New       string            `json:"new"`
		Identical bool              `json:"identical"`
		Flags     []diff.FlagChange `json:"flags"` // compiler flags that differ
		Programs  []diffProgView    `json:"programs"`
	}
	diffProgView struct {
		Program   string                `json:"program"`
		Was       string                `json:"was,omitempty"` // its name in the old dump, where that is another one
		Change    string                `json:"change"`
		Kernels   kernelsView           `json:"kernels"` // of all variants
		Variants  []diffVariantView     `json:"variants"`
		Recompile []diff.ArgumentChange `json:"recompile"`
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
		Params    []diff.ParamChange `json:"params"`
		Dtypes    []dtypeChangeView  `json:"dtypes"`
		FirstPass string             `json:"first_pass,omitempty"`
	}
	factChangeView struct {
		Name string   `json:"name"`
		Old  *float64 `json:"old"` // null: not dumped
		New  *float64 `json:"new"`
	}
	dtypeChangeView struct {
		Type  string `json:"type"`
		Old   int    `json:"old"`
		New   int    `json:"new"`
		First opView `json:"first"`
	}
	causeView struct {
		Kind    string       `json:"kind"`
		Summary string       `json:"summary"`
		OpName  string       `json:"op_name,omitempty"`
		OpType  string       `json:"op_type,omitempty"`
		Source  hlo.Location `json:"source,omitzero"`
		Before  int          `json:"kernels_before"`
		After   int          `json:"kernels_after"`
		Edits   []diff.Edit  `json:"edits,omitempty"`
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
)

func diffJSON(w io.Writer, d *diff.Report, o Options) error {
	return writeJSON(w, "the difference", &diffView{
		Schema: DiffSchema, Tool: result.Tool{Name: "xlagate", Version: o.Version}, Old: d.Old, New: d.New, Identical: d.Identical,
		Flags:    d.Flags,
		Programs: each(d.Programs, func(p **diff.Program) diffProgView { return viewDiffProgram(*p, o.All) }),
	})
}

func viewDiffProgram(p *diff.Program, all bool) diffProgView {
	v := diffProgView{
		Program: p.Name, Was: p.Was, Change: p.Change, Recompile: p.Recompile,
		Variants: each(p.Variants, func(v **diff.Variant) diffVariantView { return viewDiffVariant(*v) }),
	}
	for _, variant := range p.Variants {
		name := ""
		if len(p.Variants) > 1 {
			name = signatureOf(variant)
		}
		v.Kernels.add(name, &variant.Kernels, all)
	}
	return v
}

// signatureOf is the signature of the new side, or of the old one where there is no new one.
func signatureOf(v *diff.Variant) string { return cmp.Or(signature(v.New), signature(v.Old)) }

func signature(v *facts.Variant) string {
	if v == nil {
		return ""
	}
	return v.Signature
}

func (v *kernelsView) add(variant string, k *diff.Kernels, all bool) {
	side := func(kernels []facts.Kernel) []kernelView {
		views := viewKernels(kernels, all)
		for i := range views {
			views[i].Variant = variant
		}
		return views
	}
	change := func(c *diff.KernelChange) kernelChangeView {
		return kernelChangeView{variant, viewKernel(&c.Old, all), viewKernel(&c.New, all), c.What()}
	}
	regroup := func(g *diff.Regroup) regroupView {
		return regroupView{variant, viewKernel(&g.One, all), viewKernels(g.Many, all), betweenWords(g.Between)}
	}
	v.Kept += k.Kept
	v.Removed, v.Added = append(v.Removed, side(k.Removed)...), append(v.Added, side(k.Added)...)
	v.Changed, v.Moved = append(v.Changed, each(k.Changed, change)...), append(v.Moved, each(k.Moved, change)...)
	v.Split, v.Merged = append(v.Split, each(k.Split, regroup)...), append(v.Merged, each(k.Merged, regroup)...)
	v.Unrolled = append(v.Unrolled, each(k.Unrolled, func(u *diff.Regroup) unrollView { return unrollView{variant, viewKernel(&u.One, all), len(u.Many)} })...)
}

func viewDiffVariant(d *diff.Variant) diffVariantView {
	return diffVariantView{
		Change: d.Change, Old: signature(d.Old), New: signature(d.New), Rescaled: d.Rescaled, Kept: d.Kernels.Kept, FirstPass: d.FirstPass,
		Causes: each(d.Causes, viewCause),
		Facts: each(d.Facts, func(f *diff.FactChange) factChangeView {
			return factChangeView{string(f.Name), dumped(f.Old), dumped(f.New)}
		}),
		Params: d.Params,
		Dtypes: each(d.Dtypes, func(t *diff.DtypeChange) dtypeChangeView {
			return dtypeChangeView{t.Type, t.Old, t.New, viewOp(t.First)}
		}),
		Buffers: each(d.Buffers, func(b *diff.BufferChange) bufferChangeView {
			return bufferChangeView{b.New.Shape, b.Old, b.New.Bytes, b.New.OpName, b.New.Source}
		}),
	}
}

// dumped is the number, or nothing where the fact was not dumped.
func dumped(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func viewCause(c *diff.Cause) causeView {
	return causeView{
		Kind: c.Kind, Summary: c.Title, OpName: c.OpName, OpType: c.OpType, Source: c.Source, Before: len(c.Before), After: len(c.After), Edits: c.Edits,
	}
}

// betweenWords says what keeps kernels apart.
func betweenWords(dividers []diff.Divider) []string {
	words := []string{}
	for _, d := range dividers {
		words = append(words, d.String())
	}
	return words
}
