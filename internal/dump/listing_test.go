package dump

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A dump of another run, with files of the same names and sizes, is told apart by what they hold.
func TestSample(t *testing.T) {
	at := func(change func(module, log []byte)) [32]byte {
		dir := t.TempDir()
		module, log := append([]byte("HloModule jit_f\n\nENTRY main {\n}\n"), bytes.Repeat([]byte("// 0123456789\n"), 1<<15)...), []byte("said\n")
		change(module, log)
		write(t, filepath.Join(dir, "module_0001.jit_f.cpu_after_optimizations.txt"), module)
		write(t, filepath.Join(dir, "run.log"), log)
		return open(t, dir).Sample()
	}
	first := at(func(_, _ []byte) {})
	if at(func(_, _ []byte) {}) != first {
		t.Error("the same dump elsewhere is sampled in another way")
	}
	for what, change := range map[string]func(module, log []byte){
		"another name in the header":        func(module, _ []byte) { module[14] = 'g' },
		"a module that is other at its end": func(module, _ []byte) { copy(module[len(module)/2:], bytes.Repeat([]byte("x"), len(module)/2)) },
	} {
		if at(change) == first {
			t.Errorf("%s is not seen", what)
		}
	}
}

// The listing is the dump's own: the same wherever it lies, another one as soon as a file is another.
func TestListing(t *testing.T) {
	const module, log = "module_0001.jit_f.cpu_after_optimizations.txt", "run.log"
	at := func(change func(dir string) error) [32]byte {
		dir := t.TempDir()
		write(t, filepath.Join(dir, module), []byte("HloModule jit_f\n\nENTRY main {\n}\n"))
		write(t, filepath.Join(dir, log), []byte("said\n"))
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		return open(t, dir).Listing()
	}
	first := at(func(string) error { return nil })
	if at(func(string) error { return nil }) != first {
		t.Error("the same dump elsewhere is listed in another way")
	}
	for what, change := range map[string]func(string) error{
		"a longer log": func(dir string) error { return os.WriteFile(filepath.Join(dir, log), []byte("said more\n"), 0o600) },
		"no log":       func(dir string) error { return os.Remove(filepath.Join(dir, log)) },
		"another module": func(dir string) error {
			return os.Rename(filepath.Join(dir, module), filepath.Join(dir, "module_0002.jit_f.cpu_after_optimizations.txt"))
		},
		"a cut module": func(dir string) error { return os.Truncate(filepath.Join(dir, module), 20) },
	} {
		if at(change) == first {
			t.Errorf("%s is not seen", what)
		}
	}
}
