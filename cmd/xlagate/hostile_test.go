package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/gate"
)

// The name of a file in a dump is no command to GitHub's runner and no escape sequence, whichever command quotes it and on whichever stream.
func TestHostileFileName(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "module_0001.jit_a\n::error::x##[error]y\x1b[31m.cpu_after_optimizations.txt")
	if err := os.WriteFile(name, []byte("HloModule jit_b##[error]z\n"), 0o600); err != nil {
		t.Skip(err) // Windows has no such names
	}
	for _, args := range [][]string{{"inspect", dir}, {"facts", dir}, {"diff", dir, dir}, {"export", "--to", "hlo", dir, "-o", filepath.Join(t.TempDir(), "y")}, {"init", "-o", filepath.Join(t.TempDir(), "x"), dir}} {
		var out bytes.Buffer
		if code := run(t.Context(), append([]string{"xlagate"}, args...), world{in: strings.NewReader(""), out: &out, err: &out, getenv: os.Getenv}); code != gate.ExitIncomplete {
			t.Errorf("%s: exit %d", args[0], code)
		}
		said := out.String()
		if !strings.Contains(said, "jit_a") || strings.Contains(said, "\n::") || strings.Contains(said, "##[") || strings.Contains(said, "\x1b") {
			t.Errorf("%s says:\n%q", args[0], said)
		}
	}
}

// neverEnds counts what is read of an input that never ends.
type neverEnds struct{ read int64 }

func (e *neverEnds) Read(p []byte) (int, error) {
	if e.read += int64(len(p)); e.read > 2<<20 {
		return 0, errors.New("too much was read")
	}
	return len(p), nil
}

// A result on the standard input is read up to its bound.
func TestHostileInput(t *testing.T) {
	in := new(neverEnds)
	_, err := readInput(world{in: in}, "-", 1<<20)
	var unreadable *gate.Unreadable
	if !errors.As(err, &unreadable) || unreadable.Where != "standard input" || !strings.HasPrefix(unreadable.Message, "the file has more than 1.0 MiB") {
		t.Errorf("%v after %d bytes", err, in.read)
	}
}
