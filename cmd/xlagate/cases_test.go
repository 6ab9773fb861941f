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

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/testfile"
)

// pairs are real compiles of one small model before and after a change, under testdata/cases. A regression names a rule that its change breaks, the
// place and a part of what is said of it; what is no regression passes without a word.
var pairs = []pair{
	{name: "cpu-donate_dtype", breaks: "donation-kept", place: "train.py:20", says: "v[0][0]: donated, but the result that would take its place is bf16[32,32], not f32[32,32]"},
	{name: "cpu-opt_state_dropped_output", breaks: "donation-kept", says: "no longer updated in place: v (6 arrays, 12.4 KiB)"},
	{name: "cpu-io_callback_log", breaks: "no-host-callback", place: "train.py:10", says: "a new host callback"},
	{name: "cpu-forward_again", breaks: "max-step-time", warned: true, place: "train.py", says: "new: 3 dot, 3 tanh"},
	{name: "tpu-f64_array", breaks: "no-dtype", place: "train.py:8", says: "16 multiply: f32 → f64"},
	{name: "j4-old_callback", breaks: "no-host-callback", place: "train.py:5", says: "a new host callback"},
	{name: "gpu-imp_stats_gone"},
	{name: "gpu-imp_f64_gone"},
	{name: "cpu-psum_in_loop", breaks: "max-step-time", place: "pairs.py", says: "moved into a loop: all-reduce"},
	{name: "cpu-constraint_changed", breaks: "no-new-collectives", place: "pairs.py:532", says: "2 sharding constraints are now P('data', None), were P('data', 'model')"},
	{name: "tpu-host_print", breaks: "no-host-callback", place: "pairs.py", says: "a new host callback (debug_print)"},
	{name: "tpu-loop_gone", breaks: "max-peak-bytes", place: "pairs.py", says: "a loop is gone"}, // half the time, and a copy of the result in vmem
	{name: "cpu-bound_given", breaks: "loops-kept", place: "pairs.py", says: "the loop ran 50 times"},
	{name: "gpu-int8_lost", breaks: "dtype-floor", place: "pairs.py", says: "dot: s32 → f32"},
	{name: "cpu-branch_lost", breaks: "max-step-time", warned: true, place: "pairs.py:423", says: "new: select; gone: conditional"},
	{name: "gpu-exit_tested", breaks: "max-step-time", warned: true, place: "pairs.py:728", says: "the loop ran 30 times, now at most 30"}, // the host decides before each iteration
	{name: "tpu-branch_lost", breaks: "max-step-time", warned: true, place: "pairs.py:423", says: "new: select; gone: conditional"},
	{name: "cpu-exit_lost", breaks: "max-step-time", warned: true, place: "pairs.py", says: "gone: reduce, and, not"},
	{name: "cpu-place_baked", breaks: "max-constant-bytes", place: "pairs.py", says: "w['place'] is baked into the program: f32[1,24,32], 3.0 KiB"},
	{name: "cpu-end_unseen", breaks: "loops-kept", place: "pairs.py:706", says: "the loop could end early, now it runs until its counter ends it"},
	{name: "cpu-residual_unseen", breaks: "loops-kept", place: "pairs.py:32", says: "the loop could end early, now it runs until its counter ends it"},
	{name: "cpu-tested_sum"},
	{name: "cpu-kept_for_backward", breaks: "max-peak-bytes", place: "pairs.py", says: "no longer rematerialized but kept for the backward pass: "},
	{name: "cpu-bf16_lost", breaks: "dtype-floor", place: "pairs.py", says: "dot: bf16 → f32"},
	{name: "cpu-fp8_moved", breaks: "max-step-time", warned: true, place: "pairs.py"}, // the same quantization elsewhere: 32.8 → 33.7 µs
	{name: "cpu-fp8_lost", breaks: "dtype-floor", place: "pairs.py", says: "gone: divide, 2 convert, multiply"},
	{name: "gpu-two_steps_at_once", breaks: "loops-kept", place: "pairs.py", says: "new: dot, tanh"},
	{name: "gpu-cache_masked", breaks: "updates-kept", place: "pairs.py:561", says: "new: 2 select; gone: 2 add, 2 select"},
	{name: "cpu-carry_masked", breaks: "updates-kept", place: "pairs.py:1007", says: "new: select; gone: add, select"},
	{name: "tf-array_of_no_size", breaks: "results-kept", says: "the result f32[20,16,32] is now f32[0,16,32]"},
	{name: "tpu-kernel_lost", breaks: "max-peak-bytes", place: "pairs.py", says: "new: reduce, divide, rsqrt, add, 2 multiply; gone: tpu_custom_call"},
	{name: "cpu-results_gathered", breaks: "donation-kept", place: "pairs.py", says: "no longer updated in place: w"},
	{name: "cpu-table_closed_over", breaks: "max-constant-bytes", place: "pairs.py", says: "table is baked into the program: f32[1,512,32], 64.0 KiB"},
	{name: "gpu-kernel_widened", breaks: "dtype-floor", place: "pairs.py", says: "tt.dot of f32"},
	{name: "tpu-kernel_widened", breaks: "precision", place: "pairs.py", says: "tpu.matmul of f32"},
	{name: "cpu-helper_sorted", breaks: "max-step-time", place: "pairs.py:806", says: "new: 2 sort, 2 scatter"},
	{name: "cpu-field_beside_renamed", breaks: "max-step-time", place: "pairs.py:836", says: "state['average']['w1'] is new: bf16[16,64]; state['average']['w2'] is new: bf16[64,32]; new: "},
	{name: "cpu-cost_in_loop", breaks: "max-step-time", place: "pairs.py:857", says: "computed a second time, as in pairs.py:850"},
	{name: "cpu-rows_repeated", breaks: "max-step-time", place: "pairs.py:1174", says: "2 products compute 4 times as much: f32[64,512] → f32[256,512]; new: slice"},
	{name: "cpu-gelu_approximated", breaks: "max-peak-bytes", place: "pairs.py:870", says: "new: tanh; gone: "}, // and spares time, but memory is a budget of its own
	{name: "cpu-message_widened", breaks: "dtype-floor", place: "pairs.py:902", says: "all-gather, reduce-scatter: bf16 → f32"},
	{name: "cpu-stream_widened", breaks: "dtype-floor", place: "pairs.py:929", says: "2 add: bf16 → f32"}, // in a function behind the edited one
	{name: "cpu-step_wrapped", breaks: "no-recompilation", place: "pairs.py:984", says: "rate is gone: f32[]"},
	{name: "cpu-last_batch", breaks: "max-step-time", place: "pairs.py:1033", says: "new: sort"},
	{name: "cpu-recomputed_precisely", breaks: "precision", place: "pairs.py:961", says: "15 dot: default → highest precision"},
	{name: "cpu-loop_beside_donation", breaks: "max-step-time", place: "pairs.py:1042", says: "the loop ran 20 times, now 40"},
	{name: "cpu-mean_widened", breaks: "max-step-time", place: "pairs.py:1053", says: "all-reduce: over 2 devices, 2 apart → over 4 devices"},
	{name: "cpu-call_method", breaks: "max-step-time", place: "model.py:6", says: "new: 2 dot, sort"}, // of a method __call__
	{name: "cpu-methods_merged", breaks: "orphan-baseline", says: "Dec.__call__ was accepted"},        // and the other class's is compiled twice
	{name: "tf-methods_merged", breaks: "orphan-baseline", says: "__call__-2 was accepted"},
	{name: "cpu-jit_lost", breaks: "orphan-baseline", place: "recompile.py:39", says: "score is no longer compiled as a whole: "},
	{name: "cpu-distances_by_differences", breaks: "max-step-time", place: "pairs.py", says: "in their place: "},
	{name: "cpu-arguments_moved"},
	{name: "gpu-kernels_merged", breaks: "max-step-time", warned: true, place: "pairs.py"}, // what the new one costs is not known
	{name: "tpu-kernels_merged", breaks: "max-step-time", warned: true, place: "pairs.py"},
	{name: "tpu-branch_made", breaks: "max-peak-bytes", place: "pairs.py:424", says: "new: conditional"}, // and spares work, but memory is a budget of its own
	{name: "cpu-exit_made"},
	{name: "cpu-imp_collective_gone"},
	{name: "cpu-sum_in_f32"},
	{name: "tpu-hoisted_product"},
	{name: "cpu-hoisted"},
	{name: "tf-layer_added", breaks: "max-step-time", says: "new: 4 dot"},
	{name: "tf-layer_moved", breaks: "max-step-time", says: "CPU:1 now runs MatMul, Tanh"},
	{name: "torch-graph_ended", breaks: "baseline-present", place: "torch_cut.py:18", says: "compiled in 2 parts: PyTorch/XLA ends a graph at torch_xla.sync"},
	{name: "torch-step_cut", breaks: "baseline-present", place: "torch_compiled.py:13", says: "compiled in 2 parts: PyTorch/XLA ends a graph at torch_xla.sync"},
	{name: "torch-value_read", breaks: "baseline-present", place: "torch_compiled.py:14", says: "a new graph: PyTorch/XLA compiled it where a tensor's value is read"},
	{name: "tf-print_gone"},
	{name: "tf-norm_gone"},
	{name: "tf-gelu_gone"},
	{name: "tf-traced_again", breaks: "baseline-present", says: "it does the same as cluster_0, for other sizes: "},
	{name: "tf-validated", breaks: "baseline-present", says: "a new program"},
	{name: "gpu-channels_joined"},
	{name: "gpu-product_in_loop"}, // five launches of a loop are a command buffer, of three each waits for the host
	{name: "gpu-exit_lost"},       // and the host no longer decides after each iteration
	{name: "cpu-finished_counted"},
	{name: "cpu-last_logits"},
	{name: "tpu-states_dropped", breaks: "results-kept", place: "pairs.py:611", says: "the result f32[20,8,32] is now f32[8,32]"},
	{name: "tpu-states_before_loop", breaks: "max-peak-bytes", place: "train.py", says: "f32[128,2,64,16] (2.0 MiB) is kept in memory"},
	{name: "tpu-argument_again"}, // it is copied while kernels run
	{name: "tpu-gathered"},
	{name: "tpu-int8_lost"}, // the compiler multiplies what it was given, in eight bits
	{name: "cpu-axis_renamed", identical: true},
	{name: "cpu-axes_renamed", identical: true},
	{name: "cpu-rename_all", identical: true},
	{name: "gpu-kernel_moved", identical: true},
	{name: "tpu-kernel_moved", identical: true},
}

