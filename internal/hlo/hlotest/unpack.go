// Package hlotest holds what tests on real modules have in common.
package hlotest

import (
	"compress/gzip"
	"io"
	"os"
	"testing"
)

// Unpack reads file.gz.
func Unpack(t testing.TB, file string) []byte {
	t.Helper()
	packed, err := os.Open(file + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	source, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return source
}
