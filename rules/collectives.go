package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// onlyKinds chooses collectives by their kind.
var onlyKinds = rule.Option{
	Key: "kinds", Type: rule.Words, Sense: rule.Selects, Enum: rule.CollectiveWords,
	Doc: "only these: all-gather, all-reduce, reduce-scatter, all-to-all, collective-permute, …",
}

// whichCollectives are the options that choose the collectives that an entry counts.
var whichCollectives = []rule.Option{
	onlyKinds,
	{Key: "op_name", Type: rule.Glob, Sense: rule.Selects, Doc: "only those in this part of the model"},
	{Key: "in", Type: rule.Word, Sense: rule.Selects, Enum: []string{"all", "loops"}, Default: "all", Doc: "count all of them, or only those in loops, which run in every iteration"},
	{Key: "dtypes", Type: rule.Words, Sense: rule.Selects, Enum: rule.TypeWords, Doc: "only those whose result holds one of these types"},
	{Key: "min_group_size", Type: rule.Count, Sense: rule.Narrows, Least: 2, Doc: "only those among at least this many devices; a collective-permute is between two"},
	{Key: "min_gathered_dim_size", Type: rule.Count, Sense: rule.Narrows, Least: 1, Doc: "of all-gathers, only those that make a dimension at least this long, such as the whole sequence"},
}

// chosenCollective reports whether a kernel is a collective that the options select. A property that is not known never excludes it.
func chosenCollective(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		if k.Class != facts.ClassCollective || c.Text("in") == "loops" && !k.InLoop {
			return false
		}
		if !ofKind(c, k) || !inPart(c, k.OpName) {
			return false
		}
		if types := c.List("dtypes"); types != nil && !slices.ContainsFunc(types, func(t string) bool { return holdsType(k.Out, t) }) {
			return false
		}
		return largeEnough(c, k)
	}
}

// ofKind reports whether an entry counts collectives of a kernel's kind.
func ofKind(c *rule.Context, k *facts.Kernel) bool {
	kinds := c.List(onlyKinds.Key)
	return kinds == nil || slices.Contains(kinds, k.Target)
}

// placeCounted returns " in loops" where only those in loops are counted.
func placeCounted(c *rule.Context) string {
	if c.Text("in") == "loops" {
		return " in loops"
	}
	return ""
}

// largeEnough holds a collective's group and what it gathers against the options.
func largeEnough(c *rule.Context, k *facts.Kernel) bool {
	if least, ok := c.Number("min_group_size"); ok {
		if size := groupSize(k); size > 0 && size < least {
			return false
		}
	}
	least, ok := c.Number("min_gathered_dim_size")
	return !ok || k.Target != "all-gather" || gatheredTo(k) >= least
}

// holdsType reports whether a shape, or one in a tuple, has a type.
func holdsType(shape, dtype string) bool {
	for rest := shape; ; {
		at := strings.Index(rest, dtype+"[")
		if at < 0 {
			return false
		}
		if at == 0 || rest[at-1] == '(' || rest[at-1] == ' ' || rest[at-1] == ',' {
			return true
		}
		rest = rest[at+len(dtype):]
	}
}

// groupSize says among how many devices a collective runs, 0 where that is not known.
func groupSize(k *facts.Kernel) float64 {
	_, size, ok := strings.Cut(k.Groups, " of ")
	n, err := strconv.Atoi(size)
	switch {
	case ok && err == nil:
		return float64(n)
	case k.Target == "collective-permute", k.Target == "send", k.Target == "recv":
		return 2
	}
	return 0
}

