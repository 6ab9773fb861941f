package hlotest

import (
	"archive/zip"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Made is a hand-written module with the prints and the proto that XLA's own parser makes of it; see testdata/xla/make.py.
type Made struct {
	Name      string
	Written   string // by hand
	Printed   string // by XLA
	Canonical string // by XLA, with nested bodies
	Proto     []byte // a HloModuleProto
	Cost      string // flops, transcendentals and bytes by XLA's cost analysis
}

// Forms yields the module in each of its forms, without what is no module: XLA's parser also makes one of an instruction outside a computation.
func (m Made) Forms() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		instruction := strings.HasPrefix(m.Name, "instruction_")
		_ = yield("proto", m.Proto) && (instruction || yield("written", []byte(m.Written))) && yield("printed", []byte(m.Printed)) &&
			yield("canonical", []byte(m.Canonical))
	}
}

// MadeByXLA reads the modules of a directory.
func MadeByXLA(t testing.TB, dir string) (modules []Made) {
	t.Helper()
	printed, canonical, costs := sections(t, dir, "printed.txt"), sections(t, dir, "canonical.txt"), sections(t, dir, "costs.txt")
	written := sections(t, dir, "modules.txt")
	protos, err := zip.OpenReader(filepath.Join(dir, "protos.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer protos.Close()
	for _, f := range protos.File {
		packed, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		proto, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, Made{f.Name, written[f.Name], printed[f.Name], canonical[f.Name], proto, costs[f.Name]})
	}
	if len(modules) == 0 || len(modules) != len(written) {
		t.Fatalf("%s holds %d modules and %d protos: make.py makes them", dir, len(written), len(modules))
	}
	return modules
}

// sections reads a file of texts, each behind a line === name.
func sections(t testing.TB, dir, file string) map[string]string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, section := range strings.Split("\n"+string(src), "\n=== ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		texts[name] = text
	}
	return texts
}
