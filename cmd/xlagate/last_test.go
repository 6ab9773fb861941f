package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// The last result is read by a build that knows its schema. Of one that it cannot read, explain says so.
func TestLastResultOfAnotherVersion(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(quickstartCopy(t))
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
	if said := runs("1.0.0", 2, "report"); !strings.Contains(said, "nothing was checked here yet; run xlagate check") {
		t.Error(said)
	}
	runs("1.0.0", 1, "check", "regressed", "--quiet")
	w := world{getenv: os.Getenv}
	last := lastCheck(w)
	if last == nil {
		t.Fatal("no check is kept")
	}
	r, err := last.result()
	if err != nil {
		t.Fatal(err)
	}
	id := r.Changes[0].ID
	runs("1.0.1", 0, "report")
	runs("1.0.1", 0, "explain", id)
	runs("1.0.1", 0, "accept", "--only", id, "--reason", "wanted")
	if said := runs("1.0.1", 2, "explain", "000000000000"); !strings.Contains(said, "the last result does not have 000000000000; run xlagate check again") {
		t.Error(said)
	}
	name, err := lastPlace(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("{\"config\": \"xlagate.yaml\"}\n{\"schema\": \"xlagate.result/v1\", \"news\": 1}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := runs("1.0.1", 2, "explain", id); !strings.Contains(said, "another version of xlagate made the last result, and this one cannot read it; run xlagate check again") {
		t.Error(said)
	}
}