// gatheredTo says how long the dimension becomes along which an all-gather joins the devices' pieces; where the dimension is not known,
// the longest of its result.
func gatheredTo(k *facts.Kernel) (longest float64) {
	along := -1
	if _, printed, ok := strings.Cut(k.Attrs, "dimensions={"); ok {
		number, _, _ := strings.Cut(printed, "}")
		if n, err := strconv.Atoi(number); err == nil {
			along = n
		}
	}
	for _, part := range strings.Split(k.Out, "[")[1:] {
		sizes, _, _ := strings.Cut(part, "]")
		for dim, size := range strings.Split(sizes, ",") {
			if n, err := strconv.ParseFloat(strings.TrimPrefix(size, "<="), 64); err == nil && (dim == along || along < 0) {
				longest = max(longest, n)
			}
		}
	}
	return longest
}

var maxCollectives = rule.Rule{
	ID:    "max-collectives",
	Title: "no more communication between devices than before",
	Why:   "One wrong sharding makes XLA gather a whole weight on every step. The program stays correct, and every step waits for the network.",
	Options: append(slices.Clone(whichCollectives), []rule.Option{
		{Key: "max_bytes", Type: rule.Size, Sense: rule.Caps, Doc: "the most bytes that all of them may move"},
	}...),
	Budget:  &rule.Metric{Noun: "collectives", Better: rule.Lower},
	Bounds:  []string{"max_bytes"},
	Fails:   rule.Example{On: "cpu-sharding_allgather/after", Config: "- { rule: max-collectives, kinds: [all-reduce], max_increase: 0 }", Says: "3 all-reduces: up from 2 in the baseline"},
	Passes:  rule.Example{On: "cpu-sharding_allgather/after", Config: "- { rule: max-collectives, max: 3 }"},
	Fix:     "Look at the sharding of the operand that is gathered: with_sharding_constraint where the axis changes, or shard the weight on the axis that is not contracted.",
	Threads: []string{"jax-ml/jax#20381", "openxla/xla#6126"},
	Accepts: []string{"collectives.*", "kernel list", "kernels.*", "copies.*", "memory.*"},
	Variant: checkMaxCollectives,
}

func checkMaxCollectives(c *rule.Context, v *diff.Variant) {
	found := len(c.Findings)
	for _, kind := range collectiveKinds(c, v) {
		cares := func(k *facts.Kernel) bool { return k.Target == kind && chosenCollective(c)(k) }
		a := c.Count(kind, func(v *facts.Variant) float64 { return v.CountKernels(cares) })
		a.Noun = kind + "s" + placeCounted(c)
		rule.Explain(c.JudgeRuns(a, func(v *facts.Variant) float64 { return v.Launches(cares) }), v.CollectiveGrowth, cares)
	}
	if v.Old != nil && len(c.Findings) == found { // else what is new says it
		judgeTraffic(c, v)
	}
	capBytes(c, v)
}

// judgeTraffic holds what the collectives move, all together, against the baseline, unless the settings let them be more.
func judgeTraffic(c *rule.Context, v *diff.Variant) {
	if c.AbsolutelyBounded() && c.MaxIncrease == nil || c.MaxIncrease != nil && c.MaxIncrease.Of(0) > 0 {
		return
	}
	now, was := float64(trafficOf(v.New, chosenCollective(c)).bytes), float64(trafficOf(v.Old, chosenCollective(c)).bytes)
	if now <= was {
		return
	}
	a := rule.Amount{Subject: "traffic", Noun: "traffic between devices, all-reduces counted twice", Unit: "bytes", Actual: now, Base: &was}
	rule.Explain(c.JudgeGrowth(a), v.CollectiveGrowth, chosenCollective(c))
}

// traffic is what devices send to each other: how often, and how many bytes.
type traffic struct{ count, bytes int64 }

// trafficOf adds up collectives of a variant, those in loops as often as they run. An all-reduce moves twice its size: it is a reduce-scatter
// and an all-gather.
func trafficOf(v *facts.Variant, cares func(*facts.Kernel) bool) traffic {
	var t traffic
	for k := range v.KernelsThat(cares) {
		runs := max(k.Times, 1)
		t.count += runs
		if t.bytes += k.Bytes * runs; k.Target == "all-reduce" {
			t.bytes += k.Bytes * runs
		}
	}
	return t
}

