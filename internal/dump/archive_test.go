package dump

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tarOf packs entries, each with its content.
func tarOf(t *testing.T, entries []tar.Header, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		data := content
		if h.Typeflag != tar.TypeReg {
			data = ""
		}
		h.Size = int64(len(data))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A link in a tar is the file that it leads to, wherever in the archive both stand; hidden files are none of the dump's.
func TestLinksInTars(t *testing.T) {
	const name = "module_0001.jit_f.cpu_after_optimizations.txt"
	file := tar.Header{Name: "run/" + name, Typeflag: tar.TypeReg}
	for _, c := range []struct {
		what    string
		links   []tar.Header
		modules int
		problem string
	}{
		{"a hard link", []tar.Header{{Name: "copy/" + name, Linkname: "run/" + name, Typeflag: tar.TypeLink}}, 2, ""},
		{"a symbolic link beside it", []tar.Header{{Name: "run/module_0002.jit_f.cpu_after_optimizations.txt", Linkname: name, Typeflag: tar.TypeSymlink}}, 2, ""},
		{"a symbolic link from elsewhere", []tar.Header{{Name: "copy/" + name, Linkname: "../run/" + name, Typeflag: tar.TypeSymlink}}, 2, ""},
		{"a link to a folder", []tar.Header{{Name: "latest", Linkname: "run", Typeflag: tar.TypeSymlink}}, 1, ""},
		{"a hidden link", []tar.Header{{Name: "copy/." + name, Linkname: "run/" + name, Typeflag: tar.TypeLink}}, 1, ""},
		{"a link to nothing", []tar.Header{{Name: "copy/" + name, Linkname: "gone/" + name, Typeflag: tar.TypeLink}}, 1, "which is not in the archive"},
	} {
		for _, entries := range [][]tar.Header{append([]tar.Header{file}, c.links...), append(c.links, file)} {
			d, err := streamed(bytes.NewReader(tarOf(t, entries, someModule)))
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Modules) != c.modules || len(d.Problems) > 0 != (c.problem != "") || c.problem != "" && !strings.Contains(d.Problems[0].Message, c.problem) {
				t.Errorf("%s: %s, problems %v", c.what, describe(d), d.Problems)
			}
			for _, m := range d.Modules {
				if data, release, err := m.Optimized().HLO().Bytes(); err != nil || string(data) != someModule {
					t.Errorf("%s: %s holds %q, %v", c.what, m.ID, data, err)
				} else if err := release(); err != nil {
					t.Error(err)
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// What a zip holds besides files to read: folders, hidden files, files behind a password and files of an impossible size.
func TestEntriesOfZips(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, h := range []zip.FileHeader{
		{Name: "run/"},
		{Name: "run/module_0001.jit_f.cpu_after_optimizations.txt"},
		{Name: "run/.module_0002.jit_f.cpu_after_optimizations.txt"},
		{Name: "run/module_0003.jit_f.cpu_after_optimizations.txt", Flags: 1},
	} {
		entry, err := w.CreateHeader(&h)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(h.Name, "/") {
			continue
		}
		if _, err := entry.Write([]byte(someModule)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dump.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	d := openDir(t, path)
	if len(d.Modules) != 1 || d.Modules[0].ID != "module_0001.jit_f" || len(d.Problems) != 1 || d.Problems[0].Message != "the file is encrypted" {
		t.Errorf("%s, problems %v", describe(d), d.Problems)
	}
}

// What is not a dump's file in a directory is passed over, or said.
func TestEntriesOfDirectories(t *testing.T) {
	dir := t.TempDir()
	const name = "module_0001.jit_f.cpu_after_optimizations.txt"
	for _, at := range []string{"run", ".git"} {
		if err := os.Mkdir(filepath.Join(dir, at), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, at, name), []byte(someModule))
	}
	write(t, filepath.Join(dir, "run", "."+name), []byte(someModule))
	for link, target := range map[string]string{"inside": "run", "outside": t.TempDir(), "gone": "nowhere", "device": os.DevNull} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	d := openDir(t, dir)
	var told []string
	for _, p := range d.Problems {
		told = append(told, filepath.Base(p.File)+": "+p.Message)
	}
	want := "device: this is no regular file and was not read\n" +
		"gone: the file cannot be read: no such file or directory\n" +
		"outside: the link leads to a directory outside of the dump and was not followed"
	if got := strings.Join(told, "\n"); got != want || len(d.Modules) != 1 {
		t.Errorf("%s%s\nwanted\n%s", describe(d), got, want)
	}
	if _, err := Open(t.Context(), os.DevNull, Options{}); err == nil || !strings.Contains(err.Error(), "is neither a directory nor a file") {
		t.Errorf("a device: %v", err)
	}
}
