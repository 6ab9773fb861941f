package gate

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// dumps is the repository's folder of real dumps.
const dumps = "../../testdata/"

// options makes the options of a run in a folder of its own.
func options(t *testing.T, yaml string, dump ...string) Options {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "xlagate.yaml")
	cfg, err := config.Parse(rules.All, file, []byte(yaml))
	if err = errors.Join(err, os.WriteFile(file, []byte(yaml), 0o600)); err != nil {
		t.Fatal(err)
	}
	o := Options{Request: Request{Config: cfg}, Environment: Environment{Now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}}
	for _, d := range dump {
		path, err := filepath.Abs(dumps + d)
		if err != nil {
			t.Fatal(err)
		}
		o.Dumps = append(o.Dumps, path)
	}
	return o
}

func check(t *testing.T, o Options) *result.Result {
	t.Helper()
	r, err := Check(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const recommended = "version: 1\nextends: [recommended]\n"

func accept(t *testing.T, o Options, a AcceptOptions) *Accepted {
	t.Helper()
	done, err := Accept(context.Background(), o, a)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// to points the same configuration at another dump.
func (o Options) to(t *testing.T, dump string) Options {
	t.Helper()
	path, err := filepath.Abs(dumps + dump)
	if err != nil {
		t.Fatal(err)
	}
	o.Dumps = []string{path}
	return o
}

func TestAcceptThenCheckPasses(t *testing.T) {
	for _, dump := range []string{"cpu-donation_lost/before.tar.xz", "gpu-softmax_barrier/before.tar.xz", "tpu-softmax_barrier/before.tar.xz", "recompile-shapes/dump.tar.xz", "tf-clusters-unclusterable/dump.tar.xz"} {
		o := options(t, recommended, dump)
		if done := accept(t, o, AcceptOptions{}); len(done.Written) == 0 {
			t.Errorf("%s: nothing written", dump)
		}
		if r := check(t, o); r.ExitCode != ExitPass || len(r.Findings) != 0 {
			t.Errorf("%s: exit %d, %+v %+v", dump, r.ExitCode, r.Findings, r.Problems)
		}
		if done := accept(t, o, AcceptOptions{Reason: "again"}); len(done.Written) != 0 {
			t.Errorf("%s: a second accept wrote %v", dump, done.Written)
		}
	}
}

// Accepting one change at a time, from the dump or from the result alone, ends where nothing fails; accepting everything then drops the ceilings.
func TestAcceptFindingByFinding(t *testing.T) {
	for _, fromResult := range []bool{false, true} {
		o := options(t, recommended, "cpu-unrolled_loop/before.tar.xz")
		accept(t, o, AcceptOptions{})
		o = o.to(t, "cpu-unrolled_loop/after.tar.xz")
		r := check(t, o)
		if r.ExitCode != ExitFindings {
			t.Fatalf("exit %d", r.ExitCode)
		}
		for range 20 {
			at := slices.IndexFunc(r.Findings, func(f result.Finding) bool { return !f.Waived })
			if at < 0 {
				break
			}
			a := AcceptOptions{Only: []string{r.Findings[at].ID}, Reason: "slower"}
			if fromResult {
				a.From = reread(t, r)
			}
			if done := accept(t, o, a); len(done.Written) == 0 {
				t.Fatalf("accepting %s (%s) wrote nothing", r.Findings[at].ID, r.Findings[at].Rule)
			}
			r = check(t, o)
		}
		if r.ExitCode != ExitPass || len(r.Findings) == 0 || !strings.Contains(baselineText(t, o), `{"ceiling":{"change":`) {
			t.Errorf("from result %v: left over: %+v", fromResult, r.Findings)
		}
		accept(t, o, AcceptOptions{Reason: "all of it"})
		if r := check(t, o); r.ExitCode != ExitPass || len(r.Findings) > 0 || strings.Contains(baselineText(t, o), `{"ceiling":{"change":`) {
			t.Errorf("from result %v: after all was accepted: %+v", fromResult, r.Findings)
		}
	}
}

// TestAcceptAllByID accepts by its id each change between two dumps, neighbors or dumps that have nothing to do with each other: programs are new, gone, joined and
// split, clusters are cut otherwise, and limits of the configuration are broken. The same dump passes then.
func TestAcceptAllByID(t *testing.T) {
	single, _ := filepath.Glob(dumps + "*/*.tar.xz")
	pairs, _ := filepath.Glob(dumps + "cases/*/*.tar.xz")
	all, accepted, whole := append(single, pairs...), 0, 0
	for i := range all {
		next := []int{i + 1, i + 7, i, i}[i%4]
		if strings.HasSuffix(all[i], "before.tar.xz") && strings.Contains(all[i], "tf-") {
			next = i - 1
		}
		o := options(t, recommended+"rules:\n  - { rule: max-step-time, max: 1ns }\n  - { rule: no-recompilation, max_variants: 1 }\n  - { rule: max-kernels, max: 1 }\n", strings.TrimPrefix(all[i], dumps))
		if _, err := Accept(t.Context(), o, AcceptOptions{}); next == i || err != nil {
			continue // it is not complete
		}
		o = o.to(t, strings.TrimPrefix(all[next%len(all)], dumps))
		r := check(t, o)
		a := AcceptOptions{Reason: "wanted"}
		for _, c := range r.Open() {
			if c.Accept != "" {
				a.Only = append(a.Only, c.ID)
			}
		}
		if i%2 == 0 {
			a.From = reread(t, r)
		}
		if _, err := Accept(t.Context(), o, a); len(a.Only) == 0 || err != nil {
			continue // it says why before it writes anything
		}
		accepted++
		r = check(t, o)
		if slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return f.Bound != nil && f.Waived && f.AddsNS == 0 }) {
			whole++
		}
		for _, c := range r.Open() {
			if c.Accept != "" {
				t.Errorf("%s → %s: %s is still open in %s", all[i], o.Dumps[0], c.Title, c.Program)
			}
		}
	}
	if accepted < 40 || whole < 10 {
		t.Errorf("%d dumps were accepted by ids, %d with new programs that break limits", accepted, whole)
	}
}

// reread is the result as another machine reads it.
func reread(t *testing.T, r *result.Result) *result.Result {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back result.Result
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return &back
}

func TestAcceptOnlyTakesNoMoreThanItNames(t *testing.T) {
	o := options(t, recommended+"rules:\n  - { rule: max-temp-bytes, max: 1 }\n", "cpu-donation_lost/before.tar.xz")
	accept(t, o, AcceptOptions{})
	before := baselineText(t, o)
	if _, err := Accept(context.Background(), o, AcceptOptions{Only: []string{"000000000000"}}); err == nil {
		t.Error("an unknown id was accepted")
	}
	if after := baselineText(t, o); after != before {
		t.Error("a refused accept changed the baseline")
	}
}

func baselineText(t *testing.T, o Options) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.Config.Dir, ".xlagate", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no baseline: %v", err)
	}
	var all strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

