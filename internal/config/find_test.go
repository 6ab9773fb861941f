package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/rules"
)

// The configuration is the nearest one above; a folder of that name is none.
func TestFind(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	if err := errors.Join(os.MkdirAll(filepath.Join(deep, FileName), 0o755), os.WriteFile(filepath.Join(top, FileName), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(deep); err != nil || got != filepath.Join(top, FileName) {
		t.Errorf("%s, %v", got, err)
	}
	near := filepath.Join(top, "a", FileName)
	if err := os.WriteFile(near, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(deep); err != nil || got != near {
		t.Errorf("%s, %v", got, err)
	}
}

func TestFindNothing(t *testing.T) {
	if got, err := Find(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "other.yaml")
	if _, err := Load(rules.All, file, "other.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
	if err := os.WriteFile(file, []byte("version: 1\nextends: recommended\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if cfg, err := Load(rules.All, file, "other.yaml"); err != nil || cfg.Path != file || cfg.Dir != dir {
		t.Errorf("%+v, %v", cfg, err)
	}
	if err := os.WriteFile(file, []byte("version: 1\nrules: [{}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(rules.All, file, "../other.yaml"); err == nil || !strings.HasPrefix(err.Error(), "../other.yaml:2:9: ") {
		t.Errorf("a wrong one: %v", err)
	}
}

// A gate is known by the usual names of its files, wherever they are.
func TestOfGate(t *testing.T) {
	for file, want := range map[string]bool{
		"xlagate.yaml": true, "ci/xlagate.yaml": true, ".xlagate/mlp/step.jsonl": true, "ci/.xlagate/a": true, "my-xlagate.yaml": false, "xlagate.yaml/x": false, ".xlagate": false, "a.xlagate/b": false, "": false,
	} {
		if got := OfGate(file); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}
