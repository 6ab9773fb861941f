package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

// value reads a whole message in text format as one value.
func value(text string) (string, error) { return Text([]byte("{" + text + "}")).Value() }

// values reads the values of all fields.
var values = Fields{{To: func(r *Reader, _ string) error {
	_, err := r.Value()
	return err
}}}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "{}",
		"a: 1\n":                             "{a: 1}",
		"a: 1 b: -2\nc: 1.5e+3\n":            "{a: 1 b: -2 c: 1.5e+3}",
		"a: 1, b: 2; c: 3\n":                 "{a: 1 b: 2 c: 3}",
		"a { b: 1 }\n":                       "{a: {b: 1}}",
		"a: { b: 1 }\n":                      "{a: {b: 1}}",
		"a < b: 1 >\n":                       "{a: {b: 1}}",
		"a: [1, 2, 3]\n":                     "{a: 1 a: 2 a: 3}",
		"a: []\n":                            "{}",
		"a: [{ b: 1 }, { b: 2 }]\n":          "{a: {b: 1} a: {b: 2}}",
		"# a comment\na: 1 # another\n# c\n": "{a: 1}",
		"[pkg.ext]: 1\n":                     "{[pkg.ext]: 1}",
		"a: ENUM_VALUE\n":                    "{a: ENUM_VALUE}",
		"a: \"x\" 'y'\n\"z\"\n":              "{a: xyz}",
		"a\t:\r\n1\n":                        "{a: 1}",
	} {
		if got, err := value(text); err != nil || got != want {
			t.Errorf("%q is %s, %v, wanted %s", text, got, err, want)
		}
		skipped := Text([]byte("x { " + text + "} # end"))
		if err := skipped.All(nil); err != nil {
			t.Errorf("%q cannot be skipped: %v", text, err)
		}
	}
}

func TestStrings(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "", `"a b"`: "a b", `'it"s'`: `it"s`, `"it's"`: "it's", `"a\nb\tc\\d"`: "a\nb\tc\\d", `"\'\"\?"`: `'"?`, `'\''`: "'",
		`"\101\102"`: "AB", `"\0"`: "\x00", `"\10178"`: "A78", `"\x41"`: "A", `"\303\251"`: "é", `"é"`: "é", `"\u00e9"`: "é", `"\18"`: "\x018",
	} {
		if got, err := Text([]byte(text)).String(); err != nil || got != want {
			t.Errorf("%s is %q, %v, wanted %q", text, got, err, want)
		}
	}
}

// A string of many escape sequences, as a graph's constants are, takes time in proportion to its length.
func TestLongString(t *testing.T) {
	const n = 2_000_000
	start := time.Now()
	got, err := Text([]byte(`"` + strings.Repeat(`\n`, n) + `"`)).String()
	if took := time.Since(start); err != nil || got != strings.Repeat("\n", n) || took > 10*time.Second {
		t.Errorf("%d bytes in %s, %v", len(got), took, err)
	}
}

// Text that is no message is refused, on its line.
func TestBrokenText(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb {\n":                "the file ends inside the value that starts at byte 7",
		"a: \"x\n":                   "line 1: a string is not closed",
		"a: 'x\"\n":                  "line 1: ",
		"a: 1\n}\n":                  "line 2: expected the name of a field",
		"\n\n: 1\n":                  "line 3: expected the name of a field",
		"[x: 1\n":                    "line 1: a bracket is not closed",
		"a: [1, 2\n":                 "the end of the file",
		"a: \n":                      "the end of the file",
		"a: \"\\q\"\n":               `"\\q" is no escape sequence`,
		"a: \"\\x\"\n":               `"\\x" is no escape sequence`,
		"a < b: 1 }\n":               "expected the name of a field",
		"a: 1 \x00":                  "expected the name of a field",
		strings.Repeat("a {\n", 101): "messages are more than 100 deep in each other",
	} {
		r := Text([]byte(text))
		err := r.All(values)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, wanted %q", text, err, want)
		}
	}
	if _, err := value(strings.Repeat("a {\n", 99) + strings.Repeat("}\n", 99)); err != nil {
		t.Errorf("a hundred messages in each other: %v", err)
	}
}

// FuzzText: whatever the bytes, the reader ends.
func FuzzText(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		r := Text(data)
		err := r.All(values)
		if err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Error(err)
		}
		return err
	}, []byte("a { b: [1, {c: 'x' \"\\101\"}] } # end"), []byte("[ext] < x: -1.5e3; >"), []byte("a: \"\\u00e9"))
}
