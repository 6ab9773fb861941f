package facts

import "testing"

// The product in a kernel that was written by hand is one of the program's, on its own line, and what the kernel costs is not known.
func TestProductsOfKernelsWrittenByHand(t *testing.T) {
	for dump, want := range map[string]struct {
		product Product
		line    int32
	}{
		"tpu-kernel_widened/before": {Product{Opcode: "tpu.matmul", Type: "bf16", Precision: "default"}, 279},
		"tpu-kernel_widened/after":  {Product{Opcode: "tpu.matmul", Type: "f32", Precision: "highest"}, 277},
		"gpu-kernel_widened/before": {Product{Opcode: "tt.dot", Type: "bf16", Precision: "default"}, 279},
		"gpu-kernel_widened/after":  {Product{Opcode: "tt.dot", Type: "f32", Precision: "highest"}, 277},
	} {
		v := measuredDump(t, "../../testdata/cases/"+dump+".tar.xz").Programs[0].Variants[0]
		if len(v.Products) != 1 || v.Facts[ProductType.Of(want.product.Type)] != 1 || v.Facts[ProductPrecision.Of(want.product.Precision)] != 1 {
			t.Errorf("%s: %v", dump, v.Facts)
			continue
		}
		p := *v.Products[0]
		if p.Source.Line != want.line || p.OpName != "jit(layer)/pallas_call" || p.Flops != 0 || p.Shape != "f32[128,128]" {
			t.Errorf("%s: %+v", dump, p)
		}
		if v.Facts[PriceUnpriced] != 1 {
			t.Errorf("%s: %v launches are not priced", dump, v.Facts[PriceUnpriced])
		}
	}
}