// Tightening records what got better and never what got worse.
func TestTighten(t *testing.T) {
	o := options(t, recommended, "cpu-improved/before.tar.xz")
	accept(t, o, AcceptOptions{})
	better := o.to(t, "cpu-improved/after.tar.xz")
	r := check(t, better)
	if r.ExitCode != ExitPass || len(r.Notes) == 0 {
		t.Fatalf("an improvement: exit %d, findings %+v, notes %v", r.ExitCode, r.Findings, r.Notes)
	}
	accept(t, better, AcceptOptions{Tighten: true})
	if r := check(t, o); r.ExitCode != ExitFindings {
		t.Errorf("what was better is now the rule, yet the old dump gives exit %d", r.ExitCode)
	}
	loose := options(t, recommended, "cpu-improved/after.tar.xz")
	accept(t, loose, AcceptOptions{})
	text := baselineText(t, loose)
	accept(t, loose.to(t, "cpu-improved/before.tar.xz"), AcceptOptions{Tighten: true})
	if diff := cmp.Diff(text, baselineText(t, loose)); strings.Contains(diff, "kernels.total") {
		t.Errorf("tightening recorded what got worse:\n%s", diff)
	}
}

func TestAcceptRefusesWhatItCouldNotRead(t *testing.T) {
	o := options(t, recommended, "damaged/cut_off_text")
	_, err := Accept(context.Background(), o, AcceptOptions{})
	var gap *Incomplete
	if !errors.As(err, &gap) || len(gap.Problems) == 0 {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(o.Config.Dir, ".xlagate")); err == nil {
		t.Error("a baseline was written")
	}
}

