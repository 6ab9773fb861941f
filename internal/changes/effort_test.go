package changes

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// Every operation that is weighed is one that there is.
func TestEffortsAreOfOperations(t *testing.T) {
	known := map[string]bool{}
	for op := range hlo.NumOpcodes {
		known[(&hlo.Module{}).OpcodeName(hlo.Opcode(op))] = true
	}
	for opcode := range efforts {
		if !known[opcode] && opcode != facts.Threefry {
			t.Errorf("%s is no operation", opcode)
		}
	}
}

// What splits a program is worth more than what computes most, that more than what moves data, and that more than arithmetic; what XLA
// does not know is a call, and one of the host is worth most.
func TestEffortsInTheirOrder(t *testing.T) {
	order := []string{"opt-barrier", "while", "dot", "scatter", "transpose", "copy", "slice", "iota"}
	for i := range order[1:] {
		if a, b := order[i], order[i+1]; effort(a) <= effort(b) {
			t.Errorf("%s is worth %d, %s %d", a, effort(a), b, effort(b))
		}
	}
	for opcode, like := range map[string]string{
		"xla_ffi_python_cpu_callback": "opt-barrier", "all-reduce": "dot", "reduce-scatter": "dot", "collective-permute": "dot",
		"ragged-all-to-all": "dot", "TopK": "dot", "__onednn$matmul": "dot", "_call": "dot", "sort of two": "sort", "multiply": "slice", "atan2": "slice",
	} {
		if effort(opcode) != effort(like) {
			t.Errorf("%s is worth %d, %s %d", opcode, effort(opcode), like, effort(like))
		}
	}
}
