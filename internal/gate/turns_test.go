//go:build unix

package gate

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/testfile"
)

// threeTargets are captured by commands that dump the quickstart's step, each as if its lines were in another file, and write down when they began.
func threeTargets(t *testing.T, more string) Options {
	t.Helper()
	example, err := filepath.Abs("../../examples/quickstart")
	if err != nil {
		t.Fatal(err)
	}
	yaml := recommended + "targets:\n"
	for _, name := range []string{"a", "b", "c"} {
		yaml += fmt.Sprintf("  - {name: %[1]s, capture: {run: 'sh dump.sh %[1]s'}}\n", name)
	}
	o := options(t, yaml+more)
	o.Dir = o.Config.Dir
	write(t, filepath.Join(o.Dir, "dump.sh"), fmt.Sprintf(`echo $1 >> began
to=${XLA_FLAGS#*--xla_dump_to=}; to=${to%%%% *}
for f in %[1]s/$(cat dump-of-$1)/module_0000*; do sed "s/train.py/$1.py/" "$f" > "$to/$(basename "$f")"; done
echo loss of $1; echo one stream >&2; printf unfinished
`, example))
	for _, name := range []string{"a", "b", "c"} {
		write(t, filepath.Join(o.Dir, "dump-of-"+name), "good")
		write(t, filepath.Join(o.Dir, name+".py"), "x\n")
	}
	testfile.Commit(t, o.Dir)
	o.Edits = func() (*git.Edits, string) {
		return git.EditsSince(t.Context(), o.Dir, "HEAD", func(string) string { return "" })
	}
	return o
}

// The target whose model was edited is captured first, and what fails in it is told before the others are captured.
func TestEditedTargetFirst(t *testing.T) {
	o := threeTargets(t, "")
	accept(t, o, AcceptOptions{Reason: "first"})
	write(t, filepath.Join(o.Dir, "dump-of-c"), "regressed")
	write(t, filepath.Join(o.Dir, "c.py"), "x\ny\n")
	if err := os.Remove(filepath.Join(o.Dir, "began")); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	o.Captured, o.Warn, o.Jobs = &said, func(message string) { fmt.Fprintln(&said, message) }, 1
	r := check(t, o)
	if r.ExitCode != ExitFindings || r.Targets[0].Name != "a" {
		t.Errorf("exit %d, first %s", r.ExitCode, r.Targets[0].Name)
	}
	began, err := os.ReadFile(filepath.Join(o.Dir, "began"))
	if err != nil || string(began) != "c\na\nb\n" {
		t.Errorf("captured in the order %q (%v)", began, err)
	}
	text := said.String()
	failed, next := strings.Index(text, ": fail (train_step: "), strings.Index(text, "target a: running sh dump.sh a (after it: 1 target)")
	if failed < 0 || next < failed || strings.Count(text, ": pass\n") != 2 || !strings.Contains(text, "target b: compiled 1, restored 0 programs in ") {
		t.Errorf("said %s", text)
	}
}

// Of captures that run side by side, each line of the output is of one command, and the result is the same.
func TestSideBySide(t *testing.T) {
	o := threeTargets(t, "")
	accept(t, o, AcceptOptions{Reason: "first"})
	alone := check(t, o)
	var said bytes.Buffer
	o.Captured, o.Jobs = &said, 3
	if r := check(t, o); r.ExitCode != alone.ExitCode || r.Summary != alone.Summary {
		t.Errorf("side by side %d %+v, alone %d %+v", r.ExitCode, r.Summary, alone.ExitCode, alone.Summary)
	}
	for _, name := range []string{"a", "b", "c"} {
		if !strings.Contains(said.String(), name+" | loss of "+name+"\n") {
			t.Errorf("of %s: %q", name, said.String())
		}
	}
	if strings.Count(said.String(), "unfinished") != 3 || strings.Count(said.String(), "\n") != strings.Count(said.String(), " | ") {
		t.Errorf("%q", said.String())
	}
}

// How many captures run at once follows from the processors and the memory; a limit on the compile time takes a target out.
func TestAtOnce(t *testing.T) {
	o := threeTargets(t, "rules:\n  - {rule: max-compile-time, target: b, max: 1m}\n")
	for _, c := range []struct {
		jobs   int
		memory int64
		want   int
	}{{1, 0, 1}, {3, 0, 3}, {8, 9 << 30, 2}, {8, 1 << 30, 1}} {
		o.Jobs, o.MaxMemory = c.jobs, c.memory
		if got := o.atOnce(o.Config.Targets, nil); got != c.want {
			t.Errorf("%d jobs, %d bytes: %d at once, want %d", c.jobs, c.memory, got, c.want)
		}
		if got := o.atOnce(o.Config.Targets, []string{"/dev/null*"}); got != 1 {
			t.Errorf("with an accelerator: %d at once", got)
		}
	}
	for i, want := range []bool{false, true, false} {
		if got := o.alone(o.Config.Targets[i]); got != want {
			t.Errorf("target %d alone: %v", i, got)
		}
	}
}
