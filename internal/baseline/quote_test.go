package baseline

import (
	"testing"

	"github.com/xlagate/xlagate/internal/yamldoc"
)

// Words stand plainly, what a YAML reader could take for something else in quotes.
func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"jax": "jax", "a.b-c/d_e9": "a.b-c/d_e9", "_x": "_x", "f32": "f32", "all-gather": "all-gather", "x.": "x.",
		"": `""`, "true": `"true"`, "False": `"False"`, "NULL": `"NULL"`, "yes": `"yes"`, "No": `"No"`, "on": `"on"`, "OFF": `"OFF"`, "y": `"y"`, "N": `"N"`,
		"0": `"0"`, "9a": `"9a"`, "-a": `"-a"`, ".5": `".5"`, "/a": `"/a"`, "a b": `"a b"`, "a:b": `"a:b"`, "f32[8]": `"f32[8]"`, "#": `"#"`, "a,b": `"a,b"`, "é": `"é"`,
		`say "x"`: `"say \"x\""`, `a\b`: `"a\\b"`, "a\nb": `"a\u000ab"`, "\x7f": `"\u007f"`, "\u0085": `"\u0085"`, "\u2028": `"\u2028"`, "\ufeff": `"\ufeff"`, "\ufffe": `"\ufffe"`, "\uffff": `"\uffff"`,
	} {
		if got := quote(text); got != want {
			t.Errorf("%q is written %s, wanted %s", text, got, want)
		}
	}
}

// Whatever stands there is read back as a text, never as a number, a bool or nothing.
func TestQuotedIsAText(t *testing.T) {
	for _, text := range []string{"", "~", "null", "true", "no", "y", "1", "1e3", "0x10", ".inf", "2027-01-01", "- a", "a: b", "{a}", "[a]", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "'a'", `"a"`, " a ", "a #b", "\t", "\u00a0", "\ufffe"} {
		root, err := yamldoc.Parse([]byte("key: " + quote(text) + "\n"))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var doc struct {
			Key string `yaml:"key"`
		}
		if err := yamldoc.Decode(root, &doc); err != nil || doc.Key != text || root.Content[1].Tag != "!!str" {
			t.Errorf("%q came back as %q, a %s, %v", text, doc.Key, root.Content[1].Tag, err)
		}
	}
}

// Numbers are written in full: no exponent, no rounding.
func TestNumbers(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 12: "12", 1.5: "1.5", 1e21: "1000000000000000000000", 0.1: "0.1", 1 << 53: "9007199254740992", -3: "-3"} {
		if got := number(n); got != want {
			t.Errorf("%v is written %s, wanted %s", n, got, want)
		}
	}
}
