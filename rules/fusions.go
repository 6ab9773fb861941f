package rules

import (
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// fusionFields are the keys that say which fusions are meant.
var fusionFields = []rule.Option{
	{Key: "name", Type: rule.Text, Require: true, Doc: "what findings call it"},
	{Key: "contains", Type: rule.Words, Enum: rule.OpcodeWords, Doc: "operations that must be in it, as often as they are named"},
	{Key: "pattern", Type: rule.Pattern, Doc: "an expression in it, as HLO writes it: reduce(exponential(subtract(_, broadcast(_))))"},
	{Key: "root", Type: rule.Word, Enum: rule.OpcodeWords, Doc: "the operation at its root"},
	{Key: "kind", Type: rule.Words, Enum: rule.KernelKinds, Doc: "loop, input, output or custom; a library kernel has the kind library"},
	{Key: "out", Type: rule.ShapeOf, Doc: "the shape of its result, * for any size: f32|bf16[*,512]"},
	{Key: "op_name", Type: rule.Glob, Doc: "op_name of the fusion or of an operation in it"},
	{Key: "source", Type: rule.Glob, Doc: "source file of the fusion or of an operation in it"},
}

// fusionKeys are those of them that describe a fusion.
var fusionKeys = []string{"contains", "pattern", "root", "kind", "out", "op_name", "source"}

// fusionQuery says which fusions are meant.
type fusionQuery struct {
	name, root, opName, source string
	contains, kinds            []string
	outputs, operands          float64     // at least so many
	flow                       *rule.Flow  // nil: whatever flows
	out                        *rule.Shape // nil: of any shape
}

func fusionOf(e rule.Entry) *fusionQuery {
	q := &fusionQuery{
		name: e.Text("name"), root: e.Text("root"), opName: e.Text("op_name"), source: e.Text("source"),
		contains: e.List("contains"), kinds: e.List("kind"),
	}
	if text := e.Text("pattern"); text != "" {
		q.flow, _ = rule.ParseFlow(text) // checked when the configuration was read
	}
	if text := e.Text("out"); text != "" {
		q.out, _ = rule.ParseShape(text)
	}
	q.outputs, _ = e.Number("outputs")
	q.operands, _ = e.Number("operands")
	return q
}

// String is how findings call what is meant.
func (q *fusionQuery) String() string { return q.name }

// recorded reports whether the baseline can tell: it does not hold what flows in a kernel.
func (q *fusionQuery) recorded(*changes.Variant) bool { return q.flow == nil }

func (q *fusionQuery) in(v *facts.Variant) []*facts.Kernel {
	return slices.Collect(v.KernelsThat(q.matches))
}

func (q *fusionQuery) matches(k *facts.Kernel) bool {
	switch {
	case k.Do.Len() < 2 && len(q.contains) > 1, !k.Fusion && len(q.kinds) == 0:
		return false
	case len(q.kinds) > 0 && !slices.Contains(q.kinds, k.Kind), q.root != "" && k.Root != q.root, q.out != nil && !q.out.Fits(k.Out):
		return false
	case float64(len(k.In)) < q.operands, q.outputs > 1 && float64(len(hlo.ShapeText(k.Out).Elements())) < q.outputs:
		return false
	}
	return containsAll(k.Do, q.contains) && q.inScope(k) && (q.flow == nil || q.flow.In(k))
}

func (q *fusionQuery) inScope(k *facts.Kernel) bool {
	is := func(opName, file string) bool {
		return (q.opName == "" || phrase.Glob(q.opName, opName)) && (q.source == "" || rule.FitsPath(q.source, file))
	}
	return is(k.OpName, k.Source.File) || slices.ContainsFunc(k.Ops, func(op facts.FusedOp) bool { return is(op.OpName, op.Source.File) })
}

// operations are those that the fusion is known by.
func (q *fusionQuery) operations() []string {
	if len(q.contains) > 0 || q.flow == nil {
		return q.contains
	}
	return q.flow.Opcodes()
}

// touches reports whether a kernel does some of its operations in the wanted part of the model.
func (q *fusionQuery) touches(k *facts.Kernel) bool {
	if !q.inScope(k) {
		return false
	}
	if len(q.operations()) == 0 {
		return q.root == "" || k.Root == q.root
	}
	return slices.ContainsFunc(q.operations(), func(op string) bool { return k.Do.Times(op) > 0 })
}
