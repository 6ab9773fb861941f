package facts

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What is looked for once in computations that are alike is found in all of them, in the order of the instructions.
func TestCensusFindsEverything(t *testing.T) {
	for _, name := range []string{"gpu-0.10-train", "tpu-v5e-sharded", "torch-xla-mlp"} {
		m := kept(t, name)
		r := newReader(m)
		products := func(id hlo.InstrID) bool {
			return m.Instrs[id].Opcode == hlo.OpDot || m.Instrs[id].Opcode == hlo.OpConvert
		}
		var want []spot
		opcodes, counted, alike := map[hlo.Opcode]int{}, map[hlo.Opcode]int{}, 0
		for _, c := range r.inOrder() {
			for id, end := m.Body(c); id < end; id++ {
				if opcodes[m.Instrs[id].Opcode]++; products(id) {
					want = append(want, spot{c, id})
				}
			}
		}
		var got []spot
		for c, id := range r.all(products) {
			got = append(got, spot{c, id})
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: found %v, want %v", name, got, want)
		}
		for id, n := range r.distinct() {
			counted[m.Instrs[id].Opcode] += n
			alike += n - 1
		}
		for op, n := range opcodes {
			if counted[op] != n {
				t.Errorf("%s: %d of %s, want %d", name, counted[op], m.OpcodeName(op), n)
			}
		}
		if alike == 0 {
			t.Errorf("%s: no two computations are alike", name)
		}
	}
}

// kept is the optimized module of the only variant in a dump.
func kept(t *testing.T, name string) *hlo.Module {
	t.Helper()
	r := measure(t, name, Options{KeepModules: true})
	t.Cleanup(func() { _ = r.Close() })
	return r.Programs[0].Variants[0].Module
}
