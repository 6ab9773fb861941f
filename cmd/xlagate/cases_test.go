package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/ptxas"
	"github.com/xlagate/xlagate/internal/testfile"
)

// pairs are real compiles of one small model before and after a change, under testdata/cases. Regressions name the rule, or one of its
// consequences, and the line; what is no regression passes without a word.
var pairs = []struct {
	name, rule, place, says string
	identical               bool
}{
	{name: "cpu-donate_dtype", rule: "donation-kept", place: "train.py:20", says: "the result that would take its place is bf16[32,32], not f32[32,32]"},
	{name: "cpu-opt_state_dropped_output", rule: "donation-kept", place: "train.py:25", says: "no result is left for its buffer: 6 of its shape f32[32,32], 9 before"},
	{name: "cpu-io_callback_log", rule: "no-host-callback", place: "train.py:10"},
	{name: "cpu-forward_again", rule: "max-kernels", place: "train.py"},
	{name: "tpu-f64_array", rule: "no-dtype", place: "train.py:8"},
	{name: "j4-old_callback", rule: "no-host-callback", place: "train.py:5"},
	{name: "cpu-imp_collective_gone"},
	{name: "gpu-imp_stats_gone"},
	{name: "gpu-imp_f64_gone"},
	{name: "cpu-psum_in_loop", rule: "max-collectives", place: "pairs.py", says: "new: all-reduce f32[16,64] over data (all 4 devices), 4.0 KiB"},
	{name: "cpu-constraint_changed", rule: "max-collectives", place: "pairs.py:532", says: "2 sharding constraints are P('data', None) now, were P('data', 'model')"},
	{name: "gpu-product_in_loop", rule: "max-kernels", place: "pairs.py:547", says: "done in every step of a loop now, and once before: dot"},
	{name: "tpu-host_print", rule: "no-host-callback", place: "pairs.py", says: "debug_print calls the host"},
	{name: "tpu-loop_gone"},
	{name: "cpu-bound_given", rule: "loops-kept", place: "pairs.py", says: "the loop ran 50 times"},
	{name: "gpu-int8_lost", rule: "dtype-floor", place: "pairs.py", says: "dot in f32, not s32"},
	{name: "cpu-branch_lost", rule: "max-flops", place: "pairs.py", says: "the branches of a conditional are all computed always"},
	{name: "tpu-branch_lost", rule: "max-flops", place: "pairs.py", says: "the branches of a conditional are all computed always"},
	{name: "cpu-exit_lost", rule: "max-flops", place: "pairs.py", says: "the loop could end early, and runs 32 times always now"},
	{name: "gpu-exit_lost", rule: "max-flops", place: "pairs.py", says: "the loop could end early, and runs 32 times always now"},
	{name: "cpu-end_unseen", rule: "loops-kept", place: "pairs.py:706", says: "only its counter ends it"},
	{name: "cpu-residual_unseen", rule: "loops-kept", place: "pairs.py:35", says: "only its counter ends it"},
	{name: "cpu-finished_counted"},
	{name: "cpu-tested_sum"},
	{name: "cpu-kept_for_backward", rule: "fusion-drift", place: "pairs.py", says: "no longer computed again for the backward pass, but kept for it: "},
	{name: "cpu-bf16_lost", rule: "dtype-floor", place: "pairs.py", says: "dot in f32, not bf16"},
	{name: "cpu-fp8_lost", rule: "dtype-floor", place: "pairs.py", says: "gone: divide, 2 convert, multiply"},
	{name: "gpu-two_steps_at_once", rule: "loops-kept", place: "pairs.py", says: "new: dot, concatenate, tanh"},
	{name: "gpu-kernel_lost", rule: "kernel-bodies", place: "pairs.py", says: "new: reduce, divide, rsqrt, add, 2 multiply; gone: __gpu$xla.gpu.triton"},
	{name: "tpu-kernel_lost", rule: "kernel-bodies", place: "pairs.py", says: "new: reduce, divide, rsqrt, add, 2 multiply; gone: tpu_custom_call"},
	{name: "gpu-kernel_widened", rule: "dtype-floor", place: "pairs.py", says: "tt.dot of f32"},
	{name: "tpu-kernel_widened", rule: "precision", place: "pairs.py", says: "tpu.matmul of f32"},
	{name: "cpu-results_gathered", rule: "donation-kept", place: "pairs.py", says: "no result is left for its buffer: the result is replicated, was"},
	{name: "cpu-table_closed_over", rule: "max-constant-bytes", place: "pairs.py", says: "f32[1,512,32] is baked in as a constant: it was the argument table"},
	{name: "cpu-arguments_moved"},
	{name: "cpu-rate_returned"},
	{name: "gpu-kernels_merged"},
	{name: "tpu-kernels_merged"},
	{name: "tpu-branch_made"},
	{name: "cpu-exit_made"},
	{name: "gpu-exit_tested"},
	{name: "cpu-sum_in_f32"},
	{name: "cpu-fp8_moved"},
	{name: "tpu-argument_again"},
	{name: "tpu-hoisted_product"},
	{name: "cpu-hoisted"},
	{name: "tf-print_gone"},
	{name: "tf-norm_gone"},
	{name: "tf-gelu_gone"},
	{name: "tf-traced_again", rule: "baseline-present", says: "it does what cluster_0 does, for other sizes: "},
	{name: "tf-validated", rule: "baseline-present", says: "a program that was not there before"},
	{name: "gpu-channels_joined"},
	{name: "cpu-last_logits"},
	{name: "tpu-states_dropped"},
	{name: "tpu-gathered"},
	{name: "tpu-int8_lost"}, // the compiler multiplies what it was given, in eight bits
	{name: "cpu-rename_all", identical: true},
	{name: "gpu-kernel_moved", identical: true},
	{name: "tpu-kernel_moved", identical: true},
}

