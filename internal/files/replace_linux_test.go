package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An open file that is named by its number is written in place: others may write to it as well.
func TestOpenFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write(t, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), "text")
	before, err := f.Stat()
	now, nowErr := os.Stat(f.Name())
	if err != nil || nowErr != nil || !os.SameFile(before, now) {
		t.Errorf("it was replaced: %v, %v", err, nowErr)
	}
	holds(t, f.Name(), "text")
}

// Links that lead to each other lead nowhere.
func TestLinksInACircle(t *testing.T) {
	dir := t.TempDir()
	for from, to := range map[string]string{"a": "b", "b": "a"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Replace(filepath.Join(dir, "a"), text("x")); err == nil || !strings.Contains(err.Error(), "too many symbolic links") {
		t.Error(err)
	}
}
