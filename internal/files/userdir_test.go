package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestPruneRemovesWhatWasNotUsedForLong(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for i, name := range []string{"a.json", "b.json", "c.json", "d.txt"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		written := now.Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	Prune(dir, ".json", 200, time.Hour)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 4 {
		t.Errorf("of files that were used within the hour these are left: %v, %v", left, err)
	}
	Prune(dir, ".json", 200, 0)
	for i, name := range []string{"a.json", "b.json", "c.json", "d.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != (i > 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a checkout could have brought is no cache, and no key of a journal.
func TestCacheInACheckout(t *testing.T) {
	home, checkout := t.TempDir(), t.TempDir()
	for _, dir := range []string{home, checkout} {
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	for _, c := range []struct {
		cache, ci string
		fine      bool
	}{
		{filepath.Join(home, ".cache"), "", true}, {filepath.Join(home, ".cache"), "true", false},
		{filepath.Join(checkout, ".cache"), "", false}, {checkout, "", false}, {t.TempDir(), "true", true},
	} {
		t.Setenv("XDG_CACHE_HOME", c.cache)
		t.Setenv("CI", c.ci)
		if dir, err := UserDir(); (err == nil) != c.fine {
			t.Errorf("%+v: %s, %v", c, dir, err)
		}
		first, again := sealKey(), sealKey()
		if slices.Equal(first, again) != c.fine {
			t.Errorf("%+v: the key is kept: %v", c, !c.fine)
		}
	}
}
