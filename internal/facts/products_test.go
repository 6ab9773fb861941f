package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

const flows = `HloModule flows, is_scheduled=true

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

fused {
  x = f32[8,64]{1,0} parameter(0)
  c = f32[] constant(0)
  e = f32[8,64]{1,0} exponential(x)
  v = f32[512]{0} bitcast(e)
  ROOT r = f32[] reduce(v, c), dimensions={0}, to_apply=add
}

ENTRY main {
  p = f32[8,64]{1,0} parameter(0)
  q = bf16[64,16]{1,0} parameter(1)
  start = f32[8,64]{1,0} all-reduce-start(p), replica_groups={}, to_apply=add
  f = f32[] fusion(p), kind=kInput, calls=fused
  done = f32[8,64]{1,0} all-reduce-done(start)
  alone = f32[8,64]{1,0} all-reduce(done), replica_groups={}, to_apply=add
  w = f32[64,16]{1,0} convert(q)
  d = f32[8,16]{1,0} dot(alone, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}
  g = (f32[8,16]{1,0}, s8[64]{0}) custom-call(alone, w), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]},"precision_config":{"operand_precision":["HIGH","HIGH"],"algorithm":"ALG_UNSET"}}}
  ROOT t = (f32[], f32[8,16]{1,0}, (f32[8,16]{1,0}, s8[64]{0})) tuple(f, d, g)
}
`

func TestProductsOverlapAndFlow(t *testing.T) {
	r, w := walked(t, flows)
	v := &Variant{Facts: Values{}, Compiled: Compiled{Kernels: make([]Kernel, len(w.launches))}}
	for i, l := range w.launches {
		v.Kernels[i] = r.kernel(l)
	}
	r.products(v)
	r.overlap(w, v)
	for fact, want := range map[ID]float64{
		"products.total": 2, "products.f32": 2, "precision.highest": 1, "precision.high": 1, "converts.count": 1, "async.overlapped": 1, "async.exposed": 1,
	} {
		if v.Facts[fact] != want {
			t.Errorf("%s is %v, wanted %v", fact, v.Facts[fact], want)
		}
	}
	for _, p := range v.Products {
		if p.Flops != 2*8*16*64 {
			t.Errorf("%s computes %d", p.Opcode, p.Flops)
		}
	}
	if k := v.Kernels[0]; !k.Async || k.Overlapped != 1 {
		t.Errorf("the first collective: %+v", k)
	}
	fusion := v.Kernels[1].Ops
	if len(fusion) != 2 || fmt.Sprint(fusion[0].From) != fmt.Sprint([]int32{^int32(0)}) || fmt.Sprint(fusion[1].From) != fmt.Sprint([]int32{0, FromConstant}) {
		t.Errorf("what flows in the fusion: %+v", fusion)
	}
}

// A library computes what the model asks of it: convolutions, forward and backward, what they computed before they became calls, and where one side is padded
// more than the other, up to 4 % for the padding that is written out; attention two products forward and five backward, each of all weights.
func TestLibraryFlops(t *testing.T) {
	const attention = 2 * (2 * 8 * 256 * 256) * 64
	for name, want := range map[string]int64{"gpu-h100-convnet": modelConvolutions(t, "gpu-h100-convnet"), "gpu-h100-attn_cudnn": (2 + 5) * attention} {
		v := measuredDump(t, "testdata/"+name+".tar.gz").Programs[0].Variants[0]
		var got int64
		for _, p := range v.Products {
			if strings.HasPrefix(p.Opcode, "__cudnn$") {
				got += p.Flops
			}
		}
		if got < want || got > want+want/25 || v.Facts[PriceUnpriced] != 0 {
			t.Errorf("%s: the library computes %d, the model %d; %v launches have no price", name, got, want, v.Facts[PriceUnpriced])
		}
	}
}

// A grouped product of cuBLAS computes as much as one product of all its rows, whether groups are parts of the result or of the contracted rows.
func TestGroupedFlops(t *testing.T) {
	for _, c := range []struct{ result, lhs, rhs, contracted string }{
		{"f16[64,8]", "f16[64,9]", "f16[2,9,8]", "1"}, {"f16[2,9,8]", "f16[64,9]", "f16[64,8]", "0"},
	} {
		m, err := hlo.ParseText([]byte(`HloModule m

ENTRY %e {
  %a = `+c.lhs+` parameter(0)
  %b = `+c.rhs+` parameter(1)
  %sizes = s32[2] parameter(2)
  ROOT %r = (`+c.result+`, s8[784]) custom-call(%a, %b, %sizes), custom_call_target="__cublas$lt$groupedMatmul", backend_config={"grouped_gemm_backend_config":{"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["`+c.contracted+`"]}}}}
}
`), "m.txt")
		if err != nil {
			t.Fatal(err)
		}
		r, root := newReader(m), m.Comps[m.Entry].Root
		if p := r.product(root); !r.isProduct(root) || p.Flops != 2*64*9*8 {
			t.Errorf("%s: %d flops, want %d", c.result, p.Flops, 2*64*9*8)
		}
	}
}

// modelConvolutions is what the convolutions of a dump's module compute before it is compiled.
func modelConvolutions(t *testing.T, name string) (flops int64) {
	for _, s := range open(t, name).Modules[0].Stages {
		data, release, err := s.File(dump.KindHLOText).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		m, err := hlo.ParseText(data, name)
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(m)
		for id := range m.Instrs {
			if m.Instrs[id].Opcode == hlo.OpConvolution {
				flops += int64(r.costs().Instr(hlo.InstrID(id)).Flops)
			}
		}
		release()
	}
	return flops
}
