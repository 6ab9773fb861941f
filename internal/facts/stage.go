package facts

import (
	"iter"
	"maps"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
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
		Opcodes: map[string]int{}, Fingerprint: r.prints().Fingerprint(),
	}
	for op, n := range r.opcodes() {
		p.Opcodes[r.m.OpcodeName(op)] = n
		if op == hlo.OpFusion {
			p.Fusions += n
		} else if roleOf(op) == roleCollective {
			p.Collectives += n
		}
	}
	return p
}

// opcodes yields the opcodes of all instructions, each with its number.
func (r *reader) opcodes() iter.Seq2[hlo.Opcode, int] {
	var counts []int
	for i := range r.m.Instrs {
		op := r.m.Instrs[i].Opcode
		counts = reach(counts, int(op))
		counts[op]++
	}
	return func(yield func(hlo.Opcode, int) bool) {
		for op, n := range counts {
			if n > 0 && !yield(hlo.Opcode(op), n) {
				return
			}
		}
	}
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
		Opcodes: map[string]int{}, CustomCallTargets: map[string]int{},
		EntryResult: r.entryResult(), Aliases: len(m.Header.Aliases),
	}
	for op, n := range r.opcodes() {
		info.Opcodes[m.OpcodeName(op)] = n
	}
	for id := range r.notable(func(id hlo.InstrID) bool { return m.Instrs[id].Opcode == hlo.OpCustomCall }) {
		target, _ := m.Attr(id, "custom_call_target")
		info.CustomCallTargets[target]++
	}
	for _, p := range r.parameters() {
		info.EntryParams = append(info.EntryParams, p.Name+": "+p.Shape)
	}
	cost := r.price().Comp(m.Entry)
	info.Cost = map[string]float64{
		"flops": cost.Flops, "bytes_accessed": cost.BytesAccessed, "transcendentals": cost.Transcendentals,
	}
	info.Kernels = r.countKernels()
	return info
}

// countKernels counts kernels and library calls, were the module run as it is.
func (r *reader) countKernels() int {
	w, err := r.walk()
	if err != nil {
		return 0
	}
	n := 0
	for _, l := range w.launches {
		if l.class <= ClassLibrary {
			n++
		}
	}
	return n
}
