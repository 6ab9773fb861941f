package dump

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/phrase"
)

// TestFileNames takes real names apart: XLA marks nowhere where a module's name ends.
func TestFileNames(t *testing.T) {
	const tf = "a_inference_cam_17__XlaMustCompile_true_config_proto_2179769809206856104_executor_type_11160318154034397263_.124"
	const octal = "a_inference_cam_17__XlaMustCompile_true_config_proto___n_007_n_003CPU_020_001_n_007_n_003GPU_020_0002_002J_0008_001__executor_type____.119"
	for _, c := range []struct{ file, stamp, scope, number, name, stage, tag string }{
		{"module_0010.jit_train_step.before_optimizations.txt", "", "", "0010", "jit_train_step", "before_optimizations", ""},
		{"module_0010.jit_train_step.cpu_after_optimizations.hlo.pb.gz", "", "", "0010", "jit_train_step", "cpu_after_optimizations", "cpu"},
		{"module_12345.jit_f.sm_9.0a_gpu_after_optimizations.txt", "", "", "12345", "jit_f", "sm_9.0a_gpu_after_optimizations", "sm_9.0a_gpu"},
		{"module_0001.jit_f.sm_12.0_gpu_after_optimizations.txt", "", "", "0001", "jit_f", "sm_12.0_gpu_after_optimizations", "sm_12.0_gpu"},
		{"module_0001.jit_f.sm_10.3f_gpu_after_optimizations.txt", "", "", "0001", "jit_f", "sm_10.3f_gpu_after_optimizations", "sm_10.3f_gpu"},
		{"module_0001.jit_f.gfx942_gpu_after_optimizations.txt", "", "", "0001", "jit_f", "gfx942_gpu_after_optimizations", "gfx942_gpu"},
		{"module_0001.jit_f.gpu_after_optimizations.html", "", "", "0001", "jit_f", "gpu_after_optimizations", "gpu"},
		{"module_0001.jit_f.cpu_after_optimizations.top_level.html", "", "", "0001", "jit_f", "cpu_after_optimizations", "cpu"},
		{"module_0000.jit_f.cl_1003875606.after_optimizations.txt", "", "", "0000", "jit_f.cl_1003875606", "after_optimizations", ""},
		{"module_0000.jit_f.cl_1003875606.after_optimizations_before_buffer_assignment.txt", "", "", "0000", "jit_f.cl_1003875606", "after_optimizations_before_buffer_assignment", ""},
		{"1795247831679955.module_0000.after_optimizations.txt", "1795247831679955", "", "0000", "", "after_optimizations", ""},
		{"1795247831679955.module_0000." + tf + ".before_optimizations.txt", "1795247831679955", "", "0000", tf, "before_optimizations", ""},
		{"module_0000." + octal + ".cpu_after_optimizations.txt", "", "", "0000", octal, "cpu_after_optimizations", "cpu"},
		{"module_0012.before_optimizations.txt", "", "", "0012", "", "before_optimizations", ""},
		{"module_0000.sm_8.0_gpu_after_optimizations.txt", "", "", "0000", "", "sm_8.0_gpu_after_optimizations", "sm_8.0_gpu"},
		{"module_0003.SyncTensorsGraph.3940.cpu_after_optimizations.txt", "", "", "0003", "SyncTensorsGraph.3940", "cpu_after_optimizations", "cpu"},
		{"module_0003.jit_größe.x.y-1.cpu_after_optimizations.txt", "", "", "0003", "jit_größe.x.y-1", "cpu_after_optimizations", "cpu"},
		{"module_0003.jit__lambda_.after_optimizations.txt", "", "", "0003", "jit__lambda_", "after_optimizations", ""},
	} {
		n, ok := parseFileName(c.file)
		if !ok || n.stamp != c.stamp || n.scope != c.scope || n.number != c.number {
			t.Errorf("%s: %+v", c.file, n)
			continue
		}
		stem, _, ok := cutFormat(n.rest)
		if !ok {
			t.Errorf("%s: no format", c.file)
		}
		name, stage, ok := cutStage(stem)
		if !ok || name != c.name || stage.Label != c.stage || stage.Tag != c.tag {
			t.Errorf("%s: name %q, stage %q, tag %q, %v", c.file, name, stage.Label, stage.Tag, ok)
		}
	}
}

