package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

// linesOf spells the lines of frames without their folders.
func linesOf(list []hlo.Location) string {
	var at []string
	for _, l := range list {
		at = append(at, fmt.Sprintf("%s:%d", l.File[strings.LastIndexByte(l.File, '/')+1:], l.Line))
	}
	return strings.Join(at, " ")
}

// Every line of the model that leads to a kernel is known, as far as each framework dumps it.
func TestFrames(t *testing.T) {
	for _, c := range []struct{ dump, opName, frames string }{
		{"cpu-scan", "jit(rnn)/jvp()/broadcast_in_dim", "models.py:109 models.py:10 models.py:110 models.py:249"},
		{"gpu-0.10-train", "jit(train)/jvp()/dot_general", "gpu_cov.py:54 gpu_cov.py:56 gpu_cov.py:18 gpu_cov.py:57"},
		{"cpu-equinox", "jit(train_step)/jvp(vmap(eqx.nn.MLP))/eqx.nn.Linear/transpose", "train.py:9 train.py:14 train.py:27 train.py:32"},
		{"cpu-while", "jit(newton)/while", "models.py:113 models.py:10 models.py:114 models.py:249"},
		{"cpu-0.4.30-rnn", "jit(step)/jit(main)/jvp(while)/body/select_n", "models.py:99"}, // it dumps no stacks
		{"tf-lines", "Rsqrt", "train.py:7 train.py:18"},
	} {
		t.Run(c.dump, func(t *testing.T) {
			for _, p := range measureAt(t, "testdata/"+c.dump+".tar.gz", Options{}).Programs {
				for i := range p.Variants[0].Kernels {
					if k := &p.Variants[0].Kernels[i]; k.OpName == c.opName {
						if got := linesOf(k.Frames()); got != c.frames {
							t.Errorf("%s: %s, want %s", k.Name, got, c.frames)
						}
						return
					}
				}
			}
			t.Errorf("no kernel is named %s", c.opName)
		})
	}
}

// PyTorch/XLA names all operations of one kind alike. What autograd adds has no place, and not that of the first product that the model asks for.
func TestKindsAreNoPlaces(t *testing.T) {
	for _, p := range measureAt(t, "../../testdata/torch-rows/cropped.tar.xz", Options{}).Programs {
		for i := range p.Variants[0].Kernels {
			k := &p.Variants[0].Kernels[i]
			if asked := k.Out == "f32[8,16]"; k.OpName == "aten__mm" && (k.Source.File != "") != asked {
				t.Errorf("%s → %s is placed at %q", k.Name, k.Out, k.Source.File)
			}
		}
	}
}

// TensorFlow names the first node of a kind after it: there is one of that name, and its line is known.
func TestNodesNamedAfterTheirKind(t *testing.T) {
	const name = "a_inference_f_7__XlaMustCompile_true_config_proto_1_executor_type_2_.4"
	module := func(place string) string {
		return "HloModule " + name + "\n\nENTRY %e (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n" +
			"  ROOT %s = f32[8]{0} negate(%p), metadata={op_type=\"Neg\" op_name=\"Neg\"" + place + "}\n}\n"
	}
	r := writtenModules(t, map[string]string{
		"module_0001." + name + ".before_optimizations.txt":    module(" source_file=\"/srv/m.py\" source_line=3"),
		"module_0001." + name + ".cpu_after_optimizations.txt": module(""),
	}, Options{})
	if k := r.Programs[0].Variants[0].Kernels[0]; k.Source.File != "/srv/m.py" || k.Source.Line != 3 {
		t.Errorf("%s is placed at %v", k.Name, k.Source)
	}
}

// A place that is known without a stack is the one line that leads there; a stack begins with it.
func TestFramesWithoutStacks(t *testing.T) {
	at := hlo.Location{File: "m.py", Line: 3}
	k := Kernel{Site: &Site{Source: at}, Ops: []FusedOp{{Op: &Op{Stack: &Stack{Location: at}}}, {Op: &Op{}}, {Op: &Op{Stack: &Stack{Location: hlo.Location{File: "m.py", Line: 5}}}}}}
	s := Statement{Source: at}
	if got := linesOf(k.Frames()) + ", " + linesOf(s.Frames()); got != "m.py:3 m.py:5, m.py:3" {
		t.Error(got)
	}
	if none := append((&Kernel{Site: &Site{}}).Frames(), (&Statement{}).Frames()...); len(none) > 0 {
		t.Error(none)
	}
}

// stacksBeginWithTheirLine of every kernel, operation and statement.
func stacksBeginWithTheirLine(t *testing.T, v *Variant) {
	see := func(what string, s *Stack, at hlo.Location) {
		if s.at() != at {
			t.Errorf("%s: the stack begins with %+v, the line is %+v", what, s.at(), at)
		}
	}
	for i := range v.Kernels {
		k := &v.Kernels[i]
		see(k.Name, k.Stack, k.Source)
		for _, op := range k.Ops {
			see(k.Name+" "+op.OpName, op.Stack, op.Source)
		}
	}
	for i := range v.Model {
		s := &v.Model[i]
		for _, stack := range s.Stacks {
			if lineOf(stack.at()) != lineOf(s.Source) || lineOf(stack.called()) != lineOf(s.Caller) {
				t.Errorf("%s at %+v called at %+v has a stack from %+v called at %+v", s.OpName, s.Source, s.Caller, stack.at(), stack.called())
			}
		}
		if s.Source.File != "" && len(s.Stacks) == 0 {
			t.Errorf("%s at %+v has no stack", s.OpName, s.Source)
		}
	}
}

// An operation in a function that is called takes over where that was called, as far as it does not tell itself.
func TestCalledFrames(t *testing.T) {
	const text = `HloModule jit_f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

inner.1 {
  x.1 = f32[4]{0} parameter(0)
  sine.1 = f32[4]{0} sine(x.1), metadata={op_name="sin"}
  ROOT tanh.1 = f32[4]{0} tanh(sine.1), metadata={op_name="tanh" source_file="/m/layer.py" source_line=7}
}

outer.2 {
  x.2 = f32[4]{0} parameter(0)
  ROOT call.2 = f32[4]{0} call(x.2), to_apply=inner.1, metadata={op_name="inner" source_file="/m/model.py" source_line=5}
}

ENTRY main.3 {
  x.3 = f32[4]{0} parameter(0)
  call.3 = f32[4]{0} call(x.3), to_apply=outer.2, metadata={op_name="jit(f)/outer" source_file="/m/train.py" source_line=2}
  ROOT call.4 = f32[4]{0} call(call.3), to_apply=outer.2, metadata={op_name="jit(f)/outer" source_file="/m/train.py" source_line=3}
}
`
	m, err := hlo.ParseText([]byte(text), "calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	var v Variant
	newReader(m).model(&v)
	var got []string
	for i := range v.Model {
		got = append(got, fmt.Sprintf("%s %d: %s", v.Model[i].Do, len(v.Model[i].Stacks), linesOf(v.Model[i].Frames())))
	}
	want := "[sine] 1: model.py:5 train.py:2; [tanh tanh] 2: layer.py:7 model.py:5 train.py:2 train.py:3; [sine] 1: model.py:5 train.py:3"
	if strings.Join(got, "; ") != want {
		t.Errorf("%q", got)
	}
}
