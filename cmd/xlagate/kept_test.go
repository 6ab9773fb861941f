package main

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/result"
)

// TestLastResultOfAnotherVersion is read by a build that knows its schema; of one that it cannot read, explain says so.
func TestLastResultOfAnotherVersion(t *testing.T) {
	dir := quickstartCopy(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(dir)
	was := released
	t.Cleanup(func() { released = was })
	runs := func(of string, code int, args ...string) (said string) {
		t.Helper()
		released = of
		var err bytes.Buffer
		if got := run(t.Context(), append([]string{"xlagate"}, args...), world{out: io.Discard, err: &err, getenv: os.Getenv}); got != code {
			t.Fatalf("xlagate %v: exit %d, wanted %d: %s", args, got, code, err.String())
		}
		return err.String()
	}
	runs("1.0.0", 1, "check", "regressed", "--quiet")
	last, err := loadLast(nil, "xlagate.yaml")
	if err != nil || last == nil {
		t.Fatal(err)
	}
	id := last.Changes[0].ID
	runs("1.0.1", 0, "explain", id)
	runs("1.0.1", 0, "accept", "--only", id, "--reason", "wanted")
	if said := runs("1.0.1", 2, "explain", "000000000000"); !strings.Contains(said, "no kept result has 000000000000; run xlagate check again") {
		t.Error(said)
	}
	files.OpenCache(result.Schema).Store(lastKey(filepath.Join(dir, "xlagate.yaml")), []byte(`{"schema": "xlagate.result/v1", "news": 1}`))
	if said := runs("1.0.1", 2, "explain", id); !strings.Contains(said, "another version of xlagate made the last result, and this one cannot read it; run xlagate check again") {
		t.Error(said)
	}
}

// A check of what did not change shows the result of the one before, whatever changes in between is noticed.
func TestCheckOfWhatDidNotChange(t *testing.T) {
	dir := quickstartCopy(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(dir)
	checks := func(code int, args ...string) string {
		t.Helper()
		var out, err bytes.Buffer
		if got := run(t.Context(), append([]string{"xlagate", "check"}, args...), world{out: &out, err: &err, getenv: os.Getenv}); got != code {
			t.Fatalf("exit %d, wanted %d: %s", got, code, err.String())
		}
		return out.String()
	}
	footprint := func() os.FileInfo {
		all, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "xlagate", "*.facts"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			if info, err := os.Stat(name); err == nil && info.Size() == 2*sha256.Size {
				return info
			}
		}
		return nil
	}
	// twice checks twice. A check that is not found again replaces the footprint's file, one that is leaves it.
	twice := func(code int, args ...string) string {
		t.Helper()
		before, first := footprint(), checks(code, args...)
		noted, again := footprint(), checks(code, args...)
		if again != first {
			t.Errorf("the second check shows\n%s\nand the first\n%s", again, first)
		}
		if runtime.GOOS == "linux" && (noted == nil || os.SameFile(before, noted) || !os.SameFile(noted, footprint())) {
			t.Error("the result is not found again")
		}
		return first
	}
	if checks(0); runtime.GOOS == "linux" && footprint() != nil {
		t.Error("files that were written a moment ago are taken for unchanged later")
	}
	time.Sleep(2100 * time.Millisecond)
	first := twice(0)
	twice(1, "regressed")
	if checks(0) != first {
		t.Error("the last result is that of another dump")
	}
	base := filepath.Join(".xlagate", "classifier", "cpu", "train_step.jsonl")
	data, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(base)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(base, bytes.Replace(data, []byte(`{"end":"facts"}`), []byte(`{"end":"fakts"}`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(base, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	checks(3)
}
