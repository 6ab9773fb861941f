package dump

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/xlagate/xlagate/internal/testfile"
)

func open(t *testing.T, path string) *Dump {
	t.Helper()
	d, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// build is the compiler's version if the file names contain it, such as "cl/1003875606" of libtpu; else "".
func build(m *Module) string {
	if n, ok := strings.CutPrefix(m.Spelled[len(cutChangelist(m.Spelled)):], ".cl_"); ok {
		return "cl/" + n
	}
	return ""
}

// describe prints everything that was found out about a dump, without the path of the dump itself.
func describe(d *Dump) string {
	var b strings.Builder
	for _, group := range []struct {
		title   string
		modules []*Module
	}{{"module", d.Modules}, {"throwaway", d.Throwaway}} {
		for _, m := range group.modules {
			fmt.Fprintf(&b, "%s %s\n", group.title, m.ID)
			fmt.Fprintf(&b, "  name %s, program %s, process %q, backend %q, build %q\n", m.Name, ProgramName(m.Name), m.Process, m.Backend(), build(m))
			for i := range m.Stages {
				describeStage(&b, &m.Stages[i])
			}
			describeFiles(&b, "  companions", m.Companions)
		}
	}
	for _, list := range []struct {
		title string
		files []*File
	}{{"graphs", d.Graphs}, {"logs", d.Logs}, {"traces", d.Traces}, {"other", d.Other}, {"unknown", d.Unknown}} {
		describeFiles(&b, list.title, list.files)
	}
	for _, p := range d.Problems {
		fmt.Fprintf(&b, "problem %s [%s]\n  %s\n  %s\n", filepath.Base(p.File), p.Module, p.Message, p.Fix)
	}
	return b.String()
}

func describeStage(b *strings.Builder, s *Stage) {
	fmt.Fprintf(b, "  %s %s", s.Kind, s.Label)
	if s.Kind == StagePass {
		fmt.Fprintf(b, " (%d %s: %s, then %s)", s.Pass.Number, s.Pass.Pipeline, s.Pass.After, s.Pass.Before)
	}
	for _, f := range s.Files {
		fmt.Fprintf(b, " %s", f.Kind)
	}
	b.WriteByte('\n')
}

func describeFiles(b *strings.Builder, title string, files []*File) {
	count := map[Kind]int{}
	for _, f := range files {
		count[f.Kind]++
	}
	if len(count) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:", title)
	for _, k := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(b, " %s %d", cmp.Or(k, "?"), count[k])
	}
	b.WriteByte('\n')
}

// TestRealDumps compares what is found in real dumps of many versions with what was found before.
func TestRealDumps(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.xz")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d real dumps, %v", len(archives), err)
	}
	for _, path := range append(archives, "testdata/cache-hit.tar.gz") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			testfile.Golden(t, path+".golden", describe(open(t, path)))
		})
	}
}

// TestNothingIsLost counts every file of every real dump exactly once.
func TestNothingIsLost(t *testing.T) {
	archives, _ := filepath.Glob("testdata/*.tar.?z")
	for _, path := range archives {
		d := &Dump{Path: path}
		files, err := d.gather(context.Background(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, f := range allFiles(open(t, path)) {
			seen[f.Path]++
		}
		for _, f := range files {
			if seen[f.Path] != 1 && !strings.Contains(f.Path, "!stdout") {
				t.Errorf("%s was counted %d times", f.Path, seen[f.Path])
			}
			delete(seen, f.Path)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func allFiles(d *Dump) []*File {
	files := slices.Concat(d.Graphs, d.Logs, d.Traces, d.Other, d.Unknown)
	for _, m := range append(slices.Clone(d.Modules), d.Throwaway...) {
		files = append(files, m.Companions...)
		for i := range m.Stages {
			s := &m.Stages[i]
			files = append(files, s.Files...)
		}
	}
	return files
}

// unpack writes the files of a dump below a directory.
func unpack(t *testing.T, path, dir string) {
	t.Helper()
	d := &Dump{Path: path}
	defer d.Close()
	files, err := d.gather(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		r, err := f.src.open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.FromSlash(f.Rel)), data)
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEveryWayIn opens one dump as a directory, as every kind of archive and from standard input: it is the same dump.
func TestEveryWayIn(t *testing.T) {
	const real = "testdata/protos-gz.tar.xz"
	dir := t.TempDir()
	unpack(t, real, filepath.Join(dir, "d"))
	want := describe(open(t, filepath.Join(dir, "d")))

	packed, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	tarball, err := compressionOf(packed).decompress(packed, 0)
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string][]byte{
		"d.tar": tarball, "d.tar.xz": packed, "d.tar.gz": gzipped(t, tarball), "d.tgz": gzipped(t, tarball), "d.tar.zst": zstandard(t, tarball),
		"d.zip": zipped(t, filepath.Join(dir, "d"), zip.Deflate), "z.zip": zipped(t, filepath.Join(dir, "d"), zstd.ZipMethodWinZip),
	}
	for name, data := range ways {
		path := filepath.Join(dir, name)
		write(t, path, data)
		if got := describe(open(t, path)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		d, err := Open(context.Background(), "-", Options{Stdin: bytes.NewReader(data)})
		if err != nil {
			t.Fatalf("%s on standard input: %v", name, err)
		}
		if got := describe(d); got != want {
			t.Errorf("%s on standard input: got\n%s\nwant\n%s", name, got, want)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

func zipped(t *testing.T, dir string, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(rel), Method: method})
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
