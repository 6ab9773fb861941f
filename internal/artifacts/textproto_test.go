package artifacts

import (
	"strings"
	"testing"
)

// spelled is a message as the reader understood it, on one line.
func spelled(t *testing.T, text string) string {
	t.Helper()
	root, err := readTextProto([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return root.String()
}

func TestTextProto(t *testing.T) {
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
		if got := spelled(t, text); got != want {
			t.Errorf("%q is %s, wanted %s", text, got, want)
		}
	}
}

func TestTextProtoStrings(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "", `"a b"`: "a b", `'it"s'`: `it"s`, `"it's"`: "it's", `"a\nb\tc\\d"`: "a\nb\tc\\d", `"\'\"\?"`: `'"?`, `'\''`: "'",
		`"\101\102"`: "AB", `"\0"`: "\x00", `"\10178"`: "A78", `"\x41"`: "A", `"\303\251"`: "é", `"é"`: "é", `"\u00e9"`: "é", `"\18"`: "\x018",
	} {
		root, err := readTextProto([]byte("a: " + text + "\n"))
		if err != nil || root.text("a") != want {
			t.Errorf("%s is %q, %v, wanted %q", text, root.text("a"), err, want)
		}
	}
}

// What is no text format is refused, on its line.
func TestBrokenTextProto(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb {\n":                "the file ends inside of b",
		"a: \"x\n":                   "line 1: ",
		"a: 'x\"\n":                  "line 1: ",
		"a: 1\n}\n":                  "line 2: expected a field's name",
		"\n\n: 1\n":                  "line 3: expected a field's name",
		"[x: 1\n":                    "line 1: a bracket is not closed",
		"a: [1, 2\n":                 "",
		"a: \n":                      "",
		"a: \"\\q\"\n":               "",
		"a: \"\\x\"\n":               "",
		"a < b: 1 }\n":               "",
		"a: 1":                       "line 1: the file ends inside a line",
		"a: 1 # no end":              "line 1: the file ends inside a line",
		strings.Repeat("a {\n", 101): "messages stand more than 100 deep in each other",
	} {
		if root, err := readTextProto([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, wanted %q; %s", text, err, want, root)
		}
	}
	if _, err := readTextProto([]byte(strings.Repeat("a {\n", 100) + strings.Repeat("}\n", 100))); err != nil {
		t.Errorf("a hundred messages in each other: %v", err)
	}
}

// Of a field that stands twice the last counts, and all can be asked for; what is not set is nothing.
func TestFieldsOfTextProto(t *testing.T) {
	root, err := readTextProto([]byte("a: 1\na: 2\nm { b: x }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if root.text("a") != "2" || len(root.all("a")) != 2 || len(root.all("z")) != 0 || root.text("z") != "" || root.message("m").text("b") != "x" {
		t.Errorf("%s", root)
	}
	if n, err := root.int("a"); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := root.int("z"); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := root.message("m").int("b"); err == nil || err.Error() != `line 3: b is no number: "x"` {
		t.Errorf("%v", err)
	}
	if (*node)(nil).message("a") != nil || (*node)(nil).text("a") != "" {
		t.Error("nothing has fields")
	}
}
