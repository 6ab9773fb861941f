package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// As many bytes as are allowed are read, not one more is accepted, and nothing is read on to find out.
func TestReadIsBounded(t *testing.T) {
	for text, ok := range map[string]bool{"": true, "abc": true, "abcd": false} {
		data, err := ReadAll(strings.NewReader(text), 3)
		if ok && (err != nil || string(data) != text) || !ok && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%q: %q, %v", text, data, err)
		}
	}
	endless := io.MultiReader(strings.NewReader(strings.Repeat("x", 1000)), iotest.ErrReader(errors.New("it was read on")))
	if _, err := ReadAll(endless, 3); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

// A file is below a folder by its name or by where links lead, and never by a name that leads out again.
func TestBelow(t *testing.T) {
	dir := t.TempDir()
	in, link := filepath.Join(dir, "real", "in"), filepath.Join(dir, "link")
	if err := errors.Join(os.MkdirAll(in, 0o700), os.Symlink(filepath.Join(dir, "real"), link)); err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "real")
	for _, c := range []struct{ folder, file, want string }{
		{real, filepath.Join(in, "a"), "in/a"},
		{link, filepath.Join(in, "a"), "in/a"},
		{real, filepath.Join(link, "in", "a"), "in/a"},
		{real, filepath.Join(dir, "a"), ""},
		{in, filepath.Join(dir, "real", "a"), ""},
		{link, filepath.Join(dir, "a"), ""},
		{filepath.Join(dir, "gone"), filepath.Join(real, "a"), ""},
	} {
		if got, ok := Below(c.folder, c.file); got != c.want || ok != (c.want != "") {
			t.Errorf("%s below %s: %q, %v", c.file, c.folder, got, ok)
		}
	}
}

// Windows reserves some names, in every case and with every ending.
func TestDevice(t *testing.T) {
	for name, want := range map[string]bool{"nul": true, "NUL.txt": true, "Com1": true, "lpt9.x.y": true, "null": false, "console": false, "com": false, "": false} {
		if got := Device(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
