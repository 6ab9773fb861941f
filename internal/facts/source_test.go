package facts

import "testing"

func TestOriginOf(t *testing.T) {
	for file, want := range map[string]origin{
		"":                                      originNone,
		"dummy_file_name":                       originNone,
		"<frozen importlib._bootstrap>":         originNone,
		"/srv/mdl/h2/scripts/models.py":         originModel,
		"train.py":                              originModel,
		"/tmp/ipykernel_71/3182.py":             originModel,
		"/home/me/flax/examples/mnist/train.py": originModel,
		"/home/me/jax/experimental/train.py":    originModel,
		"/home/me/tensorflow/python/train.py":   originModel,
		"/home/me/lib/python3_models/train.py":  originModel,
		"/home/me/myjax/_src/train.py":          originModel,
		"/env/lib/python3.11/site-packages/jax/_src/numpy/lax_numpy.py":              originFramework,
		"/env/lib/python3.11/site-packages/flax/linen/linear.py":                     originFramework,
		"/env/lib/python3.11/site-packages/tensorflow/python/framework/ops.py":       originFramework,
		"/env/lib/python3.11/site-packages/torch/optim/adam.py":                      originFramework,
		"/usr/lib/python3/dist-packages/mymodel/layers.py":                           originPackage,
		"/usr/lib/python3.11/threading.py":                                           originFramework,
		"/root/.cache/bazel/x/runfiles/org/tensorflow/python/eager/def_function.py":  originFramework,
		"third_party/py/jax/_src/pjit.py":                                            originFramework,
		"/build/jax/jax/_src/interpreters/partial_eval.py":                           originFramework,
		"/env/lib/python3.11/site-packages/company_model/blocks/attention_fusion.py": originPackage,
	} {
		if got := originOf(file); got != want {
			t.Errorf("originOf(%q) = %d, want %d", file, got, want)
		}
	}
}
