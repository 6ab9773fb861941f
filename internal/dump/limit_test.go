package dump

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// packed is content compressed with gzip.
func packed(t testing.TB, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(content); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const someModule = "HloModule jit_f\n\nENTRY %main (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n"

// What unpacks to more than the limit allows is refused with the figure and the flag, and never unpacked to its end.
func TestBombsAreRefused(t *testing.T) {
	const limit, most = 4 << 20, 1 << 20
	blank := append([]byte(someModule), bytes.Repeat([]byte("\n"), 64<<20)...)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	entry, err := w.Create("module_0000.jit_f.cpu_after_optimizations.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(blank); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"module_0000.jit_f.cpu_after_optimizations.txt.gz": packed(t, blank),
		"module_0000.jit_f.cpu_after_optimizations.txt":    blank,
		"dump.zip": archive.Bytes(),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(context.Background(), path, Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		data, _, err := d.Modules[0].Optimized().HLO().Bytes()
		if err == nil || len(data) > 0 || !strings.Contains(err.Error(), "the file holds more than 1.0 MiB, the most that is read with 4.0 MiB of memory") {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		if fix := fixRead(err); !strings.HasSuffix(fix, "--max-memory 16.0MiB") {
			t.Errorf("%s: %s", name, fix)
		}
	}
}

// What an archive unpacks to lies on disk, and is bounded as well.
func TestArchiveBombsAreRefused(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range []string{"module_0000.jit_f.cpu_after_optimizations.txt", "zeros"} {
		content := []byte(someModule)
		if name == "zeros" {
			content = make([]byte, 64<<20)
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dump.tar.gz")
	if err := os.WriteFile(path, packed(t, archive.Bytes()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open(context.Background(), path, Options{Limit: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if len(d.Problems) != 1 || d.Problems[0].Message != "the archive holds more than 32.0 MiB, the most that is read with 4.0 MiB of memory" {
		t.Errorf("%+v", d.Problems)
	}
}

// A file that claims more than its format can unpack says nothing of its size: as much is set aside for it.
func TestClaimedSizes(t *testing.T) {
	short := packed(t, []byte("text"))
	copy(short[len(short)-4:], []byte{0, 0, 0, 0x80})
	if size := gzipSays(short); size != 0 {
		t.Errorf("gzip: %d", size)
	}
	header := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0} // a size in eight bytes: 2^32
	if size := zstdSays(header); size != 0 {
		t.Errorf("zstd: %d", size)
	}
}

// A file weighs at least what it holds, whatever it says of itself, and no more than may be read of it is unpacked to know that.
func TestContentSize(t *testing.T) {
	const size = 20 << 20
	blank := bytes.Repeat([]byte("\n"), size)
	long := packed(t, blank)
	lies := bytes.Clone(long)
	copy(lies[len(lies)-4:], []byte{1, 0, 0, 0})
	for _, c := range []struct {
		name        string
		stored      []byte
		limit       Limit
		least, most int64
	}{
		{"plain", blank, 0, size, size},
		{"gzip", long, 0, size, size},
		{"two parts", slices.Concat(long, packed(t, blank[:1])), 0, size + 1, size + 1},
		{"a wrong size", lies, 0, size, size},
		{"a little gzip", packed(t, blank[:1000]), 0, 1000, little},
		{"zstd", zstandard(t, blank), 0, size, size},
		{"more than may be read", zstandard(t, blank), 4 << 20, 1 << 20, 2 << 20},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, c.stored, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := FileAt(path, c.limit).ContentSize(); got < c.least || got > c.most {
			t.Errorf("%s: %d", c.name, got)
		}
	}
}

// An entry of a zip holds no more than it says, and says no more than it can hold.
func TestZipSizes(t *testing.T) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	body := packed(t, bytes.Repeat([]byte("\n"), 1<<20))
	for name, size := range map[string]uint64{"module_0000.jit_f.cpu_after_optimizations.txt": 10, "module_0001.jit_g.cpu_after_optimizations.txt": 1 << 63} {
		entry, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(body) - 18), UncompressedSize64: size})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write(body[10 : len(body)-8]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dump.zip")
	if err := os.WriteFile(path, archive.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if data, _, err := d.Modules[0].Optimized().HLO().Bytes(); !errors.Is(err, zip.ErrFormat) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if len(d.Modules) != 1 || !strings.Contains(fmt.Sprint(d.Problems), "larger than it can be") {
		t.Errorf("%+v", d.Problems)
	}
}

// A length that no file has is told as what it is, whatever is added to it.
func TestImpossibleLengths(t *testing.T) {
	notes := append([]byte{0x0a}, bytes.Repeat([]byte{0xff}, 9)...)
	notes = append(notes, 1, 0x0a, 3, 'a', 'b', 'c', 0x12, 1, 'x')
	if fields := protoFields(notes); len(fields[1]) != len(notes)-11 {
		t.Errorf("%v", fields)
	}
	header := make([]byte, 1024)
	copy(header, "module_0000.jit_f.cpu_after_optimizations.txt")
	copy(header[124:], "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff") // base 256: 2^63-1
	copy(header[257:], "ustar\x0000")
	header[156] = '0'
	copy(header[148:], "        ")
	sum := 0
	for _, b := range header[:512] {
		sum += int(b)
	}
	copy(header[148:], []byte(octal(sum)))
	path := filepath.Join(t.TempDir(), "dump.tar")
	if err := os.WriteFile(path, header, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := Open(context.Background(), path, Options{}); err == nil || !strings.Contains(err.Error(), "its end is missing") {
		t.Errorf("%+v, %v", d, err)
	}
}

// octal is a checksum as tar writes it.
func octal(n int) string {
	text := []byte("000000\x00 ")
	for i := 5; i >= 0; i-- {
		text[i], n = byte('0'+n%8), n/8
	}
	return string(text)
}

// A file that is shorter than the capture left it was cut off, whatever it is.
func TestShorterThanCaptured(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"module_0000.jit_f.cpu_after_optimizations.txt": someModule,
		"xlagate-stderr.log":                            "compiled\n",
		"xlagate-toolchain.json":                        `{"status": "done", "files": {"xlagate-stderr.log": 20, "gone.txt": 3, "module_0000.jit_f.cpu_after_optimizations.txt": ` + strconv.Itoa(len(someModule)) + `}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(context.Background(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if len(d.Problems) != 1 || d.Problems[0].Message != "the file has 9 bytes, and the capture left it with 20: it was cut off or changed" {
		t.Errorf("%+v", d.Problems)
	}
	if sizes := d.Sizes(); len(sizes) != 2 || sizes["xlagate-stderr.log"] != 9 {
		t.Errorf("%v", sizes)
	}
}

// A header of xz that asks for a dictionary above the largest preset's is refused; its memory would be allocated before a byte is read.
func TestXZWithALargeDictionary(t *testing.T) {
	data, err := os.ReadFile("testdata/tf-stdout.log.xz")
	if err != nil {
		t.Fatal(err)
	}
	// The block's header follows the 12 bytes of the stream's: its size in words, flags, the filter's id, the size of its properties, the dictionary (the .xz format 1.2.1, 3.1 and 5.3.1).
	header := data[12 : 12+4*(int(data[12])+1)]
	if header[2] != 0x21 || header[3] != 1 {
		t.Fatalf("% x is no header with LZMA2 alone", header)
	}
	header[4] = 30 // 128 MiB
	binary.LittleEndian.PutUint32(header[len(header)-4:], crc32.ChecksumIEEE(header[:len(header)-4]))
	r, err := openXZ(bytes.NewReader(data))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "it asks for a dictionary of more than 64.0 MiB") {
		t.Errorf("%v", err)
	}
}
