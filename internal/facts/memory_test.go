package facts

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
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
