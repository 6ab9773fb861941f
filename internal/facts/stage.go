package facts

import (
	"fmt"
	"maps"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// ModulePasses is one module on its way through the compiler: every stage that was dumped, in order.
type ModulePasses struct {
	Module  string      `json:"module"` // "module_0010.jit_train_step"
	Program string      `json:"program"`
	Stages  []PassStage `json:"stages"`
}

// PassStage is a module as one pass left it.
type PassStage struct {
	Label        string         `json:"label"` // as the file name spells it: "0032.simplification.after_algsimp.before_dce"
	Kind         dump.StageKind `json:"kind"`
	Pass         dump.Pass      `json:"pass,omitzero"` // of a pass dump
	File         string         `json:"file"`
	Computations int            `json:"computations"`
	Instructions int            `json:"instructions"`
	Fusions      int            `json:"fusions"`     // fusions, wherever they are
	Collectives  int            `json:"collectives"` // collectives; a start and its done are one
	Opcodes      map[string]int `json:"opcodes"`
	Fingerprint  string         `json:"fingerprint"` // equal for two stages whose programs are the same
}

// passStage counts what a pass may change.
func (r *reader) passStage(file string, s *dump.Stage) *PassStage {
	p := &PassStage{
		Label: s.Label, Kind: s.Kind, Pass: s.Pass, File: file, Computations: len(r.m.Comps), Instructions: len(r.m.Instrs),
		Opcodes: r.opcodes(), Fingerprint: r.prints().Fingerprint(),
	}
	p.Fusions = p.Opcodes["fusion"]
	for i := range r.m.Instrs {
		if roleOf(r.m.Instrs[i].Opcode) == roleCollective {
			p.Collectives++
		}
	}
	return p
}

// opcodes counts the instructions of each opcode.
func (r *reader) opcodes() map[string]int {
	counts := map[string]int{}
	for i := range r.m.Instrs {
		counts[r.opcode(hlo.InstrID(i))]++
	}
	return counts
}

// Changed reports whether the module differs from the stage before it: the program, or how often the same is spelled out. A pass that makes
// copies of computations keeps the program.
func (p *PassStage) Changed(before *PassStage) bool {
	return p.Fingerprint != before.Fingerprint || !maps.Equal(p.Opcodes, before.Opcodes)
}

// moduleInfo counts what inspect lists of a module file.
func (r *reader) moduleInfo(file, stage string) ModuleInfo {
	m := r.m
	first, end := m.Body(m.Entry)
	info := ModuleInfo{
		File: file, Name: m.Name, Stage: stage, Entry: m.CompName(m.Entry),
		Computations: len(m.Comps), Instructions: len(m.Instrs), EntryInstructions: int(end - first),
		Opcodes: r.opcodes(), CustomCallTargets: map[string]int{}, EntryParams: phrase.Map(r.parameters(), func(p Parameter) string { return p.Name + ": " + p.Shape }),
		EntryResult: r.entryResult(), Aliases: len(m.Header.Aliases),
	}
	for id := range r.notable(func(id hlo.InstrID) bool { return m.Instrs[id].Opcode == hlo.OpCustomCall }) {
		info.CustomCallTargets[m.AttrText(id, "custom_call_target")]++
	}
	cost := r.costs().Comp(m.Entry)
	info.Cost = map[string]float64{
		"flops": cost.Flops, "bytes_accessed": cost.BytesAccessed, "transcendentals": cost.Transcendentals,
	}
	if w, err := r.walk(); err == nil {
		info.Kernels = int(w.computing()[len(w.launches)])
	}
	return info
}

// Drawing holds the facts of a module that was dumped as a drawing, which does not show bytes, types and costs. Kernels are counted as in other modules.
type Drawing struct {
	File    string `json:"file"`
	Module  string `json:"module"`                // "module_0010.jit_train_step"
	Name    string `json:"computation,omitempty"` // of the drawn computation: where file names hold no module name, it tells the module
	Stage   string `json:"stage"`
	Main    bool   `json:"main,omitempty"` // the largest final module drawn, where no module was dumped in another form
	Format  string `json:"format"`         // dot | html
	Nodes   int    `json:"nodes"`          // instructions drawn: constants and tuples are not
	Fusions int    `json:"fusions"`
	Kernels int    `json:"kernels"`
	Why     string `json:"not_exact,omitempty"` // why the numbers are not the whole module's, "" when they are
}

// drawn looks at the stages of a module that were dumped as drawings only; of passes, at the last if nothing behind it was dumped.
func (out *measuring) drawn() {
	for i := range out.module.Stages {
		s := &out.module.Stages[i]
		if s.HLO() != nil || s.Kind == dump.StagePass && s != out.module.Optimized() {
			continue
		}
		f := s.File(dump.KindDot, dump.KindHTML)
		if f == nil {
			continue
		}
		d, ok := readCompanion(out, f, artifacts.ReadDrawing)
		if !ok {
			continue
		}
		info := Drawing{File: f.Path, Module: out.module.ID, Name: d.Computation, Stage: s.Label, Format: string(f.Kind), Nodes: len(d.Nodes)}
		c := &drawnCount{d: d, info: &info, backend: out.module.Backend()}
		c.collect()
		c.group(0, 0, false)
		out.Drawings = append(out.Drawings, info)
	}
}

// drawnCount counts the launches of a drawing as walk does those of a module.
type drawnCount struct {
	d       *artifacts.Drawing
	info    *Drawing
	backend string
	steps   int     // what was visited: frames that call one another twice multiply
	nodes   [][]int // by frame
	frames  [][]int // frames in a frame
	calls   [][]int // frames that a node calls
}

func (c *drawnCount) collect() {
	c.nodes, c.frames = make([][]int, len(c.d.Groups)), make([][]int, len(c.d.Groups))
	c.calls = make([][]int, len(c.d.Nodes))
	for i, n := range c.d.Nodes {
		c.nodes[n.Group] = append(c.nodes[n.Group], i)
	}
	for i, g := range c.d.Groups {
		if g.Parent >= 0 {
			c.frames[g.Parent] = append(c.frames[g.Parent], i)
		}
	}
	for _, call := range c.d.Calls {
		c.calls[call.Node] = append(c.calls[call.Node], call.Group)
	}
}

// group counts what is drawn in a frame. In the computation of an async-start, what only moves data is a copy.
func (c *drawnCount) group(g, depth int, async bool) {
	c.steps += 1 + len(c.nodes[g]) + len(c.frames[g])
	if depth > maxDepth || c.steps > maxLaunches {
		c.info.Why = errTooDeep.Error()
		return
	}
	for _, frame := range c.frames[g] {
		if f := c.d.Groups[frame]; f.Fusion {
			c.fusion(f.Kind)
		}
	}
	for _, node := range c.nodes[g] {
		c.node(node, depth, async)
	}
}

func (c *drawnCount) fusion(kind string) {
	c.info.Fusions++
	c.info.Kernels++
	if kind == "kCustom" && c.backend != "cpu" {
		c.doubt("whether a custom fusion computes or copies is not drawn")
	}
}

func (c *drawnCount) node(id, depth int, async bool) {
	n := &c.d.Nodes[id]
	op, known := hlo.LookupOpcode(n.Opcode)
	if !known {
		c.doubt(fmt.Sprintf("what %s is, is not drawn", n.Name))
		return
	}
	switch role := roleOf(op); {
	case async && copied(op):
	case op == hlo.OpFusion:
		c.fusion(n.Kind)
	case role == roleKernel, role == roleLibrary && !freeTargets[n.Target]:
		c.info.Kernels++
	case role == roleEnter && n.Inline:
		c.info.Kernels++
	case role == roleEnter, role == roleControl:
		for _, g := range c.calls[id] {
			c.group(g, depth+1, op == hlo.OpAsyncStart)
		}
	}
}

func (c *drawnCount) doubt(why string) {
	if c.info.Why == "" {
		c.info.Why = why
	}
}

// markMainDrawing marks the largest module by its last drawing.
func markMainDrawing(drawings []Drawing) {
	main := -1
	for i := range drawings {
		last := i+1 == len(drawings) || drawings[i+1].Module != drawings[i].Module
		if last && (main < 0 || drawings[i].Nodes > drawings[main].Nodes) {
			main = i
		}
	}
	if main >= 0 {
		drawings[main].Main = true
	}
}
