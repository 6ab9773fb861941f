#!/usr/bin/env bash
# Makes all dumps of this folder again. Needs four Pythons: one with examples/jax-aot/requirements.txt, one (3.12 or later) with jax==0.12.0.1,
# one with examples/tensorflow/requirements.txt, one with torch==2.9.0 and torch_xla==2.9.0:
#   JAX=/path/to/python NEWER_JAX=/path/to/python TF=/path/to/python TORCH=/path/to/python ./make.sh
set -euo pipefail
shopt -s extglob nullglob
cd "$(dirname "$0")"
here=$PWD
jax=$(command -v "${JAX:?}")
newer_jax=$(command -v "${NEWER_JAX:?}")
tf=$(command -v "${TF:?}")
torch=$(command -v "${TORCH:?}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# No path of this machine ends in a dump: files of the model are named without folders, dumps are written to a relative path.
export JAX_PLATFORMS=cpu JAX_HLO_SOURCE_FILE_CANONICALIZATION_REGEX='.*/' TF_CPP_MIN_LOG_LEVEL=2 PYTHONDONTWRITEBYTECODE=1

# run NAME COMMAND... dumps into $work/NAME.
run() {
  local name=$1
  shift
  mkdir -p "$work/$name"
  (cd "$work/$name" && "$@" > log 2>&1) || { cat "$work/$name/log"; exit 1; }
  # Of what the partitioner said the time and the process are left out.
  sed -nE 's/^W[0-9]+ [0-9:.]+ +[0-9]+ (spmd_partitioner)/W1121 00:00:00.000000       1 \1/p' "$work/$name/log" > "$work/$name/compile.log"
  rm "$work/$name/log"
  # TensorFlow names its own files, JAX the CUDA compiler's folder, with full paths.
  find "$work/$name" -name '*.csv' -exec sed -i -E 's#[^;,]*/testdata/make/#/srv/app/#g; s#[^;,]*/site-packages/#/srv/venv/lib/python3.11/site-packages/#g' {} +
  find "$work/$name" -regex '.*\.\(txt\|debug_options\|flagfile\)' -exec sed -i -E 's#"/[^" ]*/site-packages/#"/srv/venv/lib/python3.11/site-packages/#g' {} +
}

# pack NAME PATTERN... makes NAME.tar.xz of the files in $work/NAME that the patterns name, always in the same bytes.
pack() {
  local name=$1
  shift
  mkdir -p "$(dirname "$name")"
  (cd "$work/$name" && printf '%s\n' "$@" | sort |
    tar --create --xz --format=gnu --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 --file "$here/$name.tar.xz" --files-from=-)
  echo "$(stat -c %s "$name.tar.xz") $name.tar.xz"
}

text=(--xla_dump_to=. --xla_dump_hlo_as_text)

# One program in two versions. The rest of what XLA dumps (LLVM IR, object files, buffer values, MLIR) is left out.
pair() {
  local name=$1 case=$2 version
  shift 2
  for version in before after; do
    local flags="${text[*]} --xla_force_host_platform_device_count=${devices:-4}"
    [ "$version" = before ] || flags+=" ${after_flags:-}"
    run "$name/$version" env XLA_FLAGS="$flags" "$jax" "$here/make/pairs.py" "$case" "$version" "$@"
    (cd "$work/$name/$version" && echo *@(before_optimizations|after_optimizations|after_codegen|-buffer-assignment|-live-range|-memory-usage-report|thunk_sequence|target_arguments).txt \
      *.@(debug_options|gpu_target_config.pbtxt|flagfile) *.ptx ${log:+"$log"}) > "$work/list"
    read -ra files < "$work/list"
    pack "$name/$version" "${files[@]}"
  done
}

# One dump of one run.
single() {
  local name=$1 python=$2 script=$3 case=$4 dump=${5:-dump}
  run "$name/$dump" env XLA_FLAGS="${text[*]}" TF_DUMP_GRAPH_PREFIX=graph "$python" "$here/make/$script" "$case"
  (cd "$work/$name/$dump" && echo *@(before_optimizations|after_optimizations|-buffer-assignment|-memory-usage-report).txt *.debug_options \
    graph/*mark_for_compilation* graph/before_increase_dynamism* graph/*.csv) > "$work/list"
  read -ra files < "$work/list"
  pack "$name/$dump" "${files[@]}"
}

for case in fusion_callback_barrier softmax_barrier donation_lost f64_creep sharding_allgather unrolled_loop renamed improved; do
  pair "cpu-$case" "$case"
done
# What shows only in the live ranges, or with a pass left out.
for case in topk_sorted constant_baked extra_transpose; do
  pair "cpu-$case" "$case"
done
# One program of those under a newer JAX, which names the axes of the mesh in every sharding.
run dumps/jax-0.12.0.1 env XLA_FLAGS="${text[*]} --xla_force_host_platform_device_count=4" "$newer_jax" "$here/make/pairs.py" sharding_allgather before
(cd "$work/dumps/jax-0.12.0.1" && echo *@(before_optimizations|after_optimizations|-buffer-assignment).txt) > "$work/list"
read -ra files < "$work/list"
pack dumps/jax-0.12.0.1 "${files[@]}"
run partitioner-gspmd env JAX_USE_SHARDY_PARTITIONER=0 XLA_FLAGS="${text[*]} --xla_force_host_platform_device_count=4" "$newer_jax" "$here/make/pairs.py" sharding_allgather before
(cd "$work/partitioner-gspmd" && echo *@(before_optimizations|after_optimizations|-buffer-assignment).txt) > "$work/list"
read -ra files < "$work/list"
pack partitioner-gspmd "${files[@]}"
pair cpu-param_layout param_layout
pair cpu-result_gathered result_gathered
TF_CPP_MIN_LOG_LEVEL=1 devices=8 log=compile.log pair cpu-involuntary_remat involuntary_remat
after_flags=--xla_disable_hlo_passes=fusion pair cpu-unfused unfused
# The same once more without a pass that has nothing to do there.
run cpu-unfused/flagged env XLA_FLAGS="${text[*]} --xla_force_host_platform_device_count=4 --xla_disable_hlo_passes=all-gather-combiner" "$jax" "$here/make/pairs.py" unfused before
(cd "$work/cpu-unfused/flagged" && echo *@(before_optimizations|after_optimizations|-buffer-assignment|-live-range|-memory-usage-report).txt *.debug_options) > "$work/list"
read -ra files < "$work/list"
pack cpu-unfused/flagged "${files[@]}"
for case in precision wide_weights remat; do
  pair "tpu-$case" "$case" tpu-v5e
done
# The same source in two processes, which is what samples: 2 compares: with a step order that Python shuffles, and with one that is sorted.
for version in after before; do
  for seed in 0 3; do
    name=cpu-set_order_$([ "$version" = after ] && echo shuffled || echo sorted)/compile$seed
    run "$name" env PYTHONHASHSEED=$seed XLA_FLAGS="${text[*]}" "$jax" "$here/make/pairs.py" set_order "$version"
    (cd "$work/$name" && echo *@(before_optimizations|after_optimizations|-buffer-assignment).txt *.debug_options) > "$work/list"
    read -ra files < "$work/list"
    pack "$name" "${files[@]}"
  done
done
# The same with a result that is named after the set: the keys of JAX's cache are of the module that it lowers.
for version in after before; do
  for seed in 0 3; do
    name=cpu-result_name_$([ "$version" = after ] && echo shuffled || echo sorted)/compile$seed
    run "$name" env PYTHONHASHSEED=$seed XLA_FLAGS="${text[*]}" "$jax" "$here/make/pairs.py" result_name "$version"
    (cd "$work/$name" && echo *@(before_optimizations|after_optimizations|-buffer-assignment).txt *.debug_options */module.mlir) > "$work/list"
    read -ra files < "$work/list"
    pack "$name" "${files[@]}"
  done
done
for case in softmax_barrier intermediate_out; do
  pair "gpu-$case" "$case" gpu-h100
  pair "tpu-$case" "$case" tpu-v5e
done
pair gpu-kernel_body kernel_body gpu-h100
pair tpu-kernel_body kernel_body tpu-v5e
pair cases/gpu-kernel_moved kernel_moved gpu-h100
pair cases/tpu-kernel_moved kernel_moved tpu-v5e
for case in kernel_lost kernels_merged kernel_widened; do
  pair "cases/gpu-$case" "$case" gpu-h100
  pair "cases/tpu-$case" "$case" tpu-v5e
done
pair cases/tpu-host_print host_print tpu-v5e
pair cases/cpu-psum_in_loop psum_in_loop
pair cpu-sums_narrow sums_narrow
pair tpu-offload_lost offload_lost tpu-v5e
pair tpu-gather_offloaded gather_offloaded tpu-v6e
pair cases/tpu-loop_gone loop_gone tpu-v5e
pair cases/gpu-int8_lost int8_lost gpu-h100
pair cases/tpu-int8_lost int8_lost tpu-v5e
pair cases/cpu-bound_given bound_given
pair cases/cpu-bf16_lost bf16_lost
pair cases/cpu-fp8_lost fp8_lost
pair cases/cpu-fp8_moved fp8_moved
pair cases/cpu-sum_in_f32 sum_in_f32
pair cases/cpu-hoisted hoisted
pair cases/tpu-gathered gathered tpu-v5e
pair cases/cpu-constraint_changed constraint_changed
pair cases/gpu-product_in_loop product_in_loop gpu-h100
pair cases/gpu-channels_joined channels_joined gpu-h100
pair cases/cpu-last_logits last_logits
pair cases/cpu-carry_masked carry_masked
pair cases/tpu-states_dropped states_dropped tpu-v5e
for case in branch_lost exit_lost exit_made arguments_moved rate_returned results_gathered table_closed_over; do
  pair "cases/cpu-$case" "$case"
done
for case in branch_lost branch_made argument_again hoisted_product; do
  pair "cases/tpu-$case" "$case" tpu-v5e
done
pair cases/gpu-exit_lost exit_lost gpu-h100
pair cases/cpu-end_unseen end_unseen
pair cases/cpu-place_baked place_baked
pair cases/cpu-distances_by_differences distances_by_differences
pair cases/cpu-norm_beside_buffer norm_beside_buffer
pair cases/cpu-donation_beside_barrier donation_beside_barrier
pair cases/gpu-cache_masked cache_masked gpu-h100
pair cases/cpu-kept_for_backward kept_for_backward
pair cases/gpu-exit_tested exit_tested gpu-h100
for case in helper_sorted field_beside_renamed cost_in_loop gelu_approximated axis_renamed axes_renamed message_widened stream_widened step_wrapped recomputed_precisely last_batch loop_beside_donation mean_widened window_beside_product rows_repeated; do
  pair "cases/cpu-$case" "$case"
done
pair cases/gpu-two_steps_at_once two_steps_at_once gpu-h100
single cases/cpu-jit_lost "$jax" recompile.py scored before
single cases/cpu-jit_lost "$jax" recompile.py scored_eagerly after
single recompile-eager_ufuncs "$newer_jax" recompile.py eager_ufuncs
for case in shapes shapes_fixed eager_helpers closure_scalar closure_scalar_fixed static_args static_args_fixed jit_in_loop jit_in_loop_fixed dtypes; do
  single "recompile-$case" "$jax" recompile.py "$case"
done
for version in before after; do
  name=torch-cpu_fallback/$version
  run "$name" env PJRT_DEVICE=CPU XLA_METRICS_FILE=metrics.txt XLA_FLAGS="${text[*]}" "$torch" -P "$here/make/torch_step.py" "$version"
  (cd "$work/$name" && echo metrics.txt *@(before_optimizations|after_optimizations|-buffer-assignment|-memory-usage-report).txt *.debug_options) > "$work/list"
  read -ra files < "$work/list"
  pack "$name" "${files[@]}"
done
# What capture sets for PyTorch/XLA: stack frames stand in the protos only. There a path has to keep its length.
neutral() { printf '/srv/%0*d' $((${#1} - 5)) 0; }
venv=$(dirname "$(dirname "$torch")")
torched() { # folder, script, its argument
  mkdir -p "$work/$1"
  cp "make/$2.py" "$work/$1"
  run "$1" env PJRT_DEVICE=CPU XLA_IR_DEBUG=1 XLA_HLO_DEBUG=1 XLA_METRICS_FILE=metrics.txt PT_XLA_DEBUG_LEVEL=1 PT_XLA_DEBUG_MAX_FRAME=64 PT_XLA_DEBUG_FILE=reasons.txt \
    XLA_FLAGS="${text[*]} --xla_dump_hlo_as_proto" "$torch" -P "$2.py" "$3"
  for path in "$venv" "$work/$1"; do
    sed -i "s#$path/#$(neutral "$path")/#g" "$work/$1"/{*.hlo.pb,reasons.txt}
  done
  (cd "$work/$1" && echo metrics.txt reasons.txt *@(before_optimizations|after_optimizations).hlo.pb *.debug_options) > "$work/list"
  read -ra files < "$work/list"
  pack "$1" "${files[@]}"
}
for name in torch-rows/{steady,ragged,watched,named,cropped} torch-{total,scalar}/{before,after} torch-losses/{steady,ragged,wide,read}; do
  script=$(dirname "${name//-/_}")
  torched "$name" "$script" "$(basename "$name")"
done
torched cases/torch-graph_ended/before torch_cut whole
torched torch-gradient_on_cpu/before torch_cut whole
torched cases/torch-graph_ended/after torch_cut cut
torched torch-gradient_on_cpu/after torch_cut fallback
for case in step_cut:cut value_read:read; do
  torched "cases/torch-${case%:*}/before" torch_compiled whole
  torched "cases/torch-${case%:*}/after" torch_compiled "${case#*:}"
done
unset TF_XLA_FLAGS
single cases/tf-layer_added "$tf" layers.py 2 before
single cases/tf-layer_added "$tf" layers.py 3 after
for case in axis_python axis_tensor axis_fixed tail; do
  single "tf-recompile-$case" "$tf" functions.py "$case"
done
single cases/tf-validated "$tf" functions.py keras_fit before
single cases/tf-validated "$tf" functions.py keras_validated after
export TF_XLA_FLAGS="--tf_xla_auto_jit=2 --tf_xla_clustering_debug --tf_xla_cpu_global_jit"
for case in clean unclusterable train; do
  single "tf-clusters-$case" "$tf" functions.py "$case"
done
single cases/tf-print_gone "$tf" functions.py print_between before
single cases/tf-print_gone "$tf" functions.py print_gone after
single cases/tf-norm_gone "$tf" functions.py norm_printed before
single cases/tf-norm_gone "$tf" functions.py norm_gone after
single cases/tf-gelu_gone "$tf" functions.py gelu_printed before
single cases/tf-gelu_gone "$tf" functions.py gelu_gone after
# With the Python stack of every operation beside the graphs.
TF_DUMP_GRAPH_NAME_FILTER=forward TF_DUMP_GRAPH_GROUPS=op_stacktrace single tf-condition "$tf" functions.py condition_between after
TF_DUMP_GRAPH_NAME_FILTER=forward TF_DUMP_GRAPH_GROUPS=op_stacktrace single tf-condition "$tf" functions.py condition_gone before
single cases/tf-traced_again "$tf" functions.py traced_once before
single cases/tf-traced_again "$tf" functions.py traced_again after
# With what tells the names of arguments, and a function that cannot be traced.
name="tf-named/dump"
mkdir -p "$work/$name"
cp make/named.py "$work/$name/train.py"
(cd "$work/$name" && TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_VMODULE=xla_compiler=2 TF_DUMP_GRAPH_PREFIX=graph XLA_FLAGS="${text[*]}" "$tf" train.py 2>&1 | sed -E "s#$work/$name#/srv/app#g; s#$(dirname "$(dirname "$tf")")#/usr#g; s#/__autograph_generated_file[a-z0-9_]*#/__autograph_generated_file#" > stderr.log
  echo stderr.log graph/xla_compile_function* *@(before_optimizations|after_optimizations).txt) > "$work/list"
read -ra files < "$work/list"
pack "$name" "${files[@]}"
# Without the last flag autoclustering does nothing on a CPU, and says nothing.
export TF_XLA_FLAGS="--tf_xla_auto_jit=2 --tf_xla_clustering_debug"
single tf-clusters-nocpujit "$tf" functions.py clean

# Collectives that TensorFlow runs itself, between compiled functions.
TF_XLA_FLAGS=--tf_xla_clustering_debug TF_DUMP_GRAPH_NAME_FILTER=train_step TF_DUMP_GRAPH_GROUPS=op_stacktrace single tf-reduced "$tf" reduced.py together before
TF_XLA_FLAGS=--tf_xla_clustering_debug TF_DUMP_GRAPH_NAME_FILTER=train_step TF_DUMP_GRAPH_GROUPS=op_stacktrace single tf-reduced "$tf" reduced.py apart after
TF_XLA_FLAGS=--tf_xla_clustering_debug single tf-unique "$tf" unique.py with before
TF_XLA_FLAGS=--tf_xla_clustering_debug single tf-unique "$tf" unique.py without after
TF_XLA_FLAGS=--tf_xla_clustering_debug single cases/tf-layer_moved "$tf" moved.py CPU:0 before
TF_XLA_FLAGS=--tf_xla_clustering_debug single cases/tf-layer_moved "$tf" moved.py CPU:1 after

# The same program as text, as proto and as compressed proto.
for form in "" --xla_dump_compress_protos; do
  name=cpu-fusion_callback_barrier/proto${form:+_compressed}
  run "$name" env XLA_FLAGS="--xla_dump_to=. --xla_dump_hlo_as_proto $form" "$jax" "$here/make/pairs.py" fusion_callback_barrier before
  (cd "$work/$name" && echo *optimizations.hlo.pb*) > "$work/list"
  read -ra files < "$work/list"
  pack "$name" "${files[@]}"
done

# A sharded program as proto: how it is spread is said there in another way.
name=cpu-result_gathered/proto
run "$name" env XLA_FLAGS="--xla_dump_to=. --xla_dump_hlo_as_proto --xla_force_host_platform_device_count=4" "$jax" "$here/make/pairs.py" result_gathered before
(cd "$work/$name" && echo *optimizations.hlo.pb) > "$work/list"
read -ra files < "$work/list"
pack "$name" "${files[@]}"

# What a full disk, a killed job or a wrong path leave behind, made of real files.
good=$work/cpu-fusion_callback_barrier
rm -rf damaged
mkdir -p damaged/{cut_off_text,cut_off_proto,empty_file,garbage,without_optimized}
name=module_0000.jit_act.cpu_after_optimizations
head -c 2000 "$good/before/$name.txt" > "damaged/cut_off_text/$name.txt"
head -c 1500 "$good/proto/$name.hlo.pb" > "damaged/cut_off_proto/$name.hlo.pb"
: > "damaged/empty_file/$name.txt"
# Bytes that are no module, the same ones every time.
"$jax" -c 'import random, sys; sys.stdout.buffer.write(random.Random(0).randbytes(2048))' > "damaged/garbage/$name.hlo.pb"
cp "$good/before/module_0000.jit_act.before_optimizations.txt" damaged/without_optimized/
head -c 1000 cpu-fusion_callback_barrier/before.tar.xz > damaged/cut_off.tar.xz
