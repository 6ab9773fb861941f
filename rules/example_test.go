package rules_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/artifacts"
	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/testfile"
	"github.com/xlagate/xlagate/rules"
)

// dumpOf is the file of a dump in the repository's testdata: "pair/after" or a folder of its own.
func dumpOf(name string) string {
	if strings.HasSuffix(name, "/*") {
		name += ".tar.xz"
	}
	for _, path := range []string{name + ".tar.xz", filepath.Join(name, "dump.tar.xz"), name} {
		if full := filepath.Join("..", "testdata", path); exists(full) {
			return full
		}
	}
	return filepath.Join("..", "testdata", name)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// try runs an example of a rule, with the log that is beside its message where it reads one.
func try(t *testing.T, rule *rule.Rule, e rule.Example) *result.Result {
	t.Helper()
	text := exampleFile(rule, e)
	cfg, err := config.Parse(rules.All, "xlagate.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return check(t, cfg, rule, e)
}

// check runs the rule file of an example.
func check(t *testing.T, cfg *config.Config, rule *rule.Rule, e rule.Example) *result.Result {
	t.Helper()
	o := gate.Options{Request: gate.Request{Config: cfg}, Environment: gate.Environment{Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Assembler: recorded(t)}, Run: gate.Run{Jobs: 1}}
	if base := baseOf(e); base != "" {
		o.Against = dumpOf(base)
	}
	if strings.Contains(e.Config, "git:v") {
		o.Against, o.ByTarget = "", map[string]string{"example": absolute(t, dumpOf(e.On))}
		cfg.Dir = released(t, cfg, dumpOf(baseOf(e)))
	}
	if log := filepath.Join("testdata", rule.ID+".log"); exists(log) {
		o.Logs = []string{log}
	}
	r, err := gate.Check(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// released is a repository whose tag v1.2 holds a dump as the accepted baseline.
func released(t *testing.T, cfg *config.Config, dump string) string {
	t.Helper()
	dir := t.TempDir()
	at := *cfg
	at.Dir, at.Path, at.Rules = dir, filepath.Join(dir, "xlagate.yaml"), nil
	o := gate.Options{Request: gate.Request{Config: &at, ByTarget: map[string]string{"example": absolute(t, dump)}}, Environment: gate.Environment{Dir: dir, Assembler: recorded(t)}}
	if _, err := gate.Accept(t.Context(), o, gate.AcceptOptions{Reason: "released"}); err != nil {
		t.Fatal(err)
	}
	testfile.Commit(t, dir)
	if out, err := exec.Command("git", "-C", dir, "tag", "v1.2").CombinedOutput(); err != nil {
		t.Fatalf("git tag: %v\n%s", err, out)
	}
	return dir
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// recorded is the assembler of the testdata.
func recorded(t *testing.T) *artifacts.Assembler {
	return artifacts.NewAssembler(testfile.Assembler(t, ".."))
}

// exampleFile is the xlagate.yaml of an example: an entry of the rule, or, of a rule that is always on, the file with the example's
// dump in the place of build/xla.
func exampleFile(rule *rule.Rule, e rule.Example) string {
	if rule.Always {
		return strings.ReplaceAll(e.Config, "build/xla", strconv.Quote(dumpOf(e.On))) + "\n"
	}
	return fmt.Sprintf("version: 1\ntargets:\n  - { name: example, dump: %q, samples: %d }\nrules:\n%s\n", dumpOf(e.On), samples(e.On), indent(e.Config))
}

// samples is 2 for a pair whose two sides are compiles of the same source.
func samples(on string) int {
	if strings.HasSuffix(on, "/*") {
		return 2
	}
	return 1
}

func baseOf(e rule.Example) string {
	pair, side, ok := strings.Cut(e.On, "/")
	ok = ok && side != "*"
	switch {
	case e.Base != "":
		return e.Base
	case ok && exists(dumpOf(pair+"/before")):
		return pair + "/before"
	}
	return ""
}

func indent(yaml string) string { return "  " + strings.ReplaceAll(yaml, "\n", "\n  ") }

// told is everything that a rule said, as text.
func told(r *result.Result, rule string) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Rule != rule {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s\n%s\n", f.Level, f.Rule, f.Program, f.Message)
		at := slices.IndexFunc(r.Changes, func(c result.Change) bool { return c.ID == f.Change })
		for _, why := range append([]string{r.Changes[at].Title}, r.Changes[at].Details...) {
			if why != f.Message {
				fmt.Fprintf(&b, "because %s\n", why)
			}
		}
		for _, line := range r.Changes[at].Evidence.Before {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
		for _, line := range r.Changes[at].Evidence.After {
			fmt.Fprintf(&b, "  + %s\n", line)
		}
	}
	for _, p := range r.Problems {
		if p.Rule == rule || p.Rule == "" {
			fmt.Fprintf(&b, "could not check: %s\n  fix: %s\n", p.Message, p.Fix)
		}
	}
	return b.String()
}

// Every rule's example is run on a real dump: the one that fails says what the catalogue says it does, the one that passes nothing.
func TestExamples(t *testing.T) {
	for _, rule := range rules.All.Rules {
		t.Run(rule.ID, func(t *testing.T) {
			failing, passing := try(t, rule, rule.Fails), try(t, rule, rule.Passes)
			got := told(failing, rule.ID)
			testfile.Golden(t, filepath.Join("testdata", rule.ID+".txt"), got)
			if message := firstMessage(failing, rule.ID); message != rule.Fails.Says {
				t.Errorf("fails with %q, the catalogue says %q", message, rule.Fails.Says)
			}
			if said := told(passing, rule.ID); said != "" || passing.Summary.Checks == 0 {
				t.Errorf("does not pass, with %d checks:\n%s", passing.Summary.Checks, said)
			}
		})
	}
}

func firstMessage(r *result.Result, rule string) string {
	for _, f := range r.Findings {
		if f.Rule == rule {
			return f.Message
		}
	}
	for _, p := range r.Problems {
		if p.Rule == rule {
			return p.Message
		}
	}
	return ""
}
