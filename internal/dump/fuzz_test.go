package dump

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

func FuzzSniff(f *testing.F) {
	var seeds [][]byte
	for _, s := range []string{"HloModule f", "/*", "//", "\x0a\x03\x0a\x01x", "\x0a\xff\xff\xff\xff\x0f", "node {", "*** Begin module_0001.f.txt ***\n*** End module_0001.f.txt ***"} {
		seeds = append(seeds, []byte(s))
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		sniff(data)
		textModuleName(data)
		protoModuleName(data)
		d := &Dump{}
		files, err := d.captured(InMemory("run.log", data))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if body, _, err := f.Bytes(); err != nil || !bytes.Contains(data, body) {
				t.Fatalf("%s holds %q, %v", f.Path, body, err)
			}
		}
		return nil
	}, seeds...)
}

// fuzzDump opens a dump that is a file of that name, and reads all that it finds there: no file holds more than it may, and each error and
// problem names its file.
func fuzzDump(f *testing.F, format fuzztest.Format, name string, seeds ...[]byte) {
	f.Helper()
	dir := f.TempDir()
	fuzztest.Run(f, format, func(t *testing.T, data []byte) error {
		path := filepath.Join(dir, name)
		write(t, path, data)
		return readWhole(t, path)
	}, seeds...)
}

func readWhole(t *testing.T, path string) error {
	const limit = 32 << 20
	d, err := Open(context.Background(), path, Options{Limit: limit})
	if err != nil {
		return named(t, err, path)
	}
	for _, p := range d.Problems {
		if p.Message == "" || p.Fix == "" || !strings.HasPrefix(p.File, path) {
			t.Errorf("%+v", p)
		}
		fuzztest.CheckError(t, errors.New(p.Message))
	}
	files := slices.Concat(d.Graphs, d.Logs, d.Traces, d.Other, d.Unknown)
	for _, m := range slices.Concat(d.Modules, d.Throwaway) {
		files = append(files, m.Files()...)
	}
	for _, file := range files {
		content, release, err := file.Bytes()
		if err != nil {
			_ = named(t, err, file.Path)
			continue
		}
		if size := file.ContentSize(); len(content) > limit/fileShare || int64(len(content)) > size {
			t.Errorf("%s holds %d bytes, and weighs %d", file.Path, len(content), size)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	return d.Close()
}

// named checks that an error names the file that it is about.
func named(t *testing.T, err error, file string) error {
	t.Helper()
	fuzztest.CheckError(t, err)
	if !strings.Contains(err.Error(), filepath.Base(file)) {
		t.Errorf("%s is not named: %v", file, err)
	}
	return err
}

// unpackedSeed is a tar archive of testdata without its compression.
func unpackedSeed(f *testing.F, name string) []byte {
	f.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		f.Fatal(err)
	}
	data, err := compressionOf(packed).decompress(packed, 0)
	if err != nil {
		f.Fatal(err)
	}
	return data
}

func FuzzTar(f *testing.F) {
	fuzzDump(f, fuzztest.Blocks(512), "dump.tar", unpackedSeed(f, "tf-longname.tar.xz"), unpackedSeed(f, "snapshots.tar.xz"), []byte("not a tar"))
}

func FuzzZip(f *testing.F) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for i := range 3 {
		entry, err := w.Create(fmt.Sprintf("module_%04d.jit_f.cpu_after_optimizations.txt", i))
		if err != nil {
			f.Fatal(err)
		}
		if _, err := entry.Write([]byte(someModule)); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	fuzzDump(f, fuzztest.Blocks(2), "dump.zip", archive.Bytes())
}

const someModuleFile = "module_0000.jit_f.cpu_after_optimizations.txt"

func FuzzGzip(f *testing.F) {
	fuzzDump(f, fuzztest.Blocks(1), someModuleFile+".gz", packed(f, []byte(someModule)), append(packed(f, []byte(someModule)), packed(f, []byte("\n"))...))
}

func FuzzZstandard(f *testing.F) {
	fuzzDump(f, fuzztest.Blocks(1), someModuleFile+".zst", zstandard(f, []byte(someModule)))
}

func FuzzXZ(f *testing.F) {
	small, err := os.ReadFile("testdata/tf-stdout.log.xz")
	if err != nil {
		f.Fatal(err)
	}
	fuzzDump(f, fuzztest.Blocks(4), "run.log.xz", small)
}

func FuzzCaptureLog(f *testing.F) {
	fuzzDump(f, fuzztest.Text, "run.log", unpackedSeed(f, "tf-stdout.log.xz"), []byte("*** Begin module_0001.\x8b\x1b[2J.txt ***\n"))
}

func FuzzSnapshot(f *testing.F) {
	r, seeds := tar.NewReader(bytes.NewReader(unpackedSeed(f, "snapshots-optimized.tar.xz"))), [][]byte(nil)
	for h, err := r.Next(); err == nil; h, err = r.Next() {
		if strings.Contains(h.Name, "snapshot") {
			data, err := io.ReadAll(r)
			if err != nil {
				f.Fatal(err)
			}
			seeds = append(seeds, data)
		}
	}
	if len(seeds) == 0 {
		f.Fatal("no snapshot")
	}
	fuzzDump(f, fuzztest.Proto, "module_0000.jit_f.hlo_snapshot.pb", seeds...)
}

// A capture says which files it left, and how long they were.
func FuzzToolchain(f *testing.F) {
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, someModuleFile), []byte(someModule), 0o600); err != nil {
		f.Fatal(err)
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, data []byte) error {
		write(t, filepath.Join(dir, "xlagate-toolchain.json"), data)
		return readWhole(t, dir)
	}, []byte(fmt.Sprintf(`{"status": "done", "framework": "jax", "versions": {"jax": "0.10.2"}, "started": "2026-11-24T12:00:00Z",
"files": {"gone.txt": 3, %q: %d}}`, someModuleFile, len(someModule))))
}
