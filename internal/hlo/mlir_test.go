package hlo

import (
	"maps"
	"math"
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
	k, err := readKernel(data)
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

// A kernel of XLA itself is text.
func TestText(t *testing.T) {
	k := read(t, "attention.mlir")
	if k.Name != "main" || k.Ops["tpu.matmul"] != 1 || k.Ops["math.exp"] != 3 || k.Ops["scf.if"] != 1 || k.Ops["vector.store"] != 6 {
		t.Errorf("%s with %v", k.Name, k.Ops)
	}
	moved, err := readKernel([]byte("module {\n  func.func @other(%a: f32 loc(\"a\"(\"x.py\":1:2))) -> f32 {\n    %0 = math.exp %a : f32 loc(#loc3)\n    return %0 : f32\n  }\n}\n#loc3 = loc(\"x.py\":3:4)\n"))
	plain, same := readKernel([]byte("module {\n  func.func @kernel(%a: f32) -> f32 {\n    %0 = math.exp %a : f32\n    return %0 : f32\n  }\n}\n"))
	if err != nil || same != nil || moved.Print != plain.Print || moved.Ops["math.exp"] != 1 || moved.Name != "other" {
		t.Errorf("%+v is not %+v", moved, plain)
	}
}

// The products are those that MLIR's own parser prints: one in bf16, two in f32 at the highest precision, one in a loop of four, one of XLA
// itself.
func TestProducts(t *testing.T) {
	for name, want := range map[string]struct {
		product KernelProduct
		grid    []int64
		line    int32
		widened float64 // elements that are converted to another width
	}{
		"tpu_dot.mlirbc":         {KernelProduct{Op: "tpu.matmul", Type: "bf16", Out: "f32[256,256]", Precision: "default", Flops: 2 * 256 * 256 * 256}, []int64{2, 2}, 13, 65536},
		"tpu_dot_highest.mlirbc": {KernelProduct{Op: "tpu.matmul", Type: "f32", Out: "f32[256,256]", Precision: "highest", Flops: 2 * 256 * 256 * 256}, []int64{2, 2}, 13, 2 * 65536},
		"triton_dot.mlirbc":      {KernelProduct{Op: "tt.dot", Type: "bf16", Out: "f32[32,64]", Precision: "default", Flops: 2 * 32 * 16 * 64}, nil, 11, 0},
		"triton_dot_ieee.mlirbc": {KernelProduct{Op: "tt.dot", Type: "f32", Out: "f32[32,64]", Precision: "highest", Flops: 2 * 32 * 16 * 64}, nil, 11, 0},
		"triton_dot_loop.mlirbc": {KernelProduct{Op: "tt.dot", Type: "bf16", Out: "f32[32,64]", Precision: "default", Flops: 4 * 2 * 32 * 16 * 64}, nil, 8, 0},
		"attention.mlir":         {KernelProduct{Op: "tpu.matmul", Type: "bf16", Out: "f32[128,64]", Precision: "default", Flops: 2 * 128 * 128 * 64}, []int64{2, 4, 1, 1}, 0, 8192},
	} {
		k := read(t, name)
		if len(k.Products) != 1 || k.Open || !slices.Equal(k.Grid, want.grid) || k.Elements["arith.extf"] != want.widened {
			t.Errorf("%s runs %v times, in open loops %v, with %+v and %v", name, k.Grid, k.Open, k.Products, k.Elements)
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

// Printed products: with a batch, with a transposed operand, with a row, and with shapes that do not fit.
func TestPrintedProducts(t *testing.T) {
	for line, want := range map[string]KernelProduct{
		"%0 = tpu.matmul %a, %b, %c {precision = #tpu.contract_precision<fp32>, transpose_rhs = true} : vector<8x16x32xf32>, vector<8x64x32xbf16>, vector<8x16x64xf32> -> vector<8x16x64xf32>": {
			Op: "tpu.matmul", Type: "f32", Out: "f32[8,16,64]", Precision: "highest", Flops: 2 * 8 * 16 * 64 * 32},
		"%0 = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x32xf32, #x> * tensor<32x64xf32, #y> -> tensor<16x64xf32, #z>": {
			Op: "tt.dot", Type: "f32", Out: "f32[16,64]", Precision: "high", Flops: 2 * 16 * 64 * 32},
		"%0 = tt.dot %a, %b, %c, inputPrecision = ieee {maxNumImpreciseAcc = 0 : i32} : tensor<16x32xf8E4M3FN> * tensor<32x64xf8E4M3FN> -> tensor<16x64xf32>": {
			Op: "tt.dot", Type: "f8e4m3fn", Out: "f32[16,64]", Precision: "default", Flops: 2 * 16 * 64 * 32},
		"%0 = vector.contract {kind = #vector.kind<add>} %a, %b, %c : vector<16x32xi8>, vector<32xi8> into vector<16xi32>": {
			Op: "vector.contract", Type: "s8", Out: "s32[16]", Precision: "default", Flops: 2 * 16 * 32},
		"%0 = tpu.matmul %a, %b, %c : vector<16x32xbf16>, vector<33x64xbf16>, vector<16x64xf32> -> vector<16x64xf32>": {
			Op: "tpu.matmul", Type: "bf16", Out: "f32[16,64]", Precision: "default"},
	} {
		k, err := readKernel([]byte("module {\n" + line + "\n}\n"))
		if err != nil || len(k.Products) != 1 || !reflect.DeepEqual(k.Products[0], want) {
			t.Errorf("%s: %+v, %v", line, k.Products, err)
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
		if k, err := readKernel(data[:n]); err == nil && len(k.Ops) > 0 && n < len(data)-1 {
			t.Fatalf("the first %d of %d bytes are a kernel with %v", n, len(data), k.Ops)
		}
	}
}

// readsKernel checks that what is read of a kernel is no more than its bytes can hold.
func readsKernel(t *testing.T, data []byte) error {
	k, err := readKernel(data)
	if err != nil {
		return err
	}
	n := 0
	for _, times := range k.Ops {
		n += times
	}
	for _, p := range k.Products {
		if !(p.Flops >= 0 && p.Flops*k.Steps() <= math.MaxFloat64) {
			t.Errorf("%+v in %v steps", p, k.Steps())
		}
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

func FuzzText(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, readsKernel, kernels(f, "testdata/mlir/*.mlir")...)
}

func FuzzBytecode(f *testing.F) {
	fuzztest.Run(f, fuzztest.Blocks(4), readsKernel, kernels(f, "testdata/mlir/*.mlirbc")...)
}
