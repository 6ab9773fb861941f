package changes

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

func countedParams(shapes string) []facts.Parameter {
	var params []facts.Parameter
	for i, shape := range strings.Fields(shapes) {
		params = append(params, facts.Parameter{Name: "p" + strconv.Itoa(i), Shape: shape})
	}
	return params
}

func TestArgumentsWithoutNames(t *testing.T) {
	for _, c := range []struct {
		old, fresh string
		want       []int
	}{
		{"s64[8] f32[4] f32[4,8]", "s64[8] f32[] f32[4] f32[4,8]", []int{0, 2, 3}},
		{"s64[8] f32[] f32[4] f32[4,8]", "s64[8] f32[4] f32[4,8]", []int{0, -1, 1, 2}},
		{"s64[8] f32[8,4]", "s64[7] f32[] f32[7,4]", []int{0, 2}}, // another batch besides
		{"f32[4] f32[5]", "f32[5] f64[] f64[]", []int{-1, 0}},
		{"s64[8] f32[4] f32[4,8]", "f32[4] f32[4,8] s64[8]", []int{2, 0, 1}}, // asked for in another order
		{"f32[4]", "f32[5]", []int{0}},                                       // as many: by position
	} {
		if got := pairArguments(countedParams(c.old), countedParams(c.fresh)).now; !slices.Equal(got, c.want) {
			t.Errorf("%s to %s: %v, want %v", c.old, c.fresh, got, c.want)
		}
	}
	named := countedParams("f32[4]")
	named[0].Name = "x"
	if got := pairArguments(named, countedParams("s32[4] s32[4]")).now; got[0] != -1 {
		t.Error("arguments with names are aligned by rank")
	}
}

// A scalar that comes in counts all arguments behind it anew: only the scalar is new.
func TestCountedArgumentComesIn(t *testing.T) {
	changes := compareParams(countedParams("s64[8] f32[4] f32[4,8]"), countedParams("s64[8] f32[] f32[4] f32[4,8]"))
	if len(changes) != 1 || changes[0].What != "new: f32[]" {
		t.Errorf("%+v", changes)
	}
}
