package dump

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// Finding the problems of very many files takes time in proportion to their number: an archive of a hundred thousand empty files has a few megabytes.
func TestManyEmptyFiles(t *testing.T) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	const n = 100_000
	for i := range n {
		if _, err := z.Create(fmt.Sprintf("m%06d.txt", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.zip")
	write(t, path, packed.Bytes())
	start := time.Now()
	d := open(t, path)
	if took := time.Since(start); len(d.Problems) < n || took > 20*time.Second {
		t.Errorf("%d problems in %s", len(d.Problems), took)
	}
}