// knownMisses are pairs of which the gate says the wrong thing, by what is wrong with it. A regression among them passes; what is no regression fails.
var knownMisses = []struct{ name, breaks, why string }{
	{"gpu-kernel_lost", "", "what a kernel written in Triton costs is not known, so what takes its place is all gain"},
	{"cpu-rate_returned", "max-step-time", "a scalar is one result more: 150 ns, below what a stopwatch tells"},
}

// pair is one pair, and what is to be said of it.
type pair struct {
	name, breaks, place, says string
	warned                    bool // the price is not sure: it breaks the rule as a warning, and the check passes
	identical                 bool
}

// wrong is what an error lacks of what is to be said of a pair; "" where all is there.
func (p pair) wrong(r *result.Result) string {
	if p.breaks == "" {
		if len(r.Findings) > 0 {
			return "a finding where nothing got worse"
		}
		return ""
	}
	broken := map[string]bool{}
	for _, f := range r.Findings {
		if f.Rule == p.breaks {
			broken[f.Change] = true
		}
	}
	for _, c := range r.Changes {
		place := fmt.Sprintf("%s:%d", c.Source.File, c.Source.Line)
		said := c.Title + "\n" + strings.Join(c.Details, "\n")
		if c.Level == p.level() && broken[c.ID] && strings.Contains(place, p.place) && strings.Contains(said, p.says) {
			return ""
		}
	}
	return fmt.Sprintf("no change at %q that says %q breaks %s", p.place, p.says, p.breaks)
}

