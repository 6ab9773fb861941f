package changes_test

import (
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
)

func TestNumerics(t *testing.T) {
	const compiler = "the same input program, types, precisions and orders of reduction: only the compiler can change results"
	for pair, want := range map[string]string{
		"cpu-unfused":         compiler, // a pass of the compiler is off
		"cpu-softmax_barrier": "",       // the model differs, but in no type
		"cpu-extra_transpose": "",
		"cpu-renamed":         "", // nothing differs
		"cpu-sums_narrow":     "results may differ: sums of the model between devices in bf16 0 → 1, sums of the model between devices in f32 1 → 0",
		"tpu-precision":       "results may differ: products of precision default 1 → 0, products of precision highest 0 → 1",
		"tpu-wide_weights":    "results may differ: products in bf16 2 → 0, products in f32 0 → 2",
	} {
		t.Run(pair, func(t *testing.T) {
			var r [2]*facts.Report
			for i, side := range []string{"before", "after"} {
				r[i] = factstest.Measure(t, filepath.Join("..", "..", "testdata", pair, side+".tar.xz"), facts.Options{})
			}
			if got := changes.Compare(r[0], r[1]).Programs[0].Variants[0].Numerics(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// A loop that sums in a narrower type says so where no product and no collective does.
func TestNumericsOfALoop(t *testing.T) {
	carries := func(out, dtype string) *facts.Variant {
		v := variant("()", dtype)
		sum := asks("jit(f)/while/body", "add", 3)
		sum.Type = dtype
		v.Model = []facts.Statement{asks("jit(f)", "while", 2), sum}
		v.Kernels = []facts.Kernel{with(kernel("jit(f)/while", "while", out), func(k *facts.Kernel) { k.Class = facts.ClassControl })}
		return v
	}
	v := compared(t, carries("(s32[], f32[8], f32[4,4])", "f32"), carries("(s32[], bf16[8], f32[4,4])", "bf16"))
	if got, want := v.Numerics(), "results may differ: arrays carried by loops in bf16 0 → 1, arrays carried by loops in f32 2 → 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
