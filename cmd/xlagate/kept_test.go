package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
