package gate

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/yamldoc"
	"github.com/xlagate/xlagate/rules"
)

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

const base = `version: 1
extends: [recommended]
targets:
  - {name: mlp, dump: a, programs: {include: [train_step, eval_step]}}
  - {name: serve, dump: b}
rules:
  - {rule: max-kernels, program: train_step, max: 19, max_increase: 0}
  - rule: required-fusions
    program: train_step
    fusions:
      - {name: softmax, contains: [subtract, exponential]}
      - {name: gelu, contains: [tanh, multiply], min: 2}
  - {rule: no-recompilation, max_variants: 1}
waivers:
  - {finding: a3f8c21b9d04, reason: "openxla/xla#47203", owner: "ml-perf", expires: 2027-02-01, ceiling: 20}
`

func TestConfigurationChanges(t *testing.T) {
	for name, c := range map[string]struct {
		old, fresh string
		want       string // EFFECT SUBJECT [SCOPE]: TEXT
	}{
		"nothing":             {"", "", ""},
		"order and comments":  {"version: 1\n", "version: 1\n# a comment\n", ""},
		"a higher limit":      {"max: 19", "max: 22", "looser max-kernels train_step: max 19 → 22"},
		"a lower limit":       {"max: 19", "max: 18", "stricter max-kernels train_step: max 19 → 18"},
		"more growth":         {"max_increase: 0", "max_increase: 5%", "changed max-kernels train_step: max_increase 0 → 5 %"},
		"a level":             {"max: 19,", "max: 19, level: warning,", "looser max-kernels train_step: level error → warning"},
		"a rule goes":         {"  - {rule: no-recompilation, max_variants: 1}\n", "", "looser no-recompilation : removed"},
		"a fusion goes":       {"      - {name: softmax, contains: [subtract, exponential]}\n", "", `looser required-fusions train_step: fusions: "softmax" removed`},
		"a fusion changes":    {"min: 2", "min: 1", `looser required-fusions train_step: fusions: "gelu": min 2 → 1`},
		"more variants":       {"max_variants: 1", "max_variants: 3", "looser no-recompilation : max_variants 1 → 3"},
		"another pack":        {"extends: [recommended]\n", "", "looser max-step-time : removed"},
		"fail_on":             {"version: 1", "version: 1\nfail_on: never", "looser fail_on : error → never"},
		"fail_on, stricter":   {"version: 1", "version: 1\nfail_on: warning", "stricter fail_on : error → warning"},
		"a target goes":       {"  - {name: serve, dump: b}\n", "", "looser serve : the target is no longer checked"},
		"a program goes":      {"[train_step, eval_step]", "[train_step]", "looser mlp : programs.include: train_step, eval_step → train_step"},
		"a program is left":   {"eval_step]}", "eval_step], exclude: [train_step]}", "looser mlp : programs.exclude: none → train_step"},
		"a waiver":            {"waivers:\n", "waivers:\n  - {finding: 0123456789ab, reason: later, owner: me, expires: 2027-03-01}\n", "looser waiver 0123456789ab : added until 2027-03-01 by me: later"},
		"a waiver lasts":      {"2027-02-01", "2027-12-31", "looser waiver a3f8c21b9d04 : until 2027-02-01 → 2027-12-31"},
		"a waiver's ceiling":  {"ceiling: 20", "ceiling: 30", "looser waiver a3f8c21b9d04 : ceiling 20 → 30"},
		"a waiver goes":       {base[strings.Index(base, "waivers:"):], "", "stricter waiver a3f8c21b9d04 : removed"},
		"an entry of its own": {"rules:\n", "rules:\n  - {rule: max-peak-bytes, program: train_step, max_increase: 50%}\n", "looser max-peak-bytes train_step: now has an entry of its own: max_increase 2 % → 50 %"},
	} {
		fresh := base
		if c.old != "" {
			if fresh = strings.Replace(base, c.old, c.fresh, 1); fresh == base {
				t.Fatalf("%s changes nothing", name)
			}
		}
		changes, err := ComparePolicies(Policy{Config: parse(t, base)}, Policy{Config: parse(t, fresh)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, ch := range changes {
			got = append(got, string(ch.Effect)+" "+ch.Subject+" "+ch.Scope+": "+ch.Text)
		}
		text := strings.Join(got, "\n")
		if c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s:\n%s\nwanted: %s", name, text, c.want)
		}
	}
}

// acceptedText is what a baseline is made of; see stored.
const acceptedText = `program: train_step
reason: first
variants:
  - signature: "(x: f32[8])"
    facts:
      copies.count: 2
      kernels.total: 19
      memory.temp_bytes: 1024
`

// stored is the baseline of a target, made of the text of one program; of any other text it is a file that cannot be read.
func stored(t *testing.T, target, text string) fstest.MapFS {
	t.Helper()
	var doc struct {
		Program, Reason string
		Variants        []struct {
			Signature string
			Facts     facts.Values
		}
	}
	root, err := yamldoc.Parse([]byte(text))
	if err == nil {
		err = yamldoc.Decode(root, &doc)
	}
	if err != nil || doc.Program == "" {
		return fstest.MapFS{target + "/train_step.jsonl": {Data: []byte(text)}}
	}
	p := &baseline.Program{Program: facts.Program{Name: doc.Program}, Toolchain: facts.Toolchain{Framework: "jax"}}
	for _, v := range doc.Variants {
		p.Variants = append(p.Variants, &facts.Variant{Signature: v.Signature, Facts: v.Facts})
	}
	return fstest.MapFS{path.Join(target, baseline.FileName(p.Name)): {Data: baseline.Format(p, nil, doc.Reason)}}
}

// writeStored writes that baseline below a folder.
func writeStored(t *testing.T, dir, text string) {
	t.Helper()
	for name, file := range stored(t, "mlp", text) {
		write(t, filepath.Join(dir, name), string(file.Data))
	}
}

func TestBaselineChanges(t *testing.T) {
	cfg := parse(t, base)
	store := func(text string) fs.FS {
		if text == "" {
			return nil
		}
		return stored(t, "mlp", text)
	}
	for name, c := range map[string]struct{ old, fresh, want string }{
		"the same":  {acceptedText, acceptedText, ""},
		"first":     {"", acceptedText, "changed train_step: accepted for the first time (first)"},
		"removed":   {acceptedText, "", "looser train_step: the accepted facts are removed: nothing is compared with them any more"},
		"worse":     {acceptedText, strings.NewReplacer("total: 19", "total: 22", "reason: first", "reason: bigger").Replace(acceptedText), "looser train_step: accepted anew: kernels 19 → 22 (bigger)"},
		"better":    {acceptedText, strings.Replace(acceptedText, "1024", "512", 1), "stricter train_step: accepted anew: temporary memory 1.0 KiB → 512 B (first)"},
		"both":      {acceptedText, strings.NewReplacer("1024", "2048", "count: 2", "count: 1").Replace(acceptedText), "looser train_step: accepted anew: temporary memory 1.0 KiB → 2.0 KiB, copies 2 → 1 (first)"},
		"no reason": {acceptedText, strings.NewReplacer("19", "20", "reason: first\n", "").Replace(acceptedText), "looser train_step: accepted anew: kernels 19 → 20 (no reason given)"},
	} {
		changes, err := ComparePolicies(Policy{Config: cfg, Store: store(c.old)}, Policy{Config: cfg, Store: store(c.fresh)})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, ch := range changes {
			text += string(ch.Effect) + " " + ch.Subject + ": " + ch.Text
			if ch.File != ".xlagate/mlp/train_step.jsonl" {
				t.Errorf("%s: %s", name, ch.File)
			}
		}
		if text != c.want {
			t.Errorf("%s: %s, wanted %s", name, text, c.want)
		}
	}
	if _, err := ComparePolicies(Policy{Config: cfg, Store: store("nonsense")}, Policy{Config: cfg}); err == nil {
		t.Error("a baseline that cannot be read is passed over")
	}
}

func TestFromGit(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(message string) string {
		run("add", "-A")
		run("commit", "-q", "--allow-empty", "-m", message)
		return run("rev-parse", "HEAD")
	}
	run("init", "-q", "-b", "main")
	empty := commit("nothing")
	write(t, filepath.Join(dir, "xlagate.yaml"), base)
	writeStored(t, filepath.Join(dir, ".xlagate"), acceptedText)
	first := commit("policy")
	run("checkout", "-q", "-b", "pr")
	head := commit("pull request")
	run("checkout", "-q", "main")
	write(t, filepath.Join(dir, "other"), "x")
	tip := commit("main moves on")

	ctx := context.Background()
	p, err := RepositoryPolicy(ctx, Checkout{dir}, first, "xlagate.yaml", nil)
	if err != nil || len(p.Config.Targets) != 2 {
		t.Fatalf("%v", err)
	}
	if set, err := baseline.Load(p.Store, "mlp"); err != nil || set.Find("train_step").ReasonSince(nil) != "first" {
		t.Errorf("%v", err)
	}
	if _, err := RepositoryPolicy(ctx, Checkout{dir}, empty, "xlagate.yaml", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := RepositoryPolicy(ctx, Checkout{dir}, strings.Repeat("0", 40), "xlagate.yaml", nil); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("%v", err)
	}
	run("checkout", "-q", "pr")
	if at, err := Fork(ctx, dir, head, tip); err != nil || at != first {
		t.Errorf("a branch: %s %v, wanted %s", at, err, first)
	}
	run("checkout", "-q", "--detach", "main")
	run("merge", "-q", "--no-ff", "-m", "merge", "pr")
	if at, err := Fork(ctx, dir, head, first); err != nil || at != tip {
		t.Errorf("a merge: %s %v, wanted %s", at, err, tip)
	}
	if _, err := Fork(ctx, dir, empty, strings.Repeat("0", 40)); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("%v", err)
	}
}
