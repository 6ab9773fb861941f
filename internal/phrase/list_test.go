package phrase

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What is left out is counted, and stands in the list or behind it.
func TestLongListsAreCut(t *testing.T) {
	list := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		cut  func([]string, int) []string
		most int
		want []string
	}{
		{First, 4, list}, {First, 3, []string{"a", "b", "c", "1 more"}}, {First, 1, []string{"a", "3 more"}},
		{Within, 4, list}, {Within, 3, []string{"a", "b", "2 more"}}, {Within, 2, []string{"a", "3 more"}},
	} {
		if got := c.cut(list, c.most); !slices.Equal(got, c.want) {
			t.Errorf("of four %d: %q, wanted %q", c.most, got, c.want)
		}
	}
	if fmt.Sprint(list) != "[a b c d]" {
		t.Error("the list itself was changed")
	}
}

// One thing is one, and nouns that end otherwise are spelt as they are.
func TestSome(t *testing.T) {
	for want, got := range map[string]string{
		"1 kernel": Some(1, "kernel"), "1,204 kernels": Some(1204, "kernel"), "0 checks": Some(0, "check"), "2 branches": Some(2, "branch"),
		"2 entries": Some(2, "entry"), "2 arrays": Some(2, "array"), "3 launches of a loop": Some(3, "launch of a loop"),
	} {
		if got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}

// A list of one has no conjunction, and a list of nothing is empty.
func TestList(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "max": {"max"}, "max and min": {"max", "min"}, "max, min and equal": {"max", "min", "equal"}} {
		if got := List(words, "and"); got != want {
			t.Errorf("%q: %q, expected %q", words, got, want)
		}
	}
}

func TestCutLast(t *testing.T) {
	for _, c := range []struct {
		text, before, after string
		found               bool
	}{
		{"jit_f.12.3", "jit_f.12", "3", true}, {"jit_f", "jit_f", "", false}, {".x", "", "x", true}, {"x.", "x", "", true}, {"", "", "", false},
	} {
		if before, after, found := CutLast(c.text, "."); before != c.before || after != c.after || found != c.found {
			t.Errorf("%q: %q, %q, %v", c.text, before, after, found)
		}
	}
}

func TestAllDigits(t *testing.T) {
	for text, want := range map[string]bool{"": false, "0": true, "0123": true, "-1": false, "1a": false, "a1": false, "1 1": false, "１": false} {
		if AllDigits(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestMap(t *testing.T) {
	if got := Map([]int{1, 22}, strconv.Itoa); !slices.Equal(got, []string{"1", "22"}) {
		t.Errorf("%q", got)
	}
	if Map([]int{}, strconv.Itoa) != nil {
		t.Error("of nothing something is made")
	}
}

func TestFilter(t *testing.T) {
	words := []string{"apple", "beer", "avocado"}
	if got := Filter(words, func(s string) bool { return strings.HasPrefix(s, "a") }); !slices.Equal(got, []string{"apple", "avocado"}) {
		t.Errorf("%q", got)
	}
	if !slices.Equal(words, []string{"apple", "beer", "avocado"}) {
		t.Errorf("the list itself is changed: %q", words)
	}
	if Filter(words, func(string) bool { return false }) != nil {
		t.Error("of nothing something is kept")
	}
}

func TestPick(t *testing.T) {
	numbers := []int{1, 2, 3}
	for _, n := range Pick(numbers, func(n *int) bool { return *n > 1 }) {
		*n *= 10
	}
	if !slices.Equal(numbers, []int{1, 20, 30}) {
		t.Errorf("%v", numbers)
	}
}

// Items of one key come together, where the first of them was.
func TestGroup(t *testing.T) {
	words := strings.Fields("b2 a1 b1 c1 a2")
	groups := Group(words, func(s string) byte { return s[0] })
	if got := fmt.Sprint(groups); got != "[[b2 b1] [a1 a2] [c1]]" {
		t.Errorf("%s", got)
	}
	if Group(nil, func(s string) string { return s }) != nil {
		t.Error("no items make groups")
	}
}

// The shell takes a command apart into just the words that it was made of.
func TestShell(t *testing.T) {
	for _, words := range [][]string{
		{"xlagate", "accept", "-c", "it's here.yaml"}, {"a", "", "b c", "$HOME", "`id`", "a;b", "a\nb", "*", "~", "a&b", "(x)", "#no", "\\", "!"},
	} {
		out, err := exec.Command("sh", "-c", `printf '%s\0' `+Shell(words)).Output()
		if err != nil || string(out) != strings.Join(words, "\x00")+"\x00" {
			t.Errorf("%q becomes %q: %v", words, out, err)
		}
	}
}
