package facts

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/internal/dump"
)

// spacesWithout measures what a dump's programs take of each memory space, without the companions of a kind.
func spacesWithout(t *testing.T, path string, kind dump.Kind) map[string]Values {
	t.Helper()
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, m := range d.Modules {
		m.Companions = slices.DeleteFunc(m.Companions, func(f *dump.File) bool { return f.Kind == kind })
	}
	r, err := Measure(context.Background(), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]Values{}
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			spaces := maps.Clone(v.Facts)
			maps.DeleteFunc(spaces, func(id ID, _ float64) bool { _, space := MemorySpace.Member(id); return !space })
			all[p.Name+v.Signature] = spaces
		}
	}
	return all
}

// A TPU's memory usage report and its buffer assignment say the same of each memory space: either will do.
func TestMemoryReportStandsIn(t *testing.T) {
	dumps, err := filepath.Glob("../../testdata/tpu-*/*.tar.xz")
	if err != nil || len(dumps) == 0 {
		t.Fatalf("%d dumps, %v", len(dumps), err)
	}
	for _, path := range dumps {
		assigned, reported := spacesWithout(t, path, dump.KindMemoryReport), spacesWithout(t, path, dump.KindBufferAssignment)
		for program, spaces := range assigned {
			if len(spaces) == 0 {
				t.Errorf("%s: %s has no memory spaces", path, program)
			}
		}
		if diff := cmp.Diff(assigned, reported); diff != "" {
			t.Errorf("%s (-assigned +reported)\n%s", path, diff)
		}
	}
}

// Of TensorFlow's compiler IR, the proto with the buffers says what memory the optimized module takes that was stored beside it as text.
func TestMemoryOfCompilerIR(t *testing.T) {
	d, err := dump.Open(t.Context(), "../dump/testdata/tf-compiler-ir.tar.xz", dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	kept := t.TempDir()
	for _, m := range d.Modules {
		for _, f := range m.Files() {
			name := filepath.Base(strings.ReplaceAll(f.Path, "!", "/"))
			if word := strings.TrimPrefix(filepath.Ext(name), "."); word != "optimized_hlo" && word != "optimized_hlo_proto_serialized" {
				continue
			}
			if err := f.Read(func(data []byte) error { return os.WriteFile(filepath.Join(kept, name), data, 0o600) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := measureDump(t, kept, Options{})
	if len(r.Programs) != 2 {
		t.Fatalf("programs %s, problems %v", programNames(r.Programs), r.Problems)
	}
	for _, p := range r.Programs {
		f := p.Variants[0].Facts
		if f[MemoryArgument] == 0 || f[MemoryPeak] < f[MemoryArgument]+f[MemoryOutput]+f[MemoryTemp]-f[MemoryAlias] {
			t.Errorf("%s: %v", p.Name, f)
		}
	}
}
