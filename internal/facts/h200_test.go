package facts

import (
	"context"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/price"
)

// microsOnH200 is how long the kernels of small programs take on an H200 under JAX 0.11.2, in microseconds, by its profiler: see bench/accelerator.
var microsOnH200 = map[string]float64{
	"bandwidth_2_22_bytes_read_and_written":    1.7,
	"bandwidth_2_26_bytes_read_and_written":    15.3,
	"convolution_bfloat16_3x3_256_to_256_nhwc": 148.8,
	"convolution_bfloat16_7x7_stride_2":        231.0,
	"dot_bfloat16_512_times_128":               14.1,
	"dot_bfloat16_attention_8x16x1024x64":      346.9,
	"dot_bfloat16_to_bfloat16_2048":            22.9,
	"dot_bfloat16_to_bfloat16_64":              1.2,
	"dot_bfloat16_vector_by_4096":              8.4,
	"dot_dot_product_attention_cudnn":          87.5,
	"dot_f8_4096":                              186.8,
	"dot_float32_to_float32_1024":              12.7,
	"dot_float32_to_float32_highest_1024":      54.0,
	"dot_float64_to_float64_1024":              39.2,
	"dot_int8_to_int32_4096":                   199.0,
	"element_f32_256_multiply_adds":            69.0,
	"element_float32_32_divide":                45.4,
	"element_float32_32_rsqrt":                 34.9,
	"element_float32_32_sine":                  828.4,
	"element_float32_32_tanh":                  115.6,
	"element_float64_32_exponential":           69.1,
	"fft_fft_4096_of_1024":                     18.4,
	"index_gather_rows_of_256":                 32.3,
	"index_scatter_add_rows_of_256":            80.4,
	"index_scatter_add_sorted_1":               12.1,
	"index_segment_sum_65536_of_64_to_512":     10.4,
	"launch_10_kernels_of_1024":                8.6,
	"launch_400_kernels_of_1":                  372.5,
	"linalg_cholesky_512":                      161.2,
	"linalg_lu_512":                            832.0,
	"linalg_qr_2048":                           10100.3,
	"linalg_triangular_solve_2048":             717.6,
	"move_concatenate":                         48.2,
	"move_transpose":                           34.0,
	"reduce_batch_norm_statistics":             137.4,
	"reduce_softmax_rows_4096x4096":            36.1,
	"reduce_sum_columns_4096x4096":             17.2,
	"rng_threefry2x32_bits_16777216":           51.7,
	"sort_argsort_64_rows_of_50257":            565.2,
	"sort_sort_1024":                           10.6,
	"sort_sort_16384":                          53.8,
	"sort_sort_262144":                         50.0,
	"sort_sort_4096_rows_of_256":               37.0,
	"sort_top_k_8_of_262144":                   218.4,
}

// The kernels of programs that were timed on an H200 are priced as they were measured, each within half of it.
func TestPricesAreThoseOfAnH200(t *testing.T) {
	d, err := dump.Open(context.Background(), "testdata/gpu-h200-kernels.tar.xz", dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := Measure(context.Background(), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Programs) != len(microsOnH200) {
		t.Errorf("%d programs, %d were timed", len(r.Programs), len(microsOnH200))
	}
	h200 := price.Named("h200-sxm")
	r.Device = h200.Name
	r.PriceAll()
	for _, p := range r.Programs {
		v := p.Variants[0]
		took, said := microsOnH200[p.Name], (v.Facts[PriceStep]-v.CallNS(h200))/1e3
		if ratio := said / took; ratio < 1/1.5 || ratio > 1.5 {
			t.Errorf("%s: %.1f µs, took %.1f", p.Name, said, took)
		}
	}
}
