package facts

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// launches counts the launches in a thunk sequence by kind.
func thunks(t *testing.T, d *dump.Dump) map[string]int {
	t.Helper()
	f := d.Modules[0].Companion(dump.KindThunks)
	if f == nil {
		t.Fatal("no thunk sequence")
	}
	data, release, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = release() }()
	count := map[string]int{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimLeft(line, " 0123456789:")
		kind, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		count[kind]++
	}
	return count
}

// The launches of GPU dumps are those of XLA's own plan, but for what is said in each case.
func TestLaunchesEqualThunks(t *testing.T) {
	for _, c := range []struct {
		dump            string
		kernels, thunks int
		why             string
	}{
		{"gpu-0.8.3-collectives", 2, 2, "equal; the collectives are a class of their own"},
		{"gpu-0.8.3-scan", 6, 6, "equal, with the bodies and conditions of loops"},
		{"gpu-0.10-scan", 6, 5, "a dynamic-slice that only copies became a kCopy"},
		{"gpu-h100-rnn_grad_scan", 19, 14, "slices and updates that only copy became kCopy inside kDynamicSliceFusion"},
		{"gpu-0.10-train", 29, 25, "slices that only copy became kCopy"},
		{"gpu-0.10-sort", 1, 45, "a sort is one instruction and many launches"},
		{"gpu-0.5.3-cond", 6, 1, "the file does not print the branches of conditionals"},
		{"gpu-0.5.3-mlp", 27, 0, "the file does not print what is inside command buffers"},
	} {
		count := thunks(t, open(t, c.dump))
		if n := count["kKernel"] + count["kCustomKernel"] + count["kPartitionId"]; n != c.thunks {
			t.Errorf("%s: %d kernels in the thunk sequence, want %d (%s)", c.dump, n, c.thunks, c.why)
		}
		if n := countClass(only(t, c.dump), ClassKernel); n != c.kernels {
			t.Errorf("%s: %d kernels counted, want %d (%s)", c.dump, n, c.kernels, c.why)
		}
	}
}

// Where slices became copies, kernels and copies together are what the plan launches.
func TestSlicesBecomeCopies(t *testing.T) {
	for _, name := range []string{"gpu-0.10-scan", "gpu-h100-rnn_grad_scan", "gpu-0.10-train"} {
		count, v := thunks(t, open(t, name)), only(t, name)
		got, want := countClass(v, ClassKernel)+countClass(v, ClassCopy), count["kCustomKernel"]+count["kCopy"]
		if got != want {
			t.Errorf("%s: %d kernels and copies counted, %d in the thunk sequence", name, got, want)
		}
	}
}

func countClass(v *Variant, class Class) int {
	n := 0
	for _, k := range v.Kernels {
		if k.Class == class {
			n++
		}
	}
	return n
}

// TPU splits an asynchronous all-gather over a chain of fusions; it is one collective.
func TestAsyncCollectiveFusions(t *testing.T) {
	v := only(t, "tpu-v5e-sharded")
	v.Facts.want(t, Values{
		"collectives.all-gather.count": 8, "collectives.all-reduce.count": 17, "collectives.all-to-all.count": 8,
		"collectives.collective-permute.count": 4, "collectives.all-gather.bytes": 4194304, "kernels.total": 159,
	})
	for _, k := range v.Kernels {
		if k.Target == "AsyncCollectiveDone" || strings.HasPrefix(k.Name, "async-collective-done") {
			t.Errorf("the end of a collective is counted: %s", k.Name)
		}
		if k.Class == ClassCollective && k.Groups == "" {
			t.Errorf("%s runs over no groups", k.Name)
		}
	}
}

func TestSmallCallIsOneKernel(t *testing.T) {
	v := only(t, "cpu-while")
	v.Facts.want(t, Values{"kernels.call": 1, "loops.while": 0})
	for _, k := range v.Kernels {
		if k.Kind == "call" && k.Do.Times("multiply") == 0 {
			t.Errorf("the small call does %v", k.Do)
		}
	}
}

// A loop that was split over the cores is a call of one instruction: the instruction counts, the call does not.
func TestParallelCallsAreLookedThrough(t *testing.T) {
	for _, p := range measure(t, "torch-xla-mlp", Options{}).Programs {
		v := p.Variants[0]
		if n := v.Facts["kernels.call"]; n != 0 {
			t.Errorf("%s: %v calls are counted as kernels", p.Name, n)
		}
		if v.Facts["kernels.entry"] != v.Facts["kernels.total"] {
			t.Errorf("%s: %v kernels in the entry of %v", p.Name, v.Facts["kernels.entry"], v.Facts["kernels.total"])
		}
	}
}

func TestTripCountsWithoutAnnotation(t *testing.T) {
	v := only(t, "cpu-0.4.30-rnn")
	v.Facts.want(t, Values{"loops.unknown": 1})
	trips := map[int64]bool{}
	for _, k := range v.Kernels {
		if k.InLoop {
			trips[k.Times] = true
		}
	}
	if !trips[50] {
		t.Errorf("no kernel runs 50 times, as the scan over 50 steps does: %v", trips)
	}
}

// A value is that of its own name, whatever other name ends like it.
func TestFrontendAttribute(t *testing.T) {
	for printed, want := range map[string]string{
		`{chain_id="7"}`: "7", `{a="1",chain_id="7"}`: "7", `{other_chain_id="8",chain_id="7"}`: "7", `{other_chain_id="8"}`: "", `{chain_id="7",other_chain_id="8"}`: "7", "": "",
	} {
		if got := frontendAttribute(printed, "chain_id"); got != want {
			t.Errorf("%s: %q, wanted %q", printed, got, want)
		}
	}
}
