package dump

import "testing"

func TestProgramName(t *testing.T) {
	const attributes = "__XlaMustCompile_true_config_proto_13561319589895757934_executor_type_11160318154034397263_"
	const octal = "__XlaMustCompile_true_config_proto___n_007_n_003CPU_020_001_n_007_n_003GPU_020_0002_002J_0008_001__executor_type____"
	const cluster = "__XlaCompiledKernel_true__XlaHasReferenceVars_false__XlaNumConstantArgs_0__XlaNumResourceArgs_1_"
	for module, want := range map[string]string{
		"jit_train_step":                 "train_step",
		"jit_f.12":                       "f",
		"jit_f.cl_1003875606":            "f",
		"jit__lambda_":                   "_lambda",
		"jit__lambda":                    "_lambda",
		"jit__unnamed_wrapped_function_": "_unnamed_wrapped_function",
		"jit_lambda_weird_name__x.y-1":   "lambda_weird_name__x.y-1",
		"jit_":                           "jit_",
		"jit___":                         "__",
		"jit___call__":                   "__call__",
		"jit___call":                     "__call__",
		"pmap_f":                         "f",
		"pjit__wrapped_step_fn":          "_wrapped_step_fn",
		"xla_computation_f":              "f",
		"a_inference_train_step_1234" + attributes + ".9":          "train_step",
		"a_inference_cam_17" + octal + ".119":                      "cam",
		"a_inference_f_1_12" + attributes + ".3":                   "f_1",
		"a_inference_running_example_15__.29":                      "running_example",
		"a_inference___call___45" + attributes + ".1":              "__call__",
		"a_inference__lambda__94__.31":                             "_lambda",
		"a_inference___backward_f_12_34" + attributes + ".1":       "__backward_f",
		"a_inference___backward__lambda__15_35" + attributes + ".": "__backward__lambda",
		"a_forward__lambda__34" + attributes + ".23":               "__forward__lambda",
		"a_inference_restored_function_body_107" + attributes:      "restored_function_body",
		"cluster_0" + cluster + ".32":                              "cluster_0",
		"cluster_9285998026604042337_2" + cluster + ".3":           "cluster_9285998026604042337_2",
		"SyncTensorsGraph.3940":                                    "SyncTensorsGraph",
		"IrToHlo.7":                                                "IrToHlo",
		"main":                                                     "main",
		"":                                                         "",
	} {
		if got := ProgramName(module); got != want {
			t.Errorf("%s: %q, not %q", module, got, want)
		}
	}
}

func TestHelperNames(t *testing.T) {
	for _, name := range []string{
		"convert_element_type", "broadcast_in_dim", "_threefry_seed", "stage", "_where", "_squeeze", "concatenate", "scatter", "_normal",
		"dynamic_slice", "greater", "add", "matmul", "_reduce_sum", "fn", "_multi_slice", "iota", "copy", "reshape", "_mean", "_linspace",
		"_argmax", "softmax", "true_divide", "_threefry_split", "threefry_2x32",
		"scatter-add", "_identity_fn", "_device_put_reshard",
	} {
		if !IsHelperName(name) {
			t.Errorf("%s is a helper's name", name)
		}
	}
	for _, name := range []string{"train_step", "loss", "predict", "update", "forward", "_lambda", "main", "step", "model", "init", ""} {
		if IsHelperName(name) {
			t.Errorf("%s is no helper's name", name)
		}
	}
}

func FuzzProgramName(f *testing.F) {
	for _, name := range []string{"jit_f.12", "a_inference_f_1__XlaMustCompile_true_.3", "a_inference___", "a_forward_", "cluster_0__XlaCompiledKernel_", ".cl_", "jit__"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if ProgramName(name) == "" && name != "" {
			t.Errorf("%q has no program", name)
		}
	})
}
