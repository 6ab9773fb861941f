package files

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestStoreAndLoad(t *testing.T) {
	d := CacheAt(filepath.Join(t.TempDir(), "deep", "cache"), "build", 1<<20)
	if _, ok := d.Load("key"); ok {
		t.Error("an empty cache has an entry")
	}
	for _, want := range []string{"first", "second", ""} {
		d.Store("key", []byte(want))
		if got, ok := d.Load("key"); !ok || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, ok, want)
		}
	}
	if _, ok := CacheAt(d.path, "another build", 1<<20).Load("key"); ok {
		t.Error("another build's entry was read")
	}
	if _, ok := d.Load("other"); ok {
		t.Error("another key has an entry")
	}
}

func TestDamagedEntriesAreNone(t *testing.T) {
	d := CacheAt(t.TempDir(), "build", 1<<20)
	d.Store("key", []byte("what was stored"))
	whole, err := os.ReadFile(d.name("key"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, damaged := range [][]byte{whole[:i], append(append(bytes.Clone(whole[:i]), whole[i]^1), whole[i+1:]...)} {
			if err := os.WriteFile(d.name("key"), damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, ok := d.Load("key"); ok {
				t.Fatalf("a damaged entry was read: %q", got)
			}
		}
	}
	d.Store("key", []byte("again"))
	if got, ok := d.Load("key"); !ok || string(got) != "again" {
		t.Errorf("a damaged entry stays: %q, %v", got, ok)
	}
}

func TestOldEntriesMakeRoom(t *testing.T) {
	d := CacheAt(t.TempDir(), "build", 1000)
	old := time.Now().Add(-2 * time.Hour)
	left := filepath.Join(d.path, unfinished+"123")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"a", "b", "c", "d"} {
		d.Store(key, make([]byte, 200))
		if err := os.Chtimes(d.name(key), old, old.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	d.Load("a") // of use again
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	d.Store("e", make([]byte, 200))
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true, "e": true} {
		if _, ok := d.Load(key); ok != want {
			t.Errorf("entry %s is there: %v", key, ok)
		}
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed run left is still there")
	}
}

func TestNoPlaceForACache(t *testing.T) {
	var none *Cache
	none.Store("key", []byte("data"))
	if _, ok := none.Load("key"); ok {
		t.Error("no cache has an entry")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := CacheAt(filepath.Join(file, "cache"), "build", 1<<20)
	d.Store("key", []byte("data"))
	if _, ok := d.Load("key"); ok {
		t.Error("an entry lies nowhere")
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
		if dir, err := UserDir(); (err == nil) != c.fine || (OpenCache("b") != nil) != c.fine {
			t.Errorf("%+v: %s, %v", c, dir, err)
		}
		first, again := sealKey(), sealKey()
		if slices.Equal(first, again) != c.fine {
			t.Errorf("%+v: the key is kept: %v", c, !c.fine)
		}
	}
}

// Runs that follow each other do not all look through the directory: one does, and again when that was some time ago.
func TestOneRunTidies(t *testing.T) {
	dir := t.TempDir()
	store := func(key string) {
		CacheAt(dir, "build", 1000).Store(key, make([]byte, 200))
	}
	there := func() (n int) {
		d := CacheAt(dir, "build", 1000)
		for _, key := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			if _, ok := d.Load(key); ok {
				n++
			}
		}
		return n
	}
	for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
		store(key)
	}
	if n := there(); n != 6 {
		t.Errorf("%d entries are left of 6 within minutes", n)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "tidied"), old, old); err != nil {
		t.Fatal(err)
	}
	store("g")
	if n := there(); n != 4 {
		t.Errorf("%d entries are left an hour later, not the 4 for which there is room", n)
	}
}
