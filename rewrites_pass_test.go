package xlagate_test

import (
	"archive/tar"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

var howMany = flag.Int("rewrites", 200, "how many dumps are rewritten; .ci/run rewrites takes a thousand")

// Whatever a run may spell otherwise without another program has no finding.
func TestRewrittenPasses(t *testing.T) {
	var dumps []string
	for _, path := range everyDump(t) {
		if onlyText(unpacked(t, path)) {
			dumps = append(dumps, path)
		}
	}
	if len(dumps) < 100 {
		t.Fatalf("only %d dumps are text", len(dumps))
	}
	perDump := (*howMany + len(dumps) - 1) / len(dumps)
	for i, path := range dumps {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			passesRewritten(t, path, rand.New(rand.NewPCG(21, uint64(i))), perDump)
		})
	}
}

// passesRewritten accepts a dump and checks some that say the same.
func passesRewritten(t *testing.T, path string, random *rand.Rand, times int) {
	g := gatedBy(t, every(path))
	if _, err := gate.Accept(t.Context(), g.options(path), gate.AcceptOptions{Reason: "start"}); err != nil {
		t.Skip(err) // TestAcceptedPasses says which may be refused
	}
	original, entries := g.check(path), unpacked(t, path)
	for range times {
		said, other := rewritten(entries, random)
		got := g.check(written(t, other))
		if was, is := findings(original), findings(got); was != is || got.ExitCode != original.ExitCode {
			t.Errorf("%s: exit %d, was %d\n%sinstead of\n%s", said, got.ExitCode, original.ExitCode, is, was)
		}
	}
}

// rewritten applies some of the rewrites, and says which.
func rewritten(entries []packed, random *rand.Rand) (said string, out []packed) {
	var what []string
	for _, i := range random.Perm(len(rewrites))[:1+random.IntN(3)] {
		what = append(what, rewrites[i].what)
		entries = rewrites[i].of(entries, random)
	}
	return strings.Join(what, "; "), entries
}

// findings are what a result found, without the messages: they name lines and modules.
func findings(r *result.Result) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintln(&b, "could not check:", p.Message)
	}
	for _, f := range r.Findings {
		fmt.Fprintln(&b, f.Level, f.Rule, f.Program)
	}
	return b.String()
}

// written is an archive with these files.
func written(t *testing.T, entries []packed) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "rewritten.tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := tar.NewWriter(f)
	for _, e := range entries {
		if err := w.WriteHeader(e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
