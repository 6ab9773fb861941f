package price

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/hlo/hlotest"
)

// meterOf makes a meter for which every dot and convolution is a product.
func meterOf(family Family, m *hlo.Module) *Meter {
	a := m.Alike()
	costs := Analyze(a, m.Users(), m.KnownTrips)
	return NewMeter(family, a, costs, func(id hlo.InstrID) int64 { return max(0, m.KnownTrips(id)) }, func(id hlo.InstrID) (Product, bool) {
		in := &m.Instrs[id]
		if in.Opcode != hlo.OpDot && in.Opcode != hlo.OpConvolution {
			return Product{}, false
		}
		precision, _ := m.Attr(id, "operand_precision")
		precision, _, _ = strings.Cut(strings.Trim(precision, "{}"), ",")
		results := float64(m.Shape(in.Shape).ElementCount())
		return Product{Type: m.Shape(m.Instrs[m.Operands(id)[0]].Shape).Type.String(), Precision: precision, Flops: costs.Instr(id).Flops, Results: results}, true
	})
}

// rootWork is the work of the entry's root, as a baseline has it.
func rootWork(t *testing.T, family Family, m *hlo.Module) string {
	t.Helper()
	text, err := json.Marshal(meterOf(family, m).Of(m.Comps[m.Entry].Root).Rounded())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What a launch asks for follows from its operation and its shapes. The last line of each case is the launch.
func TestWorkOfOperations(t *testing.T) {
	const sum = "%sum {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n  ROOT %z = f32[] add(%x, %y)\n}\n"
	const pair = "%pair {\n  %a = f32[] parameter(0)\n  %b = s32[] parameter(1)\n  %c = f32[] parameter(2)\n  %d = s32[] parameter(3)\n  ROOT %z = (f32[], s32[]) tuple(%a, %b)\n}\n"
	const less = "%less {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n  ROOT %z = pred[] compare(%x, %y), direction=LT\n}\n"
	const a, b = "  %a = f32[8,64] parameter(0)\n", "  %b = f32[64,4] parameter(1)\n"
	for _, c := range []struct{ name, functions, entry, want string }{
		{"elements", "", a + "  ROOT %r = f32[8,64] add(%a, %a)\n", `{"far":4100,"vector":512}`},
		{"two operands", "", a + "  %b = f32[8,64] parameter(1)\n  ROOT %r = f32[8,64] add(%a, %b)\n", `{"far":6140,"vector":512}`},
		{"double", "", "  %a = f64[8,64] parameter(0)\n  ROOT %r = f64[8,64] add(%a, %a)\n", `{"far":8190,"vector64":512}`},
		{"function", "", a + "  ROOT %r = f32[8,64] log(%a)\n", `{"far":4100,"special":666}`},
		{"double function", "", "  %a = f64[8,64] parameter(0)\n  ROOT %r = f64[8,64] exponential(%a)\n", `{"far":8190,"special64":512}`},
		{"slow function", "", a + "  ROOT %r = f32[8,64] sine(%a)\n", `{"far":4100,"slow":563}`},
		{"an opcode of a later XLA", "", a + "  ROOT %r = f32[8,64] frobnicate(%a)\n", `{"far":4100,"unknown":1}`},
		{"rounded", "", a + "  ROOT %r = bf16[8,64] convert(%a)\n", `{"far":3070,"rounds":512}`},
		{"division", "", a + "  ROOT %r = f32[8,64] divide(%a, %a)\n", `{"far":4100,"vector":2050}`},
		{"whole division", "", "  %a = s32[8,64] parameter(0)\n  ROOT %r = s32[8,64] divide(%a, %a)\n", `{"far":4100,"slow":307}`},
		{"division of nothing", "", "  ROOT %r = s32[8] divide()\n", `{"far":32,"slow":4.8}`},
		{"slice of nothing", "%f {\n  %p = f32[8,64] parameter(0)\n  ROOT %s = f32[2,64] slice(), slice={[0:2], [0:64]}\n}\n", a + "  ROOT %r = f32[2,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":512}`},
		{"quotient and remainder", "%f {\n  %p = s32[8,64] parameter(0)\n  %q = s32[8,64] parameter(1)\n  %d = s32[8,64] divide(%p, %q)\n  %m = s32[8,64] remainder(%p, %q)\n  ROOT %n = s32[8,64] add(%d, %m)\n}\n", "  %a = s32[8,64] parameter(0)\n  ROOT %r = s32[8,64] fusion(%a, %a), kind=kLoop, calls=%f\n", `{"far":4100,"slow":307,"vector":2560}`},
		{"two divisors", "%f {\n  %p = s32[8,64] parameter(0)\n  %q = s32[8,64] parameter(1)\n  %r = s32[8,64] negate(%q)\n  %d = s32[8,64] divide(%p, %q)\n  %m = s32[8,64] remainder(%p, %r)\n  ROOT %n = s32[8,64] add(%d, %m)\n}\n", "  %a = s32[8,64] parameter(0)\n  ROOT %r = s32[8,64] fusion(%a, %a), kind=kLoop, calls=%f\n", `{"far":4100,"slow":614,"vector":1020}`},
		{"division by a constant", "", "  %a = s32[8,64] parameter(0)\n  %c = s32[] constant(3)\n  %d = s32[8,64] broadcast(%c), dimensions={}\n  ROOT %r = s32[8,64] divide(%a, %d)\n", `{"far":6140,"vector":2050}`},
		{"broadcast", "", "  %a = f32[8] parameter(0)\n  ROOT %r = f32[8,64] broadcast(%a), dimensions={0}\n", `{"far":2080}`},
		{"scalar on a TPU", "", "  %a = s32[]{:T(128)} parameter(0)\n  ROOT %r = s32[]{:T(128)} add(%a, %a)\n", `{"far":8,"launches":-1,"vector":1}`},
		{"padded tiles", "", "  %a = f32[9,64]{1,0:T(8,128)} parameter(0)\n  ROOT %r = f32[9,64]{1,0:T(8,128)} negate(%a)\n", `{"far":16400,"vector":2050}`},
		{"on the chip", "", "  %a = f32[8,128]{1,0:T(8,128)S(1)} parameter(0)\n  ROOT %r = f32[8,128]{1,0:T(8,128)} negate(%a)\n", `{"far":4100,"onchip":4100,"vector":1020}`},
		{"from the host", "", "  %a = f32[8,64]{1,0:S(5)} parameter(0)\n  ROOT %r = f32[8,64]{1,0} copy(%a)\n", `{"far":2050,"fromhost":2050}`},
		{"transpose", "", a + "  ROOT %r = f32[64,8]{1,0} transpose(%a), dimensions={1,0}\n", `{"far":4100,"serial":410,"vector":512}`},
		{"transform", "", "  %a = c64[4,64] parameter(0)\n  ROOT %r = c64[4,64] fft(%a), fft_type=FFT, fft_length={64}\n", `{"far":4100,"vector64":12300}`},
		{"transform along two dimensions", "", "  %a = c64[16,64] parameter(0)\n  ROOT %r = c64[16,64] fft(%a), fft_type=FFT, fft_length={16,64}\n", `{"far":16400,"vector64":81900}`},
		{"transform of real numbers", "", "  %a = f32[4,64] parameter(0)\n  ROOT %r = c64[4,33] fft(%a), fft_type=RFFT, fft_length={64}\n", `{"far":2080,"vector64":6140}`},
		{"transform of a prime", "", "  %a = c64[4,61] parameter(0)\n  ROOT %r = c64[4,61] fft(%a), fft_type=FFT, fft_length={61}\n", `{"far":3900,"vector64":78100}`},
		{"product", "", a + b + "  ROOT %r = f32[8,4] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", `{"f32":4100,"far":3200}`},
		{"precise product", "", a + b + "  ROOT %r = f32[8,4] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}\n", `{"far":3200,"highest":4100}`},
		{"reduce", sum, a + "  %c = f32[] constant(0)\n  ROOT %r = f32[8] reduce(%a, %c), dimensions={1}, to_apply=%sum\n", `{"far":2080,"vector":504}`},
		{"argmax", pair, a + "  %i = s32[8,64] parameter(1)\n  %c = f32[] constant(0)\n  %d = s32[] constant(0)\n  ROOT %r = (f32[8], s32[8]) reduce(%a, %i, %c, %d), dimensions={1}, to_apply=%pair\n", `{"far":4170,"scalar":1020}`},
		{"window", sum, a + "  %c = f32[] constant(0)\n  ROOT %r = f32[8,16] reduce-window(%a, %c), window={size=1x4 stride=1x4}, to_apply=%sum\n", `{"far":2560,"scalar":64}`},
		{"window", sum, a + "  %c = f32[] constant(0)\n  ROOT %r = f32[8,64] reduce-window(%a, %c), window={size=1x4 pad=0_0x3_0}, to_apply=%sum\n", `{"far":4100,"scalar":256}`},
		{"sort", less, a + "  ROOT %r = f32[8,64] sort(%a), dimensions={1}, to_apply=%less\n", `{"far":4100,"scalar":23000}`},
		{"long sort", less, "  %a = f32[8192] parameter(0)\n  ROOT %r = f32[8192] sort(%a), dimensions={0}, to_apply=%less\n", `{"far":65500,"scalar":799000}`},
		{"slice", "", a + "  ROOT %r = f32[2,64] slice(%a), slice={[0:2], [0:64]}\n", `{"far":1020}`},
		{"update in place", "", a + "  %u = f32[1,64] parameter(1)\n  %i = s32[] parameter(2)\n  ROOT %r = f32[8,64] dynamic-update-slice(%a, %u, %i, %i)\n", `{"far":516}`},
		{"gather", "", a + "  %i = s32[5,1] parameter(1)\n  ROOT %r = f32[5,64] gather(%a, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n", `{"far":2580,"pieces":5,"scalar":2,"vector":640}`},
		{"scatter", sum, a + "  %i = s32[5,1] parameter(1)\n  %u = f32[5,64] parameter(2)\n  ROOT %r = f32[8,64] scatter(%a, %i, %u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%sum\n", `{"atomics":320,"far":3860,"pieces":5,"scalar":44,"vector":640}`},
		{"scatter to places of its own", sum, a + "  %i = s32[5,1] parameter(1)\n  %u = f32[5,64] parameter(2)\n  ROOT %r = f32[8,64] scatter(%a, %i, %u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=%sum\n", `{"far":3860,"pieces":5,"scalar":42,"vector":640}`},
		{"sorted scatter", sum, a + "  %i = s32[5,1] parameter(1)\n  %u = f32[5,64] parameter(2)\n  ROOT %r = f32[8,64] scatter(%a, %i, %u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, to_apply=%sum\n", `{"atomics":40,"far":3860,"pieces":5,"scalar":44,"vector":640}`},
		{"fusion", "%f {\n  %p = f32[8,64] parameter(0)\n  %t = f32[8,64] tanh(%p)\n  ROOT %n = f32[8,64] negate(%t)\n}\n", a + "  ROOT %r = f32[8,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":4100,"special":512,"vector":512}`},
		{"function of what is gathered", "%f {\n  %p = f32[8,64] parameter(0)\n  %i = s32[5,1] parameter(1)\n  %t = f32[8,64] tanh(%p)\n  ROOT %g = f32[5,64] gather(%t, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n}\n", a + "  %i = s32[5,1] parameter(1)\n  ROOT %r = f32[5,64] fusion(%a, %i), kind=kLoop, calls=%f\n", `{"far":2580,"pieces":5,"scalar":2,"special":320,"vector":640}`},
		{"fusion of a slice", "%f {\n  %p = f32[8,64] parameter(0)\n  %s = f32[2,64] slice(%p), slice={[0:2], [0:64]}\n  ROOT %n = f32[2,64] negate(%s)\n}\n", a + "  ROOT %r = f32[2,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":1020,"vector":128}`},
		{"fusion that slices what it computes", "%f {\n  %p = f32[8,64] parameter(0)\n  %t = f32[8,64] tanh(%p)\n  ROOT %s = f32[2,64] slice(%t), slice={[0:2], [0:64]}\n}\n", a + "  ROOT %r = f32[2,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":1020,"special":128}`},
		{"fusion of both halves", "%f {\n  %p = f32[8,64] parameter(0)\n  %t = f32[8,64] tanh(%p)\n  %s = f32[4,64] slice(%t), slice={[0:4], [0:64]}\n  %u = f32[4,64] slice(%t), slice={[4:8], [0:64]}\n  ROOT %n = f32[4,64] add(%s, %u)\n}\n", a + "  ROOT %r = f32[4,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":3070,"special":512,"vector":256}`},
		{"fusion that repeats rows", "%f {\n  %p = f32[64] parameter(0)\n  %t = f32[64] tanh(%p)\n  ROOT %s = f32[8,64] broadcast(%t), dimensions={1}\n}\n", "  %a = f32[64] parameter(0)\n  ROOT %r = f32[8,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":2300,"special":512}`},
		{"fusion that repeats elements", "%f {\n  %p = f32[8] parameter(0)\n  %t = f32[8] tanh(%p)\n  ROOT %s = f32[8,64] broadcast(%t), dimensions={0}\n}\n", "  %a = f32[8] parameter(0)\n  ROOT %r = f32[8,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":2080,"special":8}`},
		{"fusion of neighbours", "%f {\n  %p = f32[8,64] parameter(0)\n  %t = f32[8,64] tanh(%p)\n  %s = f32[7,64] slice(%t), slice={[1:8], [0:64]}\n  %u = f32[7,64] slice(%t), slice={[0:7], [0:64]}\n  ROOT %n = f32[7,64] subtract(%s, %u)\n}\n", a + "  ROOT %r = f32[7,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":3840,"special":896,"vector":448}`},
		{"fusion that joins what both pieces need", "%f {\n  %p = f32[8,64] parameter(0)\n  %t = f32[8,64] tanh(%p)\n  %n = f32[8,64] negate(%t)\n  ROOT %j = f32[16,64] concatenate(%t, %n), dimensions={0}\n}\n", a + "  ROOT %r = f32[16,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":6140,"special":1020,"vector":1540}`},
		{"fusion that joins columns", "%f {\n  %p = f32[64,1] parameter(0)\n  %t = f32[64,1] tanh(%p)\n  %n = f32[64,1] negate(%t)\n  ROOT %j = f32[64,2] concatenate(%t, %n), dimensions={1}\n}\n", "  %a = f32[64,1] parameter(0)\n  ROOT %r = f32[64,2] fusion(%a), kind=kLoop, calls=%f\n", `{"far":768,"special":64,"vector":192}`},
		{"library's rows", "%f {\n  %p = f32[8,64] parameter(0)\n  ROOT %n = f32[8,64] negate(%p)\n}\n", a + "  ROOT %r = f32[8,64] fusion(%a), kind=kCustom, calls=%f\n", `{"far":4100,"serial":11.2,"vector":512}`},
		{"library's rows of one", "%f {\n  %p = f32[64,1] parameter(0)\n  ROOT %n = f32[64,1] exponential(%p)\n}\n", "  %a = f32[64,1] parameter(0)\n  ROOT %r = f32[64,1] fusion(%a), kind=kCustom, calls=%f\n", `{"far":512,"serial":89.6,"special":1020}`},
		{"ordered callback", "", a + "  %t = token[] parameter(1)\n  ROOT %r = (token[], f32[8,64]) custom-call(%t, %a, %a), custom_call_target=\"xla_ffi_python_cpu_callback\", custom_call_has_side_effect=true\n", `{"calls":1.5,"effects":2,"far":4100}`},
		{"look-up of nothing", "%f {\n  %p = f32[8,64] parameter(0)\n  ROOT %s = f32[2,64] dynamic-slice(), dynamic_slice_sizes={2,64}\n}\n", a + "  ROOT %r = f32[2,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":512,"unknown":1}`},
		{"product in a loop", "%f {\n  %p = f32[8,64] parameter(0)\n  %q = f32[64,4] parameter(1)\n  ROOT %n = f32[8,4] dot(%p, %q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n", a + b + "  ROOT %r = f32[8,4] fusion(%a, %b), kind=kLoop, calls=%f\n", `{"far":3200,"looped":4100}`},
		{"infeed", "", "  %t = token[] after-all()\n  ROOT %r = (f32[8,64], token[]) infeed(%t)\n", `{"fromhost":2050}`},
		{"while", "%c {\n  %p = f32[8] parameter(0)\n  ROOT %d = pred[] constant(true)\n}\n%b {\n  %p = f32[8] parameter(0)\n  ROOT %n = f32[8] negate(%p)\n}\n", "  %a = f32[8] parameter(0)\n  ROOT %r = f32[8] while(%a), condition=%c, body=%b\n", `{}`},
		{"callback", "", a + "  ROOT %r = f32[8,64] custom-call(%a), custom_call_target=\"xla_ffi_python_cpu_callback\"\n", `{"calls":1,"far":4100}`},
		{"top k", "", a + "  ROOT %r = (f32[8,4], s32[8,4]) custom-call(%a), custom_call_target=\"TopK\"\n", `{"far":2300,"scalar":768}`},
		{"Cholesky", "", "  %a = f32[16,16] parameter(0)\n  ROOT %r = f32[16,16] custom-call(%a), custom_call_target=\"lapack_spotrf_ffi\"\n", `{"far":2050,"serial":512}`},
		{"singular values", "", "  %a = f32[16,16] parameter(0)\n  ROOT %r = f32[16] custom-call(%a), custom_call_target=\"lapack_sgesdd_ffi\", backend_config=\"{mode = 78 : ui8}\"\n", `{"far":1090,"serial":8010}`},
		{"orthogonal factor", "", "  %a = f32[64,64] parameter(0)\n  %t = f32[64] parameter(1)\n  ROOT %r = f32[64,64] custom-call(%a, %t), custom_call_target=\"lapack_sorgqr_ffi\"\n", `{"far":33000,"serial":31100}`},
		{"reflected", "", "  %a = f32[64,64] parameter(0)\n  %t = f32[64] parameter(1)\n  %c = f32[64,1] parameter(2)\n  ROOT %r = f32[64,1] custom-call(%a, %t, %c), custom_call_target=\"lapack_sormqr_ffi\"\n", `{"far":17200,"serial":19700}`},
		{"of a vector", "", "  %a = f32[16] parameter(0)\n  ROOT %r = f32[16] custom-call(%a), custom_call_target=\"lapack_spotrf_ffi\"\n", `{"far":128}`},
		{"unknown", "", a + "  ROOT %r = f32[8,64] custom-call(%a), custom_call_target=\"mine\"\n", `{"far":4100,"unknown":1}`},
	} {
		if got := rootWork(t, CPU, parse(t, "HloModule m\n\n"+c.functions+"\nENTRY %e {\n"+c.entry+"}\n")); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.name, got, c.want)
		}
	}
}

