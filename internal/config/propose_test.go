package config_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// What is proposed for a dump parses, and passes on that dump with the dump as its own baseline.
func TestProposalsPass(t *testing.T) {
	var dumps []string
	for _, pattern := range []string{"../../testdata/*/dump.tar.xz", "../../testdata/*/before.tar.xz"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		dumps = append(dumps, found...)
	}
	if len(dumps) < 30 {
		t.Errorf("only %d dumps", len(dumps))
	}
	for _, path := range dumps {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+strings.TrimSuffix(filepath.Base(path), ".tar.xz"), func(t *testing.T) {
			text := config.Propose(factstest.Measure(t, path, facts.Options{Jobs: 1}), "model", path, "")
			r := checked(t, text, path)
			// Graphs that autoclustering never looked at hold nothing to check, and a function that does not compile is no pass.
			if strings.Contains(path, "nocpujit") || strings.Contains(path, "tf-named") {
				if r.ExitCode != gate.ExitIncomplete {
					t.Errorf("exit %d", r.ExitCode)
				}
				return
			}
			refused := func(f result.Finding) bool { return !rules.All.ByID(f.Rule).Unacceptable }
			if r.ExitCode != 0 && (len(r.Problems) > 0 || slices.ContainsFunc(r.Findings, refused)) {
				t.Errorf("exit %d: %+v %+v\n%s", r.ExitCode, r.Findings, r.Problems, text)
			}
		})
	}
}

// Clusters are named by numbers that change: no budget is tied to one, and all are checked.
func TestProposalForClusters(t *testing.T) {
	rep := &facts.Report{Programs: []*facts.Program{
		{Name: "cluster_0", Variants: []*facts.Variant{{Facts: facts.Values{"kernels.total": 3}}}},
		{Name: "cluster_1", Variants: []*facts.Variant{{Facts: facts.Values{"kernels.total": 1}, Origin: facts.Origin{Modules: []string{"a", "b"}}}}},
		{Name: "train_step", Variants: []*facts.Variant{{Facts: facts.Values{"kernels.total": 5}}}},
	}}
	text := config.Propose(rep, "model", "dump", "")
	for _, want := range []string{
		"- { rule: no-recompilation }   # no program more often than in the baseline; `xlagate inspect` says what differs\n",
		`# - { rule: max-kernels, program: "train_step", max: 5 }`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "cluster_0") || strings.Contains(text, "cluster_1") || strings.Contains(text, "include:") {
		t.Errorf("a cluster is named by its number, or a new program would be left out:\n%s", text)
	}
}

// What calls the kernels that were written by hand is required of the next dump.
func TestWrittenKernelsAreRequired(t *testing.T) {
	for path, want := range map[string]string{
		"../../testdata/gpu-kernel_body/before.tar.xz": `calls: [{ call: "__gpu$xla.gpu.triton" }] }   # accumulate`,
		"../../testdata/tpu-kernel_body/before.tar.xz": `calls: [{ call: "tpu_custom_call" }] }   # accumulate`,
	} {
		if text := config.Propose(factstest.Measure(t, path, facts.Options{Jobs: 1}), "model", path, ""); !strings.Contains(text, want) {
			t.Errorf("%s: %s is not in\n%s", path, want, text)
		}
	}
}

// One budget holds for all programs, with room above the largest; where one program has no such fact there is none, since nobody could look.
func TestOneBudgetForAllPrograms(t *testing.T) {
	program := func(name string, known facts.Values) *facts.Program {
		return &facts.Program{Name: name, Variants: []*facts.Variant{{Facts: known}}}
	}
	train := program("train", facts.Values{"price.step_ns": 12_400, "memory.peak_bytes": 257 << 10})
	eval := program("eval", facts.Values{"price.step_ns": 3_000, "memory.peak_bytes": 300 << 10})
	text := config.Propose(&facts.Report{Programs: []*facts.Program{train, eval}}, "model", "dump", "")
	for _, want := range []string{"- { rule: max-step-time, max: 14us }   # predicted at init: 12.4 µs\n", "- { rule: max-peak-bytes, max: 330KiB }   # at init: 300.0 KiB\n"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	undumped := program("undumped", facts.Values{"price.step_ns": 1})
	if text := config.Propose(&facts.Report{Programs: []*facts.Program{train, undumped}}, "model", "dump", ""); strings.Contains(text, "max-peak-bytes") {
		t.Errorf("a limit for memory that was not dumped:\n%s", text)
	}
}

// What is proposed for a dump lets a run of the model pass that takes less time and no more memory, though more stands in the program.
func TestProposalsLetCheaperRunsPass(t *testing.T) {
	for _, name := range []string{"cpu-exit_made", "cpu-hoisted", "tpu-hoisted_product", "tpu-kernels_merged"} {
		before, after := "../../testdata/cases/"+name+"/before.tar.xz", "../../testdata/cases/"+name+"/after.tar.xz"
		text := config.Propose(factstest.Measure(t, before, facts.Options{Jobs: 1}), "model", after, "")
		if r := checked(t, text, before); r.ExitCode != 0 {
			for _, f := range r.Findings {
				t.Errorf("%s: %s: %s", name, f.Rule, f.Message)
			}
		}
	}
}

// A model that runs operations on the CPU may go on doing so, and no others.
func TestProposalForFallbacks(t *testing.T) {
	const after = "../../testdata/torch-cpu_fallback/after.tar.xz"
	text := config.Propose(factstest.Measure(t, after, facts.Options{Jobs: 1}), "model", after, "")
	if r := checked(t, text, after); r.ExitCode != 0 {
		t.Errorf("exit %d: %+v", r.ExitCode, r.Findings)
	}
	if want := `allow: ["aten::_local_scalar_dense", "aten::special_i0e", `; !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, text)
	}
	fewer := strings.Replace(text, `"aten::special_i0e", `, "", 1)
	if r := checked(t, fewer, after); r.ExitCode != gate.ExitFindings || len(r.Findings) != 1 || r.Findings[0].Rule != "no-cpu-fallback" {
		t.Errorf("exit %d: %+v", r.ExitCode, r.Findings)
	}
}

// checked holds the dump that a configuration names against another one.
func checked(t *testing.T, text, against string) *result.Result {
	t.Helper()
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := gate.Check(context.Background(), gate.Options{Request: gate.Request{Config: cfg, Against: against}, Run: gate.Run{Jobs: 1}, Environment: gate.Environment{Now: time.Unix(0, 0)}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}