func TestPassNames(t *testing.T) {
	for _, c := range []struct {
		stem, name string
		pass       Pass
	}{
		{"jit_f.0032.simplification.after_algsimp.before_dce", "jit_f", Pass{32, "simplification", "algsimp", "dce"}},
		{"jit_f.0000.simplification.after_pipeline-start.before_dce", "jit_f", Pass{0, "simplification", "pipeline-start", "dce"}},
		{"jit_f.0032.copy-insertion.after_adding_copies_to_resolve_interference", "jit_f", Pass{32, "copy-insertion", "adding_copies_to_resolve_interference", ""}},
		{"jit_f.0048.tpu-tiling-rewriter.before_tiling_rewriter", "jit_f", Pass{48, "tpu-tiling-rewriter", "", "tiling_rewriter"}},
		{"0001.HLO_passes_after_layout_assignment.after_x.before_y", "", Pass{1, "HLO_passes_after_layout_assignment", "x", "y"}},
		{"0017.IPU.after_allocation-finder.before_forward-allocation", "", Pass{17, "IPU", "allocation-finder", "forward-allocation"}},
		{"a_inference_f_1__XlaMustCompile_true_.119.0002.p.after_a.before_b", "a_inference_f_1__XlaMustCompile_true_.119", Pass{2, "p", "a", "b"}},
	} {
		name, stage, ok := cutPass(c.stem)
		if !ok || name != c.name || stage.Pass != c.pass {
			t.Errorf("%s: %q %+v %v", c.stem, name, stage.Pass, ok)
		}
	}
	for _, stem := range []string{"jit_f", "jit_f.ir-with-opt", "jit_f.x.y.after_z", "after_x", ".after_"} {
		if name, stage, ok := cutPass(stem); ok {
			t.Errorf("%s is no pass dump: %q %+v", stem, name, stage)
		}
	}
}