// A GPU computes some of them by other means: functions side by side, products and sorts in tiles, additions that wait for each other.
func TestWorkOnAGPU(t *testing.T) {
	const pair = "%pair {\n  %a = f32[] parameter(0)\n  %b = s32[] parameter(1)\n  %c = f32[] parameter(2)\n  %d = s32[] parameter(3)\n  ROOT %z = (f32[], s32[]) tuple(%a, %b)\n}\n"
	const sum = "%sum {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n  ROOT %z = f32[] add(%x, %y)\n}\n"
	const less = "%less {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n  ROOT %z = pred[] compare(%x, %y), direction=LT\n}\n"
	const a = "  %a = f32[8,64] parameter(0)\n"
	const scatter = "  %a = f32[8,4] parameter(0)\n  %i = s32[5,1] parameter(1)\n  %u = f32[5,4] parameter(2)\n  ROOT %r = f32[8,4] scatter(%a, %i, %u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%sum"
	for _, c := range []struct{ name, functions, entry, want string }{
		{"a function", "", a + "  ROOT %r = f32[8,64] log(%a)\n", `{"far":4100,"special":1540}`},
		{"one that is slow elsewhere", "", a + "  ROOT %r = f32[8,64] sine(%a)\n", `{"far":4100,"special":10800}`},
		{"division", "", a + "  ROOT %r = f32[8,64] divide(%a, %a)\n", `{"far":4100,"vector":4610}`},
		{"product", "", "  %a = f32[256,64] parameter(0)\n  %b = f32[64,256] parameter(1)\n  ROOT %r = f32[256,256] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", `{"f32":8390000,"far":393000,"tiles":4}`},
		{"deep product", "", "  %a = f32[8,8192] parameter(0)\n  %b = f32[8192,8] parameter(1)\n  ROOT %r = f32[8,8] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", `{"f32":1050000,"far":525000,"tiles":8}`},
		{"precise product of Triton", "", "  %a = f32[256,64] parameter(0)\n  %b = f32[64,256] parameter(1)\n  ROOT %r = f32[256,256] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,high}\n", `{"far":393000,"highest":8390000,"tiles":16}`},
		{"convolution of cuDNN in a fusion", "%f {\n  %x = f32[8,28,28,64] parameter(0)\n  %k = f32[3,3,64,4] parameter(1)\n  ROOT %r = f32[8,28,28,4] convolution(%x, %k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, conv_kind=fprop\n}\n", "  %a = f32[8,28,28,64] parameter(0)\n  %b = f32[3,3,64,4] parameter(1)\n  ROOT %r = f32[8,28,28,4] fusion(%a, %b), kind=kCustom, calls=%f, backend_config={\"fusion_backend_config\":{\"kind\":\"__cudnn$fusion\"}}\n", `{"f32":1170000000,"far":1720000,"tiles":98}`},
		{"precise product", "", "  %a = f32[256,64] parameter(0)\n  %b = f32[64,256] parameter(1)\n  ROOT %r = f32[256,256] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}\n", `{"far":393000,"highest":8390000,"tiles":16}`},
		{"bytes in another order", "", "  %a = s8[64,64]{1,0} parameter(0)\n  ROOT %r = s8[64,64]{1,0} transpose(%a), dimensions={1,0}\n", `{"far":8190,"scalar":27000,"serial":1230,"vector":4100}`},
		{"transform", "", "  %a = c64[4,64] parameter(0)\n  ROOT %r = c64[4,64] fft(%a), fft_type=FFT, fft_length={64}\n", `{"far":4100,"tiles":1,"vector":12300}`},
		{"transform of a prime", "", "  %a = c64[4,67] parameter(0)\n  ROOT %r = c64[4,67] fft(%a), fft_type=FFT, fft_length={67}\n", `{"far":25700,"launches":5,"tiles":1,"vector":12900}`},
		{"transform in two passes", "", "  %a = c64[8192] parameter(0)\n  ROOT %r = c64[8192] fft(%a), fft_type=FFT, fft_length={8192}\n", `{"far":262000,"launches":1,"tiles":2,"vector":852000}`},
		{"argmax", pair, a + "  %i = s32[8,64] parameter(1)\n  %c = f32[] constant(0)\n  %d = s32[] constant(0)\n  ROOT %r = (f32[8], s32[8]) reduce(%a, %i, %c, %d), dimensions={1}, to_apply=%pair\n", `{"far":4170,"vector":1020}`},
		{"fusion that repeats rows", "%f {\n  %p = f32[64] parameter(0)\n  %t = f32[64] tanh(%p)\n  ROOT %s = f32[8,64] broadcast(%t), dimensions={1}\n}\n", "  %a = f32[64] parameter(0)\n  ROOT %r = f32[8,64] fusion(%a), kind=kLoop, calls=%f\n", `{"far":2300,"special":1380}`},
		{"sort in a block", less, a + "  ROOT %r = f32[8,64] sort(%a), dimensions={1}, to_apply=%less\n", `{"far":4100,"scalar":8920,"tiles":8}`},
		{"sort in more", less, "  %a = f32[8192] parameter(0)\n  ROOT %r = f32[8192] sort(%a), dimensions={0}, to_apply=%less\n", `{"far":65500,"launches":2,"scalar":619000,"tiles":2}`},
		{"crowded scatter", sum, scatter + "\n", `{"atomics":645,"far":260,"pieces":5,"scalar":6.5,"vector":40}`},
		{"sorted scatter", sum, scatter + ", indices_are_sorted=true\n", `{"atomics":2.5,"far":260,"launches":0.000534,"pieces":5,"scalar":6.5,"vector":40}`},
		{"top k", "", a + "  ROOT %r = (f32[8,4], s32[8,4]) custom-call(%a), custom_call_target=\"__gpu$TopK\"\n", `{"far":2300,"scalar":404000,"tiles":8}`},
		{"radix sort of rows", "", a + "  ROOT %r = (f32[8,64], u8[100]) custom-call(%a), custom_call_target=\"__cub$DeviceRadixSort\"\n", `{"far":4100,"launches":40,"scalar":35800}`},
		{"a result of bytes", "", a + "  ROOT %r = (f32[8,64], s8[512]) custom-call(%a), custom_call_target=\"quantize\"\n", `{"far":4610,"unknown":1}`},
		{"top k of nothing", "", "  ROOT %r = (f32[], s32[]) custom-call(), custom_call_target=\"__gpu$TopK\"\n", `{"far":8}`},
		{"transform of nothing", "", "  ROOT %r = c64[4] fft(), fft_type=FFT, fft_length={8192}\n", `{"far":64,"launches":1,"tiles":1,"unknown":1}`},
		{"Cholesky", "", "  %a = f32[16,16] parameter(0)\n  ROOT %r = f32[16,16] custom-call(%a), custom_call_target=\"cusolver_potrf_ffi\"\n", `{"far":2050,"launches":5.76}`},
	} {
		if got := rootWork(t, GPU, parse(t, "HloModule m\n\n"+c.functions+"\nENTRY %e {\n"+c.entry+"}\n")); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.name, got, c.want)
		}
	}
}

