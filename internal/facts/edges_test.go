package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What reads from hundreds of others is said to read from the first of them.
func TestSourcesAreBounded(t *testing.T) {
	for _, read := range []int{maxSources - 1, maxSources, maxSources + 1, 2 * maxSources} {
		var body strings.Builder
		var operands []string
		for i := range read {
			fmt.Fprintf(&body, "  n%d = f32[4] negate(p)\n", i)
			operands = append(operands, fmt.Sprint("n", i))
		}
		source := "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[4] parameter(0)\n" + body.String() +
			"  ROOT r = f32[4] custom-call(" + strings.Join(operands, ", ") + "), custom_call_target=\"all\"\n}\n"
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "module_0001.jit_f.cpu_after_optimizations.txt"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		kernels := measureDir(t, dir).Programs[0].Variants[0].Kernels
		from := kernels[len(kernels)-1].From
		if len(kernels) != read+1 || len(from) != min(read, maxSources) {
			t.Errorf("the last of %d launches reads from %d", len(kernels), len(from))
		}
		for i, k := range from {
			if int(k) != i {
				t.Fatalf("in place of launch %d stands %d", i, k)
			}
		}
	}
}

// A result that the compiler copies out of a fusion is called after the operation that makes it there.
func TestCopiedResultOfAFusion(t *testing.T) {
	const source = `HloModule m, is_scheduled=true

f {
  p = f32[4] parameter(0)
  a = f32[4] exponential(p), metadata={op_name="jit(f)/exp" source_file="m.py" source_line=3}
  b = f32[4] tanh(p), metadata={op_name="jit(f)/tanh" source_file="m.py" source_line=4}
  ROOT t = (f32[4], f32[4]) tuple(a, b)
}

ENTRY e {
  p = f32[4] parameter(0)
  fusion = (f32[4], f32[4]) fusion(p), kind=kLoop, calls=f, metadata={op_name="jit(f)/exp" source_file="m.py" source_line=3}
  first = f32[4] get-tuple-element(fusion), index=0
  second = f32[4] get-tuple-element(fusion), index=1
  c = f32[4] copy(second)
  ROOT r = (f32[4], f32[4]) tuple(first, c)
}
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "module_0001.jit_f.cpu_after_optimizations.txt"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	got := measureDir(t, dir).Programs[0].Variants[0].Results
	if len(got) != 2 || got[0].Opcode != "exponential" || got[1].Opcode != "tanh" || got[1].OpName != "jit(f)/tanh" || got[1].Source.Line != 4 {
		t.Errorf("results %+v", got)
	}
}
