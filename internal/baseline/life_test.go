package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// saved is a baseline in a folder that holds the programs of a real dump and a target's graphs.
func saved(t *testing.T, dump string) (Place, []string) {
	t.Helper()
	p := Place{Where: "store", Dir: t.TempDir()}
	e := edit(t, p)
	defer e.Close()
	r := measured(t, dump)
	var written []string
	for _, program := range r.Programs {
		written = append(written, Save(e, "model/cpu", "start", &Program{Program: *program, Toolchain: r.Toolchain})...)
	}
	names := SaveGraphs(e, "graphs", facts.Values{facts.ClustersCount: 2})
	commit(t, e)
	return p, append(written, names...)
}

func opened(t *testing.T, p Place) fs.FS {
	t.Helper()
	store, err := p.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// What was saved verifies, is saved again without a change, and a second target in the same folder stays apart.
func TestSavedBaselineVerifies(t *testing.T) {
	for _, dump := range realDumps {
		p, written := saved(t, dump)
		files := 0
		for _, name := range written {
			files++
			if _, err := os.Stat(filepath.Join(p.folder(), name)); err != nil {
				t.Errorf("%s: %v", dump, err)
			}
		}
		read, wrong, err := Verify(opened(t, p))
		if err != nil || len(wrong) > 0 || read != files {
			t.Errorf("%s: %d of %d files, %v, %v", dump, read, files, wrong, err)
		}
		set, err := Load(opened(t, p), "model/cpu")
		if err != nil {
			t.Fatal(err)
		}
		e := edit(t, p)
		for _, program := range set.Programs {
			if again := Save(e, "model/cpu", "", program); len(again) > 0 {
				t.Errorf("%s: %s is written again: %v", dump, program.Name, again)
			}
			if one, err := LoadProgram(e, path.Join("model/cpu", FileName(program.Name))); err != nil || one.Name != program.Name || len(one.Variants) != len(program.Variants) {
				t.Errorf("%s: %s alone: %v, %v", dump, program.Name, one, err)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Whatever is done to a file by hand, one error names it.
func TestVerifyNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(dir, file string) error
		want string
	}{
		{"other spaces", func(_, file string) error { return rewrite(file, `{"end":"facts"}`, `{"end": "facts"}`) }, "edited, renamed or merged by hand"},
		{"a list for a text", func(_, file string) error { return rewrite(file, `"reason":"start"`, `"reason":["start"]`) }, ".jsonl:1:"},
		{"a cut file", func(_, file string) error { return os.Truncate(file, 100) }, "the file is cut off"},
		{"another name", func(dir, file string) error { return os.Rename(file, filepath.Join(dir, "other.jsonl")) }, "edited, renamed or merged by hand"},
		{"a copy", func(dir, file string) error { return copied(file, filepath.Join(dir, "other.jsonl")) }, "other.jsonl"},
		{"a merge conflict", func(_, file string) error {
			return rewrite(file, `{"end":"facts"}`, "<<<<<<< ours\n"+`{"end":"facts"}`)
		}, "git left a conflict here: the merged model was not accepted yet"},
	} {
		p, written := saved(t, realDumps[0])
		file := filepath.Join(p.folder(), written[0])
		if err := c.do(filepath.Dir(file), file); err != nil {
			t.Fatal(err)
		}
		_, wrong, err := Verify(opened(t, p))
		if err != nil || len(wrong) == 0 {
			t.Errorf("%s: %v, %v", c.name, wrong, err)
			continue
		}
		if text := fmt.Sprint(errors.Join(wrong...)); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}

func rewrite(file, old, text string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Contains(data, []byte(old)) {
		return fmt.Errorf("%s holds no %q", file, old)
	}
	return os.WriteFile(file, bytes.Replace(data, []byte(old), []byte(text), 1), 0o600)
}

func copied(from, to string) error {
	data, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, data, 0o600))
}

// A program, and a target, are removed with the file of each program; what is not the baseline's stays.
func TestRemoveOfAProgramAndOfATarget(t *testing.T) {
	p, written := saved(t, "recompile-jit_in_loop/dump.tar.xz")
	if err := os.WriteFile(filepath.Join(p.folder(), "model", "cpu", "README.md"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Load(opened(t, p), "model/cpu")
	if err != nil {
		t.Fatal(err)
	}
	e := edit(t, p)
	names, err := Remove(e, "model/cpu", FileName(set.Programs[0].Name))
	if err != nil || len(names) != 1 || !slices.Contains(written, names[0]) {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := Remove(e, "model/cpu", "no such program"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
	if _, err := RemoveTarget(e, "other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a target that is not there: %v", err)
	}
	commit(t, e)
	left, err := Load(e, "model/cpu")
	if len(set.Programs) > 1 && (err != nil || len(left.Programs) != len(set.Programs)-1) {
		t.Errorf("%v, %v", left, err)
	}
	for _, target := range []string{"model/cpu", "graphs"} {
		if _, err := RemoveTarget(e, target); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
	commit(t, e)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if targets, err := Targets(opened(t, p)); err != nil || len(targets) > 0 {
		t.Errorf("%v are left, %v", targets, err)
	}
	if data, err := os.ReadFile(filepath.Join(p.folder(), "model", "cpu", "README.md")); err != nil || string(data) != "mine" {
		t.Errorf("another's file: %q, %v", data, err)
	}
}
