package dump

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// partsOf gives every file of a folder another name on disk.
func partsOf(t *testing.T, dir string) []Part {
	t.Helper()
	blobs := t.TempDir()
	var parts []Part
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		blob := filepath.Join(blobs, strings.Repeat("f", len(parts)+1))
		write(t, blob, data)
		parts = append(parts, Part{Name: filepath.ToSlash(rel), Path: blob})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// A dump in parts is the dump that it was, file by file or packed.
func TestPartsAreTheDump(t *testing.T) {
	dir := filepath.Join("../../examples/quickstart", "good")
	want := describe(open(t, dir))
	packed := filepath.Join(t.TempDir(), "blob")
	write(t, packed, zipped(t, dir, 8))
	for name, parts := range map[string][]Part{
		"files": partsOf(t, dir), "an archive": {{Path: packed}}, "a folder": {{Name: "good", Path: packed, Unpack: true}},
		"a folder and a log": {{Name: "good", Path: packed, Unpack: true}, {Name: "../.hidden", Path: packed}},
	} {
		d, err := OpenParts(context.Background(), "oci://r/a:b", parts, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := describe(d); got != want {
			t.Errorf("%s:\n%s\nwanted\n%s", name, got, want)
		}
		if path := d.Modules[0].Optimized().File(KindHLOText).Path; !strings.HasPrefix(path, "oci://r/a:b!module_0000.") {
			t.Errorf("%s: a file is called %s", name, path)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPartsThatAreNoDump(t *testing.T) {
	text := filepath.Join(t.TempDir(), "blob")
	write(t, text, []byte("HloModule m\n"))
	if _, err := OpenParts(context.Background(), "oci://r/a:b", []Part{{Name: "x", Path: text + "gone"}}, 0); err == nil {
		t.Error("a part that is not there")
	}
	d, err := OpenParts(context.Background(), "oci://r/a:b", nil, 0)
	if err != nil || len(d.Problems) == 0 || d.Problems[0].Message != "the dump is empty" {
		t.Errorf("no parts: %+v, %v", d, err)
	}
	if d, err := OpenParts(context.Background(), "oci://r/a:b", []Part{{Name: "m.txt", Path: text}}, 0); err != nil || !d.Single {
		t.Errorf("one part: %+v, %v", d, err)
	}
}
