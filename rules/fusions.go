package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// fusionFields are the keys that say which fusions are meant.
var fusionFields = []rule.Option{
	{Key: "name", Type: rule.Text, Sense: rule.Neither, Require: true, Doc: "what findings call it"},
	{Key: "contains", Type: rule.Words, Sense: rule.Narrows, Enum: rule.OpcodeWords, Doc: "operations that must be in it; one that is named twice must be in it twice"},
	{Key: "pattern", Type: rule.Pattern, Sense: rule.Narrows, Doc: "an expression in it, as HLO writes it: reduce(exponential(subtract(_, broadcast(_))))"},
	{Key: "root", Type: rule.Word, Sense: rule.Selects, Enum: rule.OpcodeWords, Doc: "the operation at its root"},
	{Key: "kind", Type: rule.Words, Sense: rule.Selects, Enum: rule.KernelKinds, Doc: "loop, input, output or custom; a library kernel has the kind library"},
	{Key: "out", Type: rule.ShapeOf, Sense: rule.Selects, Doc: "the shape of its result, * for any size: f32|bf16[*,512]"},
	{Key: "op_name", Type: rule.Glob, Sense: rule.Selects, Doc: "a glob over op_names, of the fusion or of an operation in it"},
	{Key: "source", Type: rule.Glob, Sense: rule.Selects, Doc: "a glob over the source files, of the fusion or of an operation in it"},
}

// fusionKeys are those of them that describe a fusion.
var fusionKeys = []string{"contains", "pattern", "root", "kind", "out", "op_name", "source"}

// fusionQuery says which fusions are meant.
type fusionQuery struct {
	name, root, opName, source string
	contains, kinds            []string
	flow                       *rule.Flow  // nil: whatever flows
	out                        *rule.Shape // nil: of any shape
}

func queryOf(e rule.Entry) fusionQuery {
	q := fusionQuery{
		name: e.Text("name"), root: e.Text("root"), opName: e.Text("op_name"), source: e.Text("source"),
		contains: e.List("contains"), kinds: e.List("kind"),
	}
	if text := e.Text("pattern"); text != "" {
		q.flow, _ = rule.ParseFlow(text) // checked when the configuration was read
	}
	if text := e.Text("out"); text != "" {
		q.out, _ = rule.ParseShape(text)
	}
	return q
}

func (q *fusionQuery) in(v *facts.Variant) []*facts.Kernel {
	return slices.Collect(v.KernelsThat(q.matches))
}

func (q *fusionQuery) matches(k *facts.Kernel) bool {
	switch {
	case k.Do.Len() < 2 && len(q.contains) > 1, !k.Fusion && len(q.kinds) == 0:
		return false
	case len(q.kinds) > 0 && !slices.Contains(q.kinds, k.Kind), q.root != "" && k.Root != q.root, q.out != nil && !q.out.Fits(k.Out):
		return false
	}
	return containsAll(k.Do, q.contains) && q.inScope(k) && (q.flow == nil || q.flow.In(k))
}

func (q *fusionQuery) inScope(k *facts.Kernel) bool {
	return anyOp(k, func(opName, file string) bool {
		return (q.opName == "" || phrase.Glob(q.opName, opName)) && (q.source == "" || rule.FitsPath(q.source, file))
	})
}

// anyOp asks about the kernel's own name and source and those of every operation in it.
func anyOp(k *facts.Kernel, is func(opName, file string) bool) bool {
	if is(k.OpName, k.Source.File) {
		return true
	}
	for op := range k.Ops.All() {
		if is(op.OpName, op.Source.File) {
			return true
		}
	}
	return false
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
	for _, op := range q.operations() {
		if k.Do.Times(op) > 0 {
			return true
		}
	}
	return len(q.operations()) == 0 && (q.root == "" || k.Root == q.root)
}

// inPart reports whether an op_name is in the part of the model that the settings select; without op_name they select all of it.
func inPart(c *rule.Context, opName string) bool {
	part := c.Text("op_name")
	return part == "" || phrase.Glob(part, opName)
}

