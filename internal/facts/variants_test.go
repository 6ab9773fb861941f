package facts

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func digest(t *testing.T, r *Report) string {
	t.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each compile with its count, by variant: "x: f32[8,128] ×2".
func TestVariants(t *testing.T) {
	for _, c := range []struct {
		dump     string
		program  string
		variants []int // compiles of each
		unlike   []string
	}{
		{"recompile-jit_in_loop", "_lambda", []int{4}, nil},
		{"recompile-closure_scalar", "step", []int{1, 1, 1}, []string{"constant 0.1", "constant 0.01", "constant 0.001"}},
		{"recompile-static_args", "power", []int{1, 1, 1, 1}, []string{"", "multiply", "multiply", "multiply"}},
		{"recompile-weak_types", "scale", []int{2, 2, 1}, nil}, // weak types do not show in HLO
		{"tf-recompile-axis_python", "_lambda", []int{1, 1}, []string{"iota iota_dimension=0", "iota iota_dimension=1"}},
		{"tf-recompile-recompile", "body", []int{1, 1, 1, 1}, nil},
	} {
		r := measure(t, c.dump, Options{})
		if len(r.Programs) != 1 || r.Programs[0].Name != c.program {
			t.Errorf("%s: programs %s, want %s", c.dump, programNames(r.Programs), c.program)
			continue
		}
		variants := r.Programs[0].Variants
		if len(variants) != len(c.variants) {
			t.Errorf("%s: %d variants, want %d", c.dump, len(variants), len(c.variants))
			continue
		}
		for i, v := range variants {
			if len(v.Modules) != c.variants[i] {
				t.Errorf("%s %s: compiled %d times, want %d", c.dump, v.Signature, len(v.Modules), c.variants[i])
			}
			if c.unlike != nil && !strings.HasPrefix(firstUnlike(v), c.unlike[i]) {
				t.Errorf("%s %s: differs in %q, want %q", c.dump, v.Signature, firstUnlike(v), c.unlike[i])
			}
		}
	}
}

func firstUnlike(v *Variant) string {
	if len(v.Differing) == 0 {
		return ""
	}
	return strings.TrimSpace(v.Differing[0].Opcode + " " + v.Differing[0].Attrs)
}

func TestUnlikeNamesTheModelsLine(t *testing.T) {
	v := measure(t, "recompile-closure_scalar", Options{}).Programs[0].Variants[1]
	if len(v.Differing) != 1 || !strings.HasSuffix(v.Differing[0].Source.File, "recomp.py") || v.Differing[0].Source.Line != 63 {
		t.Errorf("unlike %+v", v.Differing)
	}
}

// A process that compiles what another process of the run compiled, too, compiles nothing twice.
func TestProcessesCompileForThemselves(t *testing.T) {
	one, two := measure(t, "cpu-while", Options{}), measure(t, "cpu-while", Options{})
	two.Dump = "host1"
	v := Merge([]*Report{one, two}).Programs[0].Variants
	if len(v) != 1 || len(v[0].Modules) != 1 || len(v[0].Elsewhere) != 1 {
		t.Errorf("%d variants, modules %v, elsewhere %v", len(v), v[0].Modules, v[0].Elsewhere)
	}
}

func TestSamplesMarkUnstableFacts(t *testing.T) {
	one, two := measure(t, "cpu-while", Options{}), measure(t, "cpu-while", Options{})
	two.Dump = "second"
	two.Programs[0].Variants[0].Compiles[0].Facts["kernels.total"]++
	r, err := Samples([]*Report{one, two}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Programs[0].Variants[0].Unstable, " "); got != "kernels.total" {
		t.Errorf("unstable %q", got)
	}
	if _, err := Samples([]*Report{measure(t, "cpu-while", Options{})}, 3); err == nil {
		t.Error("one compile passed for three samples")
	}
}

// TensorFlow compiles one trace once a device; only a new trace of the same program is a compile for nothing.
func TestReplicasAreLegitimate(t *testing.T) {
	variant := func(module, name string) *Variant {
		return &Variant{Compiled: Compiled{Fingerprint: "f"}, Origin: Origin{Compiles: []compile{{Module: module, Name: name}}}}
	}
	p := &Program{}
	p.add(variant("module_0000", "a_inference_f_17__XlaMustCompile_true.2"))
	p.add(variant("module_0001", "a_inference_f_17__XlaMustCompile_true.2"))
	p.add(variant("module_0002", "a_inference_f_42__XlaMustCompile_true.2"))
	p.settle()
	if v := p.Variants[0]; len(v.Modules) != 2 || len(v.Elsewhere) != 1 {
		t.Errorf("modules %v, elsewhere %v", v.Modules, v.Elsewhere)
	}
}

func TestHelpersAreListedApart(t *testing.T) {
	r := measure(t, "cpu-noisy", Options{})
	if names := programNames(r.Programs); names != "mlp_train_step" {
		t.Errorf("programs %s", names)
	}
	if !strings.Contains(programNames(r.Helpers), "_threefry_seed") {
		t.Errorf("helpers %s", programNames(r.Helpers))
	}
}

// What JAX 0.12 compiles under names that older ones did not have, and the methods of its ufuncs.
func TestHelpersOfANewerJAX(t *testing.T) {
	r := measuredDump(t, filepath.Join("..", "..", "testdata", "recompile-eager_ufuncs", "dump.tar.xz"))
	if names := programNames(r.Programs); names != "predict" {
		t.Errorf("programs %s", names)
	}
	for _, name := range []string{"_ball", "_erfcinv_impl", "accumulate", "at", "reduceat"} {
		if !slices.Contains(strings.Fields(programNames(r.Helpers)), name) {
			t.Errorf("%s is none of the helpers %s", name, programNames(r.Helpers))
		}
	}
}

// PyTorch/XLA gives every graph one name: they are told apart by what is in them.
func TestNamelessGraphs(t *testing.T) {
	if names := programNames(measure(t, "torch-xla-mlp", Options{}).Programs); names != "SyncTensorsGraph SyncTensorsGraph-2" {
		t.Errorf("programs %s", names)
	}
}

// A function of the model may be called like one of JAX: its own frame in the stack tells.
func TestModelsFunctionWithAHelpersName(t *testing.T) {
	r := measure(t, "cpu-conv", Options{})
	if names := programNames(r.Programs); names != "conv gspmd" || len(r.Helpers) > 0 {
		t.Errorf("programs %s, helpers %s", names, programNames(r.Helpers))
	}
}

// A function that took the name of jnp.matmul, by functools.wraps, is one line, as an operation that JAX dispatches; it multiplies three times.
func TestHelpersMultiplyOnce(t *testing.T) {
	if names := programNames(measure(t, "cpu-wrapped_products", Options{}).Programs); names != "matmul step" {
		t.Errorf("programs %s", names)
	}
}

// Where no stack frames say who wrote a program, only one operation is known to be JAX's own.
func TestHelpersWithoutFrames(t *testing.T) {
	joining := func(opName string, operands int) string {
		var body strings.Builder
		var list []string
		for i := range operands {
			fmt.Fprintf(&body, "  %%p.%d = f32[4]{0} parameter(%d)\n", i, i)
			list = append(list, fmt.Sprintf("%%p.%d", i))
		}
		return fmt.Sprintf("%s  ROOT %%r = f32[%d]{0} concatenate(%s), dimensions={0}, metadata={op_type=%q op_name=%q}\n",
			body.String(), 4*operands, strings.Join(list, ", "), "concatenate", opName)
	}
	for _, c := range []struct {
		what, program, body string
		helper              bool
	}{
		{"a primitive of JAX", "concatenate", joining("jit(concatenate)/jit(main)/concatenate[dimension=0]", 12), true},
		{"a primitive of many operands", "concatenate", joining("jit(concatenate)/jit(main)/concatenate[dimension=0]", 30), true},
		{"one operation", "concatenate", joining("jit(concatenate)/jit(main)/stack", 3), true},
		{"one that calls the primitive", "concatenate", joining("jit(concatenate)/jit(main)/jit(concatenate)/concatenate", 3), false},
		{"several operations", "_threefry_split", "  %a = f32[4]{0} parameter(0)\n  %b = f32[4]{0} add(%a, %a)\n  ROOT %c = f32[4]{0} multiply(%b, %b)\n", false},
		{"the model's", "step", joining("jit(step)/jit(main)/step", 3), false},
	} {
		r := writtenModules(t, map[string]string{
			"module_0000.jit_train.cpu_after_optimizations.txt":             "HloModule jit_train\n\nENTRY %e { ROOT %r = f32[] parameter(0) }\n",
			"module_0001.jit_" + c.program + ".cpu_after_optimizations.txt": "HloModule jit_" + c.program + "\n\nENTRY %e {\n" + c.body + "}\n",
		}, Options{})
		if len(r.Helpers) == 1 != c.helper || len(r.Programs) == 1 != c.helper {
			t.Errorf("%s: %d programs, %d helpers", c.what, len(r.Programs), len(r.Helpers))
		}
	}
}
