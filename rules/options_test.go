package rules_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// tried is an entry of a rule on a real dump, and what it says: its first message, or "" if it passes. Without a base, the dump beside it is one.
type tried struct{ on, base, keys, says string }

// entries holds entries of each rule, besides those of its examples.
var entries = map[string][]tried{
	"max-kernels": {
		{"gpu-softmax_barrier/after", "", "kind: [loop], max: 0", "2 kernels: at most 0 allowed"},
		{"gpu-softmax_barrier/after", "", "kind: [input], max: 0", "2 kernels: at most 0 allowed"},
		{"gpu-softmax_barrier/after", "", "kind: [loop, input], max: 0", "4 kernels: at most 0 allowed"},
		{"gpu-softmax_barrier/after", "", "kind: [custom], max: 0", ""},
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "kind: [loop]", "2 kernels: up from 0 in the baseline"},
		{"cpu-unrolled_loop/before", "", "max: 0", "6 kernels: at most 0 allowed"},
		{"cpu-unrolled_loop/before", "", "scope: entry, max: 0", "2 kernels: at most 0 allowed"},
		{"cpu-unrolled_loop/before", "", "weighted_by_trip_count: true, max: 0", "63 kernels: at most 0 allowed"},
		{"cpu-unrolled_loop/before", "", "weighted_by_trip_count: true, scope: entry, max: 0", "2 kernels: at most 0 allowed"},
		{"cpu-unrolled_loop/before", "", "weighted_by_trip_count: true, kind: [loop], max: 0", "43 kernels: at most 0 allowed"},
		{"cpu-unrolled_loop/before", "", "exclude: \"*\", max: 0", ""},
		{"cpu-unrolled_loop/before", "cpu-unrolled_loop/after", "weighted_by_trip_count: true", "63 kernels: up from 41 in the baseline"},
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "max_increase: 200%", "4 kernels: up from 1 in the baseline, max_increase 200 %"},
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "max_increase: 300%", ""},
	},
	"required-fusions": {
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [exponential, divide], kind: [loop] }]", "the fusion \"a\" is not there: exponential, divide ran in triton_softmax.2"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [exponential, divide], kind: [input] }]", "the fusion \"a\" is not there: exponential, divide ran in triton_softmax.2"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [exponential, divide], root: divide }]", ""},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [exponential, divide], root: exponential }]", "the fusion \"a\" is not there: exponential, divide ran in triton_softmax.2"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [exponential, divide], min: 2 }]", "the fusion \"a\" is there once, 2 wanted: exponential, divide ran in triton_softmax.2"},
		{"gpu-softmax_barrier/after", "", "fusions: [{ name: a, contains: [tanh, divide] }]", "the fusion \"a\" is not there: no kernel runs tanh; divide ran in loop_divide_fusion"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [tanh] }]", "the fusion \"a\" is not there: no kernel runs tanh"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [tanh, negate], op_name: \"*/div\", source: pairs.py }]", "the fusion \"a\" is not there: no kernel of */div in pairs.py runs tanh, negate"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, out: \"f16[*,*]\" }]", "the fusion \"a\" is not there"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [divide], source: pairs.py }]", ""},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, contains: [divide], source: other.py }]", "the fusion \"a\" is not there: no kernel in other.py runs divide"},
		{"gpu-softmax_barrier/before", "", "fusions: [{ name: a, pattern: \"divide(exponential(_), _)\" }]", ""},
		{"gpu-softmax_barrier/after", "", "fusions: [{ name: a, pattern: \"divide(exponential(_), _)\" }]", "the fusion \"a\" is not there: divide, exponential ran in loop_exponential_fusion, loop_divide_fusion; split by an optimization barrier (pairs.py:41)"},
		{"gpu-softmax_barrier/after", "", "fusions: [{ name: a, pattern: \"tanh(_)\" }]", "the fusion \"a\" is not there: no kernel runs tanh"},
		{"cases/gpu-imp_stats_gone/after", "cases/gpu-imp_stats_gone/before", "fusions: [{ name: a, contains: [multiply, sqrt] }]", "the fusion \"a\" is gone: no kernel runs multiply, sqrt"},
		{"cases/gpu-cache_masked/after", "", "fusions: [{ name: a, contains: [tanh, negate], op_name: \"*\" }]", "the fusion \"a\" is not there: no kernel of * runs tanh, negate"},
		{"cases/gpu-cache_masked/after", "", "fusions: [{ name: a, contains: [multiply, tanh] }]", "the fusion \"a\" is not there: no kernel runs tanh; multiply ran in fusion.11"},
		{"cases/cpu-kept_for_backward/after", "", "fusions: [{ name: a, contains: [multiply, add, divide, exponential] }]", "the fusion \"a\" is not there: multiply, add, divide, exponential ran in wrapped_add, divide_convert_fusion, multiply_convert_fusion.2, dynamic-update-slice_convert_fusion.8, multiply_convert_fusion.1, add_convert_fusion.1, 12 more; split because add is also read by 2 convert, rsqrt (pairs.py:743), add_any is also read by convert, 2 more"},
	},
	"forbidden-fusions": {
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], outputs: 2 }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], outputs: 3 }]", ""},
		{"gpu-intermediate_out/before", "", "fusions: [{ name: two, contains: [tanh], outputs: 2 }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh] }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [exponential] }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], kind: [loop] }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], kind: [input] }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], root: tanh }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], root: tuple }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], root: exponential }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, pattern: \"tanh(_)\" }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, pattern: \"tanh(add)\" }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, pattern: \"tanh(multiply)\" }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], op_name: \"*/tanh\" }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], op_name: \"*/exp\" }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], source: pairs.py }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], source: other.py }]", "forbidden-fusions (nothing in the model fits source: other.py)"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], out: \"f32[*]\" }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], out: \"f32[*,*]\" }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], out: \"f16[*,*]\" }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], operands: 2 }]", "the fusion \"two\" is made: loop_add_tanh_fusion"},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], operands: 3 }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], max: 1 }]", ""},
		{"gpu-intermediate_out/after", "", "fusions: [{ name: two, contains: [tanh], op_name: \"*/none\" }]", "forbidden-fusions (nothing in the model fits op_name: */none)"},
	},
	"fusion-drift": {
		{"cpu-sharding_allgather/after", "", "max: 999, max_added: 0", "1 fusion is new, at most 0 allowed: clamp, convert, 2 dynamic-slice, multiply"},
		{"cpu-sharding_allgather/after", "", "max: 999, max_added: 1", ""},
		{"cpu-sharding_allgather/after", "", "max: 999, max_added: 0, ignore: \"*\"", ""},
		{"cpu-sharding_allgather/after", "", "max: 999", ""},
		{"cpu-improved/after", "cpu-improved/after", "max: 999, max_added: 0", ""},
		{"gpu-softmax_barrier/after", "", "max_added: 0", "1 fusion was split: divide, exponential, 2 reduce, subtract is split into 4 kernels by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
		{"cases/cpu-kept_for_backward/after", "cases/cpu-kept_for_backward/before", "", "what was rematerialized is kept for the backward pass: 2 fusions were split: 2 add, 11 convert, 2 multiply is split into 8 kernels; add, 5 convert, multiply, rsqrt is split into 3 kernels"},
		{"cases/gpu-channels_joined/after", "cases/gpu-channels_joined/before", "", ""},
		{"gpu-softmax_barrier/after", "", "max_removed: 0", "1 fusion was split: divide, exponential, 2 reduce, subtract is split into 4 kernels by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
		{"gpu-softmax_barrier/after", "", "max_removed: 1", ""},
		{"recompile-shapes", "", "", "no baseline for target example: nothing was accepted yet, so there is nothing to compare with"},
	},
	"max-unfused": {
		{"gpu-softmax_barrier/after", "", "ops: [exponential], max: 0", ""},
		{"gpu-softmax_barrier/after", "", "ops: [tanh], max: 0", ""},
		{"gpu-softmax_barrier/after", "", "ops: [exponential]", ""},
		{"gpu-softmax_barrier/after", "", "ops: [reduce], max: 0", "2 unfused operations: at most 0 allowed"},
		{"gpu-softmax_barrier/after", "", "ops: [reduce], max: 2", ""},
		{"gpu-softmax_barrier/after", "", "ops: [reduce, divide], max: 0, min_bytes: 1GiB", ""},
		{"gpu-softmax_barrier/after", "", "ops: [reduce, divide], max: 0, min_bytes: 1KiB", "3 unfused operations: at most 0 allowed"},
		{"gpu-softmax_barrier/after", "", "ops: [reduce, divide], max: 0, op_name: \"*/div\"", "1 unfused operation: at most 0 allowed"},
		{"gpu-softmax_barrier/after", "", "ops: [reduce, divide], max: 0, op_name: \"*/none\"", "max-unfused (nothing in the model fits op_name: */none)"},
	},
	"required-custom-calls": {
		{"gpu-softmax_barrier/before", "", "calls: [{ call: \"no_such\" }]", "no_such is not called; what is called: __triton"},
		{"cpu-fusion_callback_barrier/after", "", "calls: [{ call: \"no_such\" }]", "no_such is not called; what is called: xla_ffi_python_cpu_callback"},
		{"cpu-fusion_callback_barrier/after", "", "calls: [{ call: \"*callback*\", min: 2 }]", "*callback* is called once, 2 wanted; what is called: xla_ffi_python_cpu_callback"},
		{"cpu-fusion_callback_barrier/after", "", "calls: [{ call: \"*callback*\" }]", ""},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", backend_config: { num_warps: 4, name: accumulate } }]", ""},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", backend_config: { num_stages: 5 } }]", "*t* with {num_stages: 5} is not called; 1 call of *t*: num_stages is 3"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", backend_config: { stages: 5 } }]", "*t* with {stages: 5} is not called; 1 call of *t*: the calls have no stages, but grid_x, grid_y, grid_z, name, num_stages, num_warps"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", function: accum* }]", ""},
		{"tpu-kernel_body/before", "", "calls: [{ call: \"*t*\", function: accum* }]", ""},
		{"tpu-kernel_body/before", "", "calls: [{ call: \"*t*\", function: attention }]", "*t* of attention is not called; what is called: tpu_custom_call"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", op_name: \"*\" }]", ""},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", op_name: \"*/none\" }]", "*t* is not called; what is called: __gpu$xla.gpu.triton"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", source: pairs.py }]", ""},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", source: kernels.py }]", "*t* is not called; what is called: __gpu$xla.gpu.triton"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", source: other.py }]", "*t* is not called; what is called: __gpu$xla.gpu.triton"},
	},
	"forbidden-custom-calls": {
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", backend_config: { num_warps: \"[4-8]\" } }]", "1 call of *t* with {num_warps: [4-8]}, 0 allowed: __gpu$xla.gpu.triton"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", backend_config: { num_warps: 8 } }]", ""},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", backend_config: { warps: 4 } }]", ""},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", function: accum* }]", "1 call of *t* of accum*, 0 allowed: __gpu$xla.gpu.triton"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", function: attention }]", ""},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", op_name: \"*\" }]", "1 call of *t*, 0 allowed: __gpu$xla.gpu.triton"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", op_name: \"*/none\" }]", "forbidden-custom-calls (nothing in the model fits op_name: */none)"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", source: pairs.py }]", "1 call of *t*, 0 allowed: __gpu$xla.gpu.triton"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", source: other.py }]", "forbidden-custom-calls (nothing in the model fits source: other.py)"},
		{"gpu-kernel_body/before", "", "calls: [{ call: \"*t*\", max: 1 }]", ""},
	},
	"kernel-bodies": {
		{"cases/gpu-kernel_lost/after", "cases/gpu-kernel_lost/before", "", "hand-written kernels are called less often, and the rest of the program computes more: normalize 1 → 0"},
		{"cases/gpu-kernel_moved/after", "cases/gpu-kernel_moved/before", "", ""},
		{"cases/gpu-kernels_merged/after", "cases/gpu-kernels_merged/before", "", "99 operations in the kernel both: up from 98 in the baseline"},
		{"cases/gpu-kernels_merged/after", "cases/gpu-kernels_merged/before", "function: [both, bohs]", "99 operations in the kernel both: up from 98 in the baseline"},
		{"cases/gpu-kernels_merged/after", "cases/gpu-kernels_merged/before", "function: bohs", "target example is not covered: no rule checked it"},
		{"cases/gpu-kernel_widened/after", "cases/gpu-kernel_widened/before", "", ""},
		{"cases/tpu-kernel_lost/after", "cases/tpu-kernel_lost/before", "", "hand-written kernels are called less often, and the rest of the program computes more: normalize 1 → 0"},
		{"cases/tpu-kernel_lost/after", "cases/tpu-kernel_lost/before", "max: 1000", "target example is not covered: no rule checked it"},
		{"cases/tpu-kernel_lost/after", "cases/tpu-kernel_lost/before", "max_increase: 100", "hand-written kernels are called less often, and the rest of the program computes more: normalize 1 → 0"},
		{"cases/tpu-kernel_lost/after", "cases/tpu-kernel_lost/before", "function: no_such", "target example is not covered: no rule checked it"},
		{"cases/tpu-kernel_moved/after", "cases/tpu-kernel_moved/before", "", ""},
		{"cases/tpu-kernel_widened/after", "cases/tpu-kernel_widened/before", "", ""},
		{"cases/tpu-kernels_merged/after", "cases/tpu-kernels_merged/before", "", "20 operations in the kernel both: up from 19 in the baseline"},
		{"tpu-kernel_body/after", "tpu-kernel_body/before", "function: accum*", "16 operations in the kernel accumulate: up from 14 in the baseline"},
		{"tpu-kernel_body/after", "tpu-kernel_body/before", "function: other", "target example is not covered: no rule checked it"},
		{"gpu-kernel_body/after", "gpu-kernel_body/before", "", "57 operations in the kernel accumulate: up from 55 in the baseline"},
		{"cases/gpu-kernel_lost/before", "cases/gpu-kernel_lost/after", "", ""},
	},
	"no-host-callback": {
		{"cpu-fusion_callback_barrier/after", "", "allow: \"*\"", ""},
		{"cases/cpu-io_callback_log/after", "cases/cpu-io_callback_log/before", "", "1 host callback: at most 0 allowed"},
		{"cases/tpu-host_print/after", "cases/tpu-host_print/before", "", "1 host callback: at most 0 allowed"},
		{"cases/tf-print_gone/before", "", "", ""},
		{"cpu-fusion_callback_barrier/after", "", "allow: \"xla_ffi*\"", ""},
		{"cpu-fusion_callback_barrier/after", "", "allow: \"none*\"", "1 host callback: at most 0 allowed"},
	},
	"launch-shape": {
		{"gpu-softmax_barrier/before", "", "min_threads: 100000", "1 badly launched kernel: at most 0 allowed"},
		{"gpu-softmax_barrier/before", "", "max_threads: 1", "1 badly launched kernel: at most 0 allowed"},
		{"gpu-softmax_barrier/before", "", "max_shared: 1", "1 badly launched kernel: at most 0 allowed"},
		{"gpu-softmax_barrier/before", "", "max_shared: 1GiB", ""},
		{"gpu-softmax_barrier/before", "", "max_threads: 1, op_name: \"*/no_such_part\"", "launch-shape (nothing in the model fits op_name: */no_such_part)"},
		{"gpu-softmax_barrier/before", "", "max_threads: 1, op_name: \"*/div\"", "1 badly launched kernel: at most 0 allowed"},
		{"gpu-softmax_barrier/before", "", "max_threads: 1, min_bytes: 1GiB", ""},
		{"gpu-softmax_barrier/after", "", "max_threads: 1", "4 badly launched kernels: at most 0 allowed"},
		{"gpu-softmax_barrier/after", "", "max_threads: 1, min_bytes: 100KiB", "4 badly launched kernels: at most 0 allowed"},
		{"../internal/facts/testdata/gpu-0.5.3-mlp.tar.gz", "", "min_threads: 1", "launch-shape could not check step: the launch plan of this version names command buffers, branches or loops, but not what runs in them"},
		{"cpu-constant_baked/after", "", "max_threads: 1", "launch-shape could not check project: the dump holds no thunk sequence"},
		{"gpu-softmax_barrier/before", "", "min_occupancy: 99%", ""},
		{"gpu-softmax_barrier/before", "", "min_occupancy: 1%", ""},
		{"gpu-softmax_barrier/before", "gpu-softmax_barrier/before", "min_occupancy: 100%", ""},
		{"gpu-kernel_body/after", "", "min_occupancy: 100%", "1 badly launched kernel: at most 0 allowed"},
		{"gpu-softmax_barrier/before", "", "min_blocks: 64", ""},
		{"gpu-softmax_barrier/before", "", "min_blocks: 65", "1 badly launched kernel: at most 0 allowed"},
		{"gpu-kernel_body/after", "", "min_occupancy: 1%", ""},
		{"gpu-softmax_barrier/after", "", "min_occupancy: 100%", ""},
		{"gpu-kernel_body/before", "", "min_occupancy: 60%", "1 badly launched kernel: at most 0 allowed"},
		{"gpu-kernel_body/after", "", "min_occupancy: 60%", "1 badly launched kernel: at most 0 allowed"},
	},
	"no-spills": {
		{"gpu-kernel_body/after", "", "", "48 B of spilled registers: at most 0 B allowed"},
		{"gpu-kernel_body/before", "", "", "28 B of spilled registers: at most 0 B allowed"},
	},
	"max-registers": {
		{"gpu-softmax_barrier/before", "", "max: 8", "32 registers of a thread: at most 8 allowed"},
		{"cpu-improved/after", "", "max: 8", "max-registers could not check scale: the dump holds no PTX"},
	},
	"no-recompilation": {
		{"recompile-shapes", "", "max_variants: 1, ignore_args: \"*\"", ""},
		{"recompile-shapes", "", "max_variants: 1, ignore_args: \"no_such\"", "compiled 3 times, 1 allowed: x: f32[8,128] → f32[16,128] → f32[32,128]"},
		{"recompile-closure_scalar", "", "max_variants: 1, ignore_args: \"*\"", ""},
		{"recompile-shapes", "recompile-shapes_fixed", "", "compiled 3 times, 1 in the baseline: x: f32[8,128] → f32[16,128] → f32[32,128]"},
		{"recompile-shapes", "recompile-shapes_fixed", "max_increase: 1", "compiled 3 times, 1 in the baseline, at most 2 allowed: x: f32[8,128] → f32[16,128] → f32[32,128]"},
		{"recompile-shapes", "recompile-shapes_fixed", "max_increase: 2", ""},
		{"torch-total/after", "torch-total/before", "", ""},
		{"torch-cpu_fallback/after", "", "max: 0", "compiled once, 0 allowed"},
		{"tf-recompile-axis_python", "tf-recompile-axis_fixed", "", "compiled 2 times, 1 in the baseline: iota iota_dimension=0, reduce dimensions={0} → iota iota_dimension=1, reduce dimensions={1} (a static argument or a Python branch decides in ArgMax)"},
		{"recompile-shapes", "", "max_variants: 3", ""},
		{"recompile-shapes_fixed", "", "max: 0", "compiled once, 0 allowed"},
		{"torch-rows/watched", "", "max: 1", "compiled 2 times, 1 allowed: 8 arguments are not in every compilation: f32[32,16] of torch_rows.py:22, f32[32] of torch_rows.py:22, f32[4,32] of torch_rows.py:22, f32[4] of torch_rows.py:22; PyTorch/XLA compiled it at torch_xla.sync (/srv/000000000000000000000000000000000/torch_rows.py:30)"},
		{"torch-losses/ragged", "", "max: 1", "compiled 2 times, 1 allowed: p1: f32[8,16] → f32[5,16]; PyTorch/XLA compiled it at torch_xla.sync (/srv/0000000000000000000000000000000000/torch_losses.py:37)"},
	},
	"max-compilations": {
		{"recompile-jit_in_loop", "", "per: target, max: 3", "4 compilations: at most 3 allowed"},
		{"recompile-jit_in_loop", "", "per: target, max: 4", ""},
		{"recompile-jit_in_loop", "recompile-jit_in_loop_fixed", "per: target", "4 compilations: up from 1 in the baseline"},
		{"recompile-jit_in_loop_fixed", "recompile-jit_in_loop", "per: target", ""},
		{"recompile-shapes", "recompile-shapes_fixed", "per: target, max_increase: 1", "3 compilations: up from 1 in the baseline, max_increase 1"},
		{"recompile-eager_helpers", "", "per: target, max: 1", ""},
		{"recompile-eager_helpers", "", "max: 1", ""},
		{"torch-losses/ragged", "", "per: target, max: 1", "3 compilations: at most 1 allowed"},
		{"torch-rows/ragged", "", "per: target, max: 1", "4 compilations: at most 1 allowed"},
		{"cases/tf-validated/after", "", "per: target, max: 1", "2 compilations: at most 1 allowed"},
		{"cases/tf-validated/after", "", "per: program, max: 1", ""},
	},
	"max-helper-modules": {
		{"recompile-eager_helpers", "", "max: 1", "4 helper modules: at most 1 allowed"},
		{"recompile-eager_ufuncs", "", "max: 1", "10 helper modules: at most 1 allowed"},
		{"recompile-eager_helpers", "", "max: 9", ""},
		{"recompile-shapes", "", "max: 0", ""},
		{"recompile-eager_helpers", "", "max: 0, allow: \"*\"", ""},
		{"recompile-eager_helpers", "", "max: 0, allow: \"jit_*\"", "4 helper modules: at most 0 allowed"},
		{"recompile-eager_helpers", "", "max: 0, allow: \"none\"", "4 helper modules: at most 0 allowed"},
		{"recompile-eager_helpers", "", "max: 0, allow: \"jit__*\"", "4 helper modules: at most 0 allowed"},
		{"recompile-eager_helpers", "", "max: 0, allow: \"convert*\"", "3 helper modules: at most 0 allowed"},
	},
	"max-compile-time": {
		{"recompile-shapes", "", "max: 1ms, per: program", "114 ms of compile time: at most 1 ms allowed"},
		{"recompile-shapes", "", "max: 10s, per: program", ""},
		{"recompile-shapes", "", "max: 1ms, program: no_such", "rule max-compile-time matches no program: program \"no_such\""},
		{"tpu-remat/after", "", "max: 1ms", "42.6 ms of compile time: at most 1 ms allowed"},
	},
	"max-instructions": {
		{"cpu-unrolled_loop/after", "", "max: 100", "231 instructions: at most 100 allowed"},
		{"cpu-unrolled_loop/after", "", "stage: before, max: 100", "109 instructions before optimization: at most 100 allowed"},
		{"cpu-unrolled_loop/after", "", "stage: before, max: 500", ""},
		{"cpu-unrolled_loop/after", "cpu-unrolled_loop/before", "stage: before, max_increase: 5%", "109 instructions before optimization: up from 42 in the baseline, max_increase 5 %"},
		{"tpu-remat/after", "", "stage: before, max: 1", "61 instructions before optimization: at most 1 allowed"},
		{"dumps/tpu-v4", "", "stage: before, max: 1", "35 instructions before optimization: at most 1 allowed"},
		{"cpu-result_gathered/proto", "", "stage: before, max: 1", "17 instructions before optimization: at most 1 allowed"},
	},
	"loops-kept": {
		{"cpu-unrolled_loop/before", "", "max_trip_count: 19", "20 iterations of the loop at pairs.py:108: at most 19 allowed"},
		{"cpu-unrolled_loop/before", "", "max_trip_count: 20", ""},
		{"cpu-unrolled_loop/before", "cpu-unrolled_loop/after", "", ""},
		{"cpu-unrolled_loop/before", "cpu-unrolled_loop/after", "trip_count: true", "20 iterations of loops: up from 0 in the baseline"},
		{"cpu-unrolled_loop/before", "cpu-unrolled_loop/before", "trip_count: true, max_trip_count: 20", ""},
		{"cpu-unrolled_loop/after", "cpu-unrolled_loop/before", "min: 0, trip_count: true", "0 iterations of loops: down from 20 in the baseline"},
		{"cpu-unrolled_loop/after", "cpu-unrolled_loop/after", "max_trip_count: 0", ""},
		{"cases/tpu-loop_gone/after", "cases/tpu-loop_gone/before", "", ""},
		{"cases/cpu-exit_lost/after", "cases/cpu-exit_lost/before", "", ""},
		{"cases/cpu-exit_lost/before", "cases/cpu-exit_lost/after", "", ""},
		{"cases/cpu-exit_made/after", "cases/cpu-exit_made/before", "", ""},
		{"cases/cpu-bound_given/after", "cases/cpu-bound_given/before", "", "1 loop of unknown length, which the baseline knows"},
		{"cases/cpu-bound_given/before", "cases/cpu-bound_given/after", "", ""},
		{"cases/cpu-end_unseen/after", "cases/cpu-end_unseen/before", "", "the loop at pairs.py:706 could end early, and now always runs to its full count"},
		{"cases/gpu-exit_lost/after", "cases/gpu-exit_lost/before", "", ""},
		{"cases/gpu-exit_tested/after", "cases/gpu-exit_tested/before", "", ""},
		{"cases/cpu-tested_sum/after", "cases/cpu-tested_sum/before", "", ""},
		{"cases/cpu-finished_counted/after", "cases/cpu-finished_counted/before", "", ""},
	},
	"max-constant-bytes": {
		{"cpu-constant_baked/after", "", "max: 1MiB, per_constant: 1KiB", "the constant f32[64,128] holds 32.0 KiB, at most 1.0 KiB allowed"},
		{"cpu-constant_baked/after", "", "max: 1MiB, per_constant: 32KiB", ""},
		{"cpu-constant_baked/after", "", "max: 1MiB, per_constant: 32767", "the constant f32[64,128] holds 32,768 B, at most 32,767 B allowed"},
	},
	"donation-kept": {
		{"cpu-donation_lost/after", "", "params: \"params*\"", "3 arguments are not updated in place: params['b1'], params['w1'], params['w2']"},
		{"cpu-donation_lost/before", "", "params: \"*\"", "2 arguments are not updated in place: x, y"},
		{"cpu-donation_lost/before", "", "params: \"params*\"", ""},
		{"torch-total/after", "torch-total/before", "", ""},
		{"torch-total/before", "torch-total/after", "", ""},
		{"cpu-donation_lost/after", "", "min_ratio: 50%", "0 B of 51.5 KiB of arguments are updated in place: 0 %, 50 % wanted; not params['w1'], params['w2'], x, y, params['b1']"},
		{"cpu-donation_lost/before", "", "min_ratio: 100%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.2 %, 100 % wanted; not x, y"},
		{"cpu-donation_lost/before", "", "min_ratio: 100%, min_bytes: 1KiB", "48.0 KiB of 51.0 KiB of arguments are updated in place: 94.1 %, 100 % wanted; not x, y"},
		{"cpu-donation_lost/before", "", "min_ratio: 94%", ""},
		{"cpu-donation_lost/before", "", "min_ratio: 94.2%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.17 %, 94.20 % wanted; not x, y"},
		{"cpu-donation_lost/before", "", "min_ratio: 94.1748%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.17476 %, 94.17480 % wanted; not x, y"},
		{"cpu-donation_lost/before", "", "min_bytes: 20KiB, min: 2", "1 argument updated in place: at least 2 wanted"},
		{"gpu-collectives", "", "min_ratio: 1%", "0 B of 512 B of arguments are updated in place: 0 %, 1 % wanted; not a"},
		{"cpu-donation_lost/after", "", "min_ratio: 100%, min_bytes: 1GiB", ""},
		{"cpu-donation_lost/after", "cpu-donation_lost/before", "min_ratio: 0", "3 arguments are not updated in place any more: params['b1'], params['w1'], params['w2']"},
		{"cases/cpu-donate_dtype/after", "cases/cpu-donate_dtype/before", "", "6 arguments are not updated in place any more: v (6 arrays, 12.4 KiB)"},
		{"cases/tpu-states_dropped/after", "cases/tpu-states_dropped/before", "", ""},
		{"cases/cpu-opt_state_dropped_output/after", "cases/cpu-opt_state_dropped_output/before", "", "6 arguments are not updated in place any more: v (6 arrays, 12.4 KiB)"},
		{"cases/cpu-rename_all/after", "cases/cpu-rename_all/before", "", ""},
		{"cpu-donation_lost/after", "", "params: \"params*\", min_bytes: 10KiB", "2 arguments are not updated in place: params['w1'], params['w2']"},
		{"cases/cpu-step_wrapped/after", "cases/cpu-step_wrapped/before", "", "2 arguments are not updated in place any more: p['w1'], p['w2']"},
		{"cases/cpu-arguments_moved/after", "cases/cpu-arguments_moved/before", "", ""},
	},
	"updates-kept": {
		{"cases/cpu-carry_masked/after", "cases/cpu-carry_masked/before", "", "1 array is rewritten whole; the baseline updates less than half: f32[128,64,64]"},
		{"cases/cpu-carry_masked/after", "cases/cpu-carry_masked/before", "max: 1", ""},
		{"cases/cpu-carry_masked/before", "cases/cpu-carry_masked/after", "", ""},
		{"cases/cpu-norm_beside_buffer/after", "cases/cpu-norm_beside_buffer/before", "", ""},
		{"cases/tpu-loop_gone/after", "cases/tpu-loop_gone/before", "", ""},
	},
	"results-kept": {
		{"cases/tf-array_of_no_size/after", "cases/tf-array_of_no_size/before", "max: 1", ""},
		{"cases/cpu-last_logits/after", "cases/cpu-last_logits/before", "", ""},
		{"cpu-f64_creep/after", "cpu-f64_creep/before", "", "1 result is not as it was: f32[] is now f64[]"},
		{"cases/cpu-opt_state_dropped_output/after", "cases/cpu-opt_state_dropped_output/before", "", ""},
		{"gpu-intermediate_out/after", "gpu-intermediate_out/before", "", ""},
		{"gpu-intermediate_out/before", "gpu-intermediate_out/after", "", ""},
		{"cases/cpu-rename_all/after", "cases/cpu-rename_all/before", "", ""},
		{"tf-clusters-clean", "tf-clusters-unclusterable", "", ""},
	},
	"max-temp-bytes": {
		{"cpu-fusion_callback_barrier/after", "", "", "64.0 KiB of temporary memory: up from 0 B in the baseline"},
		{"cpu-fusion_callback_barrier/after", "", "min_growth: 1MiB", ""},
		{"cpu-fusion_callback_barrier/after", "", "min_growth: 1KiB", "64.0 KiB of temporary memory: up from 0 B in the baseline"},
	},
	"max-peak-bytes": {
		{"tpu-remat/after", "", "memory_space: vmem, max: 768KiB", ""},
		{"tpu-remat/after", "", "memory_space: vmem, max: 767KiB", "768.0 KiB of memory in vmem: at most 767.0 KiB allowed"},
		{"tpu-remat/after", "tpu-remat/after", "memory_space: default", ""},
		{"tpu-remat/after", "", "memory_space: host, max: 0", ""},
		{"tpu-remat/after", "", "memory_space: color_1, max: 0", "max-peak-bytes could not check slope: a TPU's color_1 is called vmem"},
		{"cpu-unfused/after", "", "memory_space: vmem, max: 0", "max-peak-bytes could not check act: its buffer assignment has one memory space only"},
		{"tpu-remat/after", "", "", "13.5 GiB of peak memory: up from 10.1 GiB in the baseline (+33.3 %)"},
		{"tpu-remat/after", "", "max_increase: 0", "13.5 GiB of peak memory: up from 10.1 GiB in the baseline (+33.3 %)"},
		{"cpu-fusion_callback_barrier/after", "", "", "193.0 KiB of peak memory: up from 129.0 KiB in the baseline (+49.6 %)"},
		{"gpu-softmax_barrier/after", "", "", "256.3 KiB of peak memory: up from 256.0 KiB in the baseline (+0.1 %)"},
		{"gpu-intermediate_out/after", "", "", "193.0 KiB of peak memory: up from 129.0 KiB in the baseline (+49.6 %)"},
		{"gpu-intermediate_out/after", "", "min_growth: 1GiB", ""},
		{"cases/tpu-states_before_loop/after", "cases/tpu-states_before_loop/before", "max_increase: 2%", "4.9 MiB of peak memory with vmem: up from 1.2 MiB in the baseline (+306.7 %), max_increase 2 %"},
		{"cases/tpu-states_before_loop/after", "cases/tpu-states_before_loop/before", "max: 400KiB", ""},
		{"cases/tpu-states_before_loop/before", "cases/tpu-states_before_loop/after", "max_increase: 5%", ""},
		{"cases/cpu-donate_dtype/after", "", "memory_space: color_1, max: 0", "max-peak-bytes could not check train_step: its buffer assignment has one memory space only"},
	},
	"max-allocation-bytes": {
		{"cases/cpu-donate_dtype/after", "", "max: 0", "14.3 KiB of the largest allocation: at most 0 B allowed"},
	},
	"max-output-bytes": {
		{"gpu-intermediate_out/after", "gpu-intermediate_out/after", "max_outputs: 1", "the program returns 2 results, at most 1 allowed"},
		{"gpu-intermediate_out/after", "gpu-intermediate_out/after", "max_outputs: 2", ""},
		{"gpu-intermediate_out/after", "gpu-intermediate_out/after", "max_outputs: 2, max: 1KiB", "128.0 KiB of results: at most 1.0 KiB allowed"},
		{"gpu-intermediate_out/after", "", "max: 128KiB", "131,088 B of results: at most 131,072 B allowed"},
		{"gpu-intermediate_out/after", "gpu-intermediate_out/before", "max: 128KiB, max_increase: 0", "131,088 B of results: at most 131,072 B allowed; up from 64.0 KiB in the baseline (+100.0 %)"},
		{"gpu-intermediate_out/before", "", "max_outputs: 1", ""},
		{"gpu-intermediate_out/before", "", "max_outputs: 0", "the program returns 1 result, at most 0 allowed"},
		{"gpu-intermediate_out/after", "gpu-intermediate_out/before", "max_outputs: 2", "128.0 KiB of results: up from 64.0 KiB in the baseline (+100.0 %)"},
		{"tpu-intermediate_out/after", "tpu-intermediate_out/after", "max_outputs: 1", "the program returns 2 results, at most 1 allowed"},
		{"dumps/tpu-v4", "", "max_outputs: 99", ""},
		{"dumps/tpu-v4", "", "max_outputs: 0", "the program returns 1 result, at most 0 allowed"},
		{"dumps/tpu-v4", "", "max_outputs: 99, max: 1GiB", "max-output-bytes could not check f: the dump holds no buffer assignment"},
	},
	"max-remat": {
		{"tpu-remat/after", "tpu-remat/before", "", "1 rematerialized operation: up from 0 in the baseline"},
		{"tpu-remat/after", "tpu-remat/before", "max_increase: 1", ""},
		{"tpu-remat/before", "tpu-remat/after", "", ""},
	},
	"max-copies": {
		{"cpu-unrolled_loop/before", "", "in: loops, max: 0", "1 copy in loops: at most 0 allowed"},
		{"cpu-unrolled_loop/before", "", "in: loops, max: 1", ""},
		{"cpu-unrolled_loop/after", "", "in: loops, max: 0", ""},
		{"cpu-unrolled_loop/before", "cpu-unrolled_loop/after", "in: loops", "1 copy in loops: up from 0 in the baseline"},
		{"cpu-unrolled_loop/before", "cpu-unrolled_loop/after", "in: loops, max_increase: 1", ""},
		{"cpu-unrolled_loop/after", "cpu-unrolled_loop/before", "in: loops", ""},
		{"cpu-unrolled_loop/before", "", "in: loops, max_bytes: 3", "copies in loops move 4 B, at most 3 B allowed"},
		{"cpu-unrolled_loop/before", "", "in: loops, max_bytes: 4", ""},
		{"cpu-unrolled_loop/before", "", "max_bytes: 4", "copies move 8 B, at most 4 B allowed"},
		{"cpu-unrolled_loop/before", "", "max_bytes: 1MiB", ""},
	},
	"max-transposes": {
		{"cpu-extra_transpose/after", "cpu-extra_transpose/before", "", ""},
	},
	"no-new-collectives": {
		{"cases/cpu-axis_renamed/after", "cases/cpu-axis_renamed/before", "", ""},
		{"cases/cpu-axes_renamed/after", "cases/cpu-axes_renamed/before", "", ""},
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "", ""},
		{"cases/tpu-gathered/after", "cases/tpu-gathered/before", "", ""},
		{"cases/cpu-imp_collective_gone/after", "cases/cpu-imp_collective_gone/before", "", ""},
		{"cpu-sharding_allgather/after", "cpu-sharding_allgather/before", "", ""},
	},
	"max-collectives": {
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "max_increase: 0", "12 runs of all-reduces: up from 1 in the baseline"},
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "max_increase: 10000%", ""},
		{"cases/cpu-psum_in_loop/before", "cases/cpu-psum_in_loop/after", "max_increase: 0", ""},
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "max: 1", ""},
		{"cpu-sharding_allgather/after", "", "max: 99, max_bytes: 1KiB", "collectives move 4.0 KiB, at most 1.0 KiB allowed"},
		{"cpu-sharding_allgather/after", "", "max: 99, max_bytes: 12320", ""},
		{"cpu-sharding_allgather/after", "", "kinds: [all-gather], max_bytes: 1KiB", ""},
		{"cpu-sharding_allgather/after", "", "max: 99, kinds: [all-reduce], max_bytes: 1KiB", "all-reduce move 4.0 KiB, at most 1.0 KiB allowed"},
		{"cpu-sharding_allgather/after", "", "op_name: \"*/no_such_part\", max_bytes: 1KiB", "max-collectives (nothing in the model fits op_name: */no_such_part)"},
		{"gpu-collectives", "", "max: 99, max_bytes: 1", "collectives move 768 B, at most 1 B allowed"},
		{"gpu-collectives", "", "max: 99, kinds: [all-gather, all-to-all], max_bytes: 383", "all-gather and all-to-all move 384 B, at most 383 B allowed"},
		{"gpu-collectives", "", "max: 99, kinds: [all-gather, all-to-all], max_bytes: 384", ""},
		{"gpu-collectives", "", "max: 99, kinds: all-gather, max_bytes: 1", "all-gather move 256 B, at most 1 B allowed"},
		{"cpu-sharding_allgather/after", "", "in: loops, max: 0", ""},
		{"cases/cpu-psum_in_loop/after", "", "in: loops, max: 0", "1 all-reduce in loops: at most 0 allowed"},
		{"cases/cpu-psum_in_loop/after", "", "in: loops, max: 1", ""},
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "in: loops", "1 all-reduce in loops: up from 0 in the baseline"},
		{"cases/cpu-psum_in_loop/before", "cases/cpu-psum_in_loop/after", "in: loops", ""},
		{"cases/cpu-psum_in_loop/after", "", "in: loops, max: 99, max_bytes: 4095", "collectives in loops move 4,096 B, at most 4,095 B allowed"},
		{"dumps/tpu-v4", "", "dtypes: [bf16], max: 0", "1 all-gather: at most 0 allowed"},
		{"dumps/tpu-v4", "", "dtypes: [f16, f64], max: 0", ""},
		{"dumps/tpu-v4", "", "dtypes: f32, kinds: [all-gather], max: 0", ""},
		{"dumps/tpu-v4", "", "min_group_size: 4, max: 0", "1 all-reduce: at most 0 allowed"},
		{"dumps/tpu-v4", "", "min_group_size: 4, kinds: [all-gather, all-to-all, collective-permute], max: 0", ""},
		{"dumps/tpu-v4", "", "min_group_size: 2, kinds: [collective-permute], max: 0", "1 collective-permute: at most 0 allowed"},
		{"dumps/tpu-v4", "", "min_group_size: 5, max: 0", ""},
		{"dumps/tpu-v4", "", "min_group_size: 4, max: 9, max_bytes: 256KiB", ""},
		{"dumps/tpu-v4", "", "min_group_size: 4, max: 9, max_bytes: 255KiB", "collectives move 256.0 KiB, at most 255.0 KiB allowed"},
		{"dumps/tpu-v4", "", "min_gathered_dim_size: 128, kinds: [all-gather], max: 0", "1 all-gather: at most 0 allowed"},
		{"dumps/tpu-v4", "", "min_gathered_dim_size: 129, kinds: [all-gather], max: 0", ""},
		{"dumps/tpu-v4", "", "min_gathered_dim_size: 129, max: 0", "1 all-reduce: at most 0 allowed"},
		{"cpu-involuntary_remat/after", "", "min_gathered_dim_size: 5, kinds: [all-gather], max: 0", "1 all-gather: at most 0 allowed"},
		{"cpu-involuntary_remat/after", "", "min_gathered_dim_size: 4, kinds: [all-gather], max: 0", "2 all-gathers: at most 0 allowed"},
	},
	"min-collective-bytes": {
		{"gpu-collectives", "", "min: 1GiB", "256 B of one all-gather on average: at least 1.0 GiB wanted"},
		{"gpu-collectives", "", "min: 1", ""},
		{"cpu-improved/after", "", "min: 1", ""},
		{"cpu-sharding_allgather/after", "", "kinds: [all-gather], min: 1MiB", ""},
		{"cpu-sharding_allgather/after", "", "kinds: [all-reduce], min: 1MiB", "1.3 KiB of one all-reduce on average: at least 1.0 MiB wanted"},
		{"cpu-sharding_allgather/after", "", "kinds: [all-to-all], min: 1MiB", ""},
		{"cpu-sharding_allgather/before", "cpu-sharding_allgather/after", "", "514 B of one all-reduce on average: down from 1.3 KiB in the baseline (-62.4 %)"},
		{"cpu-sharding_allgather/before", "cpu-sharding_allgather/after", "only_more: true", ""},
		{"cpu-sharding_allgather/after", "cpu-sharding_allgather/before", "", ""},
		{"cpu-sharding_allgather/after", "cpu-sharding_allgather/before", "only_more: true", ""},
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "", ""},
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "only_more: true", ""},
		{"cpu-result_gathered/before", "cpu-result_gathered/after", "", ""},
		{"cpu-result_gathered/after", "cpu-result_gathered/before", "", ""},
		{"cases/tpu-gathered/after", "cases/tpu-gathered/before", "", ""},
		{"cases/cpu-imp_collective_gone/after", "cases/cpu-imp_collective_gone/before", "", ""},
		{"cases/cpu-imp_collective_gone/before", "cases/cpu-imp_collective_gone/after", "", ""},
		{"cases/cpu-constraint_changed/after", "cases/cpu-constraint_changed/before", "", ""},
		{"cases/cpu-constraint_changed/before", "cases/cpu-constraint_changed/after", "", "21.4 KiB of one all-reduce on average: down from 64.0 KiB in the baseline (-66.6 %)"},
		{"cases/cpu-results_gathered/after", "cases/cpu-results_gathered/before", "", ""},
		{"cases/cpu-results_gathered/before", "cases/cpu-results_gathered/after", "", ""},
		{"gpu-collectives", "", "min: 300", "256 B of one all-gather on average: at least 300 B wanted"},
	},
	"async-collectives": {
		{"gpu-collectives", "", "min_ratio: 90%", "1 exposed collective: 80 % of 5 collectives can run beside kernels, 90 % wanted"},
		{"gpu-collectives", "", "min_ratio: 90%, kinds: [all-to-all]", ""},
		{"gpu-collectives", "", "min_ratio: 90%, min_bytes: 1GiB", ""},
		{"gpu-collectives", "", "min_distance: 100", "5 exposed collectives: at most 0 allowed"},
		{"gpu-collectives", "", "min_distance: 100, min_ratio: 1%", "5 exposed collectives: 0 % of 5 collectives can run beside kernels, 1 % wanted"},
		{"cpu-constant_baked/after", "", "min_ratio: 90%", ""},
		{"cpu-sharding_allgather/after", "cpu-sharding_allgather/before", "max: 99, max_increase: 0", "3 exposed collectives: up from 2 in the baseline"},
		{"cpu-sharding_allgather/after", "cpu-sharding_allgather/before", "max: 99, max_increase: 0, overlap_lost: true", ""},
		{"gpu-collectives", "", "min_distance: 1", "1 exposed collective: at most 0 allowed"},
		{"dumps/jax-0.4.13", "", "", "async-collectives could not check gspmd: the dump holds no scheduled module"},
		{"dumps/gpu-a100", "", "", ""},
	},
	"sharding-pin": {
		{"cpu-sharding_allgather/after", "", "params: [{ param: \"*\", sharding: replicated }]", "3 arguments are not sharded as agreed: x, w1, w2"},
		{"cpu-sharding_allgather/after", "", "params: [{ param: \"*\", sharding: \"*\" }]", ""},
		{"cpu-sharding_allgather/after", "", "params: [{ param: \"*\", sharding: \"{devices=[*\" }]", ""},
		{"cpu-sharding_allgather/after", "", "params: [{ param: \"*\", sharding: \"{devices=*<=*}\" }]", ""},
		{"cpu-sharding_allgather/after", "", "params: [{ param: \"*\", sharding: \"{*no*such*}\" }]", "3 arguments are not sharded as agreed: x, w1, w2"},
		{"cpu-sharding_allgather/after", "", "params: [{ param: no_such, sharding: replicated }]", "sharding-pin could not check tensor_parallel_mlp: no argument fits \"no_such\""},
		{"dumps/jax-0.12.0.1", "", "params: [{ param: w1, sharding: \"{mesh['data'=2,'model'=2], [{}, {'model'}]}\" }, { param: w2, sharding: \"P('model', None)\" }]", ""},
		{"dumps/jax-0.12.0.1", "", "params: [{ param: w1, sharding: \"{mesh['data'=2,'model'=2], [{'model'}, {}]}\" }]", "1 argument is not sharded as agreed: w1"},
		{"cpu-sharding_allgather/before", "", "params: [{ param: w1, sharding: \"{mesh['data'=2,'model'=2], [{}, {'model'}]}\" }]", ""},
		{"dumps/jax-0.12.0.1", "cpu-sharding_allgather/before", "", ""},
		{"dumps/jax-0.12.0.1", "cpu-sharding_allgather/after", "", "2 arguments are not sharded as agreed: w1, w2"},
		{"cpu-sharding_allgather/after", "", "max_replicated: 0", "1 result is not sharded as agreed: the result (jit(tensor_parallel_mlp)/reduce_sum)"},
		{"cpu-sharding_allgather/after", "", "max_replicated: 1GiB", ""},
		{"cpu-result_gathered/after", "cpu-result_gathered/before", "", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"cpu-result_gathered/before", "cpu-result_gathered/after", "", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"cpu-result_gathered/before", "cpu-result_gathered/before", "", ""},
		{"cpu-result_gathered/after", "cpu-sharding_allgather/after", "", ""},
		{"cpu-result_gathered/proto", "cpu-result_gathered/before", "", ""},
		{"cpu-result_gathered/before", "cpu-result_gathered/proto", "", ""},
		{"cpu-result_gathered/before", "", "outputs: [{ output: \"0\", sharding: \"P('data', 'model')\" }]", ""},
		{"cpu-result_gathered/before", "", "outputs: [{ output: 0, sharding: \"{devices=[2,2]<=[4]}\" }]", ""},
		{"cpu-result_gathered/before", "", "outputs: [{ output: 0, sharding: \"[2,2]\" }, { output: 1, sharding: replicated }]", ""},
		{"cpu-result_gathered/before", "", "outputs: [{ output: \"*\", sharding: replicated }]", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"cpu-result_gathered/after", "", "outputs: [{ output: 0, sharding: \"[2,2]\" }]", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"cpu-result_gathered/after", "", "outputs: [{ output: 2, sharding: replicated }]", "sharding-pin could not check layer: no result fits \"2\"; there are 2 results, numbered from 0"},
		{"cpu-unfused/before", "", "outputs: [{ output: 0, sharding: replicated }]", ""},
		{"cpu-result_gathered/after", "", "max_replicated: 4095", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"cpu-result_gathered/after", "", "max_replicated: 4096", ""},
		{"cpu-result_gathered/before", "", "max_replicated: 4", ""},
		{"cpu-result_gathered/after", "", "params: [{ param: x, sharding: replicated }], outputs: [{ output: 0, sharding: \"[2,2]\" }]", "1 argument and 1 result are not sharded as agreed: x, result 0 (jit(layer)/tanh)"},
		{"cpu-sharding_allgather/before", "", "params: [{ param: \"*\", sharding: \"*\" }], max_replicated: 1KiB", ""},
		{"cpu-sharding_allgather/after", "", "max_replicated: 1KiB", ""},
		{"cases/tpu-gathered/after", "cases/tpu-gathered/before", "", ""},
		{"cases/cpu-constraint_changed/after", "cases/cpu-constraint_changed/before", "", ""},
		{"cases/cpu-results_gathered/after", "cases/cpu-results_gathered/before", "", "1 result is not sharded as agreed: the result"},
		{"cpu-result_gathered/proto", "", "outputs: [{ output: 0, sharding: replicated }]", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
	},
	"no-involuntary-remat": {
		{"cpu-involuntary_remat/after", "", "allow: \"*\"", ""},
		{"cpu-involuntary_remat/after", "", "allow: \"*/sharding_constraint\"", ""},
		{"cpu-involuntary_remat/after", "", "allow: \"none\"", "jit(mix)/sharding_constraint is replicated on every device to reshard it"},
		{"gpu-collectives", "", "", "no-involuntary-remat could not check: the dump holds no compile log"},
	},
	"no-dtype": {
		{"cpu-f64_creep/after", "", "allow: \"*/no_such_part\"", "f64 is used by 17 operations, the first is reduce"},
		{"cpu-f64_creep/after", "", "allow: \"*\"", ""},
		{"cpu-f64_creep/after", "cpu-f64_creep/before", "new_only: true", "f64 is used by 17 operations, the first is reduce"},
		{"cpu-f64_creep/after", "cpu-f64_creep/after", "new_only: true", ""},
		{"cpu-f64_creep/after", "", "dtypes: [f32], max: 1", "f32 is used by 11 operations, the first is multiply"},
		{"cpu-f64_creep/after", "", "except_scalars: true", "f64 is used by 10 operations, the first is reduce"},
		{"torch-rows/steady", "", "", "f64 is used by 14 operations"},
		{"torch-rows/steady", "", "except_scalars: true", ""},
		{"torch-losses/read", "torch-losses/steady", "dtypes: [f32], new_only: true", ""},
		{"cases/tpu-f64_array/after", "cases/tpu-f64_array/before", "", "f64 is used by 3 operations, the first is convert"},
		{"cases/tpu-f64_array/after", "cases/tpu-f64_array/before", "dtypes: [f64], allow: \"*/mul\"", "f64 is used by 3 operations, the first is convert"},
		{"cpu-f64_creep/after", "cpu-f64_creep/before", "new_only: true, max: 1", "f64 is used by 17 operations, the first is reduce"},
		{"cpu-f64_creep/after", "cpu-f64_creep/after", "new_only: true, max: 1", ""},
		{"cpu-f64_creep/after", "", "allow: \"*/mul\"", "f64 is used by 17 operations, the first is reduce"},
		{"recompile-dtypes", "recompile-shapes_fixed", "dtypes: [f32], new_only: true", ""},
		{"cpu-f64_creep/before", "cpu-f64_creep/after", "dtypes: [f32], new_only: true", "f32 is used by 27 operations, the first is reduce"},
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "dtypes: [f32], new_only: true", ""},
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "dtypes: [f32], new_only: true, max_increase: 1", "f32 is used by 30 operations, the first is reduce"},
		{"recompile-dtypes", "", "dtypes: [f32]", "f32 is used by 13 operations, the first is dot"},
		{"recompile-shapes", "recompile-shapes_fixed", "dtypes: [f32], new_only: true", ""},
		{"recompile-shapes", "recompile-shapes_fixed", "dtypes: [f32]", "f32 is used by 13 operations, the first is dot"},
		{"cases/tpu-f64_array/after", "", "allow: \"*convert*\"", "f64 is used by 2 operations, the first is concatenate"},
	},
	"dtype-floor": {
		{"tpu-wide_weights/after", "", "min_share: 99%", "2 wide products: 0 % of the products' arithmetic is in bf16, f16, f8e5m2, f8e4m3, 17 more, 99 % wanted"},
		{"tpu-wide_weights/after", "", "min_share: 1%", "2 wide products: 0 % of the products' arithmetic is in bf16, f16, f8e5m2, f8e4m3, 17 more, 1 % wanted"},
		{"tpu-wide_weights/after", "", "min_share: 99%, dtypes: [f32, bf16]", ""},
		{"tpu-wide_weights/after", "", "min_share: 99%, max: 1", "2 wide products: at most 1 allowed"},
		{"tpu-wide_weights/after", "", "min_share: 99%, allow: \"*\"", ""},
		{"tpu-wide_weights/after", "", "allow: \"*\", max_converts: 0", "2 conversions: at most 0 allowed"},
		{"tpu-wide_weights/after", "", "allow: \"*\", max_converts: 1000", ""},
		{"cpu-constant_baked/after", "", "dtypes: [f32], max_converts: 0", ""},
		{"cases/cpu-bf16_lost/after", "cases/cpu-bf16_lost/before", "no_wider: true", "1 product in a wider type than in the baseline: bf16 2 → 1, f32 0 → 1"},
		{"cases/cpu-bf16_lost/after", "cases/cpu-bf16_lost/before", "no_wider: true, max: 1", ""},
		{"cases/cpu-bf16_lost/before", "cases/cpu-bf16_lost/after", "no_wider: true", ""},
		{"cases/cpu-fp8_lost/after", "cases/cpu-fp8_lost/before", "no_wider: true", "1 array no longer scaled down to eight bits: f8e4m3fn 2 → 1"},
		{"cases/cpu-fp8_moved/after", "cases/cpu-fp8_moved/before", "no_wider: true", ""},
		{"cases/cpu-message_widened/after", "cases/cpu-message_widened/before", "no_wider: true", "2 collectives in a wider type than in the baseline: bf16 2 → 0, f32 3 → 5"},
		{"cases/cpu-message_widened/before", "cases/cpu-message_widened/after", "no_wider: true", ""},
		{"cases/cpu-stream_widened/after", "cases/cpu-stream_widened/before", "no_wider: true", "3 values in a wider type than in the baseline: bf16 18 → 15, f32 2 → 5"},
		{"cases/cpu-sum_in_f32/after", "cases/cpu-sum_in_f32/before", "no_wider: true", ""},
		{"cases/gpu-int8_lost/after", "cases/gpu-int8_lost/before", "no_wider: true", "1 product in a wider type than in the baseline: f32 0 → 1, s8 1 → 0"},
		{"cases/tpu-int8_lost/after", "cases/tpu-int8_lost/before", "no_wider: true", ""},
		{"tpu-wide_weights/after", "tpu-wide_weights/before", "no_wider: true", ""},
		{"tpu-wide_weights/after", "", "no_wider: true", ""},
		{"tpu-wide_weights/after", "tpu-wide_weights/before", "max_increase: 1", "2 wide products: up from 0 in the baseline, max_increase 1"},
		{"tpu-wide_weights/after", "tpu-wide_weights/before", "max_increase: 2", ""},
	},
	"precision": {
		{"tpu-precision/after", "tpu-precision/before", "", "products changed their precision: 1 at highest, up from 0; 0 at default, down from 1"},
		{"tpu-precision/after", "tpu-precision/before", "no_higher: true", "products changed their precision: 1 at highest, up from 0; 0 at default, down from 1"},
		{"tpu-precision/before", "tpu-precision/after", "", "products changed their precision: 1 at default, up from 0; 0 at highest, down from 1"},
		{"tpu-precision/before", "tpu-precision/after", "no_higher: true", ""},
		{"cases/cpu-recomputed_precisely/after", "cases/cpu-recomputed_precisely/before", "no_higher: true", "products changed their precision: 15 at highest, up from 0; 0 at default, down from 15"},
		{"tpu-precision/after", "", "precisions: [default, highest]", ""},
		{"tpu-precision/after", "", "precisions: [default], op_name: \"*/none\"", "precision (nothing in the model fits op_name: */none)"},
		{"tpu-precision/after", "", "precisions: [default], op_name: \"*\"", "1 product of another precision: at most 0 allowed"},
	},
	"layout-pin": {
		{"cpu-param_layout/after", "", "params: [{ param: \"*\", layout: default }]", "1 layout is not as pinned: x f32[64,256]{0,1}, not the default"},
		{"cpu-param_layout/after", "", "params: [{ param: \"*\", layout: \"1,0\" }]", "1 layout is not as pinned: x f32[64,256]{0,1}, not {1,0}"},
		{"cpu-param_layout/after", "", "ops: [{ layout: default }]", ""},
		{"cpu-param_layout/after", "", "ops: [{ layout: default, op: [dot] }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"cpu-param_layout/after", "", "ops: [{ layout: default, out: \"f32[7,7,7]\" }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"cpu-param_layout/after", "", "ops: [{ layout: \"0,1\", out: \"f32[*,*]\" }]", "2 layouts are not as pinned: copy f32[64,256]{1,0}, not {0,1} and 1 more"},
		{"cpu-param_layout/after", "", "ops: [{ layout: \"0,1\", out: \"f16[*,*]\" }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"cpu-param_layout/after", "", "ops: [{ layout: \"0,1\", op: [dot] }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"cpu-param_layout/after", "", "ops: [{ layout: \"0,1\", source: no_such.py }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"cpu-param_layout/after", "", "ops: [{ layout: \"0,1\", op_name: \"*/none\" }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"cpu-param_layout/after", "", "ops: [{ layout: \"0,1\", op_name: \"*\" }]", "3 layouts are not as pinned: copy f32[64,256]{1,0}, not {0,1} and 2 more"},
		{"cpu-param_layout/after", "", "ops: [{ layout: \"1,0\", op_name: \"*\" }]", "1 layout is not as pinned: reduce f32[256]{0}, not {1,0}"},
	},
	"no-unclustered-ops": {
		{"tf-clusters-unclusterable", "", "min_ratio: 10%", ""},
		{"tf-clusters-unclusterable", "", "min_ratio: 99%", "9 unclustered operations: 71.9 % of 32 operations went into clusters, 99 % wanted"},
		{"tf-clusters-unclusterable", "", "allow: [Unique, Print]", "AsString is outside every cluster (node \"AsString\"); 23 of 31 operations are clustered"},
		{"tf-clusters-unclusterable", "tf-clusters-clean", "max_increase: 2", "AsString is outside every cluster (node \"AsString\"); 23 of 32 operations are clustered"},
		{"tf-clusters-unclusterable", "tf-clusters-clean", "max_increase: 20", ""},
		{"tf-clusters-nocpujit", "", "", "autoclustering did not run: no graph is from MarkForCompilation: on a CPU autoclustering needs --tf_xla_cpu_global_jit besides --tf_xla_auto_jit=2 in TF_XLA_FLAGS; with both, it found nothing that XLA can compile"},
		{"tf-named", "", "", "autoclustering did not run: the program compiles functions with jit_compile=True only"},
		{"cpu-improved/after", "", "", "no-unclustered-ops could not check: the dump holds no TensorFlow graphs"},
		{"cases/tf-traced_again/after", "cases/tf-traced_again/before", "", ""},
		{"cases/tf-print_gone/before", "cases/tf-print_gone/after", "", "PrintV2 is outside every cluster (node \"PrintV2\"); 12 of 14 operations are clustered"},
		{"cases/tf-print_gone/after", "cases/tf-print_gone/before", "", ""},
		{"tf-clusters-unclusterable", "", "allow: \"*\"", ""},
		{"tf-clusters-unclusterable", "", "min_ratio: 70%", ""},
	},
	"max-clusters": {
		{"tf-clusters-train", "", "max_size: 1", "cluster_0 has 31 nodes, at most 1 allowed"},
		{"tf-clusters-train", "", "max_size: 1000", ""},
		{"tf-clusters-train", "", "max_size: 1000, max: 0", "1 cluster: at most 0 allowed"},
		{"tf-clusters-train", "", "min_size: 1000, max: 0", ""},
		{"tf-clusters-unclusterable", "tf-clusters-clean", "", "3 clusters: up from 1 in the baseline"},
		{"tf-clusters-unclusterable", "tf-clusters-clean", "max_increase: 2", ""},
		{"tf-clusters-clean", "tf-clusters-unclusterable", "", ""},
		{"cases/tf-traced_again/after", "cases/tf-traced_again/before", "", "2 clusters: up from 1 in the baseline"},
		{"tf-clusters-nocpujit", "", "max: 0", "autoclustering did not run: no graph is from MarkForCompilation: on a CPU autoclustering needs --tf_xla_cpu_global_jit besides --tf_xla_auto_jit=2 in TF_XLA_FLAGS; with both, it found nothing that XLA can compile"},
		{"cpu-improved/after", "", "max: 0", "max-clusters could not check: the dump holds no TensorFlow graphs"},
		{"tf-clusters-unclusterable", "tf-clusters-unclusterable", "max: 1", "3 clusters: at most 1 allowed"},
		{"tf-clusters-unclusterable", "tf-clusters-unclusterable", "max: 1, min_size: 5", "3 clusters: at most 1 allowed"},
		{"tf-clusters-unclusterable", "tf-clusters-unclusterable", "max: 1, min_size: 1", "3 clusters: at most 1 allowed"},
		{"tf-clusters-train", "", "min_size: 31, max: 0", "1 cluster: at most 0 allowed"},
		{"tf-clusters-train", "", "min_size: 32, max: 0", ""},
		{"tf-reduced/after", "tf-reduced/before", "", "autoclustering did not run: no graph is from MarkForCompilation: on a CPU autoclustering needs --tf_xla_cpu_global_jit besides --tf_xla_auto_jit=2 in TF_XLA_FLAGS; with both, it found nothing that XLA can compile"},
	},
	"max-outside-collectives": {
		{"tf-reduced/after", "", "max: 0", "4 outside all-reduces: at most 0 allowed"},
		{"tf-reduced/after", "tf-reduced/before", "", "4 outside all-reduces: up from 2 in the baseline"},
		{"tf-reduced/after", "", "kinds: [all-gather], max: 0", ""},
		{"tf-reduced/before", "tf-reduced/after", "", ""},
		{"tf-reduced/after", "", "kinds: [all-reduce], max: 0", "4 outside all-reduces: at most 0 allowed"},
	},
	"no-cpu-fallback": {
		{"torch-cpu_fallback/after", "", "allow: \"*\"", ""},
		{"torch-cpu_fallback/after", "", "max: 1", "aten::special_i0e ran 3 times on the CPU"},
		{"torch-rows/steady", "", "", ""},
		{"cpu-improved/after", "", "", "no-cpu-fallback could not check: the dump holds no metrics of PyTorch/XLA"},
		{"torch-cpu_fallback/after", "", "allow: \"aten::*\"", ""},
		{"torch-cpu_fallback/after", "", "allow: \"aten::special_i0e\"", "aten::special_i1e ran 3 times on the CPU"},
		{"torch-cpu_fallback/after", "torch-cpu_fallback/before", "max_increase: 1", "xlagate.yaml:5:30: rule no-cpu-fallback takes no max_increase: no baseline holds what a log says; bound it with max\n1 error in xlagate.yaml"},
	},
	"max-step-time": {
		{"cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "", "408 µs of predicted step time: up from 58.8 µs in the baseline (+592.8 %)"},
		{"cases/cpu-exit_lost/after", "cases/cpu-exit_lost/before", "", "668 µs of predicted step time: up from 342 µs in the baseline (+95.4 %); between −20 and +1581 %: probably slower, measure it"},
		{"cases/cpu-exit_lost/after", "cases/cpu-exit_lost/before", "unsure: error", "668 µs of predicted step time: up from 342 µs in the baseline (+95.4 %); between −20 and +1581 %"},
		{"cases/cpu-exit_lost/after", "cases/cpu-exit_lost/before", "max: 400us", "668 µs of predicted step time: at most 400 µs allowed; between −20 and +1581 %: probably slower, measure it"}, // the lower end is below it
		{"cases/cpu-exit_lost/after", "cases/cpu-exit_lost/before", "max: 200us", "668 µs of predicted step time: at most 200 µs allowed"},
		{"cases/cpu-exit_lost/before", "cases/cpu-exit_lost/after", "", "669 µs of predicted step time: up from 668 µs in the baseline (+0.2 %); between −100 and +11 %: probably slower, measure it"},
		{"cases/cpu-exit_lost/after", "", "max: 1us", "668 µs of predicted step time: at most 1 µs allowed"},
		{"cases/cpu-exit_lost/after", "", "max: 1h", ""},
	},
	"max-flops": {
		{"cpu-extra_transpose/after", "cpu-extra_transpose/before", "", ""},
		{"cases/cpu-cost_in_loop/after", "cases/cpu-cost_in_loop/before", "", "10,636,328 floating-point operations: up from 3,079,208 in the baseline"},
	},
	"max-bytes-accessed": {
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "", "769.0 KiB of memory traffic: up from 256.0 KiB in the baseline (+200.4 %)"},
	},
	"max-estimated-cycles": {
		{"tpu-precision/after", "tpu-precision/before", "", "18,532 estimated cycles: up from 10,168 in the baseline"},
		{"tpu-precision/before", "tpu-precision/after", "", ""},
	},
	"max-code-bytes": {
		{"gpu-intermediate_out/after", "gpu-intermediate_out/before", "", "2.6 KiB of generated code: up from 2.3 KiB in the baseline (+10.4 %)"},
	},
	"toolchain": {
		{"gpu-softmax_barrier/after", "", "pin: { jaxlib: \"0.9.*\" }", "another toolchain: jaxlib is not known, 0.9.* wanted"},
		{"gpu-softmax_barrier/after", "", "pin: { no_such: \"1\" }", "another toolchain: no_such is not known, 1 wanted"},
		{"gpu-softmax_barrier/after", "", "pin: { backend: gpu, device: \"*H100*\" }", ""},
		{"gpu-softmax_barrier/after", "", "pin: { backend: tpu }", "another toolchain: backend is gpu, tpu wanted"},
		{"cpu-unfused/after", "", "", ""},
		{"dumps/jax-0.12.0.1", "cpu-sharding_allgather/after", "", ""},
		{"gpu-softmax_barrier/before", "cpu-softmax_barrier/before", "ignore: backend", ""},
		{"gpu-softmax_barrier/before", "cpu-softmax_barrier/before", "ignore: [backend, device]", ""},
		{"dumps/jax-0.12.0.1", "tpu-remat/after", "", "another toolchain: backend tpu → cpu"},
		{"dumps/jax-0.12.0.1", "tpu-remat/after", "ignore: backend", ""},
		{"recompile-shapes", "", "", "toolchain could not check: there is no baseline"},
		{"recompile-shapes", "", "pin: { jax: \"0.*\" }", "another toolchain: jax is not known, 0.* wanted"},
	},
	"flags": {
		{"gpu-softmax_barrier/after", "", "require: { xla_gpu_autotune_level: \"4\" }", "1 flag is not as agreed: xla_gpu_autotune_level is at its default, 4 wanted"},
		{"gpu-softmax_barrier/after", "", "require: { xla_gpu_no_such: \"*\" }", "1 flag is not as agreed: xla_gpu_no_such is at its default, * wanted"},
		{"gpu-softmax_barrier/after", "", "forbid: \"xla_gpu*\"", ""},
		{"cpu-unfused/before", "cpu-unfused/after", "", "1 flag is not as agreed: xla_disable_hlo_passes fusion → at its default"},
		{"cpu-unfused/after", "cpu-unfused/before", "only_effective: true", "1 flag is not as agreed: xla_disable_hlo_passes at its default → fusion"},
		{"cpu-unfused/before", "", "", ""},
		{"tpu-remat/after", "", "", ""},
		{"tpu-remat/after", "", "forbid: \"*\"", "8 flags are not as agreed: libtpu_flags is 1295 flags, digest 9965a5eb27bf370a, its default wanted, xla_cpu_enable_fast_min_max is false, its default wanted, xla_enable_hlo_sharding_v3 is false, its default wanted, xla_force_host_platform_device_count is 4, its default wanted, xla_gpu_enable_libnvptxcompiler is false, its default wanted, xla_gpu_experimental_autotune_post_fusion is false, its default wanted, 2 more"},
		{"tpu-remat/after", "tpu-remat/before", "", ""},
		{"cpu-unfused/after", "", "require: { xla_disable_hlo_passes: \"fusion\" }", ""},
		{"tf-clusters-clean", "tf-clusters-clean", "", ""},
		{"cpu-unfused/after", "", "forbid: \"xla_*\"", "3 flags are not as agreed: xla_cpu_enable_fast_min_max is false, its default wanted, xla_disable_hlo_passes is fusion, its default wanted, xla_force_host_platform_device_count is 4, its default wanted"},
		{"cpu-unfused/after", "", "forbid: \"xla_disable_hlo_passes\"", "1 flag is not as agreed: xla_disable_hlo_passes is fusion, its default wanted"},
		{"cpu-unfused/after", "", "allow: \"xla_disable*\"", ""},
		{"cpu-unfused/after", "", "allow: \"other*\"", "1 flag is not as agreed: xla_disable_hlo_passes at its default → fusion"},
		{"gpu-softmax_barrier/before", "cpu-softmax_barrier/before", "", "1 flag is not as agreed: xla_pjrt_allow_auto_layout_in_hlo at its default → true"},
		{"gpu-softmax_barrier/before", "cpu-softmax_barrier/before", "only_effective: true", "1 flag is not as agreed: xla_pjrt_allow_auto_layout_in_hlo at its default → true"},
		{"gpu-softmax_barrier/before", "gpu-kernel_body/before", "", ""},
		{"gpu-softmax_barrier/before", "gpu-kernel_body/before", "only_effective: true", ""},
		{"cpu-unfused/before", "cpu-sharding_allgather/before", "", ""},
		{"dumps/tpu-v4", "", "forbid: \"xla_*\"", "flags could not check: the dump does not hold XLA's flags"},
		{"dumps/tpu-v4", "dumps/tpu-v4", "", "flags could not check: the dump does not hold XLA's flags"},
		{"tpu-remat/after", "dumps/tpu-v4", "", "flags could not check: the baseline was accepted from a dump without XLA's flags"},
		{"dumps/tpu-v4", "tpu-remat/after", "", "flags could not check: the dump does not hold XLA's flags"},
		{"cpu-unfused/after", "cpu-improved/after", "", "1 flag is not as agreed: xla_disable_hlo_passes at its default → fusion"},
		{"cpu-improved/after", "cpu-unfused/before", "only_effective: true", ""},
		{"cases/cpu-hoisted/after", "", "", "flags could not check: there is no baseline"},
		{"cpu-unfused/after", "cpu-improved/after", "allow: \"xla_disable*\"", ""},
		{"cpu-renamed/after", "cpu-unfused/after", "only_effective: true", "1 flag is not as agreed: xla_disable_hlo_passes fusion → at its default"},
		{"cpu-unfused/flagged", "", "", "1 flag is not as agreed: xla_disable_hlo_passes at its default → all-gather-combiner"},
		{"cpu-unfused/flagged", "", "only_effective: true", ""},
	},
	"threads-kept": {
		{"tpu-gather_offloaded/before", "tpu-gather_offloaded/after", "", "0 launches on the thread sparsecore, 1 in the baseline"},
		{"tpu-gather_offloaded/after", "tpu-gather_offloaded/before", "threads: host", ""},
		{"tpu-gather_offloaded/after", "tpu-gather_offloaded/after", "", ""},
	},
	"stable-compile": {
		{"gpu-softmax_barrier/before", "", "", "stable-compile could not check softmax: the dump holds no second compile"},
		{"cpu-set_order_shuffled/*", "", "allow: \"*\"", ""},
		{"cpu-set_order_shuffled/*", "", "allow: \"cost.*\"", "12 facts are different from compile to compile, in 2 compiles: dtypes.f32, fusions.custom, fusions.loop, fusions.total, instructions.after, kernels.entry, 6 more"},
		{"cpu-set_order_sorted/*", "", "", "stable-compile (the dump does not say which keys embed has in JAX's compilation cache)"},
		{"cpu-result_name_shuffled/*", "", "", "the same program has another key in JAX's compilation cache: jax.result_info = \"result['spread+peak+mean+floor']\" in one compile, jax.result_info = \"result['floor+spread+peak+mean']\" in another"},
		{"cpu-result_name_shuffled/*", "", "allow: cache-key", ""},
		{"cpu-result_name_sorted/*", "", "", ""},
	},
	"partitioner": {
		{"partitioner-gspmd", "", "is: gspmd", ""},
		{"dumps/jax-0.12.0.1", "", "is: gspmd", "shardy partitions it, gspmd wanted"},
		{"cpu-sharding_allgather/before", "", "is: shardy", ""},
		{"partitioner-gspmd", "dumps/jax-0.12.0.1", "", "gspmd partitions it, shardy did in the baseline"},
		{"dumps/jax-0.12.0.1", "dumps/jax-0.12.0.1", "", ""},
		{"cpu-improved/after", "", "is: shardy", "target example is not covered: no rule checked it"},
	},
	"since-release": {
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "release: \"git:v1.2:.xlagate\"", ""},
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "release: \"git:v1.2:.xlagate\", max_growth: 5%", "probably 5.82 % slower (53.5 µs → 56.6 µs) than release v1.2; at most 5 % allowed"},
		{"cpu-unfused/after", "cpu-unfused/before", "release: \"git:v1.2:.xlagate\", max_growth: 30%", "probably 45.7 % slower (17 µs → 24.7 µs) and 49.6 % more memory (129.0 KiB → 193.0 KiB) than release v1.2; at most 30 % allowed"},
		{"cpu-unfused/before", "cpu-unfused/after", "release: \"git:v1.2:.xlagate\"", ""},
		{"cpu-unfused/before", "cpu-unfused/after", "release: \"git:v9:.xlagate\"", "git does not know the revision \"v9\" here"},
		{"cpu-unfused/before", "cpu-unfused/after", "release: \"s3://v9\"", "xlagate.yaml:5:37: rule since-release: \"s3://v9\" cannot hold a baseline; give a directory or git:REF:PATH\n1 error in xlagate.yaml"},
	},
	"unused-parameters": {
		{"cpu-constant_baked/after", "", "allow: \"*\"", ""},
		{"cpu-constant_baked/after", "", "allow: \"none\"", "1 argument is never read: w"},
		{"cpu-constant_baked/after", "", "min_bytes: 1GiB", ""},
		{"cpu-constant_baked/after", "", "min_bytes: 1", "1 argument is never read: w"},
		{"cases/cpu-forward_again/after", "cases/cpu-forward_again/before", "", ""},
	},
	"assert": {
		{"gpu-softmax_barrier/after", "", "expr: \"facts.kernels.total <= base.kernels.total\"", "facts.kernels.total <= base.kernels.total does not hold: facts.kernels.total is 4, base.kernels.total is 1"},
		{"gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "name: k, expr: \"facts.kernels.total <= base.kernels.total\"", "k does not hold: facts.kernels.total is 4, base.kernels.total is 1"},
		{"cpu-improved/after", "", "expr: \"facts.registers.max < 3\"", "facts.registers.max < 3 could not be evaluated for scale: no such key: max"},
		{"recompile-shapes", "", "expr: \"facts.kernels.total <= base.kernels.total\"", "facts.kernels.total <= base.kernels.total reads the baseline, and predict has none"},
		{"recompile-shapes", "", "expr: \"facts.kernels.total < 1\"", "facts.kernels.total < 1 does not hold: facts.kernels.total is 2"},
	},
}

// saysOf runs an entry of a rule. Of one that the configuration refuses it returns why, of one that could not be checked the problem, and of one that
// limits nothing what is not covered.
func (c tried) saysOf(t *testing.T, r *rule.Rule) string {
	t.Helper()
	e := rule.Example{On: c.on, Base: c.base, Config: "- { " + strings.TrimSuffix("rule: "+r.ID+", "+c.keys, ", ") + " }"}
	if _, err := config.Parse(rules.All, "xlagate.yaml", []byte(exampleFile(r, e))); err != nil {
		return err.Error()
	}
	result := try(t, r, e)
	if message := firstMessage(result, r.ID); message != "" {
		return message
	}
	for _, p := range result.Problems {
		return p.Message
	}
	for _, told := range result.Targets[0].NotCovered {
		return told
	}
	return ""
}

// What the rules say of real dumps.
func TestRealDumps(t *testing.T) {
	for id, cases := range entries {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			for _, c := range cases {
				if got := c.saysOf(t, rules.All.ByID(id)); got != c.says {
					t.Errorf("%s on %s against %q:\n%q, wanted\n%q", c.keys, c.on, c.base, got, c.says)
				}
			}
		})
	}
}

// Every option of every rule decides about a real dump: without it the rule says something else.
func TestEveryOptionDecides(t *testing.T) {
	for _, r := range rules.All.Rules {
		if r.Always { // it takes no entries
			continue
		}
		all := append(examplesOf(t, r), entries[r.ID]...)
		for _, path := range optionPaths(nil, r.Options) {
			if !slices.ContainsFunc(all, func(c tried) bool {
				rest, had := c.without(t, path)
				return had && rest.saysOf(t, r) != c.says
			}) {
				t.Errorf("%s: no example has %s and says something else without it, and no row of `entries`, rules/options_test.go", r.ID, strings.Join(path, "."))
			}
		}
	}
}

// examplesOf returns the entries in the examples of a rule.
func examplesOf(t *testing.T, r *rule.Rule) []tried {
	t.Helper()
	var all []tried
	for _, e := range []rule.Example{r.Fails, r.Passes} {
		var parsed []map[string]any
		if err := yaml.Unmarshal([]byte(e.Config), &parsed); err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		delete(parsed[0], "rule")
		keys, err := json.Marshal(parsed[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tried{e.On, e.Base, string(keys[1 : len(keys)-1]), e.Says})
	}
	return all
}

// optionPaths lists options, those in tables by their path.
func optionPaths(in []string, list []rule.Option) (paths [][]string) {
	for _, o := range list {
		path := append(slices.Clip(in), o.Key)
		paths = append(append(paths, path), optionPaths(path, o.Fields)...)
	}
	return paths
}

// without leaves an option out of an entry, if the entry has it.
func (c tried) without(t *testing.T, path []string) (tried, bool) {
	t.Helper()
	var keys map[string]any
	if err := yaml.Unmarshal([]byte("{ "+c.keys+" }"), &keys); err != nil {
		t.Fatal(err)
	}
	had := remove(keys, path)
	text, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	c.keys = strings.TrimSuffix(strings.TrimPrefix(string(text), "{"), "}")
	return c, had
}

func remove(from any, path []string) (had bool) {
	switch from := from.(type) {
	case []any:
		for _, each := range from {
			had = remove(each, path) || had
		}
	case map[string]any:
		next, there := from[path[0]]
		if len(path) > 1 {
			return there && remove(next, path[1:])
		}
		delete(from, path[0])
		return there
	}
	return had
}

// The limit of a finding is the number that would have passed, whether growth is allowed in parts of the baseline or as a number.
func TestLimitOfGrowth(t *testing.T) {
	for keys, want := range map[string]float64{"max_increase: 0": 1, "max_increase: 2": 3, "max_increase: 250%": 3, "max_increase: 2, max: 3": 3, "max_increase: 0, max: 3": 3} {
		r := try(t, rules.All.ByID("max-kernels"), rule.Example{On: "gpu-softmax_barrier/after", Base: "gpu-softmax_barrier/before", Config: "- { rule: max-kernels, " + keys + " }"})
		if len(r.Findings) != 1 || r.Findings[0].Limit != want || r.Findings[0].Actual != 4.0 || r.Findings[0].Baseline != 1.0 {
			t.Errorf("%s: %+v", keys, r.Findings)
		}
	}
}

// What is wrong with a launch is in the cause.
func TestLaunchesSayWhy(t *testing.T) {
	for keys, why := range map[string]string{
		"min_blocks: 128":                      "64 blocks, 128 wanted",
		"min_threads: 100000":                  "64 threads a block, 100,000 wanted",
		"max_threads: 63":                      "64 threads a block, 63 allowed",
		"max_threads: 64, max_shared: 1":       "1.0 KiB of shared memory, 1 B allowed",
		"max_threads: 64, max_shared: 1023":    "1.0 KiB of shared memory, 1023 B allowed",
		"min_threads: 64, max_shared: 1KiB":    "",
		"min_blocks: 1, op_name: \"*/nobody\"": "",
	} {
		r := try(t, rules.All.ByID("launch-shape"), rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: launch-shape, " + keys + " }"})
		said := ""
		if len(r.Findings) > 0 {
			said = r.Changes[0].Title
		}
		if why != "" {
			why = "triton_softmax.2 is launched with " + why
		}
		if said != why {
			t.Errorf("%s: %q, wanted %q", keys, said, why)
		}
	}
}
