package xlagate_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mikelolasagasti/xz"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// everyDump lists the real dumps in the repository that can be unpacked.
func everyDump(t *testing.T) []string {
	t.Helper()
	var dumps []string
	for _, root := range []string{"testdata", "internal", "examples"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Base(path) == "damaged" {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, ".tar.xz") || strings.HasSuffix(path, ".tar.gz") {
				dumps = append(dumps, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(dumps) < 200 {
		t.Errorf("only %d dumps", len(dumps))
	}
	return dumps
}

// packed is one entry of an archive.
type packed struct {
	*tar.Header
	data []byte
}

func unpacked(t *testing.T, archive string) []packed {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var plain io.Reader
	if strings.HasSuffix(archive, ".xz") {
		plain, err = xz.NewReader(f, 0)
	} else {
		plain, err = gzip.NewReader(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	var entries []packed
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, packed{h, data})
	}
}

// backwards is an archive at another place, not compressed, with its entries in the opposite order.
func backwards(t *testing.T, entries []packed) string {
	t.Helper()
	entries = slices.Clone(entries)
	slices.Reverse(entries)
	return written(t, entries)
}

// told is a report as text, whatever the dump is called.
func told(t *testing.T, r *facts.Report, path string) string {
	t.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), path, "DUMP")
}

func openedAt(t *testing.T, path string) *dump.Dump {
	t.Helper()
	d, err := dump.Open(t.Context(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// What is measured of a dump is the same wherever it lies, in whatever order its files stand, and however many are measured at once.
func TestMeasuredTheSameHoweverItIsRead(t *testing.T) {
	for _, path := range everyDump(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			opts := facts.Options{Jobs: 1}
			one, err := facts.Measure(t.Context(), openedAt(t, path), opts)
			if err != nil {
				t.Fatal(err)
			}
			want := told(t, one, path)
			other := backwards(t, unpacked(t, path))
			opts.Jobs = 4
			many, err := facts.Measure(t.Context(), openedAt(t, other), opts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, told(t, many, other)); diff != "" {
				t.Errorf("backwards, elsewhere, four at once:\n%s", diff)
			}
		})
	}
}
