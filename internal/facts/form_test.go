package facts

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/xlagate/xlagate/internal/dump"
)

// measuredDump is what a dump holds, of which nothing may be left unread.
func measuredDump(t *testing.T, path string) *Report {
	t.Helper()
	d, err := dump.Open(context.Background(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	r, err := Measure(context.Background(), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) > 0 {
		t.Fatalf("%s: %+v", path, r.Problems)
	}
	return r
}

// A module says the same as text and as proto, compressed or not.
func TestTextAndProtoSayTheSame(t *testing.T) {
	const dir = "../../testdata/cpu-fusion_callback_barrier/"
	proto, packed := measuredDump(t, dir+"proto.tar.xz"), measuredDump(t, dir+"proto_compressed.tar.xz")
	text := measuredDump(t, dir+"before.tar.xz")
	for name, other := range map[string]*Report{"proto": proto, "packed proto": packed} {
		if len(other.Programs) != len(text.Programs) {
			t.Fatalf("%s: %d programs, %d of the text", name, len(other.Programs), len(text.Programs))
		}
		for i, p := range text.Programs {
			for j, v := range p.Variants {
				sameMeasurement(t, name, v, other.Programs[i].Variants[j])
			}
		}
	}
}

func sameMeasurement(t *testing.T, name string, a, b *Variant) {
	t.Helper()
	if a.Fingerprint != b.Fingerprint || a.InputPrint != b.InputPrint || a.Signature != b.Signature || a.Result != b.Result {
		t.Errorf("%s: %s %s and %s %s", name, a.Signature, a.Fingerprint, b.Signature, b.Fingerprint)
	}
	if diff := cmp.Diff(a.Facts, b.Facts); diff != "" {
		t.Errorf("%s: facts %s", name, diff)
	}
	if diff := cmp.Diff(a.Params, b.Params); diff != "" {
		t.Errorf("%s: arguments %s", name, diff)
	}
	if len(a.Kernels) != len(b.Kernels) {
		t.Fatalf("%s: %d and %d kernels", name, len(a.Kernels), len(b.Kernels))
	}
	for i := range a.Kernels {
		x, y := &a.Kernels[i], &b.Kernels[i]
		if x.Print != y.Print || x.Family != y.Family || x.OpName != y.OpName || x.Kind != y.Kind || x.Out != y.Out || x.Bytes != y.Bytes || x.Flops != y.Flops || x.Source != y.Source {
			t.Errorf("%s: kernel %d: %s %s %s and %s %s %s", name, i, x.Kind, x.Out, x.OpName, y.Kind, y.Out, y.OpName)
		}
	}
}

// Two forms that differ in any field are different: one that is forgotten would merge kernels.
func TestFormsDifferInEveryField(t *testing.T) {
	for i := range reflect.TypeFor[Form]().NumField() {
		var f, g Form
		n := 7
		fill(reflect.ValueOf(&f).Elem().Field(i), &n)
		if name := reflect.TypeFor[Form]().Field(i).Name; f.equal(&g) {
			t.Errorf("forms that differ in %s are equal", name)
		}
		if !f.equal(&f) || !g.equal(&Form{}) {
			t.Error("a form differs from itself")
		}
	}
}
