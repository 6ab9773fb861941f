package artifacts

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

func TestFlagFileForms(t *testing.T) {
	got, err := ReadFlagFile([]byte("# a comment\n\n--a=1\n  --b  \n--c='x y'\n--d=\"z\"\n--e='\n--f=\n--a=2\n"))
	if want := (Flags{"a": "1,2", "b": "true", "c": "x y", "d": "z", "e": "'", "f": ""}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, wanted %v", got, err, want)
	}
}

func TestUnquote(t *testing.T) {
	for text, want := range map[string]string{`"a"`: "a", `'a'`: "a", `""`: "", `"`: `"`, `"a'`: `"a'`, "a": "a", "": "", "aa": "aa", `'a`: `'a`} {
		if got := unquote(text); got != want {
			t.Errorf("%s: %s, wanted %s", text, got, want)
		}
	}
}

// What a PTX file launches are its entries; what stands inside of them is nobody's business.
func TestPTXForms(t *testing.T) {
	got, err := ReadPTX([]byte(".version 8.8\n.target sm_90a, debug\n.visible .entry f(\n)\n{\n.entry inside(\n.version 1.0\n}\n.func helper(\n.entry g(\n{\n}\n"))
	if want := (PTX{"8.8", "sm_90a", []string{"f", "g"}}); err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCapabilities(t *testing.T) {
	for text, want := range map[string]string{
		"cuda_compute_capability { major: 9 }":                                                         "sm_9.0",
		"cuda_compute_capability { major: 9 feature_extension: ACCELERATED_FEATURES }":                 "sm_9.0a",
		"cuda_compute_capability { major: 10 minor: 3 feature_extension: FAMILY_COMPATIBLE_FEATURES }": "sm_10.3f",
		"rocm_compute_capability { gcn_arch_name: \"gfx942:sramecc+:xnack-\" }":                        "gfx942",
		"": "",
	} {
		got, err := ReadTargetConfig([]byte("gpu_device_info { " + text + " name: \"card\" }\n"))
		if err != nil || got.Capability != want || got.Name != "card" {
			t.Errorf("%q: %+v, %v, wanted %s", text, got, err, want)
		}
	}
}

func TestTopologyVersions(t *testing.T) {
	for version, want := range map[string]Device{
		"TFRT TPU v5 lite\nBuilt on Jun 17 2026 11:08:48 (1781719728) cl/933746096": {Platform: "tpu", Name: "TPU v5 lite", Build: "cl/933746096"},
		"TPU v4\nBuilt on Jun 17 2026":                                              {Platform: "tpu", Name: "TPU v4"},
		"unknown":                                                                   {Platform: "tpu"},
	} {
		if got, err := ReadTopology(fmt.Appendf(nil, "platform_name: \"tpu\"\nplatform_version: %q\n", version)); err != nil || *got != want {
			t.Errorf("%q: %+v, %v, wanted %+v", version, got, err, want)
		}
	}
	if got, err := ReadTopology([]byte("platform_name: \"tpu\"\nplatform_version: \"\"\n")); err == nil {
		t.Errorf("no version: %+v", got)
	}
}

// What holds no parameter, result, constant or thread-local value is scratch memory, and each sum has its own allocations.
func TestTotalsOfAllocations(t *testing.T) {
	b := Buffers{Allocations: []Allocation{
		{Size: 1, Parameter: 0}, {Size: 2, Parameter: 1, LiveOut: true}, {Size: 4, Parameter: -1, LiveOut: true}, {Size: 8, Parameter: -1, Constant: true},
		{Size: 16, Parameter: -1, ThreadLocal: true}, {Size: 32, Parameter: -1}, {Size: 64, Parameter: -1, Color: 1},
	}}
	if got, want := b.Totals(AllColors), (Totals{Total: 127, Argument: 3, Output: 4, Alias: 2, Constant: 8, ThreadLocal: 16, Temp: 96, Largest: 64}); got != want {
		t.Errorf("%+v", got)
	}
	if got, want := b.Totals(1), (Totals{Total: 64, Temp: 64, Largest: 64}); got != want {
		t.Errorf("%+v", got)
	}
	if got := b.Colors(); !slices.Equal(got, []int64{0, 1}) {
		t.Errorf("%v", got)
	}
	if got := (&Buffers{}).Totals(AllColors); got != (Totals{}) {
		t.Errorf("%+v", got)
	}
}

// The largest come first; of values of one size at one place the first defined is listed, of scratch memory only.
func TestLargestOfValues(t *testing.T) {
	at := func(id, size, offset int64) Value {
		return Value{ID: id, Name: string(rune('a' + id)), Size: size, Offset: offset}
	}
	b := Buffers{Allocations: []Allocation{
		{Index: 0, Parameter: -1, Values: []Value{at(0, 8, 0), at(1, 8, 0), at(2, 8, 8), at(3, 2, 0)}},
		{Index: 1, Parameter: -1, Values: []Value{at(4, 8, 0), at(5, 9, 0)}},
		{Index: 2, Parameter: 0, Values: []Value{at(6, 99, 0)}},
	}}
	for n, want := range map[int]string{0: "", 1: "f", 2: "fa", 4: "face", 9: "faced"} {
		got := ""
		for _, v := range b.Largest(n) {
			got += v.Name
		}
		if got != want {
			t.Errorf("%d: %s, wanted %s", n, got, want)
		}
	}
}

// A value's name may say where it lies in a result, and that control flow joins there, which no number hangs on.
func TestNamesOfValues(t *testing.T) {
	for text, want := range map[string]Value{
		"a @0": {Name: "a"}, "%a @0": {Name: "a"}, "a{} @0": {Name: "a"}, "a{1,0} @0": {Name: "a", Index: []int64{1, 0}}, "a{1} (phi) @2": {Name: "a", Index: []int64{1}}, "a (phi) @0": {Name: "a"},
	} {
		var v Value
		if !v.readName(text) || !reflect.DeepEqual(v, want) {
			t.Errorf("%q: %+v, wanted %+v", text, v, want)
		}
	}
	for _, text := range []string{"", "a", "@0", " @0", "a @x", "a{1 @0", "a{x} @0", "{0} @0"} {
		if v := (&Value{}); v.readName(text) {
			t.Errorf("%q is read as %+v", text, v)
		}
	}
}