// level is that of the change that breaks the rule.
func (p pair) level() string {
	if p.warned {
		return "warning"
	}
	return "error"
}

// Beside what the table asks for, every word that check and diff say of a pair is held, in testdata/cases. It is said outside of any repository, so that
// no edit of this one explains it.
func TestRealPairs(t *testing.T) {
	words := mustAbs(t, "testdata/cases")
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			want := 0
			if p.breaks != "" && !p.warned {
				want = 1
			}
			got := checkPair(t, p.name, want)
			if wrong := p.wrong(got); wrong != "" {
				t.Errorf("%s\n%s", wrong, mustRead(t, "checked.txt"))
			}
			var compared struct{ Identical bool }
			if err := json.Unmarshal(mustExit(t, 0, "diff", "--all", "before.tar.xz", "after.tar.xz", "-f", "text", "-o", "told.txt", "-f", "json"), &compared); err != nil {
				t.Fatal(err)
			}
			if compared.Identical != p.identical {
				t.Errorf("diff says identical: %v, wanted %v", compared.Identical, p.identical)
			}
			testfile.Golden(t, filepath.Join(words, p.name+".txt"), mustRead(t, "checked.txt")+"\n"+mustRead(t, "told.txt"))
			if p.breaks != "" {
				acceptAll(t, got.Changes)
			}
		})
	}
}

