package gate

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDistinct(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a/inner", "ab", "..c"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", "link"); err != nil {
		t.Fatal(err)
	}
	whole, err := filepath.Abs("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"a", "ab", "..c", "-"}, ""},
		{[]string{".", "..c"}, "the dump ..c is inside the dump .; name one of them"},
		{[]string{"a", "./a/"}, "the dump ./a/ is named twice; name it once"},
		{[]string{"ab", whole, "link"}, "the dump link is named twice; name it once"},
		{[]string{"a", "a/inner"}, "the dump a/inner is inside the dump a; name one of them"},
		{[]string{"link/inner", "a"}, "the dump link/inner is inside the dump a; name one of them"},
		{[]string{"nowhere", "nowhere"}, "the dump nowhere is named twice; name it once"},
	} {
		got := ""
		if err := Distinct(c.paths); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, wanted %q", c.paths, got, c.want)
		}
	}
}
