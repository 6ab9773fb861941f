//go:build unix

package dump

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGuardAgainstAShrinkingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "module_0000.jit_f.cpu_after_optimizations.txt")
	if err := os.WriteFile(path, bytes.Repeat([]byte("HloModule f\n"), 1<<18), 0o644); err != nil {
		t.Fatal(err)
	}
	data, release, err := FileAt(path, 0).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	count := func() error { lines = bytes.Count(data, []byte("\n")); return nil }
	if err := Guard(count); err != nil || lines != 1<<18 {
		t.Errorf("counted %d lines, %v", lines, err)
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if err := Guard(count); !errors.Is(err, ErrShrunk) {
		t.Errorf("a file that shrank gives %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

// What is wrong with xlagate itself is an error of the file that it was reading.
func TestGuardTellsDefects(t *testing.T) {
	var list []int
	err := Guard(func() error { list[len(list)] = 1; return nil })
	if broke := (*Defect)(nil); !errors.As(err, &broke) || !strings.HasPrefix(broke.At, "internal/dump/guard_test.go:") {
		t.Errorf("%v", err)
	}
}
