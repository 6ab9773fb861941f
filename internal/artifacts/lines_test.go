package artifacts

import (
	"slices"
	"testing"
)

func TestLines(t *testing.T) {
	for text, want := range map[string][]string{"": nil, "\n": {""}, "a": {"a"}, "a\n": {"a"}, "a\nb": {"a", "b"}, "a\r\nb\r\n": {"a", "b"}, "\n\nx\n": {"", "", "x"}} {
		l := lines{rest: text}
		var got []string
		for line := range l.all() {
			got = append(got, line)
		}
		if !slices.Equal(got, want) || l.n != len(want) {
			t.Errorf("%q: %q in %d lines", text, got, l.n)
		}
	}
}

func TestCutInt(t *testing.T) {
	for text, want := range map[string]struct {
		n    int64
		rest string
		ok   bool
	}{
		"12": {12, "", true}, "12 bytes": {12, " bytes", true}, "-3,": {-3, ",", true}, "0x": {0, "x", true}, "9223372036854775807": {9223372036854775807, "", true},
		"": {0, "", false}, "x": {0, "x", false}, "-": {0, "", false}, "9223372036854775808": {9223372036854775807, "", false}, "3-4": {3, "-4", true}, "--3": {0, "-3", false},
	} {
		if n, rest, ok := cutInt(text); ok != want.ok || rest != want.rest || ok && n != want.n {
			t.Errorf("%q: %d, %q, %v", text, n, rest, ok)
		}
	}
}

func TestIntList(t *testing.T) {
	for text, want := range map[string][]int64{"": nil, "1": {1}, "1,0": {1, 0}, "1, 0": {1, 0}, "10,-2,3": {10, -2, 3}} {
		if got, ok := intList(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{",", "1,", "1,,2", "a", "1;2", "1 2"} {
		if got, ok := intList(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
