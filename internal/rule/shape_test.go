package rule

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

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
		{"* [ 8 , * ]", "pred[8,2]", true},
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

func TestShapeErrors(t *testing.T) {
	for shape, want := range map[string]string{
		"f32[8,*]": "", "*[...]": "", "f32|bf16[]": "",
		"":               "column 1: expected a shape such as f32[8,*]",
		"[8]":            "column 1: expected a shape such as f32[8,*]",
		"f32[8] ab":      `column 7: " ab" follows the end of the shape`,
		"f99[8]":         `column 1: unknown type "f99"`,
		"f32|f33":        `column 5: unknown type "f33"; did you mean "f32"?`,
		"f32|":           `column 5: unknown type ""`,
		"f32[8":          "column 6: expected , or ] in the shape",
		"f32[8;2]":       "column 5: expected a size, * for any size or ... for any dimensions",
		"f32[x]":         "column 5: expected a size",
		"f32[8,]":        "column 7: expected a size",
		"f32[-1]":        "column 5: expected a size",
		"f32[...,8,...]": "column 11: ... occurs twice in one shape",
	} {
		if _, err := ParseShape(shape); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, wanted %q", shape, err, want)
		}
	}
}

// FuzzShape: any text is a shape or has a mistake at a place in it.
func FuzzShape(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, text []byte) error {
		s, err := ParseShape(string(text))
		if err == nil {
			s.Fits("f32[8,64]")
			return nil
		}
		if wrong, ok := err.(*SyntaxError); !ok || wrong.Offset < 0 || wrong.Offset > len(text) {
			t.Errorf("%q: %v", text, err)
		}
		return err
	}, []byte("f32|bf16[*,...,8]"), []byte("["), []byte("|"), []byte("*[8,"))
}