// TestRoles tells what real files are to their module, by what stands behind the module's name.
func TestRoles(t *testing.T) {
	for suffix, want := range map[string]Kind{
		"cpu_after_optimizations-buffer-assignment.txt":         KindBufferAssignment,
		"sm_9.0a_gpu_after_optimizations-buffer-assignment.txt": KindBufferAssignment,
		"after_optimizations-buffer-assignment-values.txt":      KindBufferValues,
		"after_optimizations-live-range.txt":                    KindLiveRange,
		"cpu_after_optimizations-memory-usage-report.txt":       KindMemoryReport,
		"cpu_after_optimizations-memory-usage-report.pb.gz":     KindMemoryReportProto,
		"debug_options":                               KindDebugOptions,
		"config.pbtxt":                                KindConfig,
		"hlo_module_config.txt":                       KindConfig,
		"hlo_module_config.pb":                        KindConfig.asProto(),
		"thunk_sequence.txt":                          KindThunks,
		"thunk_sequence_after_thunk_passes.txt":       KindThunksAfterPasses,
		"thunk_schedule":                              KindThunkSchedule,
		"thunk_metadata.txt":                          KindThunkMetadata,
		"gpu_target_config.pbtxt":                     KindTargetConfig,
		"autotune_results.pbtxt":                      KindAutotuneResults,
		"priority_fusion_dump.txt":                    KindPriorityFusion,
		"ptx":                                         KindPTX,
		"12.ptx":                                      KindPTX,
		"ir-no-opt.ll":                                KindLLVMUnoptimized,
		"ir-with-opt-noconst.ll":                      KindLLVMOptimized,
		"part_00.ir-with-opt.ll":                      KindLLVMOptimized,
		"ir-no-opt.part_03.ll":                        KindLLVMUnoptimized,
		"wrapped_tanh_kernel_module.ir-with-opt.ll":   KindLLVMOptimized,
		"obj-file.3.o":                                KindObject,
		"gemm_fusion_dot.2.ttir.txt":                  KindMLIR,
		"gemm_fusion_dot.before_validation.ttir":      KindMLIR,
		"add_fusion_kernel_module-post-lowering.mlir": KindMLIR,
		"gemm_fusion_dot.1_computation.hlo":           KindFusionHLO,
		"loop_add_fusion.mlir-passes.log":             KindPassLog,
		"_fusion.html":                                KindFusionDrawing,
		"flagfile":                                    KindFlagFile,
		"target_arguments.txt":                        KindTPU,
		"sparse_core_specific_metadata.txt":           KindTPU,
		"topology.pb":                                 KindTopology,
		"tpu_comp_env.pb":                             KindTPU.asProto(),
		"metadata.textproto":                          KindModuleMetadata,
		"snapshot.-1234.pb":                           KindSnapshot,
		"snapshot.0.pb":                               KindSnapshot,
		"execution_0000.hlo_unoptimized_snapshot.pb":  KindSnapshot,
		"compile_options.pb":                          KindCompileOptions.asProto(),
		"topology.textproto":                          KindTopology,
	} {
		if r, ok := roleOf(suffix); !ok || r.stage != nil || r.kind != want {
			t.Errorf("%s: %+v %v, not %s", suffix, r, ok, want)
		}
	}
	for _, suffix := range []string{"", "something_new.txt", "unknown.bin"} {
		if r, ok := roleOf(suffix); ok {
			t.Errorf("%q is nothing known: %+v", suffix, r)
		}
	}
}

func TestNotModuleNames(t *testing.T) {
	for _, name := range []string{"module_1.x.txt", "module_abc.txt", "xmodule_0001.txt", "module_0001x.txt", "mark_for_compilation.pbtxt", ""} {
		if n, ok := parseFileName(name); ok {
			t.Errorf("%q belongs to no module: %+v", name, n)
		}
	}
	n, ok := parseFileName("main.1.module_0004.jit_f._fusion.html")
	if !ok || n.scope != "main.1" || n.number != "0004" || n.rest != "jit_f._fusion.html" {
		t.Errorf("%+v %v", n, ok)
	}
}

// FuzzFileName gives a module any name and looks whether the files of all its stages still tell it.
func FuzzFileName(f *testing.F) {
	f.Add("jit_train_step", "1795247831679955", uint16(10))
	f.Add("a_inference_f_1__XlaMustCompile_true_.119", "", uint16(9999))
	f.Add("jit_f.cl_12", "", uint16(0))
	f.Add("x.0001.y", "", uint16(3))
	f.Fuzz(func(t *testing.T, name, stamp string, number uint16) {
		parseFileName(name) // whatever it is: no panic
		roleOf(name)
		if strings.ContainsAny(name, "/\x00") || strings.HasSuffix(name, "_") && strings.Contains(name, ".sm_") {
			return
		}
		if len(stamp) < 10 || len(stamp) > 20 || !phrase.AllDigits(stamp) {
			stamp = ""
		} else {
			stamp += "."
		}
		for _, stage := range []string{"before_optimizations", "cpu_after_optimizations", "sm_9.0a_gpu_after_optimizations", "after_codegen"} {
			n, ok := parseFileName(stamp + fmt.Sprintf("module_%04d.", number) + name + "." + stage + ".txt")
			if !ok {
				t.Fatalf("no module file")
			}
			if got, ok := nameIn(n.rest); !ok || got != name {
				t.Errorf("%s: %q", stage, got)
			}
		}
	})
}