// acceptAll accepts every change by its id, which allows it up to what it costs now: the same dump passes. Then it accepts the dump as it is, and no change is left.
func acceptAll(t *testing.T, changes []result.Change) {
	t.Helper()
	var ids []string
	for _, c := range changes {
		if len(c.Findings) > 0 {
			ids = append(ids, c.ID)
			continue
		}
		mustExit(t, 2, "accept", "after.tar.xz", "--only", c.ID, "--reason", "meant") // there is nothing to allow
	}
	checked := func() (got result.Result) {
		if err := json.Unmarshal(mustExit(t, 0, "check", "after.tar.xz", "-f", "json"), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	mustExit(t, 0, "accept", "after.tar.xz", "--only", strings.Join(ids, ","), "--reason", "meant")
	for _, c := range checked().Changes {
		if !c.Waived && len(c.Findings) > 0 {
			t.Errorf("accepted by its id, and not allowed: %+v", c)
		}
	}
	mustExit(t, 0, "accept", "after.tar.xz", "--reason", "meant")
	if left := checked().Changes; len(left) > 0 {
		t.Errorf("accepted, and shown again: %+v", left[0])
	}
}

// An operation that runs on the CPU ends the graph before it: the new graph and the operation are one change, which is accepted by one id.
func TestAcceptAChangeOfANewProgram(t *testing.T) {
	got := checkPair(t, "../torch-gradient_on_cpu", 1)
	var ids, rules []string
	for _, f := range got.Findings {
		rules = append(rules, f.Rule)
		if !slices.Contains(ids, f.Change) {
			ids = append(ids, f.Change)
		}
	}
	if !slices.Contains(rules, "baseline-present") || !slices.Contains(rules, "no-cpu-fallback") || len(ids) != 1 {
		t.Errorf("%v are in %d changes", rules, len(ids))
	}
	mustExit(t, 0, "accept", "after.tar.xz", "--only", strings.Join(ids, ","), "--reason", "meant")
	if said := mustExit(t, 0, "check", "after.tar.xz"); bytes.Contains(said, []byte("is gone")) || !bytes.Contains(said, []byte("waived")) {
		t.Errorf("%s", said)
	}
}

// What is missed is still missed: a pair that is said right belongs into the table.
func TestKnownMisses(t *testing.T) {
	for _, m := range knownMisses {
		t.Run(m.name, func(t *testing.T) {
			if m.breaks == "" {
				checkPair(t, m.name, 0)
				return
			}
			got := checkPair(t, m.name, 1)
			if slices.ContainsFunc(got.Findings, func(f result.Finding) bool { return f.Rule != m.breaks }) {
				t.Errorf("more than %s is broken: %+v", m.breaks, got.Findings)
			}
		})
	}
}

// Where the length of a loop is not known, every command says how often the loop is taken to run.
func TestLoopsOfUnknownLengthAreTold(t *testing.T) {
	before, after := mustAbs(t, "../../testdata/cases/cpu-bound_given/before.tar.xz"), mustAbs(t, "../../testdata/cases/cpu-bound_given/after.tar.xz")
	for want, args := range map[string][]string{
		"1 loop of unknown length taken to run 10 times\n":         {"inspect", after},
		"1 loop of unknown length taken to run as often as before": {"diff", before, after},
	} {
		if said := mustExit(t, 0, args...); !bytes.Contains(said, []byte(want)) {
			t.Errorf("%v does not say %q:\n%s", args, want, said)
		}
	}
	if said := mustExit(t, 0, "inspect", before); bytes.Contains(said, []byte("taken to run")) {
		t.Errorf("every length is known:\n%s", said)
	}
}

// checkPair accepts what was before and checks what came after, in a folder of its own. What check says as text is in checked.txt there.
func checkPair(t *testing.T, name string, exit int) *result.Result {
	t.Helper()
	cases := mustAbs(t, "../../testdata/cases")
	t.Chdir(t.TempDir())
	for _, side := range []string{"before.tar.xz", "after.tar.xz"} {
		if err := os.Symlink(filepath.Join(cases, name, side), side); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("xlagate.yaml", []byte("version: 1\nextends: [recommended]\ntargets:\n  - {name: case, dump: before.tar.xz}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustExit(t, 0, "accept", "--reason", "start")
	mustExit(t, 0, "check")
	var got result.Result
	if err := json.Unmarshal(mustExit(t, exit, "check", "after.tar.xz", "-f", "text", "-o", "checked.txt", "-f", "json"), &got); err != nil {
		t.Fatal(err)
	}
	return &got
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
func noAssembler(name string) string {
	return map[string]string{artifacts.AssemblerVariable: artifacts.Off}[name]
}

func mustExit(t *testing.T, want int, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(context.Background(), append([]string{"xlagate"}, args...), world{in: strings.NewReader(""), out: &out, err: &errs, getenv: noAssembler})
	if code != want {
		t.Fatalf("%s: exit %d, wanted %d\n%s%s", strings.Join(args, " "), code, want, out.String(), errs.String())
	}
	return out.Bytes()
}
