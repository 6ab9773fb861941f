package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// A baseline that was accepted before it recorded what a backend_config says is not taken for one in which it says nothing.
func TestBaselineWithoutBackendConfig(t *testing.T) {
	calling := func(config ...string) *facts.Variant {
		return &facts.Variant{Compiled: facts.Compiled{Kernels: []facts.Kernel{{Form: &facts.Form{Target: "__cublas$lt$matmul", Config: config}, Site: &facts.Site{}}}}}
	}
	q := callQuery{call: "__cublas*", config: configs{"epilogue": "*"}}
	said, mute, none := calling("gemm_backend_config.epilogue=GELU"), calling(), &facts.Variant{}
	for _, c := range []struct {
		old, fresh *facts.Variant
		want       bool
	}{{mute, said, true}, {said, said, false}, {said, mute, false}, {mute, mute, false}, {none, said, false}, {mute, none, false}} {
		if got := !q.recorded(&changes.Variant{Old: c.old, New: c.fresh}); got != c.want {
			t.Errorf("%v against %v: %v", c.fresh.Kernels, c.old.Kernels, got)
		}
	}
	if q.config = nil; !q.recorded(&changes.Variant{Old: mute, New: said}) {
		t.Error("without a key nothing is missing")
	}
}
