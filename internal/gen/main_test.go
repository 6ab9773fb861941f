package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestDocumentationIsNotStale(t *testing.T) {
	files, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is stale: go run ./internal/gen (%v)", name, err)
		}
		if filepath.Ext(name) == ".json" && !json.Valid(want) {
			t.Errorf("%s is no JSON", name)
		}
	}
}

func TestWrites(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 7 {
		t.Errorf("%d files, %v", len(list), err)
	}
	if err := write(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
