package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/rules"
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

// Copies of a dump are dumps, and targets of a configuration.
func TestLinks(t *testing.T) {
	made, dir := filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "copies")
	if err := run([]string{"-modules", "2", "-o", made, step + ".txt.zst"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run([]string{"-links", "-size", "5MB", "-o", dir, made}, &out); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(rules.All, filepath.Join(dir, config.FileName), config.FileName)
	if err != nil || out.String() != dir+": 3 copies\n" || len(cfg.Targets) != 3 {
		t.Fatalf("%q, %v, %v", out.String(), cfg, err)
	}
	for _, target := range cfg.Targets {
		d, err := dump.Open(t.Context(), filepath.Join(dir, target.Dump), dump.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Modules) != 2 || len(d.Problems) > 0 {
			t.Errorf("%s: %d modules, %v", target.Name, len(d.Modules), d.Problems)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
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
		{[]string{"-o", t.TempDir(), "-links", "-size", "1MB"}, "make copies of dumps: there is none"},
		{[]string{"-o", t.TempDir(), "-links", "-size", "1MB", t.TempDir()}, "holds nothing"},
	} {
		if err := run(c.args, io.Discard); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v; want %q", c.args, err, c.says)
		}
	}
}
