package hlo

import (
	"path/filepath"
	"testing"

	"github.com/xlagate/xlagate/internal/testfile"
)

func readDump(t testing.TB, file string) *Module {
	t.Helper()
	read := ParseText
	if filepath.Ext(file) == ".pb" {
		read = ParseProto
	}
	m, err := read(readFile(t, file), file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readFile(t testing.TB, file string) []byte { return testfile.Unpack(t, "testdata/"+file+".gz") }
