package facts

import "testing"

// pairsOnCPU are pairs of programs whose steps differ by a fifth or more on one core of a CPU under JAX 0.10.2, before an edit and after it, in
// microseconds: on an AMD EPYC, and on an Intel Xeon, which the prices were set by. See bench/stopwatch.
var pairsOnCPU = []struct {
	name                                 string
	before, after, xeonBefore, xeonAfter float64
}{
	{"adam_for_descent", 40.0, 125.1, 145.0, 398.0},
	{"attention_heads_first", 619.0, 484.1, 1530.0, 966.0},
	{"attention_linear", 1833.9, 692.1, 3450.0, 1190.0},
	{"attention_window", 1779.2, 309.8, 3440.0, 663.0},
	{"augment_gather", 15.9, 54.3, 24.6, 105.0},
	{"bodies_in_loop", 2082.6, 1061.0, 4250.0, 2470.0},
	{"bodies_rsqrt", 2088.2, 1401.9, 4140.0, 2880.0},
	{"cache_concatenated", 110.7, 176.8, 318.0, 588.0},
	{"cache_donation_lost", 110.2, 143.9, 324.0, 493.0},
	{"cache_masked", 111.9, 446.9, 323.0, 817.0},
	{"callback_in_loop", 350.2, 676.0, 591.0, 1250.0},
	{"callback_on_host", 103.1, 173.4, 193.0, 398.0},
	{"callback_reports", 104.7, 169.2, 204.0, 392.0},
	{"categories_by_gumbel", 454.5, 1852.9, 927.0, 3590.0},
	{"choice_one_hot", 11.8, 39.2, 17.4, 77.3},
	{"cnn_gradients", 652.3, 1997.0, 1090.0, 3500.0},
	{"cnn_norm_of_batch", 648.3, 787.0, 1070.0, 1340.0},
	{"cnn_pool_for_stride", 169.9, 670.4, 285.0, 1050.0},
	{"cnn_separable", 175.4, 1248.7, 276.0, 1940.0},
	{"cnn_two_small_kernels", 453.3, 338.8, 695.0, 529.0},
	{"concatenate_many", 21.5, 37.1, 36.0, 65.8},
	{"convolution_by_fft", 1412.0, 98.3, 2920.0, 170.0},
	{"cross_entropy_one_hot", 313.2, 742.4, 752.0, 2290.0},
	{"cumsum_by_scan", 336.7, 29.7, 677.0, 62.1},
	{"decode_in_loop", 4439.9, 3136.1, 14200.0, 8800.0},
	{"diffusion_twice", 697.2, 1383.2, 1180.0, 2340.0},
	{"distances_by_differences", 60.0, 352.4, 94.3, 760.0},
	{"division_by_constant", 204.0, 24.3, 275.0, 32.9},
	{"dropout_drawn_twice", 294.6, 569.1, 619.0, 1250.0},
	{"dropout_rbg", 614.8, 2440.8, 2040.0, 3940.0},
	{"embedding_gradient_one_hot", 23.6, 708.2, 60.7, 1250.0},
	{"embedding_one_hot", 12.5, 154.5, 20.0, 337.0},
	{"fft_complex", 229.8, 608.4, 577.0, 1310.0},
	{"fft_prime", 269.3, 2829.8, 568.0, 4980.0},
	{"gnn_attention", 51.7, 100.9, 89.2, 180.0},
	{"gnn_edges_multiplied", 51.4, 104.3, 83.1, 170.0},
	{"gnn_four_rounds", 52.0, 160.8, 82.7, 260.0},
	{"gradients_more_steps", 55.8, 149.6, 92.6, 247.0},
	{"heat_float64", 112.0, 198.6, 287.0, 515.0},
	{"histogram_dense", 16.0, 178.9, 33.3, 647.0},
	{"layer_norm_two_passes", 50.3, 71.2, 127.0, 175.0},
	{"low_rank", 290.1, 34.0, 460.0, 56.3},
	{"lstm_four_products", 451.3, 806.7, 708.0, 1360.0},
	{"lstm_inputs_before", 461.0, 848.0, 732.0, 1550.0},
	{"mamba_states_before", 805.7, 1634.9, 1440.0, 3080.0},
	{"median_by_sort", 44.8, 1049.4, 81.9, 1590.0},
	{"mlp_accumulated", 76.6, 181.5, 124.0, 248.0},
	{"mlp_batch", 81.1, 457.1, 170.0, 830.0},
	{"mlp_bfloat16", 453.2, 814.6, 1120.0, 1560.0},
	{"mlp_deeper", 81.3, 149.0, 140.0, 252.0},
	{"mlp_gradient_per_example", 77.2, 133.6, 126.0, 237.0},
	{"mlp_low_rank_first", 582.1, 52.0, 931.0, 88.2},
	{"mlp_weights_int8", 148.3, 201.0, 394.0, 642.0},
	{"moe_dense", 82.7, 535.5, 168.0, 912.0},
	{"moe_loop", 539.4, 327.0, 964.0, 608.0},
	{"moe_one_hot_dispatch", 82.3, 188.8, 165.0, 360.0},
	{"normal_box_muller", 233.5, 597.5, 431.0, 944.0},
	{"ode_runge_kutta", 103.5, 428.9, 162.0, 656.0},
	{"poisson_by_sweeps", 126.0, 1037.4, 226.0, 2800.0},
	{"recurrence_associative", 57.1, 270.5, 172.0, 743.0},
	{"remainder_by_floor", 376.8, 49.0, 601.0, 87.2},
	{"resize_bilinear", 30.0, 193.1, 70.9, 345.0},
	{"rnn_mapped", 123.3, 178.2, 215.0, 315.0},
	{"rnn_wider", 60.8, 340.1, 99.6, 540.0},
	{"rotary_in_every_layer", 30.5, 480.1, 46.0, 801.0},
	{"sampling_top_k", 1855.7, 72.8, 2830.0, 154.0},
	{"shampoo_newton", 208.2, 126.0, 299.0, 204.0},
	{"shuffle", 14.2, 108.0, 24.8, 179.0},
	{"sine_looked_up", 324.5, 38.0, 472.0, 66.3},
	{"solve_by_inverse", 39.3, 105.1, 77.8, 310.0},
	{"sort_integers", 2342.9, 383.2, 3500.0, 812.0},
	{"state_of_many_leaves", 15.2, 168.0, 30.1, 363.0},
	{"svd_for_eigh", 178.6, 107.0, 267.0, 188.0},
	{"top_by_sort", 78.9, 2924.1, 135.0, 4540.0},
	{"unet_transposed", 184.3, 72.0, 282.0, 118.0},
	{"update_slices", 29.8, 47.0, 48.2, 76.3},
	{"vit_patches", 133.2, 166.1, 206.0, 304.0},
}

