package yamldoc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

func TestParseKeepsPlaces(t *testing.T) {
	root, err := Parse([]byte("a: 1\nb:\n  - {c: d}\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := root.Content[3].Content[0].Content[0]
	if c.Value != "c" || c.Line != 3 || c.Column != 6 {
		t.Errorf("c stands at %d:%d (%q)", c.Line, c.Column, c.Value)
	}
}

func TestParseMergesAndFollowsAliases(t *testing.T) {
	root, err := Parse([]byte("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\nalso: *b\nmore:\n  <<: [*b, {z: 9}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Use, Also, More map[string]int
	}
	if err := root.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Use["x"] != 1 || got.Use["y"] != 3 || got.Also["y"] != 2 || got.More["z"] != 9 || got.More["x"] != 1 {
		t.Errorf("merged to %+v", got)
	}
}

func TestParseRefuses(t *testing.T) {
	laughs := "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
	for _, name := range strings.Split("bcdefg", "") {
		prev := string(name[0] - 1)
		laughs += name + ": &" + name + " [" + strings.Repeat("*"+prev+",", 9) + "*" + prev + "]\n"
	}
	for name, text := range map[string]string{
		"aliases expand to more":                         laughs,
		"line 1: the aliases expand to more":             strings.Repeat("[", 102) + strings.Repeat("]", 102),
		"a second document begins":                       "a: 1\n---\nb: 2\n",
		"did not find":                                   "a: [1",
		"line 2: did not find expected ',' or ']'":       "a: 1\nb: [1\nc: 2",
		"line 3: did not find expected key":              "a:\n  b: 1\n c: 2",
		"line 2: did not find expected '-' indicator":    "a:\n  - b: 1\n   c: 2",
		"line 2: did not find expected <document start>": "{a: 1}\nb: 2",
		"line 3: found unexpected end of stream":         "a: 1\n...\n\"",
		"line 2: a merge conflict":                       "a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> main\n",
		"line 3: a merge conflict":                       "a: 1\nb: 3\n>>>>>>> main\n",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%.20q: %v, wanted %q", text, err, name)
		}
	}
}

// A long document is as long as its file. Only what aliases make of a short one is bounded.
func TestParseOfMuch(t *testing.T) {
	root, err := Parse([]byte(strings.Repeat("- 1\n", 2*maxNodes)))
	if err != nil || len(root.Content) != 2*maxNodes {
		t.Errorf("a list of %d: %v", 2*maxNodes, err)
	}
}

func TestParseOfNothing(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n"} {
		if root, err := Parse([]byte(text)); root != nil || err != nil {
			t.Errorf("%q: %v, %v", text, root, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		root, err := Parse(data)
		if err != nil && root != nil {
			t.Error("an error and a document")
		}
		if root == nil || !plain(root, 0) {
			return err
		}
		budget := 4 * (len(data) + 1)
		if again, err := expand(root, &budget, 0); err != nil || !cmp.Equal(again, root, cmpopts.EquateEmpty()) {
			t.Errorf("%q is not what it would be with all that it stands for put in: %v", data, err)
		}
		return nil
	}, []byte("a: &x [1, *x]\n"), []byte("<<: {a: 1}\n"), []byte("a: !!binary x\n? [b]\n: c\n"))
}
