package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// What is not known of a collective never leaves it out: the sizes are those that the compilers print.
func TestCollectiveSizes(t *testing.T) {
	for _, c := range []struct {
		target, out, attrs, groups string
		gathered, among            float64
	}{
		{"all-gather", "bf16[128,256]", "dimensions={0}", "4 of 2", 128, 2},
		{"all-gather", "bf16[128,256]", "dimensions={1}", "1 of 8", 256, 8},
		{"all-gather", "(f32[16,64], f32[32,8])", "dimensions={0}", "2 of 4", 32, 4},
		{"all-gather", "bf16[128,256]", "", "", 256, 0}, // in a fusion of several operations
		{"all-gather", "f32[<=16,4]", "dimensions={0}", "1 of 0", 16, 0},
		{"collective-permute", "f32[8,4]", "", "4 pairs", 8, 2},
		{"send", "f32[]", "", "", 0, 2},
	} {
		k := &facts.Kernel{Form: &facts.Form{Target: c.target, Out: c.out, Attrs: c.attrs, Groups: c.groups}, Site: &facts.Site{}}
		if gathered, among := gatheredTo(k), groupSize(k); gathered != c.gathered || among != c.among {
			t.Errorf("%+v: gathered to %v, among %v", c, gathered, among)
		}
	}
	for shape, want := range map[string]bool{"f16[8]": true, "bf16[8]": false, "(bf16[8], f16[])": true, "(f32[], bf16[2,3])": false, "": false} {
		if holdsType(shape, "f16") != want {
			t.Errorf("%q holds f16: %v", shape, !want)
		}
	}
}
