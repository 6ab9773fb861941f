package gate

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/rules"
)

// tree writes files, each with its name as text.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// watching is a watch of the targets of a configuration in a folder.
func watching(t *testing.T, dir, target string) *Watch {
	t.Helper()
	cfg, err := config.Parse(rules.All, filepath.Join(dir, "xlagate.yaml"), []byte("version: 1\ntargets:\n  - "+target+"\nrules:\n  - {rule: max-kernels, max: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWatch(t.Context(), Options{Request: Request{Config: cfg}, Environment: Environment{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// files are the files that a watch looks at, from a folder.
func (w *Watch) files(dir string) string {
	var names []string
	for _, path := range slices.Sorted(maps.Keys(w.known)) {
		names = append(names, strings.TrimPrefix(path, dir+string(filepath.Separator)))
	}
	return strings.Join(names, " ")
}

// A command that is captured may read any source: what git knows of, else all Python files but those of a virtual environment.
func TestWatchedSources(t *testing.T) {
	const captured = "{ name: model, capture: { run: python train.py } }"
	names := []string{"train.py", "model/layers.py", "model/sizes.json", "venv/pyvenv.cfg", "venv/lib/jax.py", ".cache/old.py", "notes.txt", "xlagate.yaml"}
	dir := tree(t, names...)
	if got, want := watching(t, dir, captured).files(dir), "model/layers.py train.py xlagate.yaml"; got != want {
		t.Errorf("outside of a repository: %s, wanted %s", got, want)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", "train.py", "model/sizes.json"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("venv\n.cache\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := watching(t, dir, captured).files(dir), "model/layers.py model/sizes.json train.py xlagate.yaml"; got != want {
		t.Errorf("in a repository: %s, wanted %s", got, want)
	}
}

// Of dumps that exist every file is watched, however the target names them. Sources do not matter then.
func TestWatchedDumps(t *testing.T) {
	dir := tree(t, "dumps/a/module_0001.txt", "dumps/b/module_0002.txt", "train.py", "xlagate.yaml")
	for _, dump := range []string{"dumps", "dumps/*"} {
		w := watching(t, dir, "{ name: model, dump: "+filepath.Join(dir, dump)+" }")
		if got, want := w.files(dir), "dumps/a/module_0001.txt dumps/b/module_0002.txt xlagate.yaml"; got != want {
			t.Errorf("%s: %s, wanted %s", dump, got, want)
		}
	}
	if _, err := NewWatch(t.Context(), Options{Request: Request{Config: &config.Config{}, Dumps: []string{"-"}}}); err == nil {
		t.Error("the standard input is watched")
	}
}

// A watch waits until what changes is complete, and names a file that was written, is new or is gone.
func TestWatchWaits(t *testing.T) {
	dir := tree(t, "a.txt", "b.txt")
	for _, c := range []struct {
		name   string
		change func(path string) error
	}{
		{"a.txt", func(path string) error { return os.WriteFile(path, []byte("longer than it was"), 0o644) }},
		{"c.txt", func(path string) error { return os.WriteFile(path, nil, 0o644) }},
		{"b.txt", os.Remove},
	} {
		w, path := WatchFiles(t.Context(), []string{dir}), filepath.Join(dir, c.name)
		if err := c.change(path); err != nil {
			t.Fatal(err)
		}
		if changed, err := w.Wait(t.Context(), time.Millisecond); changed != path || err != nil {
			t.Errorf("%s changed: %s, %v", c.name, changed, err)
		}
	}
}
