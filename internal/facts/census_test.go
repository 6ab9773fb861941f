package facts

import (
	"maps"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// What is looked for is found in all computations, in the order of the instructions.
func TestCensusFindsEverything(t *testing.T) {
	for _, name := range []string{"gpu-0.10-train", "tpu-v5e-sharded", "torch-xla-mlp"} {
		m := kept(t, name)
		r := newReader(m)
		products := func(id hlo.InstrID) bool {
			return m.Instrs[id].Opcode == hlo.OpDot || m.Instrs[id].Opcode == hlo.OpConvert
		}
		var want []hlo.InstrID
		opcodes := map[string]int{}
		for _, c := range r.order() {
			for id, end := m.Body(c); id < end; id++ {
				if opcodes[m.OpcodeName(m.Instrs[id].Opcode)]++; products(id) {
					want = append(want, id)
				}
			}
		}
		if got := slices.Collect(r.notable(products)); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: found %v, want %v", name, got, want)
		}
		if got := r.opcodes(); !maps.Equal(got, opcodes) {
			t.Errorf("%s: %v, want %v", name, got, opcodes)
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
