package facts

import (
	"context"
	"slices"
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

// pairsOnH200 are pairs of programs whose kernels differ by a fifth or more on an H200, before an edit and after it, in microseconds: see
// bench/stopwatch/programs.
var pairsOnH200 = []struct {
	name          string
	before, after float64
}{
	{"adam_joined", 23.9, 31.4},
	{"attention_blocks", 14.2, 139.6},
	{"attention_heads_first", 18.6, 6.8},
	{"attention_window", 13.2, 5.0},
	{"big_attention_cudnn", 114.1, 28.6},
	{"big_bodies_in_loop", 21.7, 12059.9},
	{"big_cache_concatenated", 53.9, 438.7},
	{"big_cnn_bfloat16", 907.0, 116.6},
	{"big_cnn_gradients", 905.2, 2367.6},
	{"big_cnn_separable", 404.9, 86.7},
	{"big_convolution_by_fft", 642.3, 75.7},
	{"big_cumsum_by_scan", 57.0, 1703.3},
	{"big_donation_lost", 53.7, 124.3},
	{"big_embedding_one_hot", 10.2, 1506.6},
	{"big_experts_dense", 613.7, 2767.1},
	{"big_gelu_exact", 72.3, 120.5},
	{"big_gnn_edges_multiplied", 74.4, 269.6},
	{"big_gnn_sorted", 74.9, 52.5},
	{"big_gnn_sorted_narrow", 13.2, 20.0},
	{"big_heat_float64", 75.6, 181.4},
	{"big_histogram_scattered", 42.8, 271.3},
	{"big_keys_repeated", 146.8, 118.5},
	{"big_leaves_joined", 88.1, 52.3},
	{"big_logits_bfloat16", 267.8, 196.4},
	{"big_lstm_inputs_before", 1321.0, 895.6},
	{"big_lstm_unroll_eight", 1312.9, 998.4},
	{"big_median_bisected", 345.2, 144.6},
	{"big_microbatches", 368.6, 504.9},
	{"big_moments_bfloat16", 110.2, 79.0},
	{"big_norm_two_passes", 100.0, 65.0},
	{"big_recurrence_associative", 1948.3, 310.7},
	{"bodies_in_loop", 5.1, 2146.6},
	{"cache_concatenated", 10.1, 14.9},
	{"cache_donation_lost", 10.5, 13.0},
	{"callback_on_host", 5.5, 14.7},
	{"categories_by_gumbel", 6.6, 3.0},
	{"clip_by_global_norm", 23.8, 51.6},
	{"cnn_gradients", 26.7, 108.2},
	{"cnn_norm_of_batch", 26.0, 106.0},
	{"cnn_two_small_kernels", 9.0, 11.9},
	{"convolution_by_fft", 45.5, 16.4},
	{"cross_entropy_gradient", 7.0, 3.2},
	{"cross_entropy_one_hot", 7.0, 5.5},
	{"cumsum_by_product", 3.1, 5.4},
	{"cumsum_by_scan", 3.1, 643.4},
	{"diffusion_twice", 264.4, 523.6},
	{"division_by_constant", 1.4, 1.2},
	{"embedding_gradient_one_hot", 2.3, 14.1},
	{"embedding_one_hot", 1.2, 5.9},
	{"fft_complex", 4.4, 8.1},
	{"fft_prime", 3.4, 25.0},
	{"focal_by_logsumexp", 5.6, 8.8},
	{"gnn_attention", 5.9, 11.6},
	{"gnn_dense", 5.3, 6.9},
	{"gnn_four_rounds", 5.7, 18.2},
	{"gpt_einsum_spelled", 2.1, 3.4},
	{"gpt_layers_unrolled", 126.7, 94.8},
	{"gradients_more_steps", 129.7, 365.3},
	{"heat_by_convolution", 56.4, 139.4},
	{"kalman_inverse", 1726.5, 2449.9},
	{"layer_norm_two_passes", 3.5, 1.6},
	{"low_rank", 5.8, 4.6},
	{"lstm_four_products", 596.2, 999.7},
	{"lstm_inputs_before", 561.2, 323.6},
	{"lstm_unroll_eight", 574.9, 283.5},
	{"median_by_sort", 145.9, 44.7},
	{"metrics", 6.0, 12.3},
	{"mlp_accumulated", 32.6, 221.3},
	{"mlp_baked", 8.6, 6.9},
	{"mlp_deeper", 33.7, 56.2},
	{"mlp_low_rank_first", 10.0, 4.5},
	{"moe_dense", 21.6, 12.3},
	{"moe_loop", 16.6, 33.7},
	{"nan_checked", 6.0, 11.6},
	{"normal_box_muller", 1.5, 2.8},
	{"ode_runge_kutta", 221.5, 742.0},
	{"poisson_by_sweeps", 13.4, 564.2},
	{"product_twice", 5.6, 8.1},
	{"quantized_product", 3.3, 6.5},
	{"resize_bilinear", 2.2, 9.0},
	{"rnn_mapped", 409.4, 4199.5},
	{"rnn_wider", 339.4, 551.1},
	{"rotary_in_every_layer", 6.2, 8.7},
	{"sampling_top_k", 24.1, 18.5},
	{"scatter_in_loop", 2.1, 3127.0},
	{"shampoo_newton", 467.1, 49.4},
	{"shuffle", 1.4, 11.1},
	{"sort_and_gather", 50.6, 36.4},
	{"state_of_many_leaves", 0.9, 180.7},
	{"svd_for_eigh", 459.7, 737.7},
	{"switch_vmapped", 3.2, 1.2},
	{"transposed_again", 27.9, 16.9},
	{"update_slices", 1.5, 137.7},
	{"vit_patches", 13.5, 5.3},
}

// wrongOnH200 are the pairs whose prediction goes the other way, and why.
var wrongOnH200 = map[string]string{
	"convolution_by_fft": "a direct convolution of one channel takes longer than cuDNN's rate says",
	"gpt_einsum_spelled": "the same product, which the autotuner gave other tiles",
	"low_rank":           "two small products for a large one, 1 µs apart",
}

// loopsOnH200 tells, of programs with loops, whether XLA's own plan after its passes has a kernel of a loop outside of command buffers.
var loopsOnH200 = map[string]bool{
	"attention_blocks.after":            false,
	"big_bodies_in_loop.after":          false,
	"big_cumsum_by_scan.after":          true,
	"big_lstm_inputs_before.after":      false,
	"big_lstm_inputs_before.before":     false,
	"big_lstm_unroll_eight.after":       false,
	"big_lstm_unroll_eight.before":      false,
	"big_median_bisected.after":         true,
	"big_microbatches.after":            false,
	"big_recurrence_associative.before": true,
	"bodies_in_loop.after":              false,
	"cumsum_by_scan.after":              true,
	"diffusion_twice.after":             true,
	"diffusion_twice.before":            true,
	"gpt_layers_unrolled.before":        false,
	"gradients_more_steps.after":        false,
	"gradients_more_steps.before":       false,
	"heat_by_convolution.after":         true,
	"heat_by_convolution.before":        true,
	"kalman_inverse.after":              true,
	"kalman_inverse.before":             true,
	"lstm_four_products.after":          false,
	"lstm_four_products.before":         false,
	"lstm_inputs_before.after":          false,
	"lstm_inputs_before.before":         false,
	"lstm_unroll_eight.after":           false,
	"lstm_unroll_eight.before":          false,
	"median_by_sort.before":             false,
	"mlp_accumulated.after":             false,
	"ode_runge_kutta.after":             false,
	"ode_runge_kutta.before":            true,
	"poisson_by_sweeps.after":           true,
	"rnn_mapped.after":                  true,
	"rnn_mapped.before":                 false,
	"rnn_wider.after":                   false,
	"rnn_wider.before":                  false,
	"scatter_in_loop.after":             true,
	"update_slices.after":               true,
}

// programsOn measures the programs of an archive, and prices them on a device.
func programsOn(t *testing.T, archive, device string) []*Program {
	t.Helper()
	d, err := dump.Open(context.Background(), archive, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r, err := Measure(context.Background(), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Device = device
	r.PriceAll()
	return r.Programs
}

// pricesOn is what the kernels of the programs of an archive are predicted to take on a device, in microseconds, by the name of the program.
func pricesOn(t *testing.T, device, archive string) map[string]float64 {
	t.Helper()
	said := map[string]float64{}
	for _, p := range programsOn(t, archive, device) {
		v := p.Variants[0]
		said[p.Name] = (v.Facts[PriceStep] - v.CallNS(v.Device)) / 1e3
	}
	return said
}

// The kernels of programs that were timed on an H200 are priced as they were measured, each within half of it.
func TestPricesAreThoseOfAnH200(t *testing.T) {
	asMeasured(t, microsOnH200, pricesOn(t, "h200-sxm", "testdata/gpu-h200-kernels.tar.xz"))
}

func asMeasured(t *testing.T, micros, said map[string]float64) {
	t.Helper()
	if len(said) != len(micros) {
		t.Errorf("%d programs, %d were timed", len(said), len(micros))
	}
	for name, took := range micros {
		if ratio := said[name] / took; ratio < 1/1.5 || ratio > 1.5 {
			t.Errorf("%s: %.1f µs, took %.1f", name, said[name], took)
		}
	}
}

// Where the kernels of a pair got slower or faster, the prediction says so.
func TestSignsAreThoseOfAnH200(t *testing.T) {
	said := pricesOn(t, "h200-sxm", "testdata/gpu-h200-pairs.tar.xz")
	if len(said) != 2*len(pairsOnH200) {
		t.Errorf("%d programs, %d were timed", len(said), 2*len(pairsOnH200))
	}
	for _, p := range pairsOnH200 {
		before, after := said[p.name+".before"], said[p.name+".after"]
		right := before != after && (before < after) == (p.before < p.after)
		if why, known := wrongOnH200[p.name]; right == known {
			t.Errorf("%s: %.1f → %.1f µs, took %.1f → %.1f %s", p.name, before, after, p.before, p.after, why)
		}
	}
}

// The host starts those kernels of loops one by one that XLA's plan has in no command buffer.
func TestCommandBuffersAreThoseOfXLA(t *testing.T) {
	seen := 0
	for _, p := range programsOn(t, "testdata/gpu-h200-pairs.tar.xz", "h200-sxm") {
		want, loops := loopsOnH200[p.Name]
		if !loops {
			continue
		}
		seen++
		got := slices.ContainsFunc(p.Variants[0].Kernels, func(k Kernel) bool { return k.Times > 1 && k.Work[price.Queued] > 0 })
		if got != want {
			t.Errorf("%s: kernels of loops that the host starts by themselves: %v, want %v", p.Name, got, want)
		}
	}
	if seen != len(loopsOnH200) {
		t.Errorf("%d programs with loops, want %d", seen, len(loopsOnH200))
	}
}
