package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

const step = "../testdata/module_0000.jit_adam_step.cpu_after_optimizations"

func TestModule(t *testing.T) {
	for _, ending := range []string{".txt", ".hlo.pb"} {
		path := filepath.Join(t.TempDir(), "large"+ending)
		var out strings.Builder
		if err := run([]string{"-size", "2MB", "-o", path, step + ending + ".zst"}, &out); err != nil {
			t.Fatal(err)
		}
		if want := path + ": 2 copies\n"; out.String() != want {
			t.Errorf("said %q, want %q", out.String(), want)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := hlo.Parse(src, path); err != nil || m.Name != "jit_adam_step" {
			t.Errorf("%v", err)
		}
	}
}

func TestDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dump")
	if err := run([]string{"-modules", "3", "-o", dir, step + ".txt.zst"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
		t.Errorf("%d files: %v", len(files), err)
	}
}

func TestWrongUse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "name a module and where to write"},
		{[]string{"-o", "x", "missing.txt"}, "missing.txt"},
		{[]string{"-o", "x", "-size", "10 GB", step + ".txt.zst"}, "expected megabytes"},
		{[]string{"-o", filepath.Join("no", "such", "folder"), "-size", "1MB", step + ".txt.zst"}, "folder"},
		{[]string{"-o", t.TempDir(), "-modules", "1", step + ".hlo.pb.zst"}, "it takes HLO text"},
	} {
		if err := run(c.args, io.Discard); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v; want %q", c.args, err, c.says)
		}
	}
}
