package changes_test

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
)

// measured reads one packed dump.
func measured(t testing.TB, name string, opts facts.Options) *facts.Report {
	t.Helper()
	r := factstest.Measure(t, filepath.Join("testdata", name+".tar.gz"), opts)
	if len(r.Problems) > 0 {
		t.Fatalf("%s: %+v", name, r.Problems)
	}
	return r
}

// stored is a report as a baseline keeps it: written and read again.
func stored(t testing.TB, r *facts.Report) *facts.Report {
	t.Helper()
	out := &facts.Report{Dump: r.Dump, Toolchain: r.Toolchain}
	for _, p := range r.Programs {
		q, err := baseline.Parse(p.Name, baseline.Format(&baseline.Program{Program: *p, Toolchain: r.Toolchain}, nil, ""))
		if err != nil {
			t.Fatal(err)
		}
		out.Programs = append(out.Programs, &q.Program)
	}
	return out
}

// only is the difference of the one variant of the one program.
func only(t testing.TB, r *changes.Report) *changes.Variant {
	t.Helper()
	if len(r.Programs) != 1 || len(r.Programs[0].Variants) != 1 {
		t.Fatalf("%d programs, wanted one with one variant", len(r.Programs))
	}
	return r.Programs[0].Variants[0]
}

// causes are what the scripts behind the dumps changed, and on which line.
var causes = []struct {
	name, kind, source string
	line               int
	opName             string
	says               []string
}{
	{"gpu-fusion_barrier", changes.KindCode, "pairs.py", 15, "jit(act)/optimization_barrier",
		[]string{"a new optimization barrier splits 3 add, divide, exponential, 2 multiply, negate, tanh into 2 kernels"}},
	{"cpu-cse_lost", changes.KindCode, "pairs.py", 123, "jit(f)/optimization_barrier",
		[]string{"2 new optimization barriers; dot, tanh computed a second time, as in "}},
	{"cpu-extra_kernel", changes.KindCode, "pairs.py", 99, "", []string{"new: sort, reduce, divide, sqrt, multiply"}},
	{"cpu-sharding_fsdp_gather", changes.KindSharding, "pairs.py", 163, "", []string{"w is now sharded P(None, 'x'), was replicated"}},
	{"cpu-sharding_allgather", changes.KindSharding, "pairs.py", 30, "", []string{"w1 is now sharded P('model', None), was sharded P(None, 'model')"}},
	{"cpu-unrolled_loop", changes.KindCode, "pairs.py", 53, "", []string{"unrolled", "116 dot"}},
	{"cpu-remat_lost", changes.KindCode, "model.py", 13, "", []string{"no longer rematerialized but kept for the backward pass: 2 dot, tanh"}},
	{"cpu-scan_unroll_arg", changes.KindCode, "pairs.py", 59, "", []string{"9 dot", "9 tanh", "of a loop's body is in the program 10 times"}},
	{"gpu-fusion_intermediate_out", changes.KindResults, "pairs.py", 130, "jit(act)/tanh", []string{"tanh f32[64,256] is now a result of the program"}},
	{"cpu-f64_creep", changes.KindCode, "pairs.py", 41, "", []string{"reduce, divide, sqrt, add, multiply: f32 → f64"}},
	{"gpu-const_baked", changes.KindConstants, "pairs.py", 77, "jit(predict)/dot_general", []string{"w is baked into the program: f32[512,1024], 2.0 MiB"}},
	{"cpu-batch_up", changes.KindArguments, "", 0, "", []string{"x: f32[32,64] → f32[64,64]; y: s32[32] → s32[64]"}},
	{"tpu-unrolled_loop", changes.KindCode, "train.py", 13, "jit(train_step)/jvp()/closed_call/dot_general", []string{"a loop is unrolled"}},
	{"tpu-extra_transpose", changes.KindCode, "pairs.py", 63, "jit(mm)/transpose", []string{"new: 2 transpose"}},
	{"cpu-fusion_pass_off", changes.KindToolchain, "models.py", 0, "", []string{"the model is the same", "xla_disable_hlo_passes is fusion, was unset", "is split into 16 kernels, and 15 more kernels were split"}},
	{"cpu-fusion_callback_barrier", changes.KindCode, "pairs.py", 138, "jit(act)/pure_callback", []string{"a new host callback (pure_callback) splits "}},
	{"tf-cnn-f64", changes.KindCode, "", 0, "Conv2D", []string{"2 convolution: f32 → f64"}},
	{"tf-transformer-stats", changes.KindCode, "", 0, "Mean_4", []string{"2 reduce"}},
}

