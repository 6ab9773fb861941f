package rules_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// The table holds what options change of the verdict, on real dumps; "" where the rule passes.
func TestOptions(t *testing.T) {
	const barred, softmax, baked, wide = "gpu-softmax_barrier/after", "gpu-softmax_barrier/before", "cpu-constant_baked/after", "tpu-wide_weights/after"
	const sharded, rolled, clusters, f64, column = "cpu-sharding_allgather/after", "cpu-unrolled_loop/before", "tf-clusters-train", "cpu-f64_creep/after", "cpu-param_layout/after"
	const named = "dumps/jax-0.12.0.1"
	const gathered, unrolled = "cpu-sharding_allgather/after", "cpu-unrolled_loop/after"
	const psum, tpu = "cases/cpu-psum_in_loop/after", "dumps/tpu-v4"
	const returned, undumped = "gpu-intermediate_out/after", "dumps/tpu-v4"
	const gathering, split = "cpu-result_gathered/after", "cpu-result_gathered/before"
	const triton, mosaic = "gpu-kernel_body/before", "tpu-kernel_body/before"
	for _, c := range []struct{ rule, on, base, keys, says string }{
		{"launch-shape", softmax, "", "min_threads: 100000", "1 badly launched kernel: at most 0 allowed"},
		{"launch-shape", softmax, "", "max_threads: 1", "1 badly launched kernel: at most 0 allowed"},
		{"launch-shape", softmax, "", "max_shared: 1", "1 badly launched kernel: at most 0 allowed"},
		{"launch-shape", softmax, "", "max_shared: 1GiB", ""},
		{"launch-shape", softmax, "", "max_threads: 1, op_name: \"*/no_such_part\"", ""},
		{"launch-shape", softmax, "", "max_threads: 1, op_name: \"*/div\"", "1 badly launched kernel: at most 0 allowed"},
		{"launch-shape", softmax, "", "max_threads: 1, min_bytes: 1GiB", ""},
		{"launch-shape", barred, "", "max_threads: 1", "4 badly launched kernels: at most 0 allowed"},
		{"launch-shape", barred, "", "max_threads: 1, min_bytes: 100KiB", "4 badly launched kernels: at most 0 allowed"},
		{"launch-shape", "../internal/facts/testdata/gpu-0.5.3-mlp.tar.gz", "", "min_threads: 1", "launch-shape could not check step: the launch plan of this version names command buffers, branches or loops, but not what runs in them"},
		{"launch-shape", baked, "", "max_threads: 1", "launch-shape could not check project: the dump holds no thunk sequence"},
		{"max-clusters", clusters, "", "max_size: 1", "cluster_0 has 31 nodes, at most 1 allowed"},
		{"max-clusters", clusters, "", "max_size: 1000", ""},
		{"max-clusters", clusters, "", "max_size: 1000, max: 0", "1 cluster: at most 0 allowed"},
		{"max-clusters", clusters, "", "min_size: 1000, max: 0", ""},
		{"max-constant-bytes", baked, "", "max: 1MiB, per_constant: 1KiB", "the constant f32[64,128] holds 32.0 KiB, at most 1.0 KiB allowed"},
		{"max-constant-bytes", baked, "", "max: 1MiB, per_constant: 32KiB", ""},
		{"max-constant-bytes", baked, "", "max: 1MiB, per_constant: 32767", "the constant f32[64,128] holds 32,768 B, at most 32,767 B allowed"},
		{"dtype-floor", wide, "", "min_share: 99%", "2 wide products: 0 % of the products' arithmetic is in bf16, f16, f8e5m2, f8e4m3, 17 more, 99 % wanted"},
		{"dtype-floor", wide, "", "min_share: 1%", "2 wide products: 0 % of the products' arithmetic is in bf16, f16, f8e5m2, f8e4m3, 17 more, 1 % wanted"},
		{"dtype-floor", wide, "", "min_share: 99%, dtypes: [f32, bf16]", ""},
		{"dtype-floor", wide, "", "min_share: 99%, max: 1", "2 wide products: at most 1 allowed"},
		{"dtype-floor", wide, "", "min_share: 99%, allow: \"*\"", ""},
		{"dtype-floor", wide, "", "allow: \"*\", max_converts: 0", "2 conversions: at most 0 allowed"},
		{"dtype-floor", wide, "", "allow: \"*\", max_converts: 1000", ""},
		{"dtype-floor", baked, "", "dtypes: [f32], max_converts: 0", ""},
		{"async-collectives", "gpu-collectives", "", "min_ratio: 90%", "1 exposed collective: 80 % of 5 collectives can run beside kernels, 90 % wanted"},
		{"async-collectives", "gpu-collectives", "", "min_ratio: 90%, kinds: [all-to-all]", ""},
		{"async-collectives", "gpu-collectives", "", "min_ratio: 90%, min_bytes: 1GiB", ""},
		{"async-collectives", "gpu-collectives", "", "min_distance: 100", "5 exposed collectives: at most 0 allowed"},
		{"async-collectives", "gpu-collectives", "", "min_distance: 100, min_ratio: 1%", "5 exposed collectives: 0 % of 5 collectives can run beside kernels, 1 % wanted"},
		{"async-collectives", baked, "", "min_ratio: 90%", ""},
		{"async-collectives", "cpu-sharding_allgather/after", "cpu-sharding_allgather/before", "max: 99, max_increase: 0", "3 exposed collectives: up from 2 in the baseline"},
		{"async-collectives", "cpu-sharding_allgather/after", "cpu-sharding_allgather/before", "max: 99, max_increase: 0, overlap_lost: true", ""},
		{"max-kernels", barred, "", "kind: [loop], max: 0", "2 kernels: at most 0 allowed"},
		{"max-kernels", barred, "", "kind: [input], max: 0", "2 kernels: at most 0 allowed"},
		{"max-kernels", barred, "", "kind: [loop, input], max: 0", "4 kernels: at most 0 allowed"},
		{"max-kernels", barred, "", "kind: [custom], max: 0", ""},
		{"max-kernels", barred, softmax, "kind: [loop]", "2 kernels: up from 0 in the baseline"},
		{"max-kernels", rolled, "", "max: 0", "6 kernels: at most 0 allowed"},
		{"max-kernels", rolled, "", "scope: entry, max: 0", "2 kernels: at most 0 allowed"},
		{"max-kernels", rolled, "", "weighted_by_trip_count: true, max: 0", "63 kernels: at most 0 allowed"},
		{"max-kernels", rolled, "", "weighted_by_trip_count: true, scope: entry, max: 0", "2 kernels: at most 0 allowed"},
		{"max-kernels", rolled, "", "weighted_by_trip_count: true, kind: [loop], max: 0", "43 kernels: at most 0 allowed"},
		{"max-kernels", rolled, "", "exclude: \"*\", max: 0", ""},
		{"max-kernels", rolled, "cpu-unrolled_loop/after", "weighted_by_trip_count: true", "63 kernels: up from 41 in the baseline"},
		{"max-kernels", barred, softmax, "max_increase: 200%", "4 kernels: up from 1 in the baseline"},
		{"max-kernels", barred, softmax, "max_increase: 300%", ""},
		{"no-recompilation", "recompile-shapes", "", "max_variants: 1", "compiled 3 times, 1 allowed: x: f32[8,128] → f32[16,128] → f32[32,128]"},
		{"no-recompilation", "recompile-shapes", "", "max_variants: 1, ignore_args: \"*\"", ""},
		{"no-recompilation", "recompile-shapes", "", "max_variants: 1, ignore_args: \"no_such\"", "compiled 3 times, 1 allowed: x: f32[8,128] → f32[16,128] → f32[32,128]"},
		{"no-recompilation", "recompile-closure_scalar", "", "max_variants: 1, ignore_args: \"*\"", ""},
		{"no-dtype", f64, "", "allow: \"*/no_such_part\"", "f64 is used by 17 operations, the first is reduce"},
		{"no-dtype", f64, "", "allow: \"*\"", ""},
		{"no-dtype", f64, "cpu-f64_creep/before", "new_only: true", "f64 is used by 17 operations, the first is reduce"},
		{"no-dtype", f64, f64, "new_only: true", ""},
		{"no-dtype", f64, "", "dtypes: [f32], max: 1", "f32 is used by 11 operations, the first is multiply"},
		{"no-dtype", f64, "", "except_scalars: true", "f64 is used by 10 operations, the first is reduce"},
		{"no-dtype", "torch-rows/steady", "", "", "f64 is used by 14 operations"},
		{"no-dtype", "torch-rows/steady", "", "except_scalars: true", ""},
		{"sharding-pin", sharded, "", "params: [{ param: \"*\", sharding: replicated }]", "3 arguments are not sharded as agreed: x, w1, w2"},
		{"sharding-pin", sharded, "", "params: [{ param: \"*\", sharding: \"*\" }]", ""},
		{"sharding-pin", sharded, "", "params: [{ param: \"*\", sharding: \"{devices=[*\" }]", ""},
		{"sharding-pin", sharded, "", "params: [{ param: \"*\", sharding: \"{devices=*<=*}\" }]", ""},
		{"sharding-pin", sharded, "", "params: [{ param: \"*\", sharding: \"{*no*such*}\" }]", "3 arguments are not sharded as agreed: x, w1, w2"},
		{"sharding-pin", sharded, "", "params: [{ param: no_such, sharding: replicated }]", "sharding-pin could not check tensor_parallel_mlp: no argument fits \"no_such\""},
		{"sharding-pin", named, "", "params: [{ param: w1, sharding: \"{mesh['data'=2,'model'=2], [{}, {'model'}]}\" }, { param: w2, sharding: \"P('model', None)\" }]", ""},
		{"sharding-pin", named, "", "params: [{ param: w1, sharding: \"{mesh['data'=2,'model'=2], [{'model'}, {}]}\" }]", "1 argument is not sharded as agreed: w1"},
		{"sharding-pin", "cpu-sharding_allgather/before", "", "params: [{ param: w1, sharding: \"{mesh['data'=2,'model'=2], [{}, {'model'}]}\" }]", ""},
		{"sharding-pin", named, "cpu-sharding_allgather/before", "", ""},
		{"sharding-pin", named, "cpu-sharding_allgather/after", "", "2 arguments are not sharded as agreed: w1, w2"},
		{"sharding-pin", sharded, "", "max_replicated: 0", "1 result is not sharded as agreed: the result (jit(tensor_parallel_mlp)/reduce_sum)"},
		{"sharding-pin", sharded, "", "max_replicated: 1GiB", ""},
		{"sharding-pin", gathering, split, "", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"sharding-pin", split, gathering, "", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"sharding-pin", split, split, "", ""},
		{"sharding-pin", gathering, gathered, "", ""},
		{"sharding-pin", "cpu-result_gathered/proto", split, "", ""},
		{"sharding-pin", split, "cpu-result_gathered/proto", "", ""},
		{"sharding-pin", split, "", "outputs: [{ output: \"0\", sharding: \"P('data', 'model')\" }]", ""},
		{"sharding-pin", split, "", "outputs: [{ output: 0, sharding: \"{devices=[2,2]<=[4]}\" }]", ""},
		{"sharding-pin", split, "", "outputs: [{ output: 0, sharding: \"[2,2]\" }, { output: 1, sharding: replicated }]", ""},
		{"sharding-pin", split, "", "outputs: [{ output: \"*\", sharding: replicated }]", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"sharding-pin", gathering, "", "outputs: [{ output: 0, sharding: \"[2,2]\" }]", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"sharding-pin", gathering, "", "outputs: [{ output: 2, sharding: replicated }]", "sharding-pin could not check layer: no result fits \"2\"; there are 2 results, numbered from 0"},
		{"sharding-pin", "cpu-unfused/before", "", "outputs: [{ output: 0, sharding: replicated }]", ""},
		{"sharding-pin", gathering, "", "max_replicated: 4095", "1 result is not sharded as agreed: result 0 (jit(layer)/tanh)"},
		{"sharding-pin", gathering, "", "max_replicated: 4096", ""},
		{"sharding-pin", split, "", "max_replicated: 4", ""},
		{"sharding-pin", gathering, "", "params: [{ param: x, sharding: replicated }], outputs: [{ output: 0, sharding: \"[2,2]\" }]", "1 argument and 1 result are not sharded as agreed: x, result 0 (jit(layer)/tanh)"},
		{"donation-kept", "cpu-donation_lost/after", "", "params: \"params*\"", "3 arguments are not updated in place: params['b1'], params['w1'], params['w2']"},
		{"donation-kept", "cpu-donation_lost/before", "", "params: \"*\"", "2 arguments are not updated in place: x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "params: \"params*\"", ""},
		{"donation-kept", "torch-total/after", "torch-total/before", "", ""},
		{"donation-kept", "torch-total/before", "torch-total/after", "", ""},
		{"donation-kept", "cpu-donation_lost/after", "", "min_ratio: 50%", "0 B of 51.5 KiB of arguments are updated in place: 0 %, 50 % wanted; not params['w1'], params['w2'], x, y, params['b1']"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 100%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.2 %, 100 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 100%, min_bytes: 1KiB", "48.0 KiB of 51.0 KiB of arguments are updated in place: 94.1 %, 100 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 94%", ""},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 94.2%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.17 %, 94.20 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_ratio: 94.1748%", "48.5 KiB of 51.5 KiB of arguments are updated in place: 94.17476 %, 94.17480 % wanted; not x, y"},
		{"donation-kept", "cpu-donation_lost/before", "", "min_bytes: 20KiB, min: 2", "1 argument updated in place: at least 2 wanted"},
		{"donation-kept", "gpu-collectives", "", "min_ratio: 1%", "0 B of 512 B of arguments are updated in place: 0 %, 1 % wanted; not a"},
		{"donation-kept", "cpu-donation_lost/after", "", "min_ratio: 100%, min_bytes: 1GiB", ""},
		{"donation-kept", "cpu-donation_lost/after", "cpu-donation_lost/before", "min_ratio: 0", "3 arguments are not updated in place any more: params['b1'], params['w1'], params['w2']"},
		{"layout-pin", column, "", "params: [{ param: \"*\", layout: default }]", "1 layout is not as pinned: x f32[64,256]{0,1}, not the default"},
		{"layout-pin", column, "", "params: [{ param: \"*\", layout: \"1,0\" }]", "1 layout is not as pinned: x f32[64,256]{0,1}, not {1,0}"},
		{"layout-pin", column, "", "ops: [{ layout: default }]", ""},
		{"layout-pin", column, "", "ops: [{ layout: default, op: [dot] }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"layout-pin", column, "", "ops: [{ layout: default, out: \"f32[7,7,7]\" }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"layout-pin", column, "", "ops: [{ layout: \"0,1\", out: \"f32[*,*]\" }]", "2 layouts are not as pinned: copy f32[64,256]{1,0}, not {0,1} and 1 more"},
		{"layout-pin", column, "", "ops: [{ layout: \"0,1\", out: \"f16[*,*]\" }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"layout-pin", column, "", "ops: [{ layout: \"0,1\", op: [dot] }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"layout-pin", column, "", "ops: [{ layout: \"0,1\", source: no_such.py }]", "layout-pin could not check column_sums: no operation fits the pin of line 5"},
		{"flags", barred, "", "require: { xla_gpu_autotune_level: \"4\" }", "1 flag is not as agreed: xla_gpu_autotune_level is at its default, 4 wanted"},
		{"flags", barred, "", "require: { xla_gpu_no_such: \"*\" }", "1 flag is not as agreed: xla_gpu_no_such is at its default, * wanted"},
		{"flags", barred, "", "forbid: \"xla_gpu*\"", ""},
		{"toolchain", barred, "", "pin: { jaxlib: \"0.9.*\" }", "another toolchain: jaxlib is not known, 0.9.* wanted"},
		{"toolchain", barred, "", "pin: { no_such: \"1\" }", "another toolchain: no_such is not known, 1 wanted"},
		{"toolchain", barred, "", "pin: { backend: gpu, device: \"*H100*\" }", ""},
		{"toolchain", barred, "", "pin: { backend: tpu }", "another toolchain: backend is gpu, tpu wanted"},
		{"required-custom-calls", softmax, "", "calls: [{ call: \"no_such\" }]", "no_such is not called; what is called: __triton"},
		{"required-custom-calls", "cpu-fusion_callback_barrier/after", "", "calls: [{ call: \"no_such\" }]", "no_such is not called; what is called: xla_ffi_python_cpu_callback"},
		{"required-custom-calls", "cpu-fusion_callback_barrier/after", "", "calls: [{ call: \"*callback*\", min: 2 }]", "*callback* is called once, 2 wanted; what is called: xla_ffi_python_cpu_callback"},
		{"required-custom-calls", "cpu-fusion_callback_barrier/after", "", "calls: [{ call: \"*callback*\" }]", ""},
		{"required-custom-calls", triton, "", "calls: [{ call: \"*t*\", backend_config: { num_warps: 4, name: accumulate } }]", ""},
		{"required-custom-calls", triton, "", "calls: [{ call: \"*t*\", backend_config: { num_stages: 5 } }]", "*t* with {num_stages: 5} is not called; 1 call of *t*: num_stages is 3"},
		{"required-custom-calls", triton, "", "calls: [{ call: \"*t*\", backend_config: { stages: 5 } }]", "*t* with {stages: 5} is not called; 1 call of *t*: the calls have no stages, but grid_x, grid_y, grid_z, name, num_stages, num_warps"},
		{"required-custom-calls", triton, "", "calls: [{ call: \"*t*\", function: accum* }]", ""},
		{"required-custom-calls", mosaic, "", "calls: [{ call: \"*t*\", function: accum* }]", ""},
		{"required-custom-calls", mosaic, "", "calls: [{ call: \"*t*\", function: attention }]", "*t* of attention is not called; what is called: tpu_custom_call"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [exponential, divide], kind: [loop] }]", "the fusion \"a\" is not there: exponential, divide ran in triton_softmax.2"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [exponential, divide], kind: [input] }]", "the fusion \"a\" is not there: exponential, divide ran in triton_softmax.2"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [exponential, divide], root: divide }]", ""},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [exponential, divide], root: exponential }]", "the fusion \"a\" is not there: exponential, divide ran in triton_softmax.2"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [exponential, divide], min: 2 }]", "the fusion \"a\" is there once, 2 wanted: exponential, divide ran in triton_softmax.2"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [tanh] }]", "the fusion \"a\" is not there: no kernel runs tanh"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [tanh, negate], op_name: \"*/div\", source: pairs.py }]", "the fusion \"a\" is not there: no kernel of */div in pairs.py runs tanh, negate"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, out: \"f16[*,*]\" }]", "the fusion \"a\" is not there"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [divide], source: pairs.py }]", ""},
		{"required-fusions", softmax, "", "fusions: [{ name: a, contains: [divide], source: other.py }]", "the fusion \"a\" is not there: no kernel in other.py runs divide"},
		{"required-fusions", softmax, "", "fusions: [{ name: a, pattern: \"divide(exponential(_), _)\" }]", ""},
		{"required-fusions", barred, "", "fusions: [{ name: a, pattern: \"divide(exponential(_), _)\" }]", "the fusion \"a\" is not there: divide, exponential ran in loop_exponential_fusion, loop_divide_fusion; split by an optimization barrier (pairs.py:41)"},
		{"required-fusions", barred, "", "fusions: [{ name: a, pattern: \"tanh(_)\" }]", "the fusion \"a\" is not there: no kernel runs tanh"},
		{"required-fusions", "cases/gpu-imp_stats_gone/after", "cases/gpu-imp_stats_gone/before", "fusions: [{ name: a, contains: [multiply, sqrt] }]", "the fusion \"a\" is gone: no kernel runs multiply, sqrt"},
		{"max-collectives", "cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "max_increase: 0", "12 runs of all-reduces: up from 1 in the baseline"},
		{"max-collectives", "cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "max_increase: 10000%", ""},
		{"max-collectives", "cases/cpu-psum_in_loop/before", "cases/cpu-psum_in_loop/after", "max_increase: 0", ""},
		{"max-collectives", "cases/cpu-psum_in_loop/after", "cases/cpu-psum_in_loop/before", "max: 1", ""},
		{"max-collectives", gathered, "", "max: 99, max_bytes: 1KiB", "collectives move 4.0 KiB, at most 1.0 KiB allowed"},
		{"max-collectives", gathered, "", "max: 99, max_bytes: 12320", ""},
		{"max-collectives", gathered, "", "kinds: [all-gather], max_bytes: 1KiB", ""},
		{"max-collectives", gathered, "", "max: 99, kinds: [all-reduce], max_bytes: 1KiB", "all-reduce move 4.0 KiB, at most 1.0 KiB allowed"},
		{"max-collectives", gathered, "", "op_name: \"*/no_such_part\", max_bytes: 1KiB", ""},
		{"max-collectives", "gpu-collectives", "", "max: 99, max_bytes: 1", "collectives move 768 B, at most 1 B allowed"},
		{"max-collectives", "gpu-collectives", "", "max: 99, kinds: [all-gather, all-to-all], max_bytes: 383", "all-gather and all-to-all move 384 B, at most 383 B allowed"},
		{"max-collectives", "gpu-collectives", "", "max: 99, kinds: [all-gather, all-to-all], max_bytes: 384", ""},
		{"max-collectives", "gpu-collectives", "", "max: 99, kinds: all-gather, max_bytes: 1", "all-gather move 256 B, at most 1 B allowed"},
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
		{"stable-compile", softmax, "", "", "stable-compile could not check softmax: the dump holds no second compile"},
		{"precision", "tpu-precision/after", "tpu-precision/before", "", "products changed their precision: 1 at highest, up from 0; 0 at default, down from 1"},
		{"precision", "tpu-precision/after", "tpu-precision/before", "no_higher: true", "products changed their precision: 1 at highest, up from 0; 0 at default, down from 1"},
		{"precision", "tpu-precision/before", "tpu-precision/after", "", "products changed their precision: 1 at default, up from 0; 0 at highest, down from 1"},
		{"precision", "tpu-precision/before", "tpu-precision/after", "no_higher: true", ""},
		{"fusion-drift", gathered, "", "max: 999, max_added: 0", "1 fusion is new, at most 0 allowed: clamp, convert, 2 dynamic-slice, multiply"},
		{"fusion-drift", gathered, "", "max: 999, max_added: 1", ""},
		{"fusion-drift", gathered, "", "max: 999, max_added: 0, ignore: \"*\"", ""},
		{"fusion-drift", gathered, "", "max: 999", ""},
		{"fusion-drift", "cpu-improved/after", "cpu-improved/after", "max: 999, max_added: 0", ""},
		{"fusion-drift", "gpu-softmax_barrier/after", "", "max_added: 0", "1 fusion was split: divide, exponential, 2 reduce, subtract is split in 4 kernels by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
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
		{"max-output-bytes", returned, returned, "max_outputs: 1", "the program returns 2 results, at most 1 allowed"},
		{"max-output-bytes", returned, returned, "max_outputs: 2", ""},
		{"max-output-bytes", returned, returned, "max_outputs: 2, max: 1KiB", "128.0 KiB of results: at most 1.0 KiB allowed"},
		{"max-output-bytes", returned, "", "max: 128KiB", "131,088 B of results: at most 131,072 B allowed"},
		{"max-output-bytes", returned, "gpu-intermediate_out/before", "max: 128KiB, max_increase: 0", "131,088 B of results: at most 131,072 B allowed; up from 64.0 KiB in the baseline (+100.0 %)"},
		{"max-output-bytes", "gpu-intermediate_out/before", "", "max_outputs: 1", ""},
		{"max-output-bytes", "gpu-intermediate_out/before", "", "max_outputs: 0", "the program returns 1 result, at most 0 allowed"},
		{"max-output-bytes", returned, "gpu-intermediate_out/before", "max_outputs: 2", "128.0 KiB of results: up from 64.0 KiB in the baseline (+100.0 %)"},
		{"max-output-bytes", "tpu-intermediate_out/after", "tpu-intermediate_out/after", "max_outputs: 1", "the program returns 2 results, at most 1 allowed"},
		{"max-output-bytes", undumped, "", "max_outputs: 99", ""},
		{"max-output-bytes", undumped, "", "max_outputs: 0", "the program returns 1 result, at most 0 allowed"},
		{"max-output-bytes", undumped, "", "max_outputs: 99, max: 1GiB", "max-output-bytes could not check f: the dump holds no buffer assignment"},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: vmem, max: 768KiB", ""},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: vmem, max: 767KiB", "768.0 KiB of memory in vmem: at most 767.0 KiB allowed"},
		{"max-peak-bytes", "tpu-remat/after", "tpu-remat/after", "memory_space: default", ""},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: host, max: 0", ""},
		{"max-peak-bytes", "tpu-remat/after", "", "memory_space: color_1, max: 0", "max-peak-bytes could not check slope: a TPU's color_1 is called vmem"},
		{"max-peak-bytes", "cpu-unfused/after", "", "memory_space: vmem, max: 0", "max-peak-bytes could not check act: its buffer assignment has one memory space only"},
		{"forbidden-custom-calls", triton, "", "calls: [{ call: \"*t*\", backend_config: { num_warps: \"[4-8]\" } }]", "1 call of *t* with {num_warps: [4-8]}, 0 allowed: __gpu$xla.gpu.triton"},
		{"forbidden-custom-calls", triton, "", "calls: [{ call: \"*t*\", backend_config: { num_warps: 8 } }]", ""},
		{"forbidden-custom-calls", triton, "", "calls: [{ call: \"*t*\", backend_config: { warps: 4 } }]", ""},
	} {
		comma := ", "
		if c.keys == "" {
			comma = ""
		}
		r := try(t, rules.All.ByID(c.rule), rule.Example{On: c.on, Base: c.base, Config: "- { rule: " + c.rule + comma + c.keys + " }"})
		if got := firstMessage(r, c.rule); got != c.says {
			t.Errorf("%s %s on %s against %q:\n%q, wanted\n%q", c.rule, c.keys, c.on, c.base, got, c.says)
		}
	}
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
