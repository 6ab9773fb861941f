package webpage

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/result"
)

type builder struct {
	page  *Page
	model *model
	dumps map[string]string // of each target, its folder
	old   string            // the folder of the dump before, of a difference
}

func newBuilder(kind string, o Options) *builder {
	p := &Page{
		model: newModel(o), parts: map[string]func() any{},
		core: core{Kind: kind, Version: o.Version, Fixes: map[string]string{}, Changes: []result.Change{}, Programs: []program{}},
	}
	return &builder{page: p, model: p.model, dumps: map[string]string{}}
}

func (b *builder) done() *Page {
	for i := range b.page.core.Changes {
		c := &b.page.core.Changes[i]
		c.Program, c.Title, c.OpName, c.Details = cut(c.Program), cut(c.Title), cut(c.OpName), cutAll(c.Details)
		c.Evidence = result.Evidence{Before: cutAll(c.Evidence.Before), After: cutAll(c.Evidence.After)}
		c.Findings, c.Effects, c.Variants = listed(c.Findings), listed(c.Effects), cutAll(c.Variants)
		of := b.model.of(b.dumps[c.Target])
		c.Source.File = of.name(c.Source.File)
		of.file(c.Source.File)
	}
	for name := range b.model.others {
		delete(b.model.files, name)
	}
	b.page.core.Files = b.model.files
	if r := b.page.core.Result; r != nil {
		r.Findings = listed(r.Findings)
	}
	return b.page
}

// listed is a list that JSON does not write as null.
func listed[T any](list []T) []T { return append([]T{}, list...) }

func (b *builder) part(content func() any) string {
	name := fmt.Sprintf("part-%d", len(b.page.names))
	b.page.names = append(b.page.names, name)
	b.page.parts[name] = content
	return name
}

// looked adds the programs of a target, the main one first: the page opens with it.
func (b *builder) looked(l Looked) {
	main := func(p *changes.Program) bool { return p.New != nil && p.New.Main }
	for _, p := range slices.Concat(phrase.Filter(l.Programs, main), slices.DeleteFunc(slices.Clone(l.Programs), main)) {
		out := program{Target: l.Target, Name: cut(p.Name), Was: cut(p.Was), Change: p.Change, Main: main(p), Variants: []variant{}}
		for _, v := range p.Variants {
			out.Variants = append(out.Variants, b.variant(v, l))
		}
		b.page.core.Programs = append(b.page.core.Programs, out)
	}
}

func (b *builder) variant(v *changes.Variant, l Looked) variant {
	before, after := b.model.of(b.old), b.model.of(b.dumps[l.Target])
	shown := cmp.Or(v.New, v.Old)
	out := variant{Signature: cut(shown.Signature), Change: v.Change, Old: b.side(v.Old, before), New: b.side(v.New, after)}
	if v.Old != nil && v.New != nil {
		out.Step = stepPrice(v.StepInterval(), v)
	}
	after.filesOf(shown)
	out.Part = b.part(func() any {
		lists := &kernelLists{Old: before.kernelList(v.Old, nil), New: after.kernelList(v.New, l.Profile), Links: [][2][]int{}}
		for _, link := range v.Links() {
			lists.Links = append(lists.Links, [2][]int{link.Old, link.New})
		}
		lists.Memory = &memories{before.memory(v.Old), after.memory(v.New)}
		return lists
	})
	return out
}

// stepPrice is what the step grows by, and between what. A step takes no less than nothing.
func stepPrice(by price.Interval, v *changes.Variant) result.Price {
	was := v.Old.Facts[facts.PriceStep]
	return result.Price{StepNS: by.Middle, LowNS: max(by.Low, -was), HighNS: by.High, StepWasNS: was}
}

func (b *builder) side(v *facts.Variant, of sources) *side {
	if v == nil {
		return nil
	}
	s := &side{Facts: v.Facts, Modules: v.Modules, Missing: v.Missing, Kernels: len(v.Kernels)}
	if d := v.Device; d != nil {
		s.Device = &device{d.Name, slices.Max(d.Products[:]), d.Vector, d.Memory.Bandwidth}
	}
	if m := v.Module; m != nil {
		s.Graph = b.part(func() any { return of.graph(m) })
	}
	return s
}

// factsOf shows the facts of a target that was not checked.
func (b *builder) factsOf(t *result.Target) {
	for i := range t.Programs {
		p := &t.Programs[i]
		out := program{Target: t.Name, Name: cut(p.Name), Was: cut(p.Was), Change: p.Change, Variants: []variant{}}
		for _, v := range p.Variants {
			shown := variant{Signature: cut(v.Signature), Change: p.Change, New: &side{Facts: v.Facts, Modules: v.Modules}}
			if v.Base != nil {
				shown.Old = &side{Facts: v.Base}
			}
			out.Variants = append(out.Variants, shown)
		}
		b.page.core.Programs = append(b.page.core.Programs, out)
	}
}

