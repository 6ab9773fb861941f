package hlo

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

// The two forms of a module are equal but for the order of the computations.
func TestTextAndProtoAgree(t *testing.T) {
	for _, name := range pairs(t) {
		t.Run(name, func(t *testing.T) {
			text := readDump(t, "pairs/"+name+".txt")
			proto := readDump(t, "pairs/"+name+".hlo.pb")
			if got, want := describe(proto), describe(text); got != want {
				t.Errorf("the proto reads otherwise than the text:\n%s", firstDifference(got, want))
			}
		})
	}
}

// pairs returns the names of the modules that testdata has in both forms.
func pairs(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/pairs/*.hlo.pb.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pairs: %v", err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".hlo.pb.gz"))
	}
	return names
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer than the other"
}

// jaxlib before 0.4.26 does not print the number of partitions; the proto has it in the device assignment.
func TestNumPartitions(t *testing.T) {
	for _, file := range []string{"cpu_mesh.txt", "cpu_mesh.hlo.pb", "cpu_jax0420_sharding.hlo.pb"} {
		if h := readDump(t, "pairs/"+file).Header; h.NumPartitions != 8 || h.ReplicaCount != 1 {
			t.Errorf("%s: %d partitions and %d replicas, want 8 and 1", file, h.NumPartitions, h.ReplicaCount)
		}
	}
}

func TestParseProtoReadsEveryContainer(t *testing.T) {
	hlo := readFile(t, "pairs/cpu_while.hlo.pb")
	var bare Range
	for f := fieldsOf(hlo, Range{0, uint32(len(hlo))}); f.next(); {
		if f.tag == 1<<3|wireBytes {
			bare = f.body
		}
	}
	for _, c := range []struct {
		what, name   string
		src          []byte
		instructions int
	}{
		{"an HloProto", "jit_newton", hlo, 45},
		{"a bare HloModuleProto", "jit_newton", hlo[bare.Start:bare.End], 45},
		{"an HloSnapshot", "jit_f", readFile(t, "proto/snapshot.pb"), 12},
		{"what TensorFlow serializes", "a_inference_dense_73__.39", readFile(t, "proto/tf218_optimized_hlo_serialized"), 40},
	} {
		m, err := ParseProto(c.src, c.what)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if m.Name != c.name || len(m.Instrs) != c.instructions {
			t.Errorf("%s: read %s with %d instructions, want %s with %d", c.what, m.Name, len(m.Instrs), c.name, c.instructions)
		}
	}
}

func TestBackendConfigFromPayloads(t *testing.T) {
	m := readDump(t, "proto/tpu_payloads.hlo.pb")
	configs := 0
	for i := range m.Instrs {
		config, found := m.Attr(InstrID(i), "backend_config")
		if found && !strings.HasPrefix(config, `{"flag_configs":[]`) {
			t.Errorf("%s has the backend_config %q", m.InstrName(InstrID(i)), config)
		}
		if found {
			configs++
		}
	}
	if configs != 7 {
		t.Errorf("%d instructions have a backend_config, want 7", configs)
	}
}

// A part of a file is never read as a smaller module. Only whole messages behind the module may be missing.
func TestParseProtoRefusesPartsOfAFile(t *testing.T) {
	src := readFile(t, "pairs/cpu_while.hlo.pb")
	ends := map[int]bool{}
	f := fieldsOf(src, Range{0, uint32(len(src))})
	for f.next() {
		ends[f.at] = true
	}
	for n := range src {
		m, err := ParseProto(src[:n], "cut.hlo.pb")
		if ends[n] {
			continue
		}
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || m != nil {
			t.Fatalf("the first %d of %d bytes: %v", n, len(src), err)
		}
		if n > 0 && !strings.Contains(err.Error(), "cut off") {
			t.Fatalf("the first %d of %d bytes: %v", n, len(src), err)
		}
	}
}

// A damaged file that is read as a module does not make any method fail.
func TestParseProtoOfDamagedFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, name := range pairs(t) {
		src := readFile(t, "pairs/"+name+".hlo.pb")
		for range 100 {
			damaged := bytes.Clone(src)
			for range 1 + random.IntN(3) {
				damaged[random.IntN(len(damaged))] = byte(random.IntN(256))
			}
			if m, err := ParseProto(damaged, name); err == nil {
				checkOrder(t, m)
				describe(m)
				m.Alike().Prints()
			}
		}
	}
}

func TestParseProtoErrors(t *testing.T) {
	field := func(tag byte, body string) string { return string(tag) + string(rune(len(body))) + body }
	instruction := func(fields string) string {
		return field(0x12, field(0x0a, "x")+field(0x12, "add")+field(0x1a, "\x10\x0b")+fields)
	}
	module := func(computation string) string {
		return field(0x0a, "m") + field(0x1a, field(0x0a, "c")+computation)
	}
	for _, c := range []struct{ what, src, want string }{
		{"nothing", "", "f: at byte 0: the file is empty"},
		{"text", "HloModule m\n", "f: at byte 2: this is no serialized HLO module"},
		{"another message", field(0x0a, "\x08\x01"), "f: at byte 0: this is no serialized HLO module: it has no computations"},
		{"a cut", field(0x0a, "m")[:2], "f: at byte 0: the file is cut off: a message that starts here is longer than the 2 bytes that are left"},
		{"no shape", module(field(0x12, field(0x0a, "x")+field(0x12, "add"))),
			"f: at byte 10: instruction x has no opcode or no shape"},
		{"no such operand", module(instruction("\xa0\x02\x07")),
			"f: at byte 24: instruction x has an operand (id 7) that does not come before it"},
		{"no such callee", module(instruction("\xb0\x02\x07")),
			"f: at byte 24: instruction x calls a computation (id 7) that does not come before it"},
		{"no root", module(instruction("") + "\x30\x05"), "f: at byte 5: the root (id 5) of computation c is not in it"},
		{"the same id twice", module(instruction("") + instruction("")), "f: at byte 24: instruction x has the id 0 of an earlier one"},
		{"no entry", module(instruction("")) + "\x30\x05", "f: at byte 0: the entry computation (id 5) of module m is not in the file"},
		{"a broken shape", module(field(0x12, field(0x0a, "x")+field(0x1a, "\x22\x05"))), "f: at byte 15: a shape is damaged"},
		{"an instruction of nothing", module(field(0x12, "")), "f: at byte 10: an instruction has no opcode or no shape"},
		{"a shape that is too large", module(field(0x12, field(0x1a, "\x10\x0c\x1a\x09\x80\x80\x80\x80\x80\x80\x80\x80\x20"))),
			"f: at byte 12: the shape is too large: its size in bytes overflows 64 bits"},
		{"a broken instruction", module(field(0x12, field(0x0a, "xx")+"\x0f")), "f: at byte 14: instruction xx is damaged: a field does not fit into it"},
	} {
		_, err := ParseProto([]byte(c.src), "f")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.what, err, c.want)
		}
	}
}

func TestLiteralsOfOddShapes(t *testing.T) {
	f32 := func(dims, values string) string {
		return "\x0a" + string(rune(len(dims)+2)) + "\x10\x0b" + dims + values
	}
	for _, c := range []struct{ what, literal, want string }{
		{"a scalar", f32("", "\x42\x04\x00\x00\xc0\x3f"), "1.5"},
		{"a row", f32("\x1a\x01\x02", "\x42\x08\x00\x00\xc0\x3f\x00\x00\x80\x3f"), "{1.5, 1}"},
		{"a column", f32("\x1a\x02\x02\x01", "\x42\x08\x00\x00\xc0\x3f\x00\x00\x80\x3f"), "{ {1.5}, {1} }"},
		{"empty rows", f32("\x1a\x02\x02\x00", ""), "{ {}, {} }"},
		{"very many empty rows", f32("\x1a\x06\x80\x80\x80\x80\x10\x00", ""), "{...}"},
		{"fewer values than elements", f32("\x1a\x01\x02", "\x42\x04\x00\x00\xc0\x3f"), "{...}"},
		{"no shape", "\x42\x04\x00\x00\xc0\x3f", "{...}"},
		{"a broken shape", "\x0a\x02\x22\x09", "{...}"},
	} {
		got, _ := decodeLiteral([]byte(c.literal), Range{0, uint32(len(c.literal))})
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, got, c.want)
		}
	}
}

func FuzzParseProto(f *testing.F) {
	var seeds [][]byte
	for _, name := range pairs(f) {
		seeds = append(seeds, readFile(f, "pairs/"+name+".hlo.pb"))
	}
	fuzztest.Run(f, fuzztest.Proto, func(t *testing.T, src []byte) error {
		m, err := ParseProto(src, "file.hlo.pb")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file.hlo.pb:") {
				t.Errorf("the error names no file: %v", err)
			}
			return err
		}
		checkOrder(t, m)
		describe(m)
		askEverything(t, m)
		if again, err := ParseProto(src, "again.hlo.pb"); err != nil || again.Fingerprint() != m.Fingerprint() {
			t.Errorf("another fingerprint the second time, %v", err)
		}
		return nil
	}, seeds...)
}

// checkOrder checks that operands come before users and callees before callers.
func checkOrder(t *testing.T, m *Module) {
	for i := range m.Instrs {
		for _, o := range m.Operands(InstrID(i)) {
			if o >= InstrID(i) || m.Instrs[o].Comp != m.Instrs[i].Comp {
				t.Fatalf("instruction %d uses %d", i, o)
			}
		}
		for _, c := range m.Callees(InstrID(i)) {
			if c >= m.Instrs[i].Comp {
				t.Fatalf("an instruction of computation %d calls %d", m.Instrs[i].Comp, c)
			}
		}
	}
}

func BenchmarkParseProto(b *testing.B) {
	src := readFile(b, "pairs/gpu_shardmap.hlo.pb")
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseProto(src, "gpu_shardmap.hlo.pb"); err != nil {
			b.Fatal(err)
		}
	}
}

// Varints of every length are read as protobuf reads them, at every place in a file.
func TestVarints(t *testing.T) {
	for bit := range 64 {
		for _, v := range []uint64{1 << bit, 1<<bit - 1, 1<<bit | 0x5555_5555_5555_5555&(1<<bit-1)} {
			encoded := protowire.AppendVarint(nil, v)
			for behind := range 9 {
				got, n := varint(append(slices.Clone(encoded), "\x80\x80\x01\x01\x01\x01\x01\x01\x01"[:behind]...), 0)
				if got != v || n != len(encoded) {
					t.Fatalf("%x before %d bytes: read %x of %d bytes, want %x of %d", encoded, behind, got, n, v, len(encoded))
				}
			}
		}
	}
}
