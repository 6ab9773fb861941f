package report

import (
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// The JSON forms of what a variant holds; names and meaning are those of the facts.
type (
	kernelView struct {
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
		Source   *sourceView    `json:"source,omitempty"`
		Ops      []opView       `json:"ops,omitempty"`
		Bytes    int64          `json:"bytes"`
		Flops    int64          `json:"flops,omitempty"`
		Times    int64          `json:"times"`
		Loop     string         `json:"loop,omitempty"`
		Launch   *launchView    `json:"launch,omitempty"`
		Print    string         `json:"fingerprint,omitempty"`
	}
	launchView struct {
		Grid   [3]int64 `json:"grid"`
		Block  [3]int64 `json:"block"`
		Shared int64    `json:"shared_bytes"`
	}
	opView struct {
		Opcode string      `json:"opcode"`
		Shape  string      `json:"shape"`
		OpName string      `json:"op_name,omitempty"`
		Source *sourceView `json:"source,omitempty"`
	}
	sourceView struct {
		File     string `json:"file"`
		Line     int32  `json:"line,omitempty"`
		Column   int32  `json:"column,omitempty"`
		Function string `json:"function,omitempty"`
	}
	paramView struct {
		Name     string `json:"name"`
		Shape    string `json:"shape"`
		Layout   string `json:"layout,omitempty"`
		Sharding string `json:"sharding,omitempty"`
		Bytes    int64  `json:"bytes"`
		Aliased  bool   `json:"aliased,omitempty"`
		Donated  bool   `json:"donated,omitempty"`
		Unused   bool   `json:"unused,omitempty"`
		Constant string `json:"constant,omitempty"`
	}
)

var classNames = map[facts.Class]string{
	facts.ClassKernel: "kernel", facts.ClassLibrary: "library", facts.ClassCopy: "copy",
	facts.ClassCollective: "collective", facts.ClassControl: "control",
}

// viewKernel is a kernel without the operations in it unless all is wanted: they are most of a large program.
func viewKernel(k *facts.Kernel, all bool) kernelView {
	v := kernelView{
		Name: k.Name, Kind: k.Kind, Class: classNames[k.Class], Do: filled(k.Do), Root: k.Root, Out: k.Out, In: filled(k.In), Target: k.Target,
		Attrs: k.Attrs, Groups: k.Groups, OpName: k.OpName, OpType: k.OpType, Source: viewSource(k.Source), Bytes: k.Bytes, Flops: k.Flops,
		Times: k.Times, Loop: k.Loop, Print: k.Print, Function: k.Function, Body: k.Written,
	}
	if k.Threads() > 0 {
		v.Launch = &launchView{Grid: k.Grid, Block: k.Block, Shared: k.Shared}
	}
	if all {
		for op := range k.Ops.All() {
			v.Ops = append(v.Ops, viewOp(&op))
		}
	}
	return v
}

func viewKernels(kernels []facts.Kernel, all bool) []kernelView {
	out := make([]kernelView, len(kernels))
	for i := range kernels {
		out[i] = viewKernel(&kernels[i], all)
	}
	return out
}

func viewOp(o *facts.Op) opView {
	return opView{Opcode: o.Opcode, Shape: o.Shape, OpName: o.OpName, Source: viewSource(o.Source)}
}

func viewSource(l hlo.Location) *sourceView {
	if l.File == "" {
		return nil
	}
	return &sourceView{File: l.File, Line: l.Line, Column: l.Column, Function: l.Function}
}

func viewParam(p *facts.Parameter) *paramView {
	if p == nil {
		return nil
	}
	return &paramView{
		Name: p.Name, Shape: p.Shape, Layout: p.Layout, Sharding: p.Sharding, Bytes: p.Bytes,
		Aliased: p.Aliased, Donated: p.Donated, Unused: p.Unused, Constant: p.Constant,
	}
}
