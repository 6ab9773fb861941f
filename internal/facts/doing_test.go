package facts

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// each lists the opcode of every operation.
func each(do Opcodes) (list []string) {
	for _, op := range do {
		list = append(list, slices.Repeat([]string{op.Opcode}, op.Times)...)
	}
	return list
}

// Counted opcodes say what the list said.
func TestOpcodes(t *testing.T) {
	list := []string{"add", "add", "multiply", "reduce", "reduce", "reduce"}
	do := OpcodesOf(list...)
	if len(do) != 3 || do.Len() != 6 || !slices.Equal(each(do), list) || do.String() != "2 add, multiply, 3 reduce" {
		t.Errorf("%q, %d of them: %q", do, do.Len(), each(do))
	}
	if do.Times("add") != 2 || do.Times("multiply") != 1 || do.Times("tanh") != 0 {
		t.Errorf("%d add, %d multiply, %d tanh", do.Times("add"), do.Times("multiply"), do.Times("tanh"))
	}
	if none := OpcodesOf(); none.Len() != 0 || none.String() != "" || len(each(none)) != 0 {
		t.Errorf("nothing is %q", none)
	}
}

// A kernel may do thousands of different things.
func TestManyOpcodes(t *testing.T) {
	ops := make([]FusedOp, 100000)
	for i := range ops {
		ops[i].Op = &Op{Opcode: fmt.Sprintf("op%06d", len(ops)-i)}
	}
	start := time.Now()
	does := opcodesIn(append(ops, ops[0], FusedOp{Op: &Op{Opcode: broadcast}}))
	if took := time.Since(start); len(does) != len(ops) || does[0] != (OpcodeTimes{"op000001", 1}) || does[len(ops)-1].Times != 2 || took > 3*time.Second {
		t.Errorf("%d opcodes after %v", len(does), took)
	}
}
