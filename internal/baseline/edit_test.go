package baseline

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edit opens a baseline for changing.
func edit(t *testing.T, p Place) *Edit {
	t.Helper()
	e, err := p.Edit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func put(t *testing.T, e *Edit, name, text string) {
	t.Helper()
	if !e.Put(name, []byte(text)) {
		t.Fatalf("%s: not changed", name)
	}
}

func commit(t *testing.T, e *Edit) {
	t.Helper()
	if err := e.Commit(); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, p Place) string {
	t.Helper()
	store, err := p.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	err = fs.WalkDir(store, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(name, ".xlagate-step") {
			return err
		}
		data, err := fs.ReadFile(store, name)
		all = append(all, name+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func TestEditsOfAFolder(t *testing.T) {
	p := Place{Where: "store", Dir: t.TempDir()}
	e := edit(t, p)
	if _, err := Load(e, "a"); !errors.Is(err, ErrNone) {
		t.Errorf("one that is not there: %v", err)
	}
	put(t, e, "a/b/p.jsonl", "p")
	put(t, e, "a/b/q.jsonl", "q")
	if before := texts(t, Place{Where: p.folder()}); before != "" {
		t.Errorf("before it is committed, it holds %s", before)
	}
	if commit(t, e); texts(t, p) != "a/b/p.jsonl=p a/b/q.jsonl=q" {
		t.Errorf("it holds %s", texts(t, p))
	}
	err := e.Remove("a/b/q.jsonl")
	if commit(t, e); err != nil || texts(t, p) != "a/b/p.jsonl=p" {
		t.Errorf("%v: %s", err, texts(t, p))
	}
	if err := e.Remove("a/b/p.jsonl"); err != nil {
		t.Error(err)
	}
	commit(t, e)
	if _, err := fs.Stat(e, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder was left: %v", err)
	}
	if err := e.Remove("a/x.jsonl"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "remove from the baseline: ") {
		t.Errorf("what is not there: %v", err)
	}
	if got := e.Shown("a/x.jsonl"); got != filepath.Join(p.folder(), "a", "x.jsonl") {
		t.Errorf("shown as %s", got)
	}
	if _, err := p.Edit(context.Background()); err == nil || !strings.Contains(err.Error(), "the baseline is being changed: process ") {
		t.Errorf("a second change at the same time: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := edit(t, p).Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.folder()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a change of nothing made a folder: %v", err)
	}
}
