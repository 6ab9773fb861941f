package facts

import (
	"context"
	"reflect"
	"strings"
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

// fill gives every field another value.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n % 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 100))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.String:
		v.SetString(strings.Repeat("x", *n%50))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		if v.Set(reflect.New(v.Type().Elem())); v.Type() == reflect.TypeFor[*Stack]() {
			fill(v.Elem().FieldByName("Location"), n) // it would have no end
			return
		}
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			fill(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem(), n)
		}
	}
}
