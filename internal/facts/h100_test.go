package facts

import "testing"

// microsOnH100 is how long the kernels of convolutions and transforms take on an H100 under JAX 0.11.2, in microseconds, by its profiler: see
// bench/accelerator/kernels.py.
var microsOnH100 = map[string]float64{
	"conv1d_1_to_1_64x16384_of_32":           54.2,
	"conv1d_1_to_1_64x16384_of_512":          637.0,
	"conv_bfloat16_3x3_128_to_128_32x56x56":  50.7,
	"conv_bfloat16_3x3_256_to_256_32x56x56":  148.1,
	"conv_bfloat16_3x3_32_to_32_32x56x56":    16.0,
	"conv_bfloat16_3x3_64_to_64_32x56x56":    25.5,
	"conv_float32_3x3_128_to_128_32x56x56":   91.0,
	"conv_float32_3x3_256_to_256_32x56x56":   288.8,
	"conv_float32_3x3_32_to_32_32x56x56":     26.1,
	"conv_float32_3x3_64_to_64_32x56x56":     45.9,
	"depthwise_float32_3x3_256_16x28x28":     11.0,
	"depthwise_float32_3x3_256_32x56x56":     80.6,
	"depthwise_float32_3x3_64_32x56x56":      22.6,
	"fft_1x8192":                             5.0,
	"fft_32x4096":                            3.6,
	"grouped_bfloat16_3x3_256_in_4_32x28x28": 24.6,
	"grouped_float32_3x3_256_in_4_32x28x28":  47.5,
	"rfft_1x8192":                            3.6,
	"rfft_32x4096":                           2.9,
}

// The kernels of programs that were timed on an H100 are priced as they were measured, each within half of it.
func TestPricesAreThoseOfAnH100(t *testing.T) {
	asMeasured(t, microsOnH100, pricesOn(t, "h100-sxm", "testdata/gpu-h100-kernels.tar.xz"))
}
