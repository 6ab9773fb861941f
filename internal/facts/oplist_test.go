package facts

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// manyOps is a list in which every way to name an operand stands, near and far.
func manyOps() []Op {
	var ops []Op
	for i := range int32(300) {
		from := []int32{^i, ^(1000 * i)}
		if i > 0 {
			from = append(from, i-1, i/2, 0)
		}
		if i%7 == 0 {
			from = []int32{FromConstant, FromElsewhere, math.MinInt32 + 2}
		}
		at := &Stack{Location: hlo.Location{File: "model.py", Line: i}}
		ops = append(ops, Op{
			Opcode: fmt.Sprint("op", i%150), OpName: fmt.Sprint("scope", i%11), Shape: "f32[8]", Layout: "{0}", Source: at.Location, Stack: at, From: from,
		})
	}
	return append(ops, Op{Opcode: "iota", Shape: "s32[]"})
}

// A list holds what it was made of.
func TestListOf(t *testing.T) {
	want := manyOps()
	list := ListOf(want...)
	got := list.Slice()
	if list.Len() != len(want) || len(got) != len(want) {
		t.Fatalf("%d operations, and %d, want %d", list.Len(), len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(append([]int32(nil), got[i].From...), want[i].From) {
			t.Errorf("operation %d reads from %d, want %d", i, got[i].From, want[i].From)
		}
		if got[i].From = want[i].From; !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("operation %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if none := (OpList{}); none.Len() != 0 || len(none.Slice()) != 0 {
		t.Errorf("%d operations in no list", none.Len())
	}
}