// wrongOnCPU are the pairs whose prediction goes the other way, and why.
var wrongOnCPU = map[string]string{
	"dropout_rbg":        "four random numbers at once, with products of 64 bits: LLVM computes them one by one",
	"lstm_inputs_before": "gates of a loop that LLVM does not put into vectors where they read a slice",
	"moe_loop":           "one product of eight experts takes longer than eight products of a library",
}

// pricesOnCPU is what the programs of pairsOnCPU are predicted to take, in microseconds, by the name of the program.
func pricesOnCPU(t *testing.T) map[string]float64 {
	t.Helper()
	said := map[string]float64{}
	for _, p := range programsOn(t, "testdata/cpu-stopwatch-pairs.tar.xz", "cpu") {
		said[p.Name] = p.Variants[0].Facts[PriceStep] / 1e3
	}
	return said
}

// Where the step of a pair got slower or faster, the prediction says so.
func TestSignsAreThoseOfCPUs(t *testing.T) {
	said := pricesOnCPU(t)
	if len(said) != 2*len(pairsOnCPU) {
		t.Errorf("%d programs, %d were timed", len(said), 2*len(pairsOnCPU))
	}
	for _, p := range pairsOnCPU {
		if (p.before < p.after) != (p.xeonBefore < p.xeonAfter) {
			t.Errorf("%s: the machines do not agree", p.name)
		}
		before, after := said[p.name+".before"], said[p.name+".after"]
		right := before != after && (before < after) == (p.before < p.after)
		if why, known := wrongOnCPU[p.name]; right == known {
			t.Errorf("%s: %.1f → %.1f µs, took %.1f → %.1f %s", p.name, before, after, p.before, p.after, why)
		}
	}
}

// Three of four predictions are within twice of what the Xeon took, whose rates they have.
func TestPricesAreThoseOfAXeon(t *testing.T) {
	said, within := pricesOnCPU(t), 0
	near := func(name string, took float64) {
		if ratio := said[name] / took; ratio > 0.5 && ratio < 2 {
			within++
		}
	}
	for _, p := range pairsOnCPU {
		near(p.name+".before", p.xeonBefore)
		near(p.name+".after", p.xeonAfter)
	}
	if want := len(pairsOnCPU) * 2 * 75 / 100; within < want {
		t.Errorf("%d programs of %d are within a factor of two, want %d", within, len(said), want)
	}
}
