package dump

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// content is one file of a real dump.
func content(t *testing.T, archive, suffix string) []byte {
	t.Helper()
	d := &Dump{Path: archive}
	defer d.Close()
	files, err := d.gather(context.Background(), archive, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Rel, suffix) {
			r, err := f.src.open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("%s holds no %s", archive, suffix)
	return nil
}

// TestSingleFiles opens files of any name: what they are is told by what they hold.
func TestSingleFiles(t *testing.T) {
	const ir = "testdata/tf-compiler-ir.tar.xz"
	optimized := content(t, ir, "dense.optimized_hlo")
	unoptimized := content(t, ir, "dense.hlo")
	proto := content(t, ir, "dense.optimized_hlo_serialized")
	hloProto := content(t, "testdata/tf25-nameless.tar.xz", "after_optimizations.txt")
	graph := content(t, "testdata/tf-graphs.tar.xz", ".pbtxt")
	for name, c := range map[string]struct {
		data  []byte
		stage StageKind
		id    string
		proto bool
	}{
		"whatever":                           {optimized, StageAfter, "whatever", false},
		"step.txt":                           {optimized, StageAfter, "step", false},
		"step.hlo":                           {unoptimized, StageBefore, "step", false},
		"step.hlo.gz":                        {gzipped(t, optimized), StageAfter, "step", false},
		"step.txt.zst":                       {zstandard(t, optimized), StageAfter, "step", false},
		"step.hlo.pb":                        {proto, StageAfter, "step", true},
		"step.pb.gz":                         {gzipped(t, proto), StageAfter, "step", true},
		"step.optimized_hlo":                 {optimized, StageAfter, "step", false},
		"module_0001.jit_step.fusion.94.hlo": {optimized, StageAfter, "module_0001.jit_step.fusion.94", false},
		"2024.module_0007.after_optimizations.txt": {hloProto, StageAfter, "", false},
	} {
		path := filepath.Join(t.TempDir(), name)
		write(t, path, c.data)
		d := open(t, path)
		if len(d.Modules) != 1 || len(d.Modules[0].Stages) != 1 || d.Modules[0].Stages[0].Kind != c.stage || c.id != "" && d.Modules[0].ID != c.id {
			t.Errorf("%s: %s", name, describe(d))
			continue
		}
		m := d.Modules[0]
		if s := m.Stages[0]; (s.File(KindHLOProto) != nil) != c.proto || m.Name == "" {
			t.Errorf("%s: %s", name, describe(d))
		}
		data, release, err := m.Stages[0].HLO().Bytes()
		if err != nil || !c.proto && !bytes.HasPrefix(data, []byte("HloModule")) || len(data) == 0 {
			t.Errorf("%s: %q, %v", name, data[:min(len(data), 20)], err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	for what, data := range map[string][]byte{"a module": optimized, "a log": content(t, "testdata/tf-stdout.log.xz", "")} {
		d, err := Open(context.Background(), "-", Options{Stdin: bytes.NewReader(data)})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Modules) == 0 || len(d.Problems) != 0 || len(d.Unknown) != 0 {
			t.Errorf("%s on standard input: %s", what, describe(d))
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	path := filepath.Join(t.TempDir(), "graph.pbtxt")
	write(t, path, graph)
	if d := open(t, path); len(d.Graphs) != 1 || len(d.Problems) != 0 {
		t.Errorf("a graph: %s", describe(d))
	}
}

// A computation that XLA dumps by itself, beside the module that it is out of, is none.
func TestComputationAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "module_0001.jit_step.fused_computation.94.hlo")
	write(t, path, []byte("%fused_computation.94 (param_0: f32[8]) -> f32[8] {\n  %param_0 = f32[8]{0} parameter(0)\n  ROOT %exponential.1 = f32[8]{0} exponential(%param_0)\n}\n"))
	d := open(t, path)
	if len(d.Modules) != 0 || len(d.Problems) != 1 || d.Problems[0].Message != "the dump holds computations out of a module, but no module" {
		t.Errorf("%s", describe(d))
	}
}

// TestBytes reads a file in each of the places where it may lie, large enough to be mapped.
func TestBytes(t *testing.T) {
	large := []byte("HloModule large\n" + strings.Repeat("// a comment, to make it large enough\n", 60000))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d", "large.txt"), large)
	write(t, filepath.Join(dir, "d", "packed.txt.gz"), gzipped(t, large))
	write(t, filepath.Join(dir, "d.zip"), zipped(t, filepath.Join(dir, "d"), 8))
	for _, path := range []string{"d", "d.zip"} {
		d := open(t, filepath.Join(dir, path))
		if len(d.Modules) != 2 {
			t.Fatalf("%s: %s", path, describe(d))
		}
		for _, m := range d.Modules {
			data, release, err := m.Stages[0].HLO().Bytes()
			if err != nil || !bytes.Equal(data, large) {
				t.Errorf("%s: %d bytes, %v", m.Stages[0].HLO().Path, len(data), err)
			}
			if err := release(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestBytesOfDamagedFile cuts a compressed module: its beginning reads well, the whole must not.
func TestBytesOfDamagedFile(t *testing.T) {
	packed := gzipped(t, []byte(header+strings.Repeat("// filler that does not pack away: 0123456789\n", 10)))
	path := filepath.Join(t.TempDir(), "module_0001.jit_f.cpu_after_optimizations.txt.gz")
	write(t, path, packed[:len(packed)-6])
	d, err := Open(context.Background(), path, Options{})
	if err != nil {
		return // noticed even earlier
	}
	defer d.Close()
	if len(d.Problems) > 0 || len(d.Modules) == 0 {
		return
	}
	if data, _, err := d.Modules[0].Stages[0].HLO().Bytes(); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("%d bytes of a cut file: %v", len(data), err)
	}
}

// TestSpoolIsRemoved looks for the temporary file of an unpacked archive: where an open file can be removed it has no name even while
// it is read, and a program that is killed leaves nothing behind.
func TestSpoolIsRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	d, err := Open(context.Background(), "testdata/cache-hit.tar.gz", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	if runtime.GOOS == "windows" {
		want = 1
	}
	if left, _ := os.ReadDir(dir); len(left) != want {
		t.Errorf("%d temporary files", len(left))
	}
	if data, release, err := d.Modules[0].Stages[0].HLO().Bytes(); err != nil || len(data) == 0 || release() != nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
}

// TestStreamIsLeft opens a stream that never ends: who interrupts it need not wait for its writer.
func TestStreamIsLeft(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = out.Write([]byte(header))
		stop()
	}()
	if _, err := Open(ctx, "-", Options{Stdin: in}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, wanted that it was interrupted", err)
	}
}
