package xlagate_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/gate"
	"github.com/xlagate/xlagate/internal/result"
)

var howManyCut = flag.Int("truncations", 30, "how many files are cut off; .ci/run truncations takes 300")

// someFile is a file of a dump in the repository.
type someFile struct{ archive, path string }

// filesOfAllKinds are so many files of real dumps, each kind in turn and of each archive few.
func filesOfAllKinds(t *testing.T, n int) []someFile {
	t.Helper()
	byKind := map[dump.Kind][]someFile{}
	for _, archive := range everyDump(t) {
		d := openedAt(t, archive)
		var all []*dump.File
		for _, m := range d.Modules {
			all = append(all, m.Files()...)
		}
		size := int64(0)
		all = slices.Concat(all, d.Graphs, d.Traces, d.Other) // a log ends where its writer ended: only the record of a capture tells
		if d.Toolchain != nil {
			all = append(all, d.Toolchain)
		}
		for _, f := range all {
			size += f.Size
		}
		if size > 4<<20 {
			continue
		}
		seen := map[dump.Kind]bool{}
		for _, f := range all {
			if _, name, ok := strings.Cut(f.Path, ".xz!"); ok && !seen[f.Kind] && f.Size > 0 && f.Size < 1<<18 {
				seen[f.Kind] = true
				byKind[f.Kind] = append(byKind[f.Kind], someFile{archive, name})
			}
		}
	}
	var chosen []someFile
	for i := 0; len(chosen) < n && len(byKind) > 0; i++ {
		for _, kind := range slices.Sorted(maps.Keys(byKind)) {
			list := byKind[kind]
			at := (i * 37) % len(list)
			if chosen = append(chosen, list[at]); len(list) == 1 {
				delete(byKind, kind)
			} else {
				byKind[kind] = slices.Delete(slices.Clone(list), at, at+1)
			}
		}
	}
	return chosen[:min(n, len(chosen))]
}

// cuts are the places at which a file is cut: every 1 %, and the ends of lines, or of so many of them.
func cuts(data []byte, most int) []int {
	places := map[int]bool{0: true}
	for i := range min(most, 100) {
		places[len(data)*i/min(most, 100)] = true
	}
	var ends []int
	for i, c := range data[:len(data)-1] {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	for i := range min(most, len(ends)) {
		places[ends[i*len(ends)/min(most, len(ends))]] = true
	}
	for _, end := range ends[max(0, len(ends)-most/4):] {
		places[end] = true
	}
	return slices.Sorted(maps.Keys(places))
}

// verdictOf is all that a result says of a dump but where the dump lies.
func verdictOf(r *result.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d\n%s", r.ExitCode, findings(r))
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s: %s\n", n.Kind, n.Message)
	}
	for _, target := range r.Targets {
		fmt.Fprintf(&b, "not covered: %q\n", target.NotCovered)
	}
	return b.String()
}

// A file that was cut off, at any place, is told or changes nothing: the verdict is that of the whole dump, or exit 3 with a reason.
func TestTruncatedIsNeverGreen(t *testing.T) {
	most := 12
	if *howManyCut > 30 {
		most = 100
	}
	byArchive := map[string][]string{}
	for _, f := range filesOfAllKinds(t, *howManyCut) {
		byArchive[f.archive] = append(byArchive[f.archive], f.path)
	}
	for _, archive := range slices.Sorted(maps.Keys(byArchive)) {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			truncated(t, archive, byArchive[archive], most)
		})
	}
}

// truncated accepts a dump, and checks it with some of its files cut off.
func truncated(t *testing.T, archive string, paths []string, most int) {
	dir := t.TempDir()
	content := map[string][]byte{}
	for _, e := range unpacked(t, archive) {
		path := filepath.Join(dir, e.Name)
		if e.FileInfo().IsDir() {
			continue
		}
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, e.data, 0o600)); err != nil {
			t.Fatal(err)
		}
		content[filepath.Clean(e.Name)] = e.data
	}
	g := gatedBy(t, every(dir))
	if _, err := gate.Accept(t.Context(), g.options(dir), gate.AcceptOptions{Reason: "start"}); err != nil {
		t.Skip(err) // TestAcceptedPasses says which may be refused
	}
	whole := verdictOf(g.check(dir))
	for _, path := range paths {
		file := filepath.Join(dir, path)
		data, ok := content[path]
		if !ok || len(data) == 0 {
			t.Fatalf("no %s in %q", path, slices.Sorted(maps.Keys(content)))
		}
		for _, n := range cuts(data, most) {
			if err := os.WriteFile(file, data[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			r := g.check(dir)
			if got := verdictOf(r); got != whole && r.ExitCode != gate.ExitIncomplete {
				t.Errorf("%s, %d of %d bytes, %d of %d lines:\n%sinstead of\n%s", path, n, len(data), bytes.Count(data[:n], []byte("\n")), bytes.Count(data, []byte("\n")), got, whole)
				break
			}
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
