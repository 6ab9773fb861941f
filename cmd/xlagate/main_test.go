package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/testfile"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"xlagate": main,
	})
}

// TestScripts runs the command lines in testdata/script. $VERSION is the program's version, $DUMPS is the repository's folder of real dumps, $PTXAS the assembler of its own there, $EXAMPLES its examples.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *testfile.Update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DUMPS", filepath.Join(root, "testdata"))
			env.Setenv("EXAMPLES", filepath.Join(root, "examples"))
			env.Setenv("LOGS", filepath.Join(root, "internal/logs/testdata"))
			env.Setenv("PROFILES", filepath.Join(root, "internal/logs/testdata"))
			env.Setenv("VERSION", version())
			env.Setenv("NO_COLOR", "1")
			env.Setenv("XLAGATE_PTXAS", "off")
			env.Setenv("PTXAS", filepath.Join(root, "testdata/ptxas/ptxas"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "stored": storedAs},
	})
}

// exits runs `exits CODE COMMAND…` and fails unless the exit code is just that.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = exitStatus(err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, wanted %s", code, args[0])
	}
}

// storedAs runs `stored forget FACT FILE` or `stored rename PROGRAM FILE` and writes a baseline as though it had been accepted so: without the facts
// that begin with FACT, or under another name.
func storedAs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: stored forget FACT FILE, stored rename PROGRAM FILE")
	}
	file := ts.MkAbs(args[2])
	dir := filepath.Dir(file)
	p, err := baseline.LoadProgram(os.DirFS(dir), filepath.Base(file))
	ts.Check(err)
	ts.Check(os.Remove(file))
	if args[0] == "rename" {
		p.Name = args[1]
	} else {
		for _, v := range p.Variants {
			maps.DeleteFunc(v.Facts, func(name facts.ID, _ float64) bool { return strings.HasPrefix(string(name), args[1]) })
		}
	}
	ts.Check(os.WriteFile(filepath.Join(dir, baseline.FileName(p.Name)), baseline.Format(p, nil, ""), 0o644))
}

func exitStatus(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}

// program is the program as a file to be started: the test's own, which TestMain makes it when it is called so.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "xlagate")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}
