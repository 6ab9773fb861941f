package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
)

// The arguments that tell variants apart are kept, the others counted.
func TestDistinctSignatures(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"(x: f32[8])"}, []string{"(x: f32[8])"}},
		{[]string{"(x: f32[8])", "(x: f32[9])"}, []string{"(x: f32[8])", "(x: f32[9])"}},
		{[]string{"(a: f32[], b: f32[], x: f32[8])", "(a: f32[], b: f32[], x: f32[9])"}, []string{"(x: f32[8], 2 the same)", "(x: f32[9], 2 the same)"}},
		{[]string{"(a: f32[], x: f32[8])", "(a: f32[], x: f32[9])"}, []string{"(a: f32[], x: f32[8])", "(a: f32[], x: f32[9])"}},
		{[]string{"(a: f32[], b: f32[])", "(a: f32[], b: f32[])"}, []string{"(a: f32[], b: f32[])", "(a: f32[], b: f32[])"}},
		{
			[]string{"(s[0]: f32[8], s[1]: f32[4], s[2]: f32[4])", "(s[0]: f32[8], s[1]: f32[2], s[2]: f32[4], s[3]: f32[4])"},
			[]string{"(s[0]: f32[8], s[1]: f32[4], s[2]: f32[4])", "(s[1]: f32[2], 3 the same)"},
		},
		{nil, []string{}},
	} {
		if got := distinct(c.in, 80); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, wanted %q", c.in, got, c.want)
		}
	}
}

// Of one variant the arguments are kept that are others than in the baseline.
func TestSignatureOfAChangedVariant(t *testing.T) {
	const is = "(a: f32[2], b: f32[3], x: f32[16])"
	for was, want := range map[string]string{"": is, "(a: f32[2], b: f32[3], x: f32[8])": "(x: f32[16], 2 the same)", "(a: f32[2], b: f32[3], y: f32[8])": "(x: f32[16], 2 the same)", "(c: f32[4])": is} {
		if got := variantNames([]result.Variant{{Signature: is, Was: was}}, 80); !slices.Equal(got, []string{want}) {
			t.Errorf("was %q: %q, wanted %q", was, got, want)
		}
	}
}

// However long a signature is, what is shown of it fits, and counts every argument that is left out.
func TestShortSignatureFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var arguments []string
		for range rapid.IntRange(1, 30).Draw(t, "arguments") {
			arguments = append(arguments, strings.Repeat("é", rapid.IntRange(1, 20).Draw(t, "name"))+": f32[8,4]")
		}
		signature := "(" + strings.Join(arguments, ", ") + ")"
		got := shortSignature(signature, 48)
		if got == signature {
			return
		}
		if utf8.RuneCountInString(got) > 48 {
			t.Fatalf("%q is too long", got)
		}
		if shown := strings.Count(got, "f32[8,4]"); shown > 0 && !strings.HasSuffix(got, phrase.Number(float64(len(arguments)-shown))+" more)") {
			t.Fatalf("%q leaves out %d", got, len(arguments)-shown)
		}
	})
}
