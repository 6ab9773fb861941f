package yamldoc

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// differs says in what two nodes differ, "" if they are the same but for places and comments.
func differs(got, want *Node) string {
	if got.Kind != want.Kind || got.Value != want.Value || got.ShortTag() != want.ShortTag() || got.Style != want.Style || len(got.Content) != len(want.Content) {
		return got.ShortTag() + " " + got.Value + ", by the library " + want.ShortTag() + " " + want.Value
	}
	for i := range got.Content {
		if text := differs(got.Content[i], want.Content[i]); text != "" {
			return text
		}
	}
	return ""
}

// simple reports whether a text is of the simple form. If so, it is read as by the library.
func simple(t *testing.T, text string) bool {
	t.Helper()
	got := Simple([]byte(text))
	if got == nil {
		return false
	}
	want, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if difference := differs(got, want); difference != "" {
		t.Fatalf("%s in\n%s", difference, text)
	}
	return true
}

// baselines are the readable files of the baselines in this repository.
func baselines(t *testing.T) (texts []string) {
	t.Helper()
	for _, root := range []string{"../../examples", "../../testdata", "../baseline/testdata"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".yaml" || !strings.Contains(path, ".xlagate/") {
				return err
			}
			data, err := os.ReadFile(path)
			texts = append(texts, string(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// What accept writes is simple, and read as by the library, and so is what is left of that by an edit, unless it is of another form.
func TestSimple(t *testing.T) {
	all, whole, edited := baselines(t), 0, 0
	chance := rand.New(rand.NewPCG(1, 2))
	letters := []rune("{}[]'\",: -#&*!|>%@`~?\\ab1é\n\t.<=\u2028")
	for _, text := range all {
		if simple(t, text) {
			whole++
		}
		for range 20 {
			edit := []rune(text)
			for range 1 + chance.IntN(2) {
				at := chance.IntN(len(edit))
				edit = slices.Replace(edit, at, at+chance.IntN(2), letters[chance.IntN(len(letters))])
			}
			if simple(t, string(edit)) {
				edited++
			}
		}
	}
	if len(all) == 0 || whole < len(all)*9/10 || edited < len(all) {
		t.Errorf("of %d files %d are simple, and %d when they are edited", len(all), whole, edited)
	}
}

// Brackets that are nested without end are of another form.
func TestSimpleDepth(t *testing.T) {
	if Simple([]byte("a: "+strings.Repeat("[", 1<<20)+"\n")) != nil {
		t.Error("a million brackets are read")
	}
}
