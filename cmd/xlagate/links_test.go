package main

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// Links are written only to terminals that open them, unless the environment says so.
func TestOpensLinks(t *testing.T) {
	for _, c := range []struct {
		name, value     string
		terminal, opens bool
	}{
		{"TERM_PROGRAM", "vscode", true, true},
		{"TERM_PROGRAM", "vscode", false, false},
		{"TERM_PROGRAM", "Apple_Terminal", true, false},
		{"TERM", "xterm-kitty", true, true},
		{"TERM", "xterm-256color", true, false},
		{"VTE_VERSION", "7200", true, true},
		{"VTE_VERSION", "4999", true, false},
		{"VTE_VERSION", "", true, false},
		{"WT_SESSION", "1", true, true},
		{"FORCE_HYPERLINK", "1", false, true},
		{"FORCE_HYPERLINK", "0", true, false},
	} {
		w := world{getenv: func(name string) string { return map[string]string{c.name: c.value}[name] }}
		if got := opensLinks(w, c.terminal); got != c.opens {
			t.Errorf("%s=%s, terminal %v: %v", c.name, c.value, c.terminal, got)
		}
	}
	ci := world{getenv: func(name string) string { return map[string]string{"CI": "true", "WT_SESSION": "1"}[name] }}
	if opensLinks(ci, true) {
		t.Error("the log of a CI service is no terminal that opens links")
	}
}

// A link leads to a file that is there, at its line.
func TestSourceLink(t *testing.T) {
	root := t.TempDir()
	model := filepath.Join(root, "a model.py")
	if err := os.WriteFile(model, []byte("x = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := sourceLink(root)
	for _, name := range []string{"a model.py", model} {
		u, err := url.Parse(link(name, 7))
		if err != nil || u.Scheme != "file" || u.Path != filepath.ToSlash(model) || u.Fragment != "7" {
			t.Errorf("%s: %v, %v", name, u, err)
		}
	}
	for _, name := range []string{"other.py", root} {
		if got := link(name, 1); got != "" {
			t.Errorf("%s, which is no file: %s", name, got)
		}
	}
}
