package facts

import (
	"os"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo"
)

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

// A framework is the model of its own repository, but neither its installed copy nor Python is.
func TestOriginInARepositoryOfAFramework(t *testing.T) {
	s := newSources(&hlo.Module{}, newInterner())
	s.root = "/work/keras/"
	elsewhere := newSources(&hlo.Module{}, newInterner())
	elsewhere.root = t.TempDir() + "/"
	for _, dir := range []string{"keras/src", "deps/keras-3.1.dist-info", "modules/keras/.git", "vendor"} {
		if err := os.MkdirAll(elsewhere.root+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(elsewhere.root+"keras/src/ops.py", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]origin{
		"/ci/keras/keras/src/ops.py": originModel, "/ci/keras/keras/src/other.py": originFramework, // of a dump that was made in another folder
		elsewhere.root + "vendor/keras/src/ops.py": originModel, elsewhere.root + "deps/keras/src/ops.py": originFramework,
		elsewhere.root + "modules/keras/keras/src/ops.py": originFramework,
	} {
		if got := elsewhere.origin(file); got != want {
			t.Errorf("the origin of %q is %d, want %d", file, got, want)
		}
	}
	for file, want := range map[string]origin{
		"/work/keras/keras/src/layers/core/dense.py":                             originModel,
		"/work/keras/venv/lib/python3.11/site-packages/keras/src/layers/base.py": originFramework,
		"/work/keras/venv/lib/python3.11/contextlib.py":                          originFramework,
		"/build/keras/src/layers/core/dense.py":                                  originFramework,
	} {
		if got := s.origin(file); got != want {
			t.Errorf("the origin of %q is %d, want %d", file, got, want)
		}
	}
}
