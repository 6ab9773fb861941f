package gate

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mikelolasagasti/xz"
)

// members are the files of a real dump, by name.
func members(t *testing.T, dump string) map[string][]byte {
	t.Helper()
	packed, err := os.ReadFile(dumps + dump)
	if err != nil {
		t.Fatal(err)
	}
	r, err := xz.NewReader(bytes.NewReader(packed), 0)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[filepath.Base(h.Name)], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// unpacked writes files into a folder of their own.
func unpacked(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const whole = "cpu-unfused/before.tar.xz"

// Wherever an archive ends, a gate that passes on the whole of it never passes, nor fails for another reason.
func TestCutArchiveNeverPasses(t *testing.T) {
	o := options(t, recommended, whole)
	accept(t, o, AcceptOptions{})
	data, err := os.ReadFile(dumps + whole)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dump.tar.xz")
	for n := range 16 {
		if err := os.WriteFile(file, data[:len(data)*n/16], 0o600); err != nil {
			t.Fatal(err)
		}
		o.Dumps = []string{file}
		if r, err := Check(context.Background(), o); err == nil && (r.ExitCode != ExitIncomplete || len(r.Problems) == 0) {
			t.Errorf("%d of 16: exit %d with %d findings", n, r.ExitCode, len(r.Findings))
		}
	}
}

// Wherever a file of a dump ends: the module's is never passed over, and no other makes the gate pass that does not fit.
func TestCutFileNeverPasses(t *testing.T) {
	files := members(t, whole)
	o := options(t, recommended)
	o.Dumps = []string{unpacked(t, files)}
	accept(t, o, AcceptOptions{})
	if r := check(t, o); r.ExitCode != ExitPass {
		t.Fatalf("as it is: exit %d, %+v", r.ExitCode, r.Problems)
	}
	for name, data := range files {
		for n := range 16 {
			cut := map[string][]byte{}
			for other, all := range files {
				cut[other] = all
			}
			cut[name] = data[:len(data)*n/16]
			o.Dumps = []string{unpacked(t, cut)}
			r := check(t, o)
			if isModule := filepath.Ext(name) == ".txt" && bytes.HasPrefix(data, []byte("HloModule")); isModule && r.ExitCode != ExitIncomplete {
				t.Errorf("%s, %d of 16: exit %d", name, n, r.ExitCode)
			}
		}
	}
}

// A file that is gone is never taken for one that has nothing to say: what rests on it is not green.
func TestMissingModuleNeverPasses(t *testing.T) {
	files := members(t, whole)
	o := options(t, recommended)
	o.Dumps = []string{unpacked(t, files)}
	accept(t, o, AcceptOptions{})
	for name := range files {
		left := map[string][]byte{}
		for other, all := range files {
			if other != name {
				left[other] = all
			}
		}
		o.Dumps = []string{unpacked(t, left)}
		r := check(t, o)
		if bytes.HasPrefix(files[name], []byte("HloModule")) && bytes.Contains([]byte(name), []byte("after_optimizations.txt")) && r.ExitCode != ExitIncomplete {
			t.Errorf("without %s: exit %d, %+v", name, r.ExitCode, r.Findings)
		}
	}
}

// No dump, an empty one, one of no modules: exit 3 with a reason and what to do.
func TestNothingToLookAt(t *testing.T) {
	empty, other := t.TempDir(), unpacked(t, map[string][]byte{"README.md": []byte("hello"), "notes.txt": []byte("HloMod")})
	for name, dump := range map[string]string{"no dump": filepath.Join(empty, "nowhere"), "an empty folder": empty, "no modules": other, "a file of nothing": filepath.Join(other, "README.md")} {
		o := options(t, recommended+"rules: [{ rule: max-kernels, max: 1000 }]\n")
		o.Dumps = []string{dump}
		r, err := Check(context.Background(), o)
		if err != nil {
			continue // refused before anything was read
		}
		if r.ExitCode != ExitIncomplete || r.Verdict != "incomplete" || len(r.Problems) == 0 || r.Problems[0].Message == "" || r.Problems[0].Fix == "" {
			t.Errorf("%s: exit %d, %+v", name, r.ExitCode, r.Problems)
		}
	}
}

// What the baseline holds and the dump lacks could not be checked, unless the user says that it may be missing.
func TestLackingInput(t *testing.T) {
	files := members(t, whole)
	o := options(t, "version: 1\nextends: [recommended, strict]\n")
	o.Dumps = []string{unpacked(t, files)}
	accept(t, o, AcceptOptions{})
	for name := range files {
		if strings.Contains(name, "buffer-assignment") || strings.Contains(name, ".pb") {
			delete(files, name)
		}
	}
	o.Dumps = []string{unpacked(t, files)}
	r := check(t, o)
	const want = "the dump lacks the buffer-assignment of "
	if r.ExitCode != ExitIncomplete || len(r.Problems) == 0 || !strings.HasPrefix(r.Problems[0].Message, want) || !strings.HasSuffix(r.Problems[0].Fix, "--allow-missing buffer-assignment") {
		t.Errorf("exit %d, %+v", r.ExitCode, r.Problems)
	}
	o.AllowMissing = []string{"ptx"}
	if r = check(t, o); r.ExitCode != ExitIncomplete {
		t.Errorf("another is allowed to be missing: exit %d", r.ExitCode)
	}
	o.AllowMissing = Inputs()
	if r = check(t, o); r.ExitCode != ExitPass || len(r.Notes) > 0 || !slices.ContainsFunc(r.Targets[0].NotCovered, func(s string) bool { return strings.HasPrefix(s, "buffer-assignment of ") }) {
		t.Errorf("allowed: exit %d, %+v, not covered %q", r.ExitCode, r.Problems, r.Targets[0].NotCovered)
	}
}

// A buffer assignment that ends before its last allocation is not less memory.
func TestCutBufferAssignment(t *testing.T) {
	files := members(t, whole)
	o := options(t, recommended)
	o.Dumps = []string{unpacked(t, files)}
	accept(t, o, AcceptOptions{})
	for name, data := range files {
		lines := bytes.SplitAfter(data, []byte("\n"))
		if !strings.HasSuffix(name, "buffer-assignment.txt") {
			continue
		}
		for n := range lines[:len(lines)-1] {
			files[name] = bytes.Join(lines[:n], nil)
			o.Dumps = []string{unpacked(t, files)}
			if r := check(t, o); r.ExitCode != ExitIncomplete {
				t.Errorf("%s, %d of %d lines: exit %d, %+v", name, n, len(lines)-1, r.ExitCode, r.Notes)
			}
		}
		files[name] = data
	}
}

// A program that the dump holds but that cannot be read is not said to be gone: its problem says why it is not there.
func TestCutProgramIsNotGone(t *testing.T) {
	o := options(t, recommended, "cpu-improved/before.tar.xz", "cpu-fusion_callback_barrier/before.tar.xz")
	accept(t, o, AcceptOptions{})
	whole := o.to(t, "cpu-improved/before.tar.xz")
	both := whole
	both.Dumps = append(both.Dumps, o.to(t, "damaged/cut_off_text").Dumps...)
	r := check(t, both)
	if programs := r.Targets[0].Programs; len(programs) != 1 || programs[0].Name != "scale" || len(r.Problems) != 1 {
		t.Errorf("%d programs, the first is %s; problems %v", len(programs), programs[0].Name, r.Problems)
	}
	r = check(t, whole)
	if programs := r.Targets[0].Programs; len(programs) != 2 || programs[0].Change != "removed" {
		t.Errorf("%d programs: %+v", len(programs), programs[0])
	}
}
