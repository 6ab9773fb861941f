package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/rule"
)

// callFields are the keys that say which custom calls are meant.
var callFields = []rule.Option{
	{Key: "call", Type: rule.Glob, Sense: rule.Selects, Require: true, Doc: "a glob over the call's target: \"__cudnn$fmha*\", \"tpu_custom_call\", \"TopK\"; or over the kind of a custom fusion: \"__triton_gemm\""},
	{Key: "backend_config", Type: rule.Pairs, Sense: rule.Narrows, Doc: "only those whose backend_config says so, as globs by key: { epilogue: \"*GELU*\", precision_config.algorithm: ALG_UNSET }; a key may stand at any depth"},
	{Key: "function", Type: rule.Glob, Sense: rule.Selects, Doc: "only kernels of Pallas, Mosaic or Triton whose function is called so"},
	{Key: "op_name", Type: rule.Glob, Sense: rule.Selects, Doc: "only those of this part of the model"},
	{Key: "source", Type: rule.Glob, Sense: rule.Selects, Doc: "only those of these source files"},
}

// callQuery says which custom calls are meant.
type callQuery struct {
	call, function, opName, source string
	config                         configs
}

func callOf(e rule.Entry) callQuery {
	return callQuery{e.Text("call"), e.Text("function"), e.Text("op_name"), e.Text("source"), e.Pairs("backend_config")}
}

func (q callQuery) matches(k *facts.Kernel) bool {
	called := calls(k)
	return called != "" && match.Glob(q.call, called) && (q.opName == "" || match.Glob(q.opName, k.OpName)) &&
		(q.source == "" || fitsPath(q.source, k.Source.File)) && (q.function == "" || k.Function != "" && match.Glob(q.function, k.Function)) && q.config.fit(k.Config)
}

// String is how findings call what is meant.
func (q callQuery) String() string {
	text := q.call
	if q.function != "" {
		text += " of " + q.function
	}
	if len(q.config) > 0 {
		text += " with " + q.config.String()
	}
	return text
}

// calls is what a kernel calls: a custom call's target, or the kind of a fusion that is handed to a library or to Triton.
func calls(k *facts.Kernel) string {
	switch {
	case k.Class == facts.ClassCollective || k.Class == facts.ClassCopy:
		return ""
	case k.Target != "":
		return k.Target
	case k.Fusion && strings.HasPrefix(k.Attrs, "__"):
		return k.Attrs
	}
	return ""
}
