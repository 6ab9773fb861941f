package gate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// copyQuickstart copies the rule file and the baseline of the example.
func copyQuickstart(t *testing.T, dir string) {
	t.Helper()
	from := filepath.FromSlash("../../examples/quickstart")
	text, err := os.ReadFile(filepath.Join(from, "xlagate.yaml"))
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, ".xlagate"), os.DirFS(filepath.Join(from, ".xlagate")))
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "xlagate.yaml"), string(text))
}

// policyOf is a policy with the text of a rule file.
func policyOf(t *testing.T, text string, store fs.FS) Policy {
	t.Helper()
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Policy{File: "xlagate.yaml", Text: []byte(text), Config: cfg, Store: store}
}

// The findings of the base branch are told apart: those that the pull request's baseline accepts, and those that only its own rules let pass.
func TestJudgeByBase(t *testing.T) {
	o, regressed := quickstart(t)
	good := os.DirFS(filepath.Join(o.Dir, ".xlagate"))
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(o.Dir)); err != nil {
		t.Fatal(err)
	}
	const strict = "version: 1\nextends: [recommended]\ntargets: [{name: classifier/cpu, dump: good}]\n"
	const loose = "version: 1\nrules: [{rule: max-kernels, max: 100}]\ntargets: [{name: classifier/cpu, dump: good}]\n"
	own := policyOf(t, strict, nil)
	own.Config.Path, own.Config.Dir = filepath.Join(work, "xlagate.yaml"), work
	if _, err := Accept(t.Context(), Options{Request: Request{Config: own.Config}, Environment: Environment{Dir: work}}, AcceptOptions{From: regressed, Reason: "wanted"}); err != nil {
		t.Fatal(err)
	}
	fresh := os.DirFS(filepath.Join(work, ".xlagate"))
	passing := *regressed
	passing.Findings, passing.Verdict, passing.ExitCode = nil, "pass", ExitPass
	leaves := passing
	leaves.Targets = append([]result.Target{}, passing.Targets...)
	leaves.Targets[0].LeftOut = []string{"eval_step"}
	forged := passing // it passes although it says that the target did not run
	forged.Problems = []result.Problem{{Target: "other/cpu", Rule: "target-ran"}}
	exclude := strings.Replace(strict, "dump: good", "dump: good, programs: {exclude: [eval_step]}", 1)

	for name, c := range map[string]struct {
		base, head                  string
		store                       fs.FS
		flags                       PolicyFlags
		own                         *result.Result
		trusted                     bool
		accepted, loosened, accepts int
	}{
		"nothing changed":                   {strict, strict, good, PolicyFlags{}, &passing, true, 0, 0, 0},
		"a run that cannot be trusted":      {strict, strict, good, PolicyFlags{}, &passing, false, 0, 3, 0},
		"accepted":                          {strict, strict, fresh, PolicyFlags{}, &passing, true, 3, 0, 1},
		"accepted, by a run of a fork":      {strict, strict, fresh, PolicyFlags{}, &passing, false, 3, 0, 1},
		"loosened":                          {strict, loose, good, PolicyFlags{}, &passing, true, 0, 3, 0},
		"accepted, and loosened needlessly": {strict, loose, fresh, PolicyFlags{}, &passing, true, 3, 0, 1},
		"it fails by its own rules":         {strict, strict + "# x\n", good, PolicyFlags{}, regressed, true, 0, 0, 0},
		"the baseline is removed":           {strict, loose, nil, PolicyFlags{}, &passing, true, 0, 4, 1},
		"a flag":                            {strict, strict, good, PolicyFlags{FailOn: "never"}, &passing, true, 0, 3, 0},
		"nothing fails on the base branch":  {strict + "fail_on: never\n", loose, good, PolicyFlags{}, &passing, true, 0, 0, 0},
		"a program is left out":             {strict, exclude, fresh, PolicyFlags{}, &leaves, true, 3, 1, 1},
		"the base leaves it out as well":    {exclude, exclude, fresh, PolicyFlags{}, &leaves, true, 3, 0, 1},
		"the target has another name":       {strings.Replace(strict, "classifier", "other", 1), strict, good, PolicyFlags{}, &passing, true, 0, 1, 0},
		"the same, and the run says so":     {strings.Replace(strict, "classifier", "other", 1), strict, good, PolicyFlags{}, &forged, false, 0, 1, 0},
	} {
		head := policyOf(t, c.head, c.store)
		head.Flags = c.flags
		p, err := JudgeByBase(Options{}, policyOf(t, c.base, good), head, c.own, c.trusted)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.AcceptedChanges != c.accepted || p.LoosenedChanges != c.loosened || len(p.Accepts) != c.accepts {
			t.Errorf("%s: %d accepted, %d loosened, %d programs; wanted %d, %d, %d\n%+v", name, p.AcceptedChanges, p.LoosenedChanges, len(p.Accepts), c.accepted, c.loosened, c.accepts, p)
		}
	}
	if p, err := JudgeByBase(Options{}, policyOf(t, strict+"policy: own\n", good), policyOf(t, loose, good), &passing, true); err != nil || !p.Own {
		t.Errorf("policy: own is not known: %+v, %v", p, err)
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
	copyQuickstart(t, dir)
	first := commit("policy")
	run("checkout", "-q", "-b", "pr")
	head := commit("pull request")
	run("checkout", "-q", "main")
	write(t, filepath.Join(dir, "other"), "x")
	tip := commit("main moves on")

	ctx := context.Background()
	p, err := RepositoryPolicy(ctx, Checkout{dir}, first, "xlagate.yaml", nil)
	if err != nil || len(p.Config.Targets) != 1 {
		t.Fatalf("%v", err)
	}
	if set, err := baseline.Load(p.Store, "classifier/cpu"); err != nil || set.Find("train_step") == nil {
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