// found is a finding as far as the test looks at it.
type found struct {
	Rule, Level string
	Cause       struct {
		Summary string
		Source  struct {
			File string
			Line int
		}
	}
}

// Beside what the table asks for, every word that check and diff say of a pair is held, in testdata/cases.
func TestRealPairs(t *testing.T) {
	words, err := filepath.Abs("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../../testdata/cases")
	for _, c := range pairs {
		t.Run(c.name, func(t *testing.T) {
			before, after := filepath.Join(c.name, "before.tar.xz"), filepath.Join(c.name, "after.tar.xz")
			dir := t.TempDir()
			config, checked, told := filepath.Join(dir, "xlagate.yaml"), filepath.Join(dir, "checked.txt"), filepath.Join(dir, "told.txt")
			text := fmt.Sprintf("version: 1\nextends: [recommended]\nbaseline: %q\ntargets:\n  - {name: case, dump: %q}\n", filepath.Join(dir, "base"), mustAbs(t, before))
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			mustExit(t, 0, "accept", "-c", config, "--reason", "start")
			mustExit(t, 0, "check", "-c", config)
			want := 0
			if c.rule != "" {
				want = 1
			}
			var got struct{ Findings []found }
			if err := json.Unmarshal(mustExit(t, want, "check", "-c", config, after, "-f", "text", "-o", checked, "-f", "json"), &got); err != nil {
				t.Fatal(err)
			}
			if c.rule == "" && len(got.Findings) > 0 {
				t.Errorf("a finding where nothing got worse: %+v", got.Findings)
			}
			if c.rule != "" && !slices.ContainsFunc(got.Findings, func(f found) bool {
				place := fmt.Sprintf("%s:%d", f.Cause.Source.File, f.Cause.Source.Line)
				return f.Level == "error" && f.Rule == c.rule && strings.Contains(place, c.place) && strings.Contains(f.Cause.Summary, c.says)
			}) {
				t.Errorf("no error of %s at %s saying %q: %+v", c.rule, c.place, c.says, got.Findings)
			}
			var compared struct{ Identical bool }
			if err := json.Unmarshal(mustExit(t, 0, "diff", "--all", before, after, "-f", "text", "-o", told, "-f", "json"), &compared); err != nil {
				t.Fatal(err)
			}
			if compared.Identical != c.identical {
				t.Errorf("diff says identical: %v, wanted %v", compared.Identical, c.identical)
			}
			testfile.Golden(t, filepath.Join(words, c.name+".txt"), strings.ReplaceAll(mustRead(t, checked)+"\n"+mustRead(t, told), dir, "DIR"))
		})
	}
}

func mustRead(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// noAssembler is an environment that holds nothing but that no ptxas of this machine is to be asked.
func noAssembler(name string) string { return map[string]string{ptxas.Variable: ptxas.Off}[name] }

func mustExit(t *testing.T, want int, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(context.Background(), append([]string{"xlagate"}, args...), world{in: strings.NewReader(""), out: &out, err: &errs, getenv: noAssembler})
	if code != want {
		t.Fatalf("%s: exit %d, wanted %d\n%s%s", strings.Join(args, " "), code, want, out.String(), errs.String())
	}
	return out.Bytes()
}
