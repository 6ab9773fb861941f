package facts

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// What PyTorch/XLA compiled is counted once, by its own counter where a log has it, whatever is read first.
func TestTorchCompilesAreCountedOnce(t *testing.T) {
	d := opened(t, "../../testdata/torch-rows/watched.tar.xz")
	logs := map[string]*dump.File{}
	_, files := frameworkFiles(d)
	for _, f := range files {
		logs[strings.TrimSuffix(f.Path[len(d.Path)+1:], ".txt")] = f
	}
	for order, want := range map[string]int{
		"metrics": 3, "reasons": 3, "metrics reasons": 3, "reasons metrics": 3,
		"reasons reasons": 3, // of two processes: the same graphs
		"metrics metrics": 6, "reasons metrics reasons metrics": 6,
	} {
		var files []*dump.File
		for _, name := range strings.Fields(order) {
			files = append(files, logs[name])
		}
		left := tensorflow.Read(nil, files, nil)
		if got := left.Logs.Compiles[tensorflow.NamelessGraph]; got != want || len(left.Problems) > 0 {
			t.Errorf("%s: %d compilations, wanted %d; %v", order, got, want, left.Problems)
		}
	}
}

// A graph that no reason precedes, as one that ends for an operation on the CPU, keeps the others in step.
func TestGraphWithoutReason(t *testing.T) {
	read := tensorflow.GraphBreak{Reason: "most likely user code trying to access tensor value before torch_xla.sync", Where: hlo.Location{File: "train.py", Line: 32, Function: "step"}, Inputs: 2}
	end := tensorflow.GraphBreak{Reason: "torch_xla.compile", Where: hlo.Location{File: "train.py", Line: 51}, Inputs: 3}
	var graphs []*measuring
	for _, inputs := range []int{2, 5, 3} {
		m := &measuring{Variant: &Variant{}}
		m.Variant.Params, m.Variant.Compiles = make([]Parameter, inputs), make([]compile, 1)
		m.Program, m.Toolchain.Framework = "step", TorchFramework
		graphs = append(graphs, m)
	}
	assignGraphBreaks(graphs, &tensorflow.Logs{GraphBreaks: []tensorflow.GraphBreak{read, {}, end}})
	for i, want := range []*tensorflow.GraphBreak{&read, nil, &end} {
		if got := graphs[i].Variant.GraphBreak; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("graph %d: %+v, want %+v", i, got, want)
		}
	}
	if graphs[0].Cut != "train.py:32" || graphs[1].Cut != "" {
		t.Errorf("cut at %q and %q", graphs[0].Cut, graphs[1].Cut)
	}
	if graphs[0].Variant.Reader != "step (train.py)" || graphs[2].Variant.Reader != "" {
		t.Errorf("read by %q and %q", graphs[0].Variant.Reader, graphs[2].Variant.Reader)
	}
}