// large holds what an entry counts against its min_bytes.
func large(c *rule.Context, bytes int64) bool {
	least, _ := c.Number("min_bytes")
	return float64(bytes) >= least
}

// containsAll reports whether every wanted opcode is there as often as it is wanted.
func containsAll(do facts.Opcodes, wanted []string) bool {
	for _, want := range facts.OpcodesOf(slices.Sorted(slices.Values(wanted))...) {
		if do.Times(want.Opcode) < want.Times {
			return false
		}
	}
	return true
}

var requiredFusions = rule.Rule{
	ID:    "required-fusions",
	Title: "required fusions exist",
	Why: "A softmax or an activation that runs as one kernel reads its input once. When a barrier, a callback or a second user splits it, data is read " +
		"and written several times, and nothing fails.",
	Options: []rule.Option{
		{Key: "fusions", Type: rule.Table, Sense: rule.Demands, Wanted: true, Require: true, Doc: "the fusions that must exist", NeedsOne: fusionKeys, Fields: append(slices.Clone(fusionFields),
			rule.Option{Key: "min", Type: rule.Count, Sense: rule.Demands, Least: 1, Default: 1.0, Doc: "how many there must be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "missing fusions", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- rule: required-fusions\n  fusions: [{ name: softmax, contains: [subtract, exponential, reduce] }]", Says: "the fusion \"softmax\" is gone: subtract, exponential, reduce ran in input_reduce_fusion.1, loop_exponential_fusion, input_reduce_fusion; split by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- rule: required-fusions\n  fusions: [{ name: softmax, contains: [subtract, exponential, reduce] }]"},
	Fix:     "Remove what separates the operations (an optimization_barrier, a callback, a second use of an intermediate), or drop the entry when the fusion is no longer wanted.",
	Threads: []string{"openxla/xla#6370", "jax-ml/jax#18424", "jax-ml/jax#33338"},
	Accepts: []string{"fusions.*", "kernels.*", "kernel list"},
	Variant: checkRequiredFusions,
}

func checkRequiredFusions(c *rule.Context, v *diff.Variant) {
	requireEach(c, v, required{
		key: "fusions",
		count: func(v *facts.Variant, e rule.Entry) float64 {
			q := queryOf(e)
			return float64(len(q.in(v)))
		},
		recorded: func(e rule.Entry) bool { return queryOf(e).flow == nil },
		missing: func(e rule.Entry, found, least float64) rule.Finding {
			q := queryOf(e)
			return q.missing(v, found, least)
		},
	})
}

// missing is the finding of a fusion that a variant has too few of.
func (q *fusionQuery) missing(v *diff.Variant, found, least float64) rule.Finding {
	parts, places := q.whereabouts(v.New)
	had, compared := 0, v.Old != nil && q.flow == nil
	if compared {
		had = len(q.in(v.Old))
	}
	f := rule.Finding{Finding: result.Finding{Subject: q.name, Message: q.sentence(found, least, had, parts), Actual: found, Limit: least}}
	if compared {
		f.Baseline = float64(had)
	}
	between := diff.Between(v.New, places)
	if len(between) > 0 {
		f.Message += "; split " + diff.SplitBy(between)
	}
	if !compared || float64(had) > found { // else it is no change that took it away
		f.Cause, f.Evidence = v.Growth(q.touches)
	}
	if len(between) > 0 && (!compared || f.Cause == nil) {
		f.Cause = diff.CauseAt("split "+diff.SplitBy(between), parts[0])
	}
	for _, k := range parts[:min(len(parts), diff.MaxLines)] {
		f.Evidence.After = diff.AddNew(f.Evidence.After, k.Describe())
	}
	if f.Cause == nil && len(parts) > 0 {
		f.Cause = diff.CauseAt("ran apart: "+strings.Join(q.contains, ", "), parts[0])
	}
	return f
}

// sentence says that the fusion is not there, or no more, and where its operations ran instead.
func (q *fusionQuery) sentence(found, least float64, had int, parts []*facts.Kernel) string {
	var b strings.Builder
	switch {
	case found == 0 && had > 0:
		fmt.Fprintf(&b, "the fusion %q is gone", q.name)
	case found == 0:
		fmt.Fprintf(&b, "the fusion %q is not there", q.name)
	default:
		fmt.Fprintf(&b, "the fusion %q is there %s, %v wanted", q.name, phrase.Times(found), least)
	}
	if wanted := q.operations(); len(wanted) > 0 {
		if len(parts) == 0 {
			fmt.Fprintf(&b, ": no kernel%s runs %s", q.part(), strings.Join(wanted, ", "))
		} else {
			fmt.Fprintf(&b, ": %s ran in %s", strings.Join(wanted, ", "), kernelNames(parts))
		}
	}
	return b.String()
}

// part is the part of the model that is selected, " of */mlp/* in model.py"; "" for all of it.
func (q *fusionQuery) part() string {
	var said string
	if q.opName != "" {
		said += " of " + q.opName
	}
	if q.source != "" {
		said += " in " + q.source
	}
	return said
}

func kernelNames(kernels []*facts.Kernel) string {
	var names []string
	for _, k := range kernels {
		if len(names) == 6 {
			names = append(names, fmt.Sprintf("%d more", len(kernels)-6))
			break
		}
		names = append(names, cmp.Or(k.Name, "a kernel of "+k.Operations())) // a baseline keeps no names
	}
	return strings.Join(names, ", ")
}

// whereabouts returns the kernels that do some of the wanted operations in the wanted place, and their indexes.
func (q *fusionQuery) whereabouts(v *facts.Variant) (parts []*facts.Kernel, places []int) {
	for i := range v.Kernels {
		if k := &v.Kernels[i]; q.touches(k) {
			parts, places = append(parts, k), append(places, i)
		}
	}
	return parts, places
}

var forbiddenFusions = rule.Rule{
	ID:    "forbidden-fusions",
	Title: "fusions that are known to be bad are not made",
	Why: "A fusion can be a mistake: one that only keeps two buffers alive at once, a reduction inside a loop emitter, a kernel with forty operands that " +
		"spills. Once found, it should not come back with the next compiler.",
	Options: []rule.Option{
		{Key: "fusions", Type: rule.Table, Sense: rule.Demands, Require: true, Doc: "the fusions that must not be there", NeedsOne: append([]string{"outputs", "operands"}, fusionKeys...), Fields: append(slices.Clone(fusionFields),
			rule.Option{Key: "outputs", Type: rule.Count, Sense: rule.Narrows, Doc: "only fusions with at least that many results"},
			rule.Option{Key: "operands", Type: rule.Count, Sense: rule.Narrows, Doc: "only fusions that read at least that many values"},
			rule.Option{Key: "max", Type: rule.Count, Sense: rule.Caps, Default: 0.0, Doc: "how many there may be"},
		)},
	},
	Budget:  &rule.Metric{Noun: "forbidden fusions", Better: rule.Lower},
	Forbids: true,
	Fails:   rule.Example{On: "gpu-intermediate_out/after", Config: "- rule: forbidden-fusions\n  fusions: [{ name: two results, contains: [tanh], outputs: 2 }]", Says: "the fusion \"two results\" is made: loop_add_tanh_fusion"},
	Passes:  rule.Example{On: "gpu-intermediate_out/before", Config: "- rule: forbidden-fusions\n  fusions: [{ name: two results, contains: [tanh], outputs: 2 }]"},
	Fix:     "Separate the kernel's operations in the model's source; or report the fusion to the compiler's developers and waive the finding.",
	Threads: []string{"openxla/xla#5179", "jax-ml/jax#18424", "openxla/xla#27322"},
	Accepts: []string{"fusions.*", "kernels.*", "kernel list"},
	Variant: func(c *rule.Context, v *diff.Variant) {
		for _, entry := range c.Entries("fusions") {
			q := queryOf(entry)
			forbidFusion(c, v, entry, &q)
		}
	},
}

func forbidFusion(c *rule.Context, v *diff.Variant, entry rule.Entry, q *fusionQuery) {
	found := atLeast(entry, q.in(v.New))
	limit, _ := entry.Number("max")
	a := c.Budget(q.name, max(0, float64(len(found))-limit))
	if v.Old != nil {
		a.SetBase(q.flow == nil, max(0, float64(len(atLeast(entry, q.in(v.Old))))-limit))
	}
	if f := c.Forbid(a); f != nil {
		f.Actual, f.Limit = float64(len(found)), limit
		f.Message = fmt.Sprintf("the fusion %q is made: %s", q.name, kernelNames(found))
		f.Cause = diff.CauseAt(found[0].Describe(), found[0])
		for _, k := range found[:min(len(found), diff.MaxLines)] {
			f.Evidence.After = append(f.Evidence.After, k.Describe())
		}
	}
}

// atLeast keeps the fusions with as many results and operands as the entry says.
func atLeast(e rule.Entry, kernels []*facts.Kernel) []*facts.Kernel {
	outputs, _ := e.Number("outputs")
	operands, _ := e.Number("operands")
	var kept []*facts.Kernel
	for _, k := range kernels {
		results := 1
		if strings.HasPrefix(k.Out, "(") {
			results = len(hlo.ShapeText(k.Out).Elements())
		}
		if float64(results) >= outputs && float64(len(k.In)) >= operands {
			kept = append(kept, k)
		}
	}
	return kept
}

var fusionDrift = rule.Rule{
	ID:    "fusion-drift",
	Title: "fusions of several operations are not lost",
	Why: "The number of fusions can rise when fusion is lost, because single operations get wrapped. What matters is which operations still run " +
		"together; this rule compares fusions by what is in them.",
	Reads: []rule.Input{rule.Optimized, rule.Baseline},
	Options: []rule.Option{
		{Key: "max_removed", Type: rule.Count, Sense: rule.Caps, Means: "max", Doc: "how many fusions of the baseline may be gone"},
		{Key: "max_added", Type: rule.Count, Sense: rule.Caps, Doc: "how many fusions of several operations may be new, apart from the parts of lost ones; by default any number"},
		{Key: "ignore", Type: rule.Globs, Sense: rule.Caps, Empty: true, Doc: "parts of the model, by op_name, whose fusions may change"},
	},
	Budget:  &rule.Metric{Noun: "lost fusions", Better: rule.Lower, Difference: true},
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: fusion-drift }", Says: "1 fusion was split: divide, exponential, 2 reduce, subtract is split in 4 kernels by optimization barriers (pairs.py:40, pairs.py:41, pairs.py:42)"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: fusion-drift }"},
	Fix:     "Remove what separates the operations: a barrier, a callback, a second use of an intermediate.",
	Threads: []string{"jax-ml/jax#33338", "openxla/xla#29620", "openxla/xla#6370"},
	Accepts: []string{"fusions.*", "kernels.*", "kernel list"},
	Variant: checkFusionDrift,
}

func checkFusionDrift(c *rule.Context, v *diff.Variant) {
	if v.Old == nil {
		return
	}
	lost := lostFusions(c, v)
	a := c.Budget("fusions", float64(len(lost)))
	a.Base = new(0.0)
	if f := c.Judge(a); f != nil {
		f.Message = lostSentence(lost)
		if cause := v.CauseOf(&lost[0].Many[0]); cause != nil {
			f.Cause, f.Evidence = cause, cause.Evidence(facts.AnyKernel)
			if cause.Keeps() {
				f.Message = "what was rematerialized is kept for the backward pass: " + f.Message
			}
		}
	}
	judgeAdded(c, v)
}

// judgeAdded holds the fusions that have no counterpart in the baseline against max_added.
func judgeAdded(c *rule.Context, v *diff.Variant) {
	most, bounded := c.Number("max_added")
	if !bounded {
		return
	}
	c.Checked()
	added := addedFusions(c, v)
	if float64(len(added)) <= most {
		return
	}
	f := c.Find(result.Finding{Subject: "fusions.added", Actual: float64(len(added)), Limit: most})
	var parts []string
	for _, k := range added {
		parts = append(parts, k.Operations())
		f.Evidence.After = diff.AddLine(f.Evidence.After, k.Describe())
	}
	f.Message = fmt.Sprintf("%s new, at most %s allowed: %s", phrase.Are(len(added), "fusion"), phrase.Number(most), strings.Join(phrase.First(parts, 2), "; "))
	f.Cause = diff.CauseAt("new: "+added[0].Describe(), added[0])
	if cause := v.CauseOf(added[0]); cause != nil {
		f.Cause = cause
	}
}

// addedFusions lists the fusions of several operations that nothing in the baseline became.
func addedFusions(c *rule.Context, v *diff.Variant) []*facts.Kernel {
	return phrase.Pick(v.Kernels.Added, func(k *facts.Kernel) bool {
		return k.Fusion && k.Do.Len() > 1 && !phrase.AnyGlob(c.List("ignore"), k.OpName)
	})
}

// lostFusions lists the fusions of several operations that no longer run as one kernel, the fullest first.
func lostFusions(c *rule.Context, v *diff.Variant) []*diff.Regroup {
	var out []*diff.Regroup
	for i := range v.Kernels.Split {
		s := &v.Kernels.Split[i]
		if s.One.Fusion && s.One.Do.Len() > 1 && !phrase.AnyGlob(c.List("ignore"), s.One.OpName) {
			out = append(out, s)
		}
	}
	return out
}

func lostSentence(lost []*diff.Regroup) string {
	parts := phrase.Map(lost, func(s *diff.Regroup) string { return s.Title() })
	verb := "fusions were split"
	if len(lost) == 1 {
		verb = "fusion was split"
	}
	return fmt.Sprintf("%d %s: %s", len(lost), verb, strings.Join(phrase.First(parts, 2), "; "))
}

var maxUnfused = rule.Rule{
	ID:    "max-unfused",
	Title: "operations that should be fused do not run by themselves",
	Why: "A transpose, a conversion or a reduction that runs as a kernel of its own reads and writes a whole tensor for next to no arithmetic. On two models " +
		"one transpose that left its fusion went from 21.8 to 128 microseconds, and nothing else in the program had changed.",
	Options: []rule.Option{
		{Key: "ops", Type: rule.Words, Sense: rule.Demands, Enum: rule.OpcodeWords, Default: []string{"transpose", "copy", "convert", "reduce", "reshape", "slice", "concatenate", "pad"}, Doc: "the operations that are counted when a kernel does nothing else"},
		{Key: "min_bytes", Type: rule.Size, Sense: rule.Narrows, Default: 0.0, Doc: "ignore kernels that read and write less"},
		{Key: "op_name", Type: rule.Glob, Sense: rule.Selects, Doc: "only those in this part of the model"},
	},
	Budget:  &rule.Metric{Noun: "unfused operations", Better: rule.Lower},
	Fails:   rule.Example{On: "gpu-softmax_barrier/after", Config: "- { rule: max-unfused, ops: [reduce, divide], max: 0 }", Says: "3 unfused operations: at most 0 allowed"},
	Passes:  rule.Example{On: "gpu-softmax_barrier/before", Config: "- { rule: max-unfused, ops: [reduce, divide], max: 0 }"},
	Fix:     "Look at the operation's operands and users: a barrier, a second user, or a layout that its neighbours do not share keeps it out of their kernel.",
	Threads: []string{"jax-ml/jax#33338", "AI-Hypercomputer/torchprime#119"},
	Accepts: []string{"kernels.*", "fusions.*", "copies.*", "transposes.*", "kernel list"},
	Variant: func(c *rule.Context, v *diff.Variant) {
		a := c.Count("unfused", func(v *facts.Variant) float64 { return v.CountKernels(runsAlone(c)) })
		rule.Explain(c.Judge(a), v.Growth, runsAlone(c))
	},
}

// runsAlone reports whether a kernel does one of the operations and nothing else.
func runsAlone(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Do.Len() == 1 && slices.Contains(c.List("ops"), k.Do[0].Opcode) && k.Class != facts.ClassControl && k.Class != facts.ClassCollective &&
			large(c, k.Bytes) && inPart(c, k.OpName)
	}
}
