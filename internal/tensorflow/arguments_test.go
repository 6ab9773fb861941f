package tensorflow

import (
	"slices"
	"testing"
)

// Constants are not handed over, names are given once, and what two processes call alike without being it has none.
func TestArguments(t *testing.T) {
	own := []Argument{{"x", false}, {"axis", false}, {"matmul_resource", true}, {"add_resource", true}, {"mul_resource", true}}
	got := mapped(own, []handedOver{{0, ""}, {2, "Variable"}, {3, "Variable"}, {4, "bias"}})
	if want := []Argument{{"x", false}, {"matmul_resource", true}, {"add_resource", true}, {"bias", true}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	functions := Arguments{}
	functions.add("f", own)
	functions.add("f", own)
	if functions.Of("module_0001.f.12", 5) == nil || functions.Of("module_0001.f.12", 4) != nil {
		t.Error("they are found by name and number")
	}
	functions.add("f", got)
	if functions.Of("module_0001.f.12", 5) != nil {
		t.Error("two functions of one name")
	}
}
