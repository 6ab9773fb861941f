package chain

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/hlo"
)

// pairs lists real modules of many compilers, in the style of dumps with a % before names, each as text and under the same name as a proto.
func pairs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../internal/hlo/testdata/pairs/*.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool { return !bytes.Contains(read(t, file), []byte("\nENTRY %")) })
	if len(files) < 18 {
		t.Fatalf("only %d modules", len(files))
	}
	return files
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	src, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func chained(t testing.TB, write func(io.Writer, []byte, int) error, src []byte, copies int) *hlo.Module {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, src, copies); err != nil {
		t.Fatal(err)
	}
	m, err := hlo.Parse(b.Bytes(), "chained")
	if err != nil {
		t.Fatalf("%d copies: %s", copies, err)
	}
	return m
}

// Copies hold everything as often as they are, and are the same module as text and as a proto.
func TestChainedModules(t *testing.T) {
	for _, file := range pairs(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			asText, asProto := read(t, file), read(t, strings.Replace(file, ".txt.", ".hlo.pb.", 1))
			one, err := hlo.Parse(asText, file)
			if err != nil {
				t.Fatal(err)
			}
			const copies = 3
			text, proto := chained(t, writeText, asText, copies), chained(t, writeProto, asProto, copies)
			for _, m := range []*hlo.Module{text, proto} {
				if got, want := len(m.Instrs), copies*len(one.Instrs); got != want {
					t.Errorf("%d instructions, want %d", got, want)
				}
				if got, want := len(m.Comps), copies*(len(one.Comps)-1)+1; got != want {
					t.Errorf("%d computations, want %d", got, want)
				}
			}
			if text.Fingerprint() != proto.Fingerprint() {
				t.Error("text and proto have other fingerprints")
			}
		})
	}
}

// The same comes out each time, within a copy of the size that was asked for, or 2 % of it.
func TestSize(t *testing.T) {
	for _, ending := range []string{".txt.gz", ".hlo.pb.gz"} {
		src := read(t, "../../internal/hlo/testdata/pairs/gpu_shardmap"+ending)
		rapid.Check(t, func(t *rapid.T) {
			asked := rapid.Int64Range(0, 4e5).Draw(t, "size")
			var first, second bytes.Buffer
			copies, err := Write(&first, src, asked)
			again, err2 := Write(&second, src, asked)
			if err != nil || err2 != nil || copies != again || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Fatalf("not the same a second time: %v, %v", err, err2)
			}
			got := int64(first.Len())
			off, each := max(got-asked, asked-got), got/int64(copies)
			if copies > 1 && off > max(each, asked/50) {
				t.Errorf("%s: %d copies have %d bytes, asked for %d", ending, copies, got, asked)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, src := range []string{"", "HloModule a\n", "HloModule a, b={}\n\n%f {\n}\n\nENTRY %e {\n  nonsense\n}\n", "\x0a\x05abc", "\x12\x00"} {
		if n, err := Write(io.Discard, []byte(src), 1000); err == nil {
			t.Errorf("%q gave %d copies", src, n)
		}
	}
}

// A dump of many modules has as many names and one content.
func TestDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dump")
	if err := Dump(dir, read(t, pairs(t)[0]), 3); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "module_*_v?.cpu_after_optimizations.txt"))
	if len(files) != 3 {
		t.Fatalf("wrote %q", files)
	}
	for _, file := range files {
		m, err := hlo.Parse(read(t, file), file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(file, "."+m.Name+".") {
			t.Errorf("%s holds %s", file, m.Name)
		}
	}
	if err := Dump(dir, []byte("\x0a\x00"), 1); err == nil {
		t.Error("a proto was taken")
	}
}

func TestShapesOfATuple(t *testing.T) {
	for in, want := range map[string][]string{
		"()": nil, "(f32[2,3]{1,0}, /*index=1*/s32[])": {"f32[2,3]{1,0}", "s32[]"}, "((f32[], u8[4]), token[])": {"(f32[], u8[4])", "token[]"},
	} {
		if got := splitTuple(in); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestMetadataOf(t *testing.T) {
	for in, want := range map[string]string{
		`, sharding={devices=[2]<=[2]}, metadata={op_name="{\"}" stack_frame_id=3}, origin={}`: `, metadata={op_name="{\"}" stack_frame_id=3}`,
		`, sharding={replicated}`: "", `, metadata={`: "",
	} {
		if got := metadataOf(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
