//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// quickstartCopy is a copy of the example.
func quickstartCopy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(quickstart)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func in(dir string, cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	return cmd
}

// screen collects what a terminal shows and lets a test wait for it.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// shows waits until a text is on the screen as often as it should.
func (s *screen) shows(t *testing.T, text string, times int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		n := strings.Count(s.text.String(), text)
		s.mu.Unlock()
		if n >= times {
			return
		}
	}
	t.Fatalf("%q is not shown %d times:\n%s", text, times, s.text.String())
}

// atTerminal runs a command line at a terminal, presses keys, each when the text before it is shown, and returns how it ended.
func atTerminal(t *testing.T, dir string, presses [][2]string, args ...string) (*screen, int) {
	t.Helper()
	cmd := in(dir, exec.Command(program(t), args...))
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	s, done := &screen{}, make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(s, terminal) // Linux ends what is read of a terminal with an error
	}()
	for _, p := range presses {
		s.shows(t, p[0], 1)
		if _, err := terminal.WriteString(p[1]); err != nil {
			t.Fatal(err)
		}
	}
	<-done
	_ = cmd.Wait() // how it ended is its exit code
	return s, cmd.ProcessState.ExitCode()
}

func TestAcceptInteractive(t *testing.T) {
	dir := quickstartCopy(t)
	keys := [][2]string{
		{"change 1 of 3", "?ce"}, // a key without a meaning, the code, the evidence
		{"~    19 | ", "a"},
		{"change 2 of 3", "\x1b[A"},
		{"change 2 of 3", "r"},
		{"change 3 of 3", "b"},
		{"rejected", "sq"},
		{"reason: ", "the callback is wanted\r"},
	}
	s, code := atTerminal(t, dir, keys, "accept", "-i", "regressed")
	for _, text := range []string{"a accept   s skip", "1 change accepted, 0 rejected, 2 skipped", "wrote    .xlagate/classifier/cpu/train_step.jsonl", "allowed  train.py:19 in watch"} {
		s.shows(t, text, 1)
	}
	if code != 0 {
		t.Errorf("exit %d:\n%s", code, s.text.String())
	}
	file, err := os.ReadFile(filepath.Join(dir, ".xlagate/classifier/cpu/train_step.jsonl"))
	if err != nil || !strings.Contains(string(file), "the callback is wanted") {
		t.Errorf("%v, the baseline has no reason:\n%s", err, file)
	}
	s, _ = atTerminal(t, dir, [][2]string{{"change 1 of", "rq"}}, "accept", "-i", "regressed")
	s.shows(t, "undo     train.py:", 1)
}

// Nothing is written when the person leaves, whatever was accepted until then.
func TestAcceptInteractiveLeft(t *testing.T) {
	for what, keys := range map[string][][2]string{
		"at a change":   {{"change 1 of 3", "a"}, {"change 2 of 3", "\x03"}},
		"at the reason": {{"change 1 of 3", "A"}, {"reason: ", "because\x03"}},
	} {
		dir := quickstartCopy(t)
		s, code := atTerminal(t, dir, keys, "accept", "-i", "regressed")
		s.shows(t, "nothing was accepted", 1)
		if changed, err := exec.Command("diff", "-r", "../../examples/quickstart/.xlagate", filepath.Join(dir, ".xlagate")).Output(); code != 2 || err != nil {
			t.Errorf("%s: exit %d, %v: %s", what, code, err, changed)
		}
	}
}

func TestAcceptInteractiveWithoutChange(t *testing.T) {
	s, code := atTerminal(t, quickstartCopy(t), nil, "accept", "-i", "good")
	if s.shows(t, "no change breaks a rule", 1); code != 0 {
		t.Errorf("exit %d", code)
	}
}
