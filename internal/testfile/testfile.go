// Package testfile holds what tests do with files: they unpack samples, and hold what comes out against what came out before.
package testfile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Update is on where tests write down what comes out instead of holding it against what is written: go test ./PACKAGE -update.
var Update = flag.Bool("update", false, "write what comes out into the files that it is held against")

// Golden holds a text against the one in a file.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	t.Errorf("%s differs (-want +got); go test with -update writes it anew:\n%s", path, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
}

// Commit makes a folder a git repository, where it is none yet, and commits all that is in it.
func Commit(t testing.TB, dir string) {
	t.Helper()
	for _, args := range []string{"init -q -b main", "add -A", "commit -q -m start"} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"}, strings.Fields(args)...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
}

// Assembler is an environment in which ptxas says what it said of the PTX in testdata/gpu-kernel_body and testdata/gpu-softmax_barrier, and of no other. root is the
// repository, as seen from the test.
func Assembler(t testing.TB, root string) func(string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "testdata", "ptxas", "ptxas"))
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) string { return map[string]string{"XLAGATE_PTXAS": path}[name] }
}

// Unpack reads a file that gzip packed.
func Unpack(t testing.TB, file string) []byte {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return Gunzip(t, packed)
}

// Gunzip unpacks what gzip packed.
func Gunzip(t testing.TB, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Validator compiles a JSON Schema, or a part of it, "#/$defs/record".
func Validator(t testing.TB, schema any, part string) *jsonschema.Schema {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("schema.json" + part)
}
