package facts

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/internal/dump"
)

func adviceOn(t *testing.T, file string) (said []string) {
	t.Helper()
	d, err := dump.Open(t.Context(), file, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(t.Context(), d, Options{KeepModules: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Advice() {
		if a.StepNS <= 0 && a.Bytes <= 0 {
			t.Errorf("%s: it saves nothing: %s", file, a.Says)
		}
		said = append(said, fmt.Sprintf("%s %s: %s", a.Program, a.Source.Short(), a.Says))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return said
}

// Advice is given where it can be taken, and no more once it was.
func TestAdvice(t *testing.T) {
	for file, want := range map[string][]string{
		"testdata/cpu-advice-given.tar.xz": {
			"gathered advice.py:24: 2 all-gather of 32.0 KiB in all wait for nothing of each other: combine them in one",
			"narrowed advice.py:14: dot is stored as f32 and read only as bf16: convert it where it is made",
			"spread : each of 4 devices holds all of p['w'] (4.0 MiB): spread over them it takes 1.0 MiB",
		},
		"testdata/cpu-advice-taken.tar.xz": nil,
		"../../testdata/whole/tpu.tar.xz": {
			"mm pairs.py:117: the product sums over 64, and the unit takes 128 at a time: 128 would take as long",
		},
		"../../testdata/tpu-softmax_barrier/before.tar.xz": nil,
		"../../testdata/cases/cpu-place_baked/before.tar.xz": {
			"step pairs.py:976: f32[32,192] is rearranged for the product jit(step)/transpose(jvp())/transpose: store it as the product reads it",
		},
	} {
		if diff := cmp.Diff(want, adviceOn(t, file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}
