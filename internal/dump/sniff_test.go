package dump

import (
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	for text, want := range map[string]Kind{
		"HloModule jit_f\n":                      KindHLOText,
		"\xef\xbb\xbfHloModule jit_f":            KindHLOText,
		"\r\n// a note\n/* more */ HloModule f,": KindHLOText,
		"node {\n  name: \"x\"":                  KindGraph,
		"library {":                              KindGraph,
		"digraph G {":                            KindDot,
		"BufferAssignment:\n":                    KindBufferAssignment,
		"// -----// IR Dump Before X":            KindMLIR,
		"\x83\xafp\xd1\r\x88J?":                  KindRiegeli,
		"\x0a\x10\x0a\x01x\x12\x04_Arg":          KindGraph,
		"hello":                                  "",
		"":                                       "",
		"\x00\x01\x02":                           "",
		"/* never closed":                        "",
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestModuleNameInText(t *testing.T) {
	for text, want := range map[string]string{
		"HloModule jit_f, is_scheduled=true\n": "jit_f",
		"HloModule a.b-c\r\n":                  "a.b-c",
		"HloModule  %x ":                       "x",
		"HloModule , is_scheduled=true":        "",
	} {
		if got, ok := textModuleName([]byte(text)); !ok || got != want {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
}

// TestModuleNameInProto reads the name from the beginning of real protos: a HloProto and a bare HloModuleProto.
func TestModuleNameInProto(t *testing.T) {
	const ir = "testdata/tf-compiler-ir.tar.xz"
	for _, suffix := range []string{"dense.hlo_serialized", "dense.optimized_hlo_proto_serialized"} {
		head := content(t, ir, suffix)
		head = head[:min(len(head), headSize)]
		if name, ok := protoModuleName(head); !ok || name != "a_inference_dense_73__.3" {
			t.Errorf("%s: %q %v", suffix, name, ok)
		}
		if got := sniff(head); got != KindHLOProto {
			t.Errorf("%s: %q", suffix, got)
		}
	}
}

func TestCaptures(t *testing.T) {
	const log = "step 1\n*** Begin stack trace ***\nx\n*** End stack trace ***\n" +
		"*** Begin module_0000.jit_f.before_optimizations.txt ***\nHloModule jit_f\n*** End module_0000.jit_f.before_optimizations.txt ***\n\n" +
		"loss 3.1 *** Begin module_0001.jit_g.debug_options ***\r\n*** End module_0001.jit_g.debug_options ***\n" +
		"*** Begin module_0002.jit_h.before_optimizations.txt ***\nHloModule"
	d := &Dump{}
	files, err := d.captured(InMemory("run.log", []byte(log)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Path+"="+string(f.src.(memorySource)))
	}
	for _, p := range d.Problems {
		got = append(got, p.Message)
	}
	want := []string{"run.log!module_0000.jit_f.before_optimizations.txt=HloModule jit_f\n", "run.log!module_0001.jit_g.debug_options=",
		"the log ends inside of module_0002.jit_h.before_optimizations.txt, which the compiler was printing"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A stored error of TensorFlow's is a log whatever it is called.
func TestErrorText(t *testing.T) {
	for text, want := range map[string]bool{
		"InvalidArgumentError: Detected unsupported operations when trying to compile graph __inference_strings_21[]": true,
		"\ttf2xla conversion failed while converting __inference_load_10[]. Run with TF_DUMP_GRAPH_PREFIX":            true,
		"loss 0.25\n": false,
	} {
		if got := saysError([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