// collectiveKinds lists the kinds that the entry names, or all that either side has, by name.
func collectiveKinds(c *rule.Context, v *diff.Variant) []string {
	if kinds := c.List("kinds"); kinds != nil {
		return kinds
	}
	seen := map[string]bool{}
	for _, side := range []*facts.Variant{v.Old, v.New} {
		if side == nil {
			continue
		}
		for k := range side.KernelsThat((*facts.Kernel).IsCollective) {
			seen[k.Target] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// capBytes holds what the collectives move, all together, against max_bytes.
func capBytes(c *rule.Context, v *diff.Variant) {
	which, kinds := "collectives", c.List("kinds")
	if kinds != nil {
		which = phrase.List(kinds, "and")
	}
	subject := strings.Join(append(slices.Clone(kinds), "bytes"), " ")
	if f := c.Cap("max_bytes", subject, "bytes", v.New.KernelBytes(chosenCollective(c)), which+placeCounted(c)+" move %s"); f != nil {
		f.Cause = v.Largest(chosenCollective(c))
	}
}

var minCollectiveBytes = rule.Rule{
	ID:    "min-collective-bytes",
	Title: "collectives are large enough to be worth starting",
	Why: "Every collective pays its latency before the first byte moves. XLA combines small ones; when something separates them, a step makes " +
		"hundreds of tiny transfers of the same bytes instead of a few large ones.",
	Options: []rule.Option{
		onlyKinds,
		{Key: "only_more", Type: rule.Switch, Sense: rule.Caps, Default: false, Doc: "allow smaller transfers while there are no more of them than in the baseline"},
	},
	Budget:  &rule.Metric{Unit: "bytes", Noun: "bytes a collective", Better: rule.Higher},
	Fails:   rule.Example{On: "cpu-sharding_allgather/before", Config: "- { rule: min-collective-bytes, kinds: [all-reduce], min: 1MiB }", Says: "514 B of one all-reduce on average: at least 1.0 MiB wanted"},
	Passes:  rule.Example{On: "cpu-sharding_allgather/before", Config: "- { rule: min-collective-bytes, kinds: [all-reduce], min: 512 }"},
	Fix:     "Look at the thresholds of the combiner passes, and at what separates the collectives; reduce gradients as one tree.",
	Threads: []string{"openxla/xla#6126"},
	Accepts: []string{"collectives.*", "kernel list"},
	Variant: checkMinCollectiveBytes,
}

func checkMinCollectiveBytes(c *rule.Context, v *diff.Variant) {
	c.Checked()
	for _, kind := range collectiveKinds(c, v) {
		judgeAverage(c, v, kind)
	}
}

// judgeAverage judges what the collectives of one kind move on average.
func judgeAverage(c *rule.Context, v *diff.Variant, kind string) {
	of := func(k *facts.Kernel) bool { return k.IsCollective() && k.Target == kind }
	n := v.New.CountKernels(of)
	if n == 0 {
		return
	}
	a := c.Budget(kind+" bytes", v.New.KernelBytes(of)/n)
	a.Noun = "one " + kind + " on average"
	if v.Old != nil {
		if was := v.Old.CountKernels(of); was > 0 {
			a.Base = new(v.Old.KernelBytes(of) / was)
			if c.On("only_more") && n <= was {
				a.Base = &a.Actual
			}
		}
	}
	if f := c.Judge(a); f != nil {
		f.Cause, f.Evidence = smallest(v.New, of), diff.Evidence{After: diff.LinesOf(v.New.Kernels, of)}
	}
}

// smallest names the kernel that moves the fewest bytes.
func smallest(v *facts.Variant, cares func(*facts.Kernel) bool) *diff.Cause {
	var least *facts.Kernel
	for k := range v.KernelsThat(cares) {
		if least == nil || k.Bytes < least.Bytes {
			least = k
		}
	}
	if least == nil {
		return nil
	}
	return diff.CauseAt("the smallest is "+least.Describe(), least)
}
