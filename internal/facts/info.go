package facts

import "github.com/xlagate/xlagate/internal/hlo"

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
	var counts []int // by opcode
	for id, n := range r.distinct() {
		op := m.Instrs[id].Opcode
		counts = reach(counts, int(op))
		counts[op] += n
		if op == hlo.OpCustomCall {
			target, _ := m.Attr(id, "custom_call_target")
			info.CustomCallTargets[target] += n
		}
	}
	for op, n := range counts {
		if n > 0 {
			info.Opcodes[m.OpcodeName(hlo.Opcode(op))] = n
		}
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

// countKernels counts kernels and library calls, were the module run as it stands.
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