func TestCauses(t *testing.T) {
	for _, c := range causes {
		old, fresh := measured(t, c.name+"-before", facts.Options{}), measured(t, c.name+"-after", facts.Options{})
		for form, base := range map[string]*facts.Report{"dump": old, "baseline": stored(t, old)} {
			v := only(t, changes.Compare(base, fresh))
			if len(v.Causes) == 0 {
				t.Errorf("%s against the %s: no cause", c.name, form)
				continue
			}
			got := v.Causes[0]
			if got.Kind != c.kind || c.line != 0 && int(got.Source.Line) != c.line || c.source != "" && path.Base(got.Source.File) != c.source ||
				c.opName != "" && got.OpName != c.opName {
				t.Errorf("%s against the %s: %s %s %s:%d", c.name, form, got.Kind, got.OpName, got.Source.File, got.Source.Line)
			}
			if unrolled := strings.Contains(c.name, "unroll"); v.Unrolled() != unrolled && len(v.Old.Loops()) > len(v.New.Loops()) {
				t.Errorf("%s against the %s: unrolled is %v", c.name, form, !unrolled)
			}
			for _, words := range c.says {
				if !strings.Contains(got.Title, words) {
					t.Errorf("%s against the %s says %q, not %q", c.name, form, got.Title, words)
				}
			}
		}
	}
}

// Where one call of several is edited the call is the place; a stored baseline, which has no lines, does not tell which call that was.
func TestOneCallOfSeveral(t *testing.T) {
	old, fresh := measured(t, "cpu-one_call-before", facts.Options{}), measured(t, "cpu-one_call-after", facts.Options{})
	for form, c := range map[string]struct {
		base *facts.Report
		line int32
		says string
	}{
		"dump":     {old, 15, "new: sine, in calls.py:9"},
		"baseline": {stored(t, old), 9, "new: sine, called from calls.py:14, calls.py:15 or calls.py:16"},
	} {
		got := only(t, changes.Compare(c.base, fresh)).Causes[0]
		if got.Source.Line != c.line || got.Title != c.says {
			t.Errorf("against the %s: %q at %d", form, got.Title, got.Source.Line)
		}
	}
}

// A name that changes, lines that move and an order that means nothing are no difference.
func TestIdentical(t *testing.T) {
	for _, name := range []string{"cpu-benign_rename", "tpu-benign_scope"} {
		old, fresh := measured(t, name+"-before", facts.Options{}), measured(t, name+"-after", facts.Options{})
		for form, base := range map[string]*facts.Report{"dump": old, "baseline": stored(t, old)} {
			if d := changes.Compare(base, fresh); !d.Identical {
				t.Errorf("%s against the %s is not identical: %+v", name, form, only(t, d).Causes)
			}
		}
	}
}

// A program of another name whose compilation is the same was renamed.
func TestRenamedProgram(t *testing.T) {
	old, fresh := measured(t, "gpu-fusion_barrier-before", facts.Options{}), measured(t, "gpu-fusion_barrier-before", facts.Options{})
	fresh.Programs[0].Name = "activation"
	d := changes.Compare(old, fresh)
	if !d.Identical || len(d.Programs) != 1 || d.Programs[0].Was != "act" || d.Programs[0].Name != "activation" {
		t.Errorf("a renamed program: %+v", d.Programs[0])
	}
}

func TestFirstPass(t *testing.T) {
	opts := facts.Options{AllStages: true, Passes: true}
	old, fresh := measured(t, "passes-before", opts), measured(t, "passes-after", opts)
	d := changes.Compare(old, fresh)
	changes.FillPasses(d, old.Passes, fresh.Passes)
	const want = "after pass 0017 fusion (HLO_passes_after_layout_assignment): it did nothing; in the old one instructions 16 → 19, fusions 0 → 1"
	if got := only(t, d).FirstPass; got != want {
		t.Errorf("first differs %q, wanted %q", got, want)
	}
	same := changes.Compare(old, old)
	changes.FillPasses(same, old.Passes, old.Passes)
	if got := only(t, same).FirstPass; got != "" {
		t.Errorf("equal compilations differ after %q", got)
	}
}