// causes shows the causes of a difference as changes. No rule checked them, so they have no level and no id of a gate.
func (b *builder) causes(p *changes.Program) {
	for _, v := range p.Variants {
		var costs []price.Interval
		if v.Old != nil && v.New != nil {
			costs = v.StepIntervals()
		}
		for i := range v.Causes {
			c := &v.Causes[i]
			evidence, cost, effects := c.Evidence(facts.AnyKernel), result.Price{}, []result.Effect{}
			for _, f := range v.Facts { // a fact that differs is put down to the only cause
				if len(v.Causes) == 1 && f.Old == f.Old && f.New == f.New { // neither is unknown
					effects = append(effects, result.Effect{Fact: f.Name, Was: f.Old, Is: f.New})
				}
			}
			if i < len(costs) {
				cost = stepPrice(costs[i], v)
			}
			b.page.core.Changes = append(b.page.core.Changes, result.Change{
				ID: fmt.Sprintf("change-%d", len(b.page.core.Changes)+1), Program: p.Name,
				Edit: result.Edit{
					Kind: c.Kind, Title: c.Title, Details: c.Notes, OpName: c.OpName,
					Source: result.Source{File: c.Source.File, Line: int(c.Source.Line), Function: c.Source.Function},
				},
				Variants: []string{v.New.Signature}, Price: cost, Evidence: result.Evidence(evidence), Effects: effects, Findings: []string{},
			})
		}
	}
}

// kernelLists is the part with the kernels of a variant.
type kernelLists struct {
	Old    *kernelList `json:"old,omitempty"`
	New    *kernelList `json:"new,omitempty"`
	Links  [][2][]int  `json:"links"` // which kernels correspond, old and new; those in none were removed or added
	Memory *memories   `json:"memory,omitempty"`
}

// kernelList is the kernels of one compilation in the order of the schedule.
type kernelList struct {
	Kernels []kernel `json:"kernels"`
	Bodies  [][]op   `json:"bodies"` // the operations in kernels; many kernels share one body
}

type kernel struct {
	Name     string      `json:"name"`
	Does     string      `json:"does"` // "subtract, 2 reduce"
	Kind     string      `json:"kind"`
	Class    facts.Class `json:"class"`
	Out      string      `json:"out"`
	In       []string    `json:"in,omitempty"`
	Op       string      `json:"op"`
	File     string      `json:"file,omitempty"`
	Line     int32       `json:"line,omitempty"`
	Function string      `json:"function,omitempty"`
	Runs     float64     `json:"runs"`
	Time     []float64   `json:"time,omitempty"` // of all runs, in ns: launch, compute, memory, network, host
	Measured float64     `json:"measured,omitempty"`
	Bytes    int64       `json:"bytes"`
	Flops    int64       `json:"flops,omitempty"`
	Async    bool        `json:"async,omitempty"`
	Beside   int32       `json:"beside,omitempty"`
	Loop     string      `json:"loop,omitempty"`
	From     []int32     `json:"from,omitempty"` // the kernels that it reads from
	Body     int         `json:"body"`           // in Bodies, -1 for none
	Print    string      `json:"print,omitempty"`
}

type op struct {
	Opcode string  `json:"opcode"`
	Shape  string  `json:"shape"`
	From   []int32 `json:"from"`
}

func (s sources) kernelList(v *facts.Variant, profile *facts.Profile) *kernelList {
	if v == nil {
		return nil
	}
	l := &kernelList{Kernels: make([]kernel, len(v.Kernels)), Bodies: [][]op{}}
	bodies, measured := map[string]int{}, measuredTimes(profile)
	var prices []facts.Priced
	if v.Device != nil {
		prices = v.Prices(v.Device)
	}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		at := s.place(k.Source)
		l.Kernels[i] = kernel{
			Name: cut(k.Name), Does: cut(k.Operations()), Kind: k.Kind, Class: k.Class, Out: cut(k.Out), In: cutAll(k.In), Op: cut(k.OpName),
			File: at.File, Line: at.Line, Function: at.Function, Runs: k.Runs(), Bytes: k.Bytes, Flops: k.Flops, Async: k.Async, Beside: k.Overlapped,
			Loop: cut(k.Loop), From: k.From, Print: k.Print, Measured: measured[k], Body: l.body(k, bodies),
		}
		if prices != nil {
			t, n := &prices[i].Once, prices[i].Runs
			l.Kernels[i].Runs, l.Kernels[i].Time = n, []float64{n * t.Launch, n * t.Compute, n * t.Memory, n * t.Network, n * t.Host}
		}
	}
	return l
}

// body adds the operations in a kernel, once for all kernels with the same.
func (l *kernelList) body(k *facts.Kernel, known map[string]int) int {
	if len(k.Ops) == 0 {
		return -1
	}
	if at, ok := known[k.Print]; ok && k.Print != "" {
		return at
	}
	known[k.Print] = len(l.Bodies)
	l.Bodies = append(l.Bodies, phrase.Map(k.Ops, func(o facts.FusedOp) op { return op{o.Opcode, cut(o.Shape), o.From} }))
	return len(l.Bodies) - 1
}

// measuredTimes is how long a run spends in each kernel that a profiler saw.
func measuredTimes(p *facts.Profile) map[*facts.Kernel]float64 {
	times := map[*facts.Kernel]float64{}
	if p == nil {
		return times
	}
	for i := range p.Hot {
		if h := &p.Hot[i]; h.Kernel != nil && p.Runs[h.Program] > 0 {
			times[h.Kernel] += float64(h.Self.Nanoseconds()) / float64(p.Runs[h.Program])
		}
	}
	return times
}
