package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/dump"
)

// What is counted in a drawing is what is counted in the text of the same module.
func TestDrawn(t *testing.T) {
	for file, want := range map[string]struct {
		as               string
		fusions, kernels int
		exact            bool
	}{
		"jax-0.10.2.dot.gz":  {"module_0006.jit_f.cpu_after_optimizations.dot", 10, 11, true},
		"jax-0.10.2.html.gz": {"module_0006.jit_f.cpu_after_optimizations.html", 10, 11, true},
		"tf-2.3.html.gz":     {"1795247716827918.module_0000.after_optimizations.html", 4, 14, true},
		"tpu-v5e.dot.gz":     {"module_0000.jit_step.cl_933746096.after_optimizations.dot", 15, 23, true},
	} {
		dir := t.TempDir()
		data, err := os.ReadFile(filepath.Join("../artifacts/testdata", file))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, want.as+".gz"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := measureDump(t, dir, Options{AllStages: true})
		if len(r.Drawings) != 1 {
			t.Errorf("%s: %d drawings, problems %v", file, len(r.Drawings), r.Problems)
			continue
		}
		d := r.Drawings[0]
		if d.Fusions != want.fusions || d.Kernels != want.kernels || want.exact != (d.Why == "") {
			t.Errorf("%s: %d fusions, %d kernels, %q", file, d.Fusions, d.Kernels, d.Why)
		}
		if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "cannot be had from a drawing") {
			t.Errorf("%s: %v", file, r.Problems)
		}
	}
}

// A page that holds no graph is a problem, not a module of nothing.
func TestDrawnUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "module_0001.jit_f.cpu_after_optimizations.html"), []byte("<!DOCTYPE html><html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := measureDump(t, dir, Options{AllStages: true})
	if len(r.Drawings) != 0 || len(r.Problems) != 2 {
		t.Errorf("%v, problems %v", r.Drawings, r.Problems)
	}
}

func measureDump(t *testing.T, path string, opts Options) *Report {
	t.Helper()
	d, err := dump.Open(t.Context(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := Measure(t.Context(), d, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What a drawing does not show makes its numbers inexact, and says why.
func TestDrawnInDoubt(t *testing.T) {
	fused := artifacts.Drawing{Groups: []artifacts.Group{{Parent: -1}}}
	for _, c := range []struct {
		nodes            []artifacts.Node
		backend          string
		fusions, kernels int
		why              string
	}{
		{[]artifacts.Node{{Name: "fusion", Opcode: "fusion", Kind: "kLoop"}, {Name: "p", Opcode: "parameter"}}, "gpu", 1, 1, ""},
		{[]artifacts.Node{{Name: "fusion", Opcode: "fusion", Kind: "kCustom"}}, "cpu", 1, 1, ""},
		{[]artifacts.Node{{Name: "fusion", Opcode: "fusion", Kind: "kCustom"}}, "gpu", 1, 1, "whether a custom fusion computes or copies is not drawn"},
		{[]artifacts.Node{{Name: "add.1", Opcode: "add"}, {Name: "call", Opcode: "call", Inline: true}}, "gpu", 0, 2, ""},
		{[]artifacts.Node{{Name: "box", Opcode: "boxed"}}, "gpu", 0, 0, "what box is, is not drawn"},
	} {
		fused.Nodes = c.nodes
		var info Drawing
		count := &drawnCount{d: &fused, info: &info, backend: c.backend}
		count.collect()
		count.group(0, 0, false)
		if info.Fusions != c.fusions || info.Kernels != c.kernels || info.Why != c.why {
			t.Errorf("%+v on %s: %d fusions, %d kernels, %q", c.nodes, c.backend, info.Fusions, info.Kernels, info.Why)
		}
	}
}
