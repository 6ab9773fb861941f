package gate

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/rules"
)

// What could not be checked is a problem of the rule that asks for it, with its file and what to do.
func TestWhatCouldNotBeLookedAt(t *testing.T) {
	for _, c := range []struct{ dump, programs, rule, message string }{
		{"cpu-renamed/before.tar.xz", "include: [nothing*]", "target-ran", `no program matches "nothing*": it was not compiled, or not dumped`},
		{"cpu-renamed/before.tar.xz", "exclude: [\"*\"]", "target-ran", "programs.exclude leaves out every program of the dump"},
		{"cpu-renamed/before.tar.xz", "include: [\"*\"], exclude: [\"*\"]", "target-ran", `programs.exclude leaves out all that matches "*"`},
		{"damaged/cut_off_text", "", "facts-complete", "the file ends inside"},
	} {
		path, err := filepath.Abs(dumps + c.dump)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%stargets:\n  - { name: a, dump: %q, programs: { %s } }\n", recommended, path, c.programs)
		r := check(t, options(t, text))
		if len(r.Problems) == 0 || r.ExitCode != ExitIncomplete {
			t.Fatalf("%s %s: exit %d, %+v", c.dump, c.programs, r.ExitCode, r.Problems)
		}
		for _, p := range r.Problems {
			if p.Target != "a" || p.Fix == "" || rules.All.ByID(p.Rule) == nil {
				t.Errorf("%s %s: %+v", c.dump, c.programs, p)
			}
		}
		if p := r.Problems[0]; p.Rule != c.rule || !strings.Contains(p.Message, c.message) || !strings.HasPrefix(p.File, path) {
			t.Errorf("%s %s: %+v, wanted %s saying %q", c.dump, c.programs, p, c.rule, c.message)
		}
	}
}

// Everything in which two toolchains differ is said; what one of them does not tell is no difference.
func TestToolchainsThatDiffer(t *testing.T) {
	one := facts.Toolchain{Framework: "jax", Backend: "cpu", Device: "A", Versions: map[string]string{"jax": "1", "jaxlib": "2"}}
	other := facts.Toolchain{Framework: "tensorflow", Backend: "gpu", Device: "B", Versions: map[string]string{"jax": "3", "jaxlib": "2", "more": "4"}}
	for want, pair := range map[string][2]facts.Toolchain{
		"": {one, one}, "jax → tensorflow, backend cpu → gpu, device A → B, jax 1 → 3": {one, other}, "tensorflow → jax, backend gpu → cpu, device B → A, jax 3 → 1": {other, one},
		"backend cpu → gpu": {{Backend: "cpu"}, other},
	} {
		if got := mismatch(pair[0], pair[1]); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// What only the other dump of --against holds is gone where the configuration includes it, and nothing to a check that leaves it out.
func TestProgramsOfTheOtherDumpThatAreLeftOut(t *testing.T) {
	for programs, want := range map[string]bool{"{}": true, "{ include: [\"*\"] }": true, "{ include: [scale] }": false, "{ exclude: [train_step] }": false} {
		text := recommended
		if programs != "{}" {
			text += fmt.Sprintf("targets:\n  - { name: a, programs: %s }\n", programs)
		}
		o := options(t, text, "cpu-improved/after.tar.xz")
		o.Against = o.to(t, "cpu-donation_lost/before.tar.xz").Dumps[0]
		r := check(t, o)
		listed := slices.ContainsFunc(r.Targets[0].Programs, func(p result.Program) bool { return p.Name == "train_step" })
		orphan := slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return f.Rule == "orphan-baseline" && f.Program == "train_step" })
		if listed != want || orphan != want {
			t.Errorf("%s: train_step is listed: %v, found gone: %v; want %v", programs, listed, orphan, want)
		}
	}
}

