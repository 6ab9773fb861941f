package rules

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/glob"
)

// callFields are the keys that say which custom calls are meant.
var callFields = []Option{
	{Key: "call", Type: Glob, Sense: Selects, Require: true, Doc: "a glob over the call's target: \"__cudnn$fmha*\", \"tpu_custom_call\", \"TopK\"; or over the kind of a custom fusion: \"__triton_gemm\""},
	{Key: "op_name", Type: Glob, Sense: Selects, Doc: "only those of this part of the model"},
	{Key: "source", Type: Glob, Sense: Selects, Doc: "only those of these source files"},
}

// callQuery says which custom calls are meant.
type callQuery struct{ call, opName, source string }

func callOf(e Entry) callQuery {
	return callQuery{e.Text("call"), e.Text("op_name"), e.Text("source")}
}

func (q callQuery) matches(k *facts.Kernel) bool {
	called := calls(k)
	return called != "" && glob.Match(q.call, called) && (q.opName == "" || glob.Match(q.opName, k.OpName)) &&
		(q.source == "" || fitsPath(q.source, k.Source.File))
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
