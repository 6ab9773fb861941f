package dump

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// streamed looks at what stands on standard input.
func streamed(r io.Reader) (*Dump, error) {
	return Open(context.Background(), "-", Options{Stdin: r})
}

// A stream that ends too early is never taken for a whole dump, wherever it ends and however it is compressed.
func TestCutStreams(t *testing.T) {
	packed, err := os.ReadFile("testdata/cache-hit.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	tarball, err := compressionOf(packed).decompress(packed, 0)
	if err != nil {
		t.Fatal(err)
	}
	files := bytes.TrimRight(tarball, "\x00") // what follows is padding
	for name, data := range map[string][]byte{"tar": files, "gz": packed, "zst": zstandard(t, tarball)} {
		for _, part := range []float64{0, 0.001, 0.1, 0.5, 0.9, 0.999} {
			size := int(part * float64(len(data)))
			d, err := streamed(bytes.NewReader(data[:size]))
			if err != nil {
				continue
			}
			if len(d.Problems) == 0 {
				t.Errorf("%d of %d bytes of a %s pass for a whole dump: %s", size, len(data), name, describe(d))
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestStreamsThatAreNoDump(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, c := range []struct {
		name string
		from io.Reader
		says string
	}{
		{"empty", strings.NewReader(""), "standard input: it is empty"},
		{"compressed, empty", bytes.NewReader(gzipped(t, nil)), "standard input: it is empty"},
		{"broken at once", iotest.ErrReader(broken), "read the dump from standard input: broken pipe"},
		{"broken off", io.MultiReader(strings.NewReader(strings.Repeat("HloModule m\n", 999)), iotest.ErrReader(broken)), "broken pipe"},
		{"a compression's first bytes", strings.NewReader("\x1f\x8b\x08"), "standard input: it was cut off"},
	} {
		if d, err := streamed(c.from); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v; wanted %q", c.name, d, err, c.says)
		}
	}
	d, err := streamed(strings.NewReader("hello\n"))
	if err != nil || len(d.Problems) == 0 {
		t.Errorf("any text: %v, %v", d, err)
	}
}

// Names that lead out of an archive lead nowhere: nothing is read or written outside of it.
func TestNamesThatEscape(t *testing.T) {
	optimized := []byte("HloModule jit_f\n\nENTRY main {\n  ROOT c = f32[] constant(1)\n}\n")
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	entry := func(h tar.Header, data []byte) {
		h.Size = int64(len(data))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	entry(tar.Header{Name: "../../../tmp/module_0000.jit_f.cpu_after_optimizations.txt", Typeflag: tar.TypeReg}, optimized)
	entry(tar.Header{Name: "/etc/module_0001.jit_f.cpu_after_optimizations.txt", Typeflag: tar.TypeReg}, optimized)
	entry(tar.Header{Name: "module_0002.jit_f.cpu_after_optimizations.txt", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}, nil)
	entry(tar.Header{Name: "device", Typeflag: tar.TypeChar}, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := streamed(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Modules) != 2 || d.Modules[0].Optimized().File(KindHLOText).Path != "-!etc/module_0001.jit_f.cpu_after_optimizations.txt" {
		t.Errorf("%s", describe(d))
	}
	if len(d.Problems) != 2 || !strings.Contains(d.Problems[1].Message, "the link leads to /etc/passwd, which is not in the archive") {
		t.Errorf("problems %+v", d.Problems)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// What was read of a stream lies in a temporary file, which goes when the dump is closed.
func TestStreamsLeaveNothingBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, data := range []string{"HloModule m\n", ""} {
		d, err := streamed(strings.NewReader(data))
		if err == nil {
			err = d.Close()
		}
		if left, readErr := os.ReadDir(dir); readErr != nil || len(left) > 0 {
			t.Errorf("%q left %v behind: %v, %v", data, left, err, readErr)
		}
	}
}

// A stream without end is refused at the bound of a file, or of an archive if it begins like one.
func TestEndlessStreams(t *testing.T) {
	const limit = 1 << 20
	for most, begin := range map[int64]string{limit / fileShare: "HloModule m\n", archiveContent * limit: "PK\x03\x04"} {
		zeros := &limitedReader{zeroReader{}, 100 * limit, io.ErrClosedPipe}
		_, err := Open(t.Context(), "-", Options{Stdin: io.MultiReader(strings.NewReader(begin), zeros), Limit: limit})
		if tooMuch := (*LimitError)(nil); !errors.As(err, &tooMuch) || tooMuch.Most != most || !strings.Contains(err.Error(), "--max-memory") {
			t.Errorf("%q: %v", begin, err)
		}
	}
}

// zeroReader never ends.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
