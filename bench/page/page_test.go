package page

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	old := "before\n<!-- measured: that -->\nold\n" + end + "\nbetween\n<!-- measured: this -->\nold\n" + end + "\nafter\n"
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Fill(path, "this", "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	want := "before\n<!-- measured: that -->\nold\n" + end + "\nbetween\n<!-- measured: this -->\n\nnew\n" + end + "\nafter\n"
	if err != nil || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := Fill(path, "other", "new"); err == nil {
		t.Error("a page without a place for it was filled")
	}
}
