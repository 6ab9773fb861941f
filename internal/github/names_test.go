package github

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The forms as regular expressions: what follows a line's end is none of theirs.
var forms = []struct {
	form  string
	valid func(string) bool
}{
	{`\A[A-Za-z0-9_-]{1,100}/[A-Za-z0-9._-]{1,100}\z`, validRepository},
	{`\A[0-9a-f]{40}([0-9a-f]{24})?\z`, ValidCommit},
	{`\A[A-Za-z0-9][A-Za-z0-9._/-]{0,63}\z`, ValidKey},
}

func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := forms[rapid.IntRange(0, len(forms)-1).Draw(t, "form")]
		form := regexp.MustCompile(f.form)
		near := rapid.StringMatching(strings.Trim(f.form, `\Az`)).Draw(t, "near")
		at := rapid.IntRange(0, len(near)).Draw(t, "at")
		changed := near[:at] + rapid.SampledFrom([]string{"", "\n", "/", ",", "-", "A", "é", "a", "0"}).Draw(t, "put") + near[min(len(near), at+rapid.IntRange(0, 1).Draw(t, "cut")):]
		for _, s := range []string{near, changed, rapid.String().Draw(t, "any")} {
			if f.valid(s) != form.MatchString(s) {
				t.Fatalf("%s: %q is valid: %v", f.form, s, f.valid(s))
			}
		}
	})
}
