//go:build unix

package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// begin starts a step that writes generation n: two files change, one comes, one goes, and the file outside changes.
func begin(dir string, n int) (*Step, error) {
	s, err := Begin(filepath.Join(dir, "base"), filepath.Join(dir, "config"))
	if err != nil {
		return nil, err
	}
	s.Write("a/x.yaml", fmt.Appendf(nil, "x%d", n))
	s.Write("a/x.jsonl", fmt.Appendf(nil, "j%d", n))
	s.Write(fmt.Sprintf("new%d/y", n), fmt.Appendf(nil, "y%d", n))
	s.Remove(fmt.Sprintf("new%d/y", n-1))
	s.Also(fmt.Appendf(nil, "c%d", n))
	return s, nil
}

// step makes generation n.
func step(t *testing.T, dir string, n int) {
	t.Helper()
	s, err := begin(dir, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit(), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// contents is every file below a folder but those of a step that is being made, or was killed.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err == nil && e.Name() == staging:
			return fs.SkipDir
		case err != nil || e.IsDir() || e.Name() == lockFile:
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all = append(all, name+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func generation(n int) string {
	return fmt.Sprintf("base/a/x.jsonl=j%[1]d base/a/x.yaml=x%[1]d base/new%[1]d/y=y%[1]d config=c%[1]d", n)
}

func TestStepChangesAll(t *testing.T) {
	dir := t.TempDir()
	for n := 1; n < 4; n++ {
		step(t, dir, n)
		if got := contents(t, dir); got != generation(n) {
			t.Errorf("generation %d is %s", n, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "base/new1")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder is left: %v", err)
	}
}

// TestKilledStep is the process that TestStepThatIsKilled kills.
func TestKilledStep(t *testing.T) {
	at, err := strconv.Atoi(os.Getenv("XLAGATE_KILLED_AT"))
	if err != nil {
		return // the tests of the package
	}
	s, err := begin(os.Getenv("XLAGATE_KILLED_IN"), 2)
	if err != nil {
		t.Fatal(err)
	}
	var held sync.Mutex
	s.reached = func() {
		held.Lock()
		defer held.Unlock()
		if at--; at < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	if err := errors.Join(s.Commit(), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// A process that is killed between any two operations leaves all old or all new to the next one, be it a reader or a writer.
func TestStepThatIsKilled(t *testing.T) {
	olds, news := 0, 0
	for at := 0; ; at++ {
		dir := t.TempDir()
		step(t, dir, 1)
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledStep$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("XLAGATE_KILLED_AT=%d", at), "XLAGATE_KILLED_IN="+dir)
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%v: %s", err, out)
		}
		if _, err := Finish(filepath.Join(dir, "base"), filepath.Join(dir, "config")); err != nil {
			t.Fatal(err)
		}
		switch got := contents(t, dir); got {
		case generation(1):
			olds++
		case generation(2):
			news++
		default:
			t.Errorf("killed at %d: %s", at, got)
		}
		step(t, dir, 3)
		entries, err := os.ReadDir(filepath.Join(dir, "base"))
		if got := contents(t, dir); !strings.HasPrefix(got, "base/a/x.jsonl=j3 base/a/x.yaml=x3 ") || err != nil || entries[0].Name() != "a" {
			t.Errorf("after it was killed at %d the next leaves %s, %v", at, got, entries)
		}
	}
	if olds < 3 || news < 4 {
		t.Errorf("%d left what was old, %d what is new", olds, news)
	}
}

// limited writes so many bytes, and then says that the disk is full.
type limited struct {
	io.Writer
	held *sync.Mutex // of left
	left *int
}

func (l limited) Write(data []byte) (int, error) {
	l.held.Lock()
	defer l.held.Unlock()
	if len(data) <= *l.left {
		*l.left -= len(data)
		return l.Writer.Write(data)
	}
	n, err := l.Writer.Write(data[:*l.left])
	*l.left = 0
	return n, errors.Join(err, syscall.ENOSPC)
}

// A full disk leaves everything as it was, however much of it fitted.
func TestStepOnAFullDisk(t *testing.T) {
	for room := 0; ; room += 11 {
		dir := t.TempDir()
		step(t, dir, 1)
		s, err := begin(dir, 2)
		if err != nil {
			t.Fatal(err)
		}
		var held sync.Mutex
		left := room
		s.limit = func(w io.Writer) io.Writer { return limited{w, &held, &left} }
		err = s.Commit()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err == nil {
			if got := contents(t, dir); got != generation(2) || room < 100 {
				t.Errorf("with %d bytes: %s", room, got)
			}
			return
		}
		if got := contents(t, dir); got != generation(1) || !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes of room: %v: %s", room, err, got)
		}
	}
}

// Of two at once the second is told who is first. Whoever comes after both is let in.
func TestStepsAtOnce(t *testing.T) {
	dir := t.TempDir()
	first, err := begin(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = begin(dir, 2)
	var held *Held
	if !errors.As(err, &held) || !strings.HasPrefix(held.Holder, fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("the second: %v", err)
	}
	if err := errors.Join(first.Commit(), first.Close()); err != nil || contents(t, dir) != generation(1) {
		t.Errorf("%v: %s", err, contents(t, dir))
	}
	step(t, dir, 2)
}

// However many race, one at a time gets through, and each leaves its own files whole.
func TestStepsThatRace(t *testing.T) {
	dir := t.TempDir()
	step(t, dir, 1)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				s, err := Begin(filepath.Join(dir, "base"), "")
				if errors.As(err, new(*Held)) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				x, xErr := s.root.ReadFile("a/x.yaml")
				j, jErr := s.root.ReadFile("a/x.jsonl")
				if err := errors.Join(xErr, jErr); err != nil || string(x[1:]) != string(j[1:]) {
					t.Errorf("%s beside %s: %v", x, j, err)
				}
				s.Write("a/x.yaml", append(x, '+'))
				s.Write("a/x.jsonl", append(j, '+'))
				if err := errors.Join(s.Commit(), s.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, err := os.Stat(filepath.Join(dir, "base", lockFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock is left: %v", err)
	}
}

// What cannot be replaced is told before anything is: a folder in the file's place, a file in the folder's, a file that is protected.
func TestStepThatCannotBeMade(t *testing.T) {
	for name, prepare := range map[string]func(dir string) error{
		"a/x.yaml": func(dir string) error { return os.MkdirAll(dir+"/base/a/x.yaml/z", 0o755) },
		"a": func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/base", 0o755), os.WriteFile(dir+"/base/a", []byte("a"), 0o644))
		},
	} {
		dir := t.TempDir()
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		before := contents(t, dir)
		s, err := begin(dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(); err == nil {
			t.Errorf("%s: it was written", name)
		}
		if err := s.Close(); err != nil || contents(t, dir) != before {
			t.Errorf("%s: %v: %s", name, err, contents(t, dir))
		}
	}
}

// A journal that leads to a file outside of the folder is not followed, and one that somebody else wrote leads nowhere: a repository may hold it.
func TestJournalThatLeadsOut(t *testing.T) {
	sealed := func(j journal) string {
		j.Seal = j.sealed(sealKey())
		text, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, text := range []string{
		strings.Replace(sealed(journal{Files: []journaled{{"elsewhere", "0"}}}), "elsewhere", "in", 1), // changed after it was sealed
		sealed(journal{Files: []journaled{{"../out", "0"}}}), sealed(journal{Files: []journaled{{"/out", "0"}}}), sealed(journal{Files: []journaled{{"link/out", "0"}}}),
		sealed(journal{Also: "/etc/other"}), `{`, `{"files":[{"name":"in","staged":"0"}]}`, `{"files":[{"name":"in","staged":"0"}],"seal":"00"}`, `{"files":[],"also":"DIR/config"}`,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "out"), "old")
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "base", staging), 0o755), os.Symlink(dir, filepath.Join(dir, "base/link"))); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "base", staging, "0"), "new")
		write(t, filepath.Join(dir, "base/in"), "old")
		write(t, filepath.Join(dir, "base", staging, "also"), "new")
		write(t, filepath.Join(dir, "config"), "old")
		write(t, filepath.Join(dir, "base", journalFile), strings.ReplaceAll(text, "DIR", dir))
		if _, err := Finish(filepath.Join(dir, "base"), filepath.Join(dir, "config")); err == nil {
			t.Errorf("%s was done", text)
		}
		for _, name := range []string{"out", "base/in", "config"} {
			holds(t, filepath.Join(dir, name), "old")
		}
	}
}

// A link in the lock's place is not followed out of the folder: the lock is emptied and written.
func TestLockThatLeadsOut(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	write(t, out, "old")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "base"), 0o755), os.Symlink(out, filepath.Join(dir, "base", lockFile))); err != nil {
		t.Fatal(err)
	}
	if s, err := begin(dir, 1); err == nil {
		t.Error("it was locked", s.Close())
	}
	holds(t, out, "old")
}

// A pipe is written as it is: whoever reads it waits for that.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, pipe, "text")
	if info, err := os.Stat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("it was replaced: %v, %v", info.Mode(), err)
	}
}

// The only other file of a folder is removed in the step that writes a file there.
func TestStepThatRenamesTheOnlyFile(t *testing.T) {
	for _, names := range [][2]string{{"in/a", "in/b"}, {"in/b", "in/a"}} {
		dir := t.TempDir()
		for i, name := range names {
			s, err := Begin(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			s.Write(name, []byte(name))
			if i == 1 {
				s.Remove(names[0])
			}
			if err := errors.Join(s.Commit(), s.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if data, err := os.ReadFile(filepath.Join(dir, names[1])); err != nil || string(data) != names[1] {
			t.Errorf("%v: %q, %v", names, data, err)
		}
	}
}
