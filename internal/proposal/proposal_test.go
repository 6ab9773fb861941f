package proposal_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/proposal"
	"github.com/xlagate/xlagate/internal/result"
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
			text := proposal.Config(factstest.Measure(t, path, facts.Options{Jobs: 1}), path)
			r := checked(t, text, path)
			if strings.Contains(path, "nocpujit") { // graphs that autoclustering never looked at: nothing to check is no pass
				if r.ExitCode != gate.ExitIncomplete {
					t.Errorf("exit %d", r.ExitCode)
				}
				return
			}
			if r.ExitCode != 0 {
				t.Errorf("exit %d: %+v %+v\n%s", r.ExitCode, r.Findings, r.Problems, text)
			}
		})
	}
}

// Clusters are named by numbers that change: no budget is tied to one, and all are looked at.
func TestProposalForClusters(t *testing.T) {
	rep := &facts.Report{Programs: []*facts.Program{
		{Name: "cluster_0", Variants: []*facts.Variant{{Facts: facts.Numbers{"kernels.total": 3}}}},
		{Name: "cluster_1", Variants: []*facts.Variant{{Facts: facts.Numbers{"kernels.total": 1}, Modules: []string{"a", "b"}}}},
		{Name: "train_step", Variants: []*facts.Variant{{Facts: facts.Numbers{"kernels.total": 5}}}},
	}}
	text := proposal.Config(rep, "dump")
	for _, want := range []string{
		`include: ["cluster_*", "train_step"]`,
		`{ rule: no-recompilation, program: "cluster_*", max_variants: 2 }`,
		`{ rule: max-kernels, program: "train_step", max: 5, unless_cheaper: true }`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "cluster_0") || strings.Contains(text, "cluster_1") {
		t.Errorf("a cluster is named by its number:\n%s", text)
	}
}

// What calls the kernels that were written by hand is required of the next dump.
func TestWrittenKernelsAreRequired(t *testing.T) {
	for path, want := range map[string]string{
		"../../testdata/gpu-kernel_body/before.tar.xz": `calls: [{ call: "__gpu$xla.gpu.triton" }] }   # accumulate`,
		"../../testdata/tpu-kernel_body/before.tar.xz": `calls: [{ call: "tpu_custom_call" }] }   # accumulate`,
	} {
		if text := proposal.Config(factstest.Measure(t, path, facts.Options{Jobs: 1}), path); !strings.Contains(text, want) {
			t.Errorf("%s: %s is not in\n%s", path, want, text)
		}
	}
}

// What is proposed for a dump lets a cheaper run of the model pass, though more stands in the program.
func TestProposalsLetCheaperRunsPass(t *testing.T) {
	for _, name := range []string{"cpu-exit_made", "cpu-hoisted", "tpu-branch_made", "tpu-hoisted_product", "tpu-kernels_merged"} {
		before, after := "../../testdata/cases/"+name+"/before.tar.xz", "../../testdata/cases/"+name+"/after.tar.xz"
		text := proposal.Config(factstest.Measure(t, before, facts.Options{Jobs: 1}), after)
		if r := checked(t, text, before); r.ExitCode != 0 {
			t.Errorf("%s: exit %d: %+v %+v\n%s", name, r.ExitCode, r.Findings, r.Problems, text)
		}
	}
}

// A maximum that somebody wrote yields to a cheaper run where the entry itself says so, not where only the pack does.
func TestMaximumsYieldWhereTheySaySo(t *testing.T) {
	const before, after = "../../testdata/cases/tpu-branch_made/before.tar.xz", "../../testdata/cases/tpu-branch_made/after.tar.xz"
	for says, want := range map[string]int{"max: 2": 1, "max: 2, unless_cheaper: true": 0, "max: 1, unless_cheaper: true": 1} {
		text := "version: 1\nextends: [recommended]\ntargets:\n  - { name: model, dump: \"" + after + "\" }\nrules:\n  - { rule: max-kernels, " + says + " }\n"
		if r := checked(t, text, before); r.ExitCode != want {
			t.Errorf("%s: exit %d, wanted %d: %+v", says, r.ExitCode, want, r.Findings)
		}
	}
}

// checked holds the dump that a configuration names against another one.
func checked(t *testing.T, text, against string) *result.Result {
	t.Helper()
	cfg, err := config.Parse("xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := gate.Check(context.Background(), gate.Options{Config: cfg, Against: against, Jobs: 1, Now: time.Unix(0, 0)})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}
