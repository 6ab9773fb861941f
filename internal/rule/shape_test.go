package rule

import "testing"

// A shape pattern fits shapes as HLO prints them.
func TestShapeFits(t *testing.T) {
	for _, c := range []struct {
		pattern, shape string
		fits           bool
	}{
		{"f64[8,*]", "f64[8,64]", true},
		{"f64[*,32]", "f64[8,64]", false},
		{"f64[...,64]", "f64[8,64]", true},
		{"f64[…]", "f64[]", true},
		{"f32[8,64,...]", "f32[8,64]", true},
		{"f32[8,64,...]", "f32[8]", false},
		{"f32[]", "f32[8]", false},
		{"f32[]", "f32[]", true},
		{"f32", "f32[8,64]", true},
		{"f32|bf16", "bf16[8]", true},
		{"bf16", "f32[8,64]", false},
		{"*[8,...]", "pred[8,2,2]", true},
		{"s32[8]", "(f32[8], s32[8])", true},
		{"s32[9]", "(f32[8], s32[8])", false},
		{"f32[8]", "f32[<=8]", true},
		{"f32[8]", "f32[?]", false},
		{"f32[*]", "f32[?]", true},
	} {
		s, err := ParseShape(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
		} else if s.Fits(c.shape) != c.fits {
			t.Errorf("%s on %s: %v, wanted %v", c.pattern, c.shape, !c.fits, c.fits)
		}
	}
}
