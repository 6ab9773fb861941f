package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/tensorflow"
)

// The log names no module; order and the number of arguments tell which graph it means.
func TestCuts(t *testing.T) {
	for name, want := range map[string]string{
		"watched": "SyncTensorsGraph torch_rows.py:20 in train_step, SyncTensorsGraph-2 torch_rows.py:30 in <module>, SyncTensorsGraph-2 torch_rows.py:30 in <module>",
		"cropped": strings.Repeat("SyncTensorsGraph torch_rows.py:30 in <module>, ", 3) + "SyncTensorsGraph torch_rows.py:30 in <module>", // smaller batches take a part of a table
		"named":   "train_step torch_rows.py:29 in <module>, train_step torch_rows.py:29 in <module>",
	} {
		r, err := Measure(t.Context(), opened(t, "../../testdata/torch-rows/"+name+".tar.xz"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Toolchain.Framework != TorchFramework {
			t.Errorf("%s: framework %q", name, r.Toolchain.Framework)
		}
		var got []string
		for _, p := range r.Programs {
			for _, v := range p.Variants {
				if v.GraphBreak == nil {
					t.Fatalf("%s: %s has no cut", name, v.Modules)
				}
				file := v.GraphBreak.Where.File
				got = append(got, fmt.Sprintf("%s %s:%d in %s", p.Name, file[strings.LastIndexByte(file, '/')+1:], v.GraphBreak.Where.Line, v.GraphBreak.Where.Function))
			}
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("%s: got  %s\nwant %s", name, all, want)
		}
	}
}

// What does not agree one by one says nothing of any graph.
func TestCutsOutOfStep(t *testing.T) {
	graph := func(params int) *measuring {
		return &measuring{Variant: &Variant{Interface: Interface{Params: make([]Parameter, params)}}}
	}
	graphs := []*measuring{graph(3), graph(5), graph(1)}
	for what, c := range map[string]struct {
		inputs []int
		want   bool
	}{
		"as many each":         {[]int{3, 5, 1}, true},
		"one does not say":     {[]int{3, 0, 1}, true},
		"many as one tuple":    {[]int{3, 5, 700}, true},
		"in another order":     {[]int{5, 3, 1}, false},
		"one was not dumped":   {[]int{3, 4, 5, 1}, false},
		"one was not logged":   {[]int{3, 5}, false},
		"a run without a word": {nil, false},
	} {
		var cuts []tensorflow.GraphBreak
		for _, n := range c.inputs {
			cuts = append(cuts, tensorflow.GraphBreak{Inputs: n})
		}
		if got := inStep(graphs, cuts); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