// A program that was accepted and that the configuration leaves out now is not gone from the dump; only what is left of the baseline is told.
func TestAcceptedProgramThatIsLeftOut(t *testing.T) {
	for key, orphan := range map[string]string{"": "", "include": "programs.include leaves it out now", "exclude": "programs.exclude leaves it out now"} {
		o := options(t, recommended+"targets:\n  - { name: a }\n", "cpu-improved/after.tar.xz", "cpu-donation_lost/before.tar.xz")
		accept(t, o, AcceptOptions{})
		switch key {
		case "include":
			o.Config.Targets[0].Include = []string{"scale"}
		case "exclude":
			o.Config.Targets[0].Exclude = []string{"train_step"}
		}
		r := check(t, o)
		listed := slices.ContainsFunc(r.Targets[0].Programs, func(p result.Program) bool { return p.Name == "train_step" })
		f := ofRule(r.Findings, "orphan-baseline")
		if listed != (key == "") || (f != nil) != (orphan != "") || f != nil && !strings.Contains(f.Message, orphan) {
			t.Errorf("%q: train_step is listed: %v; %+v", key, listed, f)
		}
	}
}

// What a dump holds and nobody asked for is named: a program that came with a pull request is not checked by an old list of names.
func TestProgramsThatNobodyAskedFor(t *testing.T) {
	const left = "train_step (NOT GATED: add it to programs.include)"
	for programs, want := range map[string]bool{"include: [scale]": true, "include: [scale], exclude: [train_step]": false, "include: [scale, train_step]": false, "exclude: [train_step]": false} {
		o := options(t, recommended+fmt.Sprintf("targets:\n  - { name: a, programs: { %s } }\n", programs), "cpu-improved/after.tar.xz", "cpu-donation_lost/before.tar.xz")
		if told := check(t, o).Targets[0].NotCovered; slices.Contains(told, left) != want {
			t.Errorf("%s: %q, wanted %v", programs, told, want)
		}
	}
}

// Of a dump that cannot be read it is not said as well that it lacks each of the programs.
func TestNothingToRead(t *testing.T) {
	o := options(t, recommended+"targets:\n  - { name: a, programs: { include: [f, g] } }\n")
	o.Dumps = []string{filepath.Join(t.TempDir(), "notes.txt")}
	if err := os.WriteFile(o.Dumps[0], []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := check(t, o)
	if len(r.Problems) != 1 || r.ExitCode != ExitIncomplete || strings.Contains(r.Problems[0].Message, "no program matches") {
		t.Errorf("exit %d: %+v", r.ExitCode, r.Problems)
	}
}

// A target whose dump is as it was accepted does not wait for git, and neither do those behind it.
func TestTargetsDoNotWaitForGit(t *testing.T) {
	o := options(t, recommended+"targets:\n  - {name: a, dump: x}\n  - {name: b, dump: y}\n")
	before, _ := filepath.Abs(dumps + "cpu-improved/before.tar.xz")
	after, _ := filepath.Abs(dumps + "cpu-improved/after.tar.xz")
	o.Jobs, o.ByTarget = 1, map[string]string{"a": before, "b": after}
	accept(t, o, AcceptOptions{Reason: "first"})
	second, err := os.Open(after)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	read := make(chan struct{})
	o.ByTarget["b"], o.Stdin = "-", &toldOfEnd{second, sync.OnceFunc(func() { close(read) })}
	o.Edits = func() (*git.Edits, string) {
		select {
		case <-read:
		case <-time.After(time.Minute):
			t.Error("the second target waits for git, which was asked for the first one")
		}
		return nil, git.NoRepository
	}
	if r := check(t, o); r.ExitCode != ExitPass {
		t.Errorf("exit %d, %+v", r.ExitCode, r.Problems)
	}
}

// toldOfEnd is a stream whose end is told.
type toldOfEnd struct {
	io.Reader
	tell func()
}

// Read reads some of the stream.
func (r *toldOfEnd) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		r.tell()
	}
	return n, err
}

// A failure of xlagate itself while it looks at a target is a problem of that target, and no crash.
func TestDefectInTarget(t *testing.T) {
	o := options(t, recommended, "cpu-renamed/before.tar.xz")
	o.base = func() (fs.FS, error) { panic("broken") }
	r := check(t, o)
	if r.ExitCode != ExitIncomplete || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "broken") {
		t.Errorf("exit %d: %+v", r.ExitCode, r.Problems)
	}
}