func TestIDsAreStableAndDistinct(t *testing.T) {
	o := options(t, recommended+"rules:\n  - { rule: max-kernels, max: 1 }\n  - { rule: max-kernels, scope: entry, max: 1 }\n  - { rule: no-recompilation, max_variants: 1 }\n", "recompile-shapes/dump.tar.xz")
	accept(t, o, AcceptOptions{})
	seen := map[string]string{}
	first := check(t, o)
	for _, f := range first.Findings {
		if len(f.ID) != 12 || seen[f.ID] != "" {
			t.Errorf("id %q of %s and %s", f.ID, f.Rule, seen[f.ID])
		}
		seen[f.ID] = f.Rule
	}
	if len(seen) < 3 {
		t.Fatalf("too few findings to tell: %v", seen)
	}
	second := check(t, o)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two runs over one dump differ:\n%s", diff)
	}
}

func TestTargetsFromTheCommandLine(t *testing.T) {
	two := "version: 1\ntargets:\n  - { name: a, dump: x }\n  - { name: b, dump: y }\nrules: [{ rule: max-kernels, max: 100 }]\n"
	o := options(t, two, "cpu-improved/before.tar.xz")
	var usage UsageError
	if _, err := Check(context.Background(), o); !errors.As(err, &usage) || !strings.Contains(usage.Message, "--target NAME=DUMP") {
		t.Errorf("a dump for two targets: %v", err)
	}
	o.Dumps, o.ByTarget = nil, map[string]string{"c": "x"}
	if _, err := Check(context.Background(), o); !errors.As(err, &usage) || !strings.Contains(usage.Message, "a, b") {
		t.Errorf("an unknown target: %v", err)
	}
	dump, _ := filepath.Abs(dumps + "cpu-improved/before.tar.xz")
	o.ByTarget = map[string]string{"a": dump}
	if r := check(t, o); r.ExitCode != ExitIncomplete || len(r.Problems) != 1 || r.Problems[0].Target != "b" {
		t.Errorf("one of two targets was dumped: exit %d, %+v", r.ExitCode, r.Problems)
	}
	o.ByTarget["b"] = dump
	if r := check(t, o); r.ExitCode != ExitPass || r.Summary.Targets != 2 {
		t.Errorf("both: exit %d %+v", r.ExitCode, r.Problems)
	}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		errors, warnings, checks, problems int
		failOn                             string
		code                               int
	}{
		{0, 0, 5, 0, "error", ExitPass}, {1, 0, 5, 0, "error", ExitFindings}, {0, 1, 5, 0, "error", ExitPass},
		{0, 1, 5, 0, "warning", ExitFindings}, {3, 3, 5, 0, "never", ExitPass}, {0, 0, 0, 0, "error", ExitIncomplete},
		{0, 0, 5, 1, "never", ExitIncomplete}, {2, 0, 5, 1, "error", ExitIncomplete},
	} {
		r := &result.Result{Summary: result.Summary{Errors: c.errors, Warnings: c.warnings, Checks: c.checks}, Problems: make([]result.Problem, c.problems)}
		if decide(r, c.failOn); r.ExitCode != c.code {
			t.Errorf("%+v: exit %d", c, r.ExitCode)
		}
	}
}

func TestIntegrityRulesAreOnWithoutBeingNamed(t *testing.T) {
	on := map[string]bool{}
	for _, s := range integrity(nil) {
		on[s.Rule.ID] = true
	}
	for _, r := range rules.All.Rules {
		if r.Always != on[r.ID] {
			t.Errorf("%s: always %v, on %v", r.ID, r.Always, on[r.ID])
		}
	}
}
