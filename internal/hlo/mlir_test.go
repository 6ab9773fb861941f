package hlo

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

func read(t testing.TB, name string) *Kernel {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "mlir", name))
	if err != nil {
		t.Fatal(err)
	}
	k, err := readBytecode(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return k
}

// The operations of kernels from JAX 0.10.2 for TPU and H100 are those that MLIR's own parser prints.
func TestOperations(t *testing.T) {
	for name, want := range map[string]struct {
		function string
		ops      map[string]int
	}{
		"tpu.mlirbc": {"kern", map[string]int{
			"arith.addf": 1, "arith.addi": 1, "arith.mulf": 1, "arith.sitofp": 1, "func.return": 1, "math.exp": 1, "scf.for": 1, "scf.yield": 1,
			"tpu.vector_store": 1, "vector.broadcast": 2, "vector.load": 2,
		}},
		"triton_loop.mlirbc": {"loop_kernel_a", map[string]int{
			"arith.addf": 1, "arith.addi": 9, "arith.mulf": 1, "arith.muli": 8, "arith.sitofp": 1, "scf.for": 1, "scf.yield": 1, "tt.addptr": 2,
			"tt.broadcast": 4, "tt.expand_dims": 4, "tt.extern_elementwise": 1, "tt.load": 2, "tt.make_range": 4, "tt.return": 1, "tt.splat": 14,
			"tt.store": 1,
		}},
	} {
		if k := read(t, name); k.Name != want.function || !maps.Equal(k.Ops, want.ops) {
			t.Errorf("%s is %s with %v", name, k.Name, k.Ops)
		}
	}
}

// A kernel that is no bytecode counts as it is spelled: another text is another kernel.
func TestText(t *testing.T) {
	module := func(op string) string {
		return `HloModule m

ENTRY main {
  p = f32[8] parameter(0)
  ROOT c = f32[8] custom-call(p), custom_call_target="__gpu$xla.gpu.triton", backend_config={name = "f", ir = "module { ` + op + ` }"}
}
`
	}
	prints := map[string]bool{}
	for _, op := range []string{"math.exp", "math.log", "math.exp"} {
		m, err := ParseText([]byte(module(op)), "f.txt")
		if err != nil {
			t.Fatal(err)
		}
		prints[m.Fingerprint()] = true
		if m.Kernel(m.Comps[m.Entry].Root) != nil {
			t.Errorf("%s is read", op)
		}
	}
	if len(prints) != 2 {
		t.Errorf("two kernels have %d fingerprints", len(prints))
	}
}

// The products are those that MLIR's own parser prints: one in bf16, two in f32 at the highest precision.
func TestProducts(t *testing.T) {
	for name, want := range map[string]struct {
		product KernelProduct
		grid    []int64
		line    int32
	}{
		"tpu_dot.mlirbc":         {KernelProduct{Op: "tpu.matmul", Type: "bf16", Out: "f32[256,256]", Precision: "default"}, []int64{2, 2}, 13},
		"tpu_dot_highest.mlirbc": {KernelProduct{Op: "tpu.matmul", Type: "f32", Out: "f32[256,256]", Precision: "highest"}, []int64{2, 2}, 13},
		"triton_dot.mlirbc":      {KernelProduct{Op: "tt.dot", Type: "bf16", Out: "f32[32,64]", Precision: "default"}, nil, 11},
		"triton_dot_ieee.mlirbc": {KernelProduct{Op: "tt.dot", Type: "f32", Out: "f32[32,64]", Precision: "highest"}, nil, 11},
		"triton_dot_loop.mlirbc": {KernelProduct{Op: "tt.dot", Type: "bf16", Out: "f32[32,64]", Precision: "default"}, nil, 8},
	} {
		k := read(t, name)
		if len(k.Products) != 1 || !slices.Equal(k.Grid, want.grid) {
			t.Errorf("%s runs %v times, with %+v", name, k.Grid, k.Products)
			continue
		}
		p, line := k.Products[0], int32(0)
		if len(p.Stack) > 0 {
			line = p.Stack[0].Line
		}
		if p.Stack = nil; line != want.line || !reflect.DeepEqual(p, want.product) {
			t.Errorf("%s multiplies %+v on line %d", name, p, line)
		}
	}
}

func TestPrint(t *testing.T) {
	for _, pair := range []struct {
		a, b         string
		same, family bool
	}{
		{"tpu_loop.mlirbc", "tpu_loop_renamed.mlirbc", true, true}, // other names, on other lines
		{"triton_loop.mlirbc", "triton_loop_renamed.mlirbc", true, true},
		{"mosaic_gpu.mlirbc", "mosaic_gpu_renamed.mlirbc", true, true},
		{"tpu.mlirbc", "tpu_more.mlirbc", false, false},         // one operation more
		{"triton_sin.mlirbc", "triton_cos.mlirbc", false, true}, // the function that is called is a property
	} {
		a, b := read(t, pair.a), read(t, pair.b)
		if (a.Print == b.Print) != pair.same || (a.Family == b.Family) != pair.family {
			t.Errorf("%s and %s: the same %v, of one family %v", pair.a, pair.b, a.Print == b.Print, a.Family == b.Family)
		}
	}
}

// A file that is cut off anywhere is refused.
func TestCut(t *testing.T) {
	data, err := os.ReadFile("testdata/mlir/triton_loop.mlirbc")
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) {
		if k, err := readBytecode(data[:n]); err == nil && len(k.Ops) > 0 && n < len(data)-1 {
			t.Fatalf("the first %d of %d bytes are a kernel with %v", n, len(data), k.Ops)
		}
	}
}

// readsKernel checks that what is read of a kernel is no more than its bytes can hold.
func readsKernel(t *testing.T, data []byte) error {
	k, err := readBytecode(data)
	if err != nil {
		return err
	}
	n := 0
	for _, times := range k.Ops {
		n += times
	}
	if steps := k.Steps(); !(steps >= 1 && steps <= 1<<53) {
		t.Errorf("%v steps", steps)
	}
	if n > len(data) {
		t.Errorf("%d operations in %d bytes", n, len(data))
	}
	return nil
}

// kernels are the contents of files.
func kernels(f *testing.F, pattern string) (list [][]byte) {
	f.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		f.Fatal("no kernels", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, data)
	}
	return list
}

func FuzzBytecode(f *testing.F) {
	fuzztest.Run(f, fuzztest.Blocks(4), readsKernel, kernels(f, "testdata/mlir/*.mlirbc")...)
}
