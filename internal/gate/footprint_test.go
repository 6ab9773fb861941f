package gate

import (
	"os"
	"path/filepath"
	"runtime"
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

// A footprint is another one when anything is that a check depends on, and stays the same when something else changes.
func TestFootprint(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the system does not say when a file was changed")
	}
	dir := tree(t, "dump/module_0001.jit_f.cpu_after_optimizations.txt", "second/x.txt", ".xlagate/model/f.yaml", "run.log", "xlagate.yaml", "notes.txt")
	if err := os.Symlink(filepath.Join(dir, "dump"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	footprint := func(target string, change func(*Options)) string {
		t.Helper()
		cfg, err := config.Parse(rules.All, filepath.Join(dir, "xlagate.yaml"), []byte("version: 1\ntargets:\n  - "+target+"\nrules:\n  - {rule: max-kernels, max: 1}\n"))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Request: Request{Config: cfg}, Environment: Environment{Dir: dir, Now: time.Unix(1_700_000_000, 0)}}
		change(&o)
		return Footprint(o)
	}
	same := func(*Options) {}
	const plain = "{ name: model, dump: dump }"
	if footprint(plain, same) != "" {
		t.Error("files that were just written have a footprint")
	}
	time.Sleep(2100 * time.Millisecond)
	first := footprint(plain, same)
	if again := footprint(plain, func(o *Options) { o.Now = o.Now.Add(time.Minute) }); first == "" || again != first {
		t.Errorf("a minute later %q, first %q", again, first)
	}
	for name, other := range map[string]string{
		"another level":    footprint(plain, func(o *Options) { o.FailOn = "never" }),
		"another day":      footprint(plain, func(o *Options) { o.Now = o.Now.AddDate(0, 0, 1) }),
		"another dump":     footprint(plain, func(o *Options) { o.Dumps = []string{"second"} }),
		"the dump of one":  footprint(plain, func(o *Options) { o.ByTarget = map[string]string{"model": "second"} }),
		"another baseline": footprint(plain, func(o *Options) { o.Baseline = "second" }),
		"a log":            footprint("{ name: model, dump: dump, log: run.log }", same),
	} {
		if other == "" || other == first {
			t.Errorf("%s: %q", name, other)
		}
	}
	for name, none := range map[string]string{
		"a captured command": footprint("{ name: model, capture: { run: python train.py } }", same),
		"a command":          footprint(plain, func(o *Options) { o.Command = []string{"true"} }),
		"the standard input": footprint(plain, func(o *Options) { o.Dumps = []string{"-"} }),
		"a revision":         footprint(plain, func(o *Options) { o.Baseline = "git:HEAD:.xlagate" }),
		"a link":             footprint("{ name: model, dump: link }", same),
		"what is missing":    footprint("{ name: model, dump: dump, log: other.log }", same),
		"a fresh dump":       footprint("{ name: model, dump: dump, require_fresh: true }", same),
	} {
		if none != "" {
			t.Errorf("%s has a footprint", name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil || footprint(plain, same) != first {
		t.Errorf("a file that no check reads counts: %v", err)
	}
}
