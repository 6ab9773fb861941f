package rules_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// What options that choose what is counted change of the verdict, on real dumps; "" where it passes.
func TestOptionsChoose(t *testing.T) {
	const gathered, unrolled, rolled = "cpu-sharding_allgather/after", "cpu-unrolled_loop/after", "cpu-unrolled_loop/before"
	const psum, tpu = "cases/cpu-psum_in_loop/after", "dumps/tpu-v4"
	const returned, undumped = "gpu-intermediate_out/after", "dumps/tpu-v4"
	for _, c := range []struct{ rule, on, base, keys, says string }{
		{"max-collectives", gathered, "", "max: 99, max_bytes: 1KiB", "collectives move 4.0 KiB, at most 1.0 KiB allowed"},
		{"max-collectives", gathered, "", "max: 99, max_bytes: 12320", ""},
		{"max-collectives", gathered, "", "kinds: [all-gather], max_bytes: 1KiB", ""},
		{"max-collectives", gathered, "", "max: 99, kinds: [all-reduce], max_bytes: 1KiB", "all-reduce move 4.0 KiB, at most 1.0 KiB allowed"},
		{"max-collectives", gathered, "", "op_name: \"*/no_such_part\", max_bytes: 1KiB", ""},
		{"max-collectives", "gpu-collectives", "", "max: 99, max_bytes: 1", "collectives move 768 B, at most 1 B allowed"},
		{"max-collectives", "gpu-collectives", "", "max: 99, kinds: [all-gather, all-to-all], max_bytes: 383", "all-gather and all-to-all move 384 B, at most 383 B allowed"},
		{"max-collectives", "gpu-collectives", "", "max: 99, kinds: [all-gather, all-to-all], max_bytes: 384", ""},
		{"max-collectives", "gpu-collectives", "", "max: 99, kinds: all-gather, max_bytes: 1", "all-gather move 256 B, at most 1 B allowed"},
		{"donation-kept", "cpu-donation_lost/after", "", "min_ratio: 50%", "0 B of 51.5 KiB of arguments are updated in place: 0 %, 50 % wanted; not params['w1'], params['w2'], x, y, params['b1']"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 100%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.2 %, 100 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 100%, min_bytes: 1KiB", "48.0 KiB of 51.0 KiB of arguments are updated in place: 94.1 %, 100 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 94%", ""},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 94.2%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.17 %, 94.2 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 94.1748%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.17476 %, 94.1748 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_bytes: 20KiB, min: 2", "1 argument updated in place: at least 2 wanted"},
		{"donation-kept", "gpu-collectives", "", "min_ratio: 1%", "0 B of 512 B of arguments are updated in place: 0 %, 1 % wanted; not a"},
		{"donation-kept", "cpu-donation_lost/after", "", "min_ratio: 100%, min_bytes: 1GiB", ""},
		{"donation-kept", "cpu-donation_lost/after", "cpu-donation_lost/before", "min_ratio: 0", "3 arguments are not updated in place any more: params['b1'], params['w1'], params['w2']"},
		{"precision", "tpu-precision/after", "tpu-precision/before", "", "products changed their precision: 1 at highest, up from 0; 0 at default, down from 1"},
		{"fusion-drift", gathered, "", "max: 999, max_added: 0", "1 fusion is new, at most 0 allowed: clamp, convert, 2 dynamic-slice, multiply"},
		{"fusion-drift", gathered, "", "max: 999, max_added: 1", ""},
		{"fusion-drift", gathered, "", "max: 999, max_added: 0, ignore: \"*\"", ""},
		{"fusion-drift", gathered, "", "max: 999", ""},
		{"fusion-drift", "cpu-improved/after", "cpu-improved/after", "max: 999, max_added: 0", ""},
		{"fusion-drift", "gpu-softmax_barrier/after", "", "max_added: 0", "1 fusion was split: divide, exponential, 2 reduce, subtract ran in one kernel, now in 4: between them optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
		{"max-instructions", unrolled, "", "max: 100", "231 instructions: at most 100 allowed"},
		{"max-instructions", unrolled, "", "stage: before, max: 100", "109 instructions before optimization: at most 100 allowed"},
		{"max-instructions", unrolled, "", "stage: before, max: 500", ""},
		{"max-instructions", unrolled, "cpu-unrolled_loop/before", "stage: before, max_increase: 5%", "109 instructions before optimization: up from 42 in the baseline"},
		{"loops-kept", rolled, "", "max_trip_count: 19", "20 iterations of the loop at pairs.py:108: at most 19 allowed"},
		{"loops-kept", rolled, "", "max_trip_count: 20", ""},
		{"loops-kept", rolled, unrolled, "", ""},
		{"loops-kept", rolled, unrolled, "trip_count: true", "20 iterations of loops: up from 0 in the baseline"},
		{"loops-kept", rolled, rolled, "trip_count: true, max_trip_count: 20", ""},
		{"loops-kept", unrolled, rolled, "min: 0, trip_count: true", "0 iterations of loops: down from 20 in the baseline"},
		{"loops-kept", unrolled, unrolled, "max_trip_count: 0", ""},
		{"max-copies", rolled, "", "in: loops, max: 0", "1 copy in loops: at most 0 allowed"},
		{"max-copies", rolled, "", "in: loops, max: 1", ""},
		{"max-copies", unrolled, "", "in: loops, max: 0", ""},
		{"max-copies", rolled, unrolled, "in: loops", "1 copy in loops: up from 0 in the baseline"},
		{"max-copies", rolled, unrolled, "in: loops, max_increase: 1", ""},
		{"max-copies", unrolled, rolled, "in: loops", ""},
		{"max-copies", rolled, "", "in: loops, max_bytes: 3", "copies in loops move 4 B, at most 3 B allowed"},
		{"max-copies", rolled, "", "in: loops, max_bytes: 4", ""},
		{"max-copies", rolled, "", "max_bytes: 4", "copies move 8 B, at most 4 B allowed"},
		{"max-copies", rolled, "", "max_bytes: 1MiB", ""},
		{"max-collectives", gathered, "", "in: loops, max: 0", ""},
		{"max-collectives", psum, "", "in: loops, max: 0", "1 all-reduce in loops: at most 0 allowed"},
		{"max-collectives", psum, "", "in: loops, max: 1", ""},
		{"max-collectives", psum, "cases/cpu-psum_in_loop/before", "in: loops", "1 all-reduce in loops: up from 0 in the baseline"},
		{"max-collectives", "cases/cpu-psum_in_loop/before", psum, "in: loops", ""},
		{"max-collectives", psum, "", "in: loops, max: 99, max_bytes: 4095", "collectives in loops move 4,096 B, at most 4,095 B allowed"},
		{"max-collectives", tpu, "", "dtypes: [bf16], max: 0", "1 all-gather: at most 0 allowed"},
		{"max-collectives", tpu, "", "dtypes: [f16, f64], max: 0", ""},
		{"max-collectives", tpu, "", "dtypes: f32, kinds: [all-gather], max: 0", ""},
		{"max-collectives", tpu, "", "min_group_size: 4, max: 0", "1 all-reduce: at most 0 allowed"},
		{"max-collectives", tpu, "", "min_group_size: 4, kinds: [all-gather, all-to-all, collective-permute], max: 0", ""},
		{"max-collectives", tpu, "", "min_group_size: 2, kinds: [collective-permute], max: 0", "1 collective-permute: at most 0 allowed"},
		{"max-collectives", tpu, "", "min_group_size: 5, max: 0", ""},
		{"max-collectives", tpu, "", "min_group_size: 4, max: 9, max_bytes: 256KiB", ""},
		{"max-collectives", tpu, "", "min_group_size: 4, max: 9, max_bytes: 255KiB", "collectives move 256.0 KiB, at most 255.0 KiB allowed"},
		{"max-collectives", tpu, "", "min_gathered_dim_size: 128, kinds: [all-gather], max: 0", "1 all-gather: at most 0 allowed"},
		{"max-collectives", tpu, "", "min_gathered_dim_size: 129, kinds: [all-gather], max: 0", ""},
		{"max-collectives", tpu, "", "min_gathered_dim_size: 129, max: 0", "1 all-reduce: at most 0 allowed"},
		{"max-collectives", "cpu-involuntary_remat/after", "", "min_gathered_dim_size: 5, kinds: [all-gather], max: 0", "1 all-gather: at most 0 allowed"},
		{"max-collectives", "cpu-involuntary_remat/after", "", "min_gathered_dim_size: 4, kinds: [all-gather], max: 0", "2 all-gathers: at most 0 allowed"},
		{"max-output-bytes", returned, returned, "max_outputs: 1", "the program returns 2 results, at most 1 allowed"},
		{"max-output-bytes", returned, returned, "max_outputs: 2", ""},
		{"max-output-bytes", returned, returned, "max_outputs: 2, max: 1KiB", "128.0 KiB of results: at most 1.0 KiB allowed"},
		{"max-output-bytes", returned, "", "max: 128KiB", "131,088 B of results: at most 131,072 B allowed"},
		{"max-output-bytes", returned, "gpu-intermediate_out/before", "max: 128KiB, max_increase: 0", "131,088 B of results: at most 131,072 B allowed; up from 64.0 KiB in the baseline (+100.0 %)"},
		{"max-output-bytes", "gpu-intermediate_out/before", "", "max_outputs: 1", ""},
		{"max-output-bytes", "gpu-intermediate_out/before", "", "max_outputs: 0", "the program returns 1 result, at most 0 allowed"},
		{"max-output-bytes", returned, "gpu-intermediate_out/before", "max_outputs: 2", "128.0 KiB of results: up from 64.0 KiB in the baseline (+100.0 %)"},
		{"max-output-bytes", "tpu-intermediate_out/after", "tpu-intermediate_out/after", "max_outputs: 1", "the program returns 2 results, at most 1 allowed"},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: vmem, max: 768KiB", ""},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: vmem, max: 767KiB", "768.0 KiB of memory in vmem: at most 767.0 KiB allowed"},
		{"max-peak-bytes", "tpu-remat/after", "tpu-remat/after", "memory_space: default", ""},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: host, max: 0", ""},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: color_1, max: 0", "max-peak-bytes could not look at slope: a TPU's color_1 is called vmem"},
		{"max-peak-bytes", "cpu-unfused/after", "", "memory_space: vmem, max: 0", "max-peak-bytes could not look at act: its buffer assignment has one memory space only"},
		{"max-output-bytes", undumped, "", "max_outputs: 99", ""},
		{"max-output-bytes", undumped, "", "max_outputs: 0", "the program returns 1 result, at most 0 allowed"},
		{"max-output-bytes", undumped, "", "max_outputs: 99, max: 1GiB", "max-output-bytes could not look: the buffer assignment was not dumped (program f)"},
	} {
		r := try(t, rules.ByID(c.rule), rule.Example{On: c.on, Base: c.base, Config: "- { rule: " + c.rule + ", " + c.keys + " }"})
		if got := firstMessage(r, c.rule); got != c.says {
			t.Errorf("%s %s on %s against %q:\n%q, wanted\n%q", c.rule, c.keys, c.on, c.base, got, c.says)
		}
	}
}