// The vector unit of a TPU sorts rows by a network: 64 elements in 21 stages.
func TestSortOnTPU(t *testing.T) {
	for name, c := range map[string]struct{ functions, entry, want string }{
		"sort": {
			"%c {\n  %p = f32[] parameter(0)\n  %q = f32[] parameter(1)\n  ROOT %r = pred[] compare(%p, %q), direction=LT\n}\n",
			"  ROOT %r = f32[16,64]{1,0:T(8,128)} sort(%a), dimensions={1}, to_apply=%c\n", `{"far":16400,"vector":129000}`,
		},
		"top k": {"", "  ROOT %r = (f32[16,4], s32[16,4]) custom-call(%a), custom_call_target=\"TopK\"\n", `{"far":8700,"vector":161000}`},
	} {
		m := parse(t, "HloModule m\n\n"+c.functions+"\nENTRY %e {\n  %a = f32[16,64]{1,0:T(8,128)} parameter(0)\n"+c.entry+"}\n")
		if got := rootWork(t, TPU, m); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A convolution of few channels costs cuDNN more than its products, and no other library.
func TestConvolutionsOfCuDNN(t *testing.T) {
	const flops, results = 9e6, 4 * 32 * 32 * 64
	for _, c := range []struct {
		name, input, weights, attrs, target string
		precision                           string
		want                                Work
	}{
		{"wide", "f32[4,32,32,64]", "f32[3,3,64,256]", "", "convForward", "", Work{ProductF32: flops, Tiles: 16}},
		{"narrow", "f32[4,32,32,64]", "f32[3,3,64,64]", "", "convForward", "", Work{ProductF32: flops * 170 / 64, Tiles: 64}},
		{"narrow, without tensor cores", "f32[4,32,32,64]", "f32[3,3,64,64]", "", "convForward", "highest", Work{ProductHighest: flops, Tiles: 64}},
		{"colors", "f32[4,32,32,3]", "f32[3,3,3,64]", "", "convForward", "", Work{ProductF32: flops * 8 * 4 / 3, Launches: 2}},
		{"back to colors", "f32[4,32,32,64]", "f32[3,3,3,64]", "", "convBackwardInput", "", Work{ProductF32: flops * 170 / 3, Tiles: 1366}},
		{"groups", "f32[4,32,32,64]", "f32[3,3,4,64]", ", feature_group_count=16", "convForward", "", Work{ProductF32: flops * 170 / 4, Tiles: 1024}},
		{"a group for each channel", "f32[4,32,32,64]", "f32[3,3,1,64]", ", feature_group_count=64", "convForward", "", Work{Vector: flops * 6}},
		{"one channel", "f32[4,32,32,1]", "f32[3,3,1,1]", "", "convForward", "", Work{Vector: flops * 20}},
	} {
		m := parse(t, "HloModule m\n\nENTRY %e {\n  %x = "+c.input+" parameter(0)\n  %k = "+c.weights+" parameter(1)\n  ROOT %r = (f32[4,32,32,64], u8[0]) custom-call(%x, %k)"+
			", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"+c.attrs+", custom_call_target=\"__cudnn$"+c.target+"\"\n}\n")
		p := Product{Type: "f32", Flops: flops, Results: results, Precision: c.precision}
		var plain Work
		plain[unit(p, false)] = flops
		for family, want := range map[Family]Work{CPU: plain, GPU: c.want} {
			var w Work
			price := (*Meter).library
			if family == GPU {
				price = (*Meter).convolved
			}
			if price(meterOf(family, m), &w, m.Comps[m.Entry].Root, p); w.Rounded() != want.Rounded() {
				t.Errorf("%s on %s: %v, want %v", c.name, family, w, want)
			}
		}
	}
}

// A damaged convolution, or one whose channels nobody knows, takes no less than nothing.
func TestDamagedConvolutions(t *testing.T) {
	for name, entry := range map[string]string{
		"without weights": "  %a = f32[2,8,8,4] parameter(0)\n  ROOT %r = f32[2,8,8,4] convolution(%a), ",
		"unknown inputs":  "  %a = f32[2,8,8,?] parameter(0)\n  %b = f32[3,3,?,4] parameter(1)\n  ROOT %r = f32[2,8,8,4] convolution(%a, %b), ",
		"unknown outputs": "  %a = f32[2,8,8,4] parameter(0)\n  %b = f32[3,3,4,?] parameter(1)\n  ROOT %r = f32[2,8,8,4] convolution(%a, %b), ",
	} {
		m := parse(t, "HloModule m\n\nENTRY %e {\n"+entry+"window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n}\n")
		for _, family := range []Family{CPU, GPU, TPU} {
			w := meterOf(family, m).Of(m.Comps[m.Entry].Root)
			if slices.ContainsFunc(w[:], func(amount float64) bool { return !(amount >= 0) }) {
				t.Errorf("%s on %s: %v", name, family, w)
			}
		}
	}
}

// The weights of a convolution's gradient by its weights are its result.
func TestChannelsOfAGradient(t *testing.T) {
	m := parse(t, "HloModule m\n\nENTRY %e {\n  %x = f32[4,32,32,3] parameter(0)\n  %g = f32[4,32,32,64] parameter(1)\n  ROOT %r = (f32[3,3,3,64], u8[0]) custom-call(%x, %g)"+
		", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, custom_call_target=\"__cudnn$convBackwardFilter\"\n}\n")
	if in, out, grouped, known := meterOf(GPU, m).groupChannels(m.Comps[m.Entry].Root, "__cudnn$convBackwardFilter"); in != 3 || out != 64 || grouped || !known {
		t.Errorf("%v to %v, %v", in, out, known)
	}
}

// A body that a loop and a library's kernel share asks each for its own, whichever is measured first.
func TestWorkInAnyOrder(t *testing.T) {
	m := parse(t, `HloModule m

%body {
  %a = f32[64,64] parameter(0)
  %b = f32[64,64] parameter(1)
  %n = f32[64,64] negate(%b)
  %s = f32[64,32] slice(%n), slice={[0:64], [0:32]}
  ROOT %d = f32[64,32] dot(%a, %s), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

ENTRY %e {
  %a = f32[64,64] parameter(0)
  %b = f32[64,64] parameter(1)
  %loop = f32[64,32] fusion(%a, %b), kind=kLoop, calls=%body
  %output = f32[64,32] fusion(%a, %b), kind=kOutput, calls=%body
  ROOT %t = (f32[64,32], f32[64,32]) tuple(%loop, %output)
}
`)
	loop, output := m.Operands(m.Comps[m.Entry].Root)[0], m.Operands(m.Comps[m.Entry].Root)[1]
	for _, family := range []Family{CPU, GPU, TPU} {
		one, other := meterOf(family, m), meterOf(family, m)
		first, second := one.Of(loop), one.Of(output)
		if otherSecond, otherFirst := other.Of(output), other.Of(loop); first != otherFirst || second != otherSecond || first == second {
			t.Errorf("%s: %v and %v, the other way round %v and %v", family, first, second, otherFirst, otherSecond)
		}
	}
}

// A loop in a kernel that never runs costs nothing.
func TestWorkOfNoIteration(t *testing.T) {
	for n, want := range map[string]float64{"0": 0, "1": 66, "3": 198} {
		m := parse(t, `HloModule m

%condition {
  %p = f32[64] parameter(0)
  ROOT %c = pred[] constant(true)
}

%body {
  %p = f32[64] parameter(0)
  ROOT %n = f32[64] negate(%p)
}

%fused {
  %p = f32[64] parameter(0)
  ROOT %w = f32[64] while(%p), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"`+n+`"}}
}

ENTRY %e {
  %p = f32[64] parameter(0)
  ROOT %f = f32[64] fusion(%p), kind=kCustom, calls=%fused
}
`)
		if w := meterOf(TPU, m).Of(m.Comps[m.Entry].Root); w[Vector]+w[Scalar] != want {
			t.Errorf("%s iterations: %v", n, w)
		}
	}
}

// What a launch asks for is the same in whatever order the module lists its computations and launches are measured, whatever it calls them, as text and as proto, and never
// less than nothing.
func TestWorkOfRealDumps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	launches := func(m *hlo.Module) (all []string) {
		meter, last := meterOf("", m), meterOf("", m)
		first, end := m.Body(m.Entry)
		backwards := make([]Work, end-first)
		for id := end - 1; id >= first; id-- {
			backwards[id-first] = last.Of(id)
		}
		for id := first; id < end; id++ {
			w := meter.Of(id)
			if w != backwards[id-first] {
				t.Errorf("%v of %s, measured last %v", w, m.InstrName(id), backwards[id-first])
			}
			for a, n := range w {
				if n < 0 && !(Amount(a) == Launches && n == -1) {
					t.Errorf("%v of %s", n, Amount(a))
				}
			}
			text, err := json.Marshal(w.Rounded())
			if err != nil {
				t.Fatal(err)
			}
			var read Work
			if err := json.Unmarshal(text, &read); err != nil || read != w.Rounded() {
				t.Errorf("%s is read as %v: %v", text, read, err)
			}
			all = append(all, string(text))
		}
		slices.Sort(all)
		return all
	}
	for _, c := range costOf {
		if all := launches(readDump(t, "cost/"+c.file)); strings.Join(all, "") == strings.Repeat("{}", len(all)) {
			t.Errorf("%s asks for nothing", c.file)
		}
	}
	for _, name := range pairs(t) {
		text, proto := launches(readDump(t, "pairs/"+name+".txt")), launches(readDump(t, "pairs/"+name+".hlo.pb"))
		if !slices.Equal(text, proto) {
			t.Errorf("%s: %s as text\n%s as proto", name, text, proto)
		}
		if source := string(readFile(t, "pairs/"+name+".txt")); strings.Contains(source, "ENTRY %") {
			if got := launches(parse(t, hlotest.Shuffle(source, random))); !slices.Equal(got, text) {
				t.Errorf("%s, renamed and reordered: %s\nbefore: %s", name, got, text)
			}
		}
	}
}

// A baseline of another version may name amounts that this one does not know.
func TestUnknownWorkIsAnError(t *testing.T) {
	for _, text := range []string{`{"warp":1}`, `{"far":"much"}`, `[1]`} {
		if err := json.Unmarshal([]byte(text), new(Work)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// The unit that multiplies follows from the type and the precision that is asked for.
func TestUnitOfAProduct(t *testing.T) {
	for _, c := range []struct {
		p    Product
		want Amount
	}{
		{Product{Type: "f64"}, ProductF64}, {Product{Type: "c64"}, ProductF32}, {Product{Type: "c128", Precision: "high"}, ProductF64},
		{Product{Type: "f32"}, ProductF32}, {Product{Type: "f32", Precision: "default"}, ProductF32},
		{Product{Type: "f32", Precision: "high"}, ProductHigh}, {Product{Type: "f32", Precision: "dot_bf16_bf16_f32_x3"}, ProductF16},
		{Product{Type: "f32", Precision: "highest"}, ProductHighest}, {Product{Type: "f32", Precision: "dot_f32_f32_f32"}, ProductHighest},
		{Product{Type: "f32", Precision: "dot_tf32_tf32_f32_x3"}, ProductF32}, {Product{Type: "c64", Precision: "highest"}, ProductHighest},
		{Product{Type: "f32", Precision: "dot_bf16_bf16_f32"}, ProductF16}, {Product{Type: "f32", Precision: "dot_f16_f16_f32"}, ProductF16},
		{Product{Type: "bf16"}, ProductF16}, {Product{Type: "f16", Precision: "highest"}, ProductF16},
		{Product{Type: "f8e4m3fn"}, ProductF8}, {Product{Type: "f4e2m1fn"}, ProductF8}, {Product{Type: "s8"}, ProductS8}, {Product{Type: "u4"}, ProductS8},
	} {
		if got := unit(c.p, false); got != c.want {
			t.Errorf("%+v counts into %s, wanted %s", c.p, got, c.want)
		}
		if got := unit(c.p, true); got != Looped {
			t.Errorf("%+v in a loop counts into %s", c.p, got)
		}
	}
}

// An algorithm of several passes multiplies as often, but on a CPU; a product of complex numbers is four of real ones.
func TestPasses(t *testing.T) {
	for _, c := range []struct {
		p        Product
		gpu, cpu float64
	}{
		{Product{Type: "f32", Precision: "highest"}, 1, 1}, {Product{Type: "f32", Precision: "dot_tf32_tf32_f32_x3"}, 3, 1}, {Product{Type: "f32", Precision: "dot_bf16_bf16_f32_x6"}, 6, 1},
		{Product{Type: "c64"}, 4, 4}, {Product{Type: "c128", Precision: "default"}, 4, 4}, {Product{Precision: "dot_x"}, 1, 1},
	} {
		if gpu, cpu := c.p.passes(GPU), c.p.passes(CPU); gpu != c.gpu || cpu != c.cpu {
			t.Errorf("%+v: %v passes on a GPU, %v on a CPU", c.p, gpu, cpu)
		}
	}
}

// What a collective sends follows from the algorithms on a ring.
func TestExchange(t *testing.T) {
	for _, c := range []struct {
		opcode string
		peers  float64
		want   Work
	}{
		{"all-reduce", 4, Work{Sent: 150, Hops: 6, Peers: 4, Reach: 4, Rings: 1, Far: 200}},
		{"all-gather", 4, Work{Sent: 75, Hops: 3, Peers: 4, Reach: 4, Rings: 1, Far: 200}},
		{"all-to-all", 4, Work{Sent: 75, Hops: 3, Peers: 4, Reach: 4, Far: 200}},
		{"reduce-scatter", 2, Work{Sent: 50, Hops: 1, Peers: 2, Reach: 2, Rings: 1, Far: 200}},
		{"collective-permute", 4, Work{Sent: 100, Hops: 1, Peers: 4, Reach: 4, Far: 200}},
		{"all-reduce", 1, Work{Hops: 2, Peers: 1, Reach: 1, Rings: 1, Far: 200}},
	} {
		var w Work
		if w.Exchange(c.opcode, 100, c.peers, c.peers); w != c.want {
			t.Errorf("%s of %v: %v, wanted %v", c.opcode, c.peers, w, c.want)
		}
		if d := Named("h100-sxm"); (d.network(&w) == 0) != (c.peers == 1) {
			t.Errorf("%s of %v takes %v ns", c.opcode, c.peers, d.network(&w))
		}
	}
}

// Between machines a ring takes the adapters of all devices of the group, and no more than the links in a machine can bring. Other collectives send the bytes of
// each device over its own adapter.
func TestNetworkBetweenMachines(t *testing.T) {
	for _, c := range []struct {
		device       string
		opcode       string
		peers, reach float64
		rate         float64 // bytes a second
	}{
		{"h100-sxm", "all-gather", 8, 8, 450e9}, {"h100-sxm", "all-gather", 16, 16, 400e9}, {"h100-sxm", "all-gather", 4, 16, 100e9}, {"h100-sxm", "all-gather", 2, 16, 50e9},
		{"h100-sxm", "all-gather", 2, 64, 50e9}, {"h100-sxm", "all-to-all", 16, 16, 50e9}, {"h100-sxm", "collective-permute", 2, 16, 50e9}, {"tpu-v5e", "all-gather", 512, 512, 45e9},
	} {
		var w Work
		w.Exchange(c.opcode, 1e12, c.peers, c.reach)
		if got := w[Sent] / Named(c.device).network(&w) * 1e9; math.Abs(got/(attainedBandwidth*c.rate)-1) > 0.01 {
			t.Errorf("%s: %s of %v over %v: %v bytes a second", c.device, c.opcode, c.peers, c.reach, got)
		}
	}
}

// Every part of a launch's time has what it waits for; what the compiler expects goes before.
func TestTimeByPart(t *testing.T) {
	d := &Device{
		Family: TPU, Rates: Rates{Vector: 1e9, Special: 1e9, Scalar: 1e9, Units: 2, Clock: 1e9},
		Memories: Memories{Memory: Level{Bandwidth: 1e9}, Host: 1e9, OnChip: 1e9}, Delays: Delays{Launch: 100, Turn: 10, Step: 5, Decision: 1000, Call: 2000},
	}
	for _, c := range []struct {
		name string
		work Work
		want Time
	}{
		{"a launch", Work{}, Time{Launch: 100}},
		{"two launches and a loop", Work{Launches: 1, Iterations: 3}, Time{Launch: 230}},
		{"no launch", Work{Launches: -1}, Time{}},
		{"steps of a grid on two cores", Work{Steps: 5}, Time{Launch: 115}},
		{"functions", Work{Special: 7}, Time{Launch: 100, Compute: 7}},
		{"from the host", Work{FromHost: 9, Special: 7}, Time{Launch: 100, Memory: 9}},
		{"on the chip", Work{OnChip: 9}, Time{Launch: 100, Memory: 9}},
		{"the host decides", Work{Decisions: 2, Calls: 1}, Time{Launch: 100, Host: 4000}},
		{"expected", Work{Special: 7, Cycles: 300}, Time{Launch: 100, Compute: 200}},
		{"expected to wait for memory", Work{OnChip: 7, Cycles: 300}, Time{Launch: 100, Memory: 200}},
		{"expected to be short", Work{Special: 7, Cycles: 50}, Time{Launch: 50}},
		{"half of it hidden", Work{OnChip: 8, Hidden: 0.5}, Time{Launch: 100, Memory: 4}},
	} {
		got := d.Time(&c.work)
		if got != c.want {
			t.Errorf("%s: %+v, wanted %+v", c.name, got, c.want)
		}
		var twice Time
		if twice.Add(got, 2); twice.Total() != 2*got.Total() || twice.Whole() != twice {
			t.Errorf("%s: twice takes %+v", c.name, twice)
		}
	}
	if w := (Work{OnChip: 8, Hidden: 0.5}); d.Transfer(&w, Cached{}) != 8 {
		t.Errorf("a transfer takes %v when nothing runs beside it", d.Transfer(&w, Cached{}))
	}
}

// A GPU computes tiles side by side, and the host waits for a launch that is in no command buffer.
func TestTimeOnAGPU(t *testing.T) {
	d := &Device{Family: GPU, Rates: Rates{Special: 1e9, Units: 4}, Delays: Delays{Launch: 100, Queue: 400, Fill: 50}, Memories: Memories{Memory: Level{Bandwidth: 1e9}}}
	d.Products[ProductF32] = 1e9
	for _, c := range []struct {
		name string
		work Work
		want Time
	}{
		{"as many tiles as units", Work{Special: 8, Tiles: 4}, Time{Launch: 100, Compute: 8}},
		{"one tile", Work{Special: 8, Tiles: 1}, Time{Launch: 100, Compute: 32}},
		{"a second wave of one tile", Work{Special: 10, Tiles: 5}, Time{Launch: 100, Compute: 16}},
		{"a product", Work{ProductF32: 85}, Time{Launch: 100, Compute: 150}},
		{"started by itself", Work{Queued: 1, Special: 8}, Time{Launch: 392, Compute: 8}},
		{"long enough for the host", Work{Queued: 1, Special: 500}, Time{Launch: 100, Compute: 500}},
	} {
		if got := d.Time(&c.work); got != c.want {
			t.Errorf("%s: %+v, wanted %+v", c.name, got, c.want)
		}
	}
}

// Each family has a device that stands for it.
func TestReference(t *testing.T) {
	for _, f := range []Family{CPU, GPU, TPU} {
		if d := Reference(f); d == nil || d.Family != f || !slices.Contains(Names(), d.Name) {
			t.Errorf("%s: %+v", f, d)
		}
	}
}
