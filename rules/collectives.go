package rules

import (
	"cmp"
	"fmt"
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
	Variant: func(c *rule.Context, v *diff.Variant) {
		c.Checked()
		for _, kind := range collectiveKinds(c, v) {
			judgeAverage(c, v, kind)
		}
	},
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

var asyncCollectives = rule.Rule{
	ID:    "async-collectives",
	Title: "collectives overlap with computation",
	Why: "A collective that starts early and is waited for late costs nothing. A scheduler flag, a rematerialization policy or a data dependence puts start and wait next " +
		"to each other, and the device waits for the network.",
	Reads: []rule.Input{rule.Schedule},
	Options: []rule.Option{
		onlyKinds,
		{Key: "min_distance", Type: rule.Count, Sense: rule.Demands, Default: 1.0, Doc: "how many kernels must run between its start and its end"},
		{Key: "min_ratio", Type: rule.Share, Sense: rule.Demands, InPlace: true, Doc: "the smallest share of collectives that must overlap with kernels, instead of all of them"},
		{Key: "min_bytes", Type: rule.Size, Sense: rule.Narrows, Default: 0.0, Doc: "ignore smaller collectives"},
		overlapLost,
	},
	Budget:  &rule.Metric{Noun: "exposed collectives", Better: rule.Lower},
	Forbids: true,
	Bounds:  []string{"min_ratio"},
	Fails:   rule.Example{On: "gpu-collectives", Config: "- { rule: async-collectives }", Says: "1 exposed collective: at most 0 allowed"},
	Passes:  rule.Example{On: "gpu-collectives", Config: "- { rule: async-collectives, min_ratio: 50% }"},
	Fix:     "Look at the latency-hiding scheduler's flags, and at what needs the collective's result right away. Prefetch the next layer's weights; reduce gradients late.",
	Threads: []string{"openxla/xla#14397"},
	Accepts: []string{"async.*"},
	Variant: checkAsyncCollectives,
}

// overlapLost holds collectives that had kernels beside them to that.
var overlapLost = rule.Option{
	Key: "overlap_lost", Type: rule.Switch, Sense: rule.Neither, Default: false, Compares: true,
	Doc: "compared with the baseline, ignore more exposed collectives if no fewer overlap with kernels",
}

func checkAsyncCollectives(c *rule.Context, v *diff.Variant) {
	exposed, ok := v.New.Facts[facts.AsyncExposed]
	if !ok || !countsAsFact(c) && !scheduleKnown(v.New, exposed) {
		c.Uncovered(rule.Schedule, "dump a module that is scheduled: the optimized one of a GPU, a TPU or a recent CPU compiler")
		return
	}
	if !countsAsFact(c) {
		exposed = v.New.CountKernels(exposedCollective(c))
	}
	a := c.Budget(string(facts.AsyncExposed), exposed)
	if v.Old != nil {
		was, ok := v.Old.Facts[facts.AsyncExposed]
		a.SetBase(ok && countsAsFact(c), was)
		if c.On(overlapLost.Key) && a.Base != nil && v.New.Facts[facts.AsyncOverlapped] >= v.Old.Facts[facts.AsyncOverlapped] {
			a.Base = new(max(was, a.Actual))
		}
	}
	all := v.New.CountKernels(countedCollective(c))
	for _, f := range c.JudgeShare(a, rule.Portion{
		Key: "min_ratio", Subject: "async.exposed.min_ratio", Have: rule.PortionOf(all-a.Actual, all),
		Of: "of " + phrase.Counted(all, "", "collectives") + " can run beside kernels",
	}) {
		f.Cause, f.Evidence.After = v.Largest(exposedCollective(c)), diff.LinesOf(v.New.Kernels, exposedCollective(c))
	}
}

// scheduleKnown reports whether the collectives know what runs beside them. Those of a stored result do not: it has only the fact.
func scheduleKnown(v *facts.Variant, exposed float64) bool {
	return exposed == v.CountKernels(func(k *facts.Kernel) bool { return k.Class == facts.ClassCollective && k.Overlapped == 0 })
}

// countsAsFact reports whether the settings count what the fact counts.
func countsAsFact(c *rule.Context) bool {
	distance, _ := c.Number("min_distance")
	least, _ := c.Number("min_bytes")
	return distance == 1 && least == 0 && c.List("kinds") == nil
}

func countedCollective(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		return k.Class == facts.ClassCollective && large(c, k.Bytes) && ofKind(c, k)
	}
}

func exposedCollective(c *rule.Context) func(k *facts.Kernel) bool {
	return func(k *facts.Kernel) bool {
		distance, _ := c.Number("min_distance")
		return countedCollective(c)(k) && float64(k.Overlapped) < distance
	}
}

var noNewCollectives = rule.Rule{
	ID:    "no-new-collectives",
	Title: "devices do not communicate in a new way",
	Why: "A sharding that no longer matches makes XLA insert a collective of another kind, or along another axis of the mesh. The program stays correct, and its cost " +
		"depends on a network that the machine at hand does not have. A collective that replaces others, and sends no more along its axis than before, is not new.",
	Reads:   []rule.Input{rule.Optimized, rule.Baseline},
	Budget:  &rule.Metric{Noun: "collectives of a new kind or axis", Better: rule.Lower, Difference: true},
	Fails:   rule.Example{On: "cpu-result_gathered/after", Config: "- { rule: no-new-collectives }", Says: "2 collectives of a new kind or axis: all-gather over model, all-gather over data"},
	Passes:  rule.Example{On: "cpu-result_gathered/before", Config: "- { rule: no-new-collectives }"},
	Fix:     "Look at the sharding of the operand that is gathered or reduced: with_sharding_constraint where the axis changes, or shard the weight on the axis that is not contracted.",
	Threads: []string{"jax-ml/jax#20381", "openxla/xla#6126"},
	Accepts: []string{"collectives.*", "kernel list", "kernels.*", "copies.*", "memory.*"},
	Variant: checkNoNewCollectives,
}

func checkNoNewCollectives(c *rule.Context, v *diff.Variant) {
	if v.Old == nil {
		return
	}
	fresh := newCollectives(v)
	a := c.Budget("new collectives", float64(len(fresh)))
	a.Base = new(0.0)
	if f := c.Judge(a); f != nil {
		f.Message = fmt.Sprintf("%s of a new kind or axis: %s", phrase.Some(len(fresh), "collective"), strings.Join(phrase.First(waysOf(fresh), 4), ", "))
		f.Cause, f.Evidence = v.CollectiveGrowth(func(k *facts.Kernel) bool { return slices.Contains(waysOf(fresh), wayOf(k)) })
	}
}

// newCollectives lists the collectives of a variant whose kind, or whose kind along that axis, the baseline does not have, if devices say more along it
// than they did. An axis counts if both sides know it.
func newCollectives(v *diff.Variant) []*facts.Kernel {
	known, kinds := map[string]bool{}, map[string]bool{}
	for k := range v.Old.KernelsThat((*facts.Kernel).IsCollective) {
		known[wayOf(k)] = true
		known[k.Target] = known[k.Target] || k.Axes == ""
		kinds[k.Target] = true
	}
	renamed := renamedAxes(v)
	var fresh []*facts.Kernel
	for k := range v.New.KernelsThat((*facts.Kernel).IsCollective) {
		was := cmp.Or(renamed[k.Axes], k.Axes)
		if !known[way(k.Target, was)] && !known[k.Target] && (k.Axes != "" || !kinds[k.Target]) && communicateMore(v, was, k.Axes) {
			fresh = append(fresh, k)
		}
	}
	return fresh
}

// renamedAxes finds the former names of axes that the baseline does not have: of an axis that is gone and that the same collectives ran over; else of one
// whose groups of devices were alike. Where several did, nothing is known.
func renamedAxes(v *diff.Variant) map[string]string {
	old, fresh := byAxes(v.Old), byAxes(v.New)
	renamed := map[string]string{}
	for is, now := range fresh {
		if old[is] != nil {
			continue
		}
		for _, alike := range []func(was *alongAxes) bool{
			func(was *alongAxes) bool { return maps.Equal(was.collectives, now.collectives) },
			func(was *alongAxes) bool { return maps.Equal(was.groups, now.groups) },
		} {
			var were []string
			for was := range old {
				if fresh[was] == nil && alike(old[was]) {
					were = append(were, was)
				}
			}
			if len(were) == 1 {
				renamed[is] = were[0]
				break
			}
		}
	}
	return renamed
}

// alongAxes is what communicates along some axes: how often each collective does, and the groups of devices.
type alongAxes struct{ collectives, groups map[string]int }

// byAxes lists what communicates, by the axes that it is along.
func byAxes(v *facts.Variant) map[string]*alongAxes {
	along := map[string]*alongAxes{}
	for k := range v.KernelsThat((*facts.Kernel).IsCollective) {
		if k.Axes == "" {
			continue
		}
		if along[k.Axes] == nil {
			along[k.Axes] = &alongAxes{map[string]int{}, map[string]int{}}
		}
		along[k.Axes].collectives[k.Target+" "+k.Out+" "+k.Groups]++
		along[k.Axes].groups[k.Groups] = 1
	}
	return along
}

// communicateMore reports whether devices communicate more along an axis, by its name in the baseline and now: with more bytes, or more often with as many.
func communicateMore(v *diff.Variant, was, is string) bool {
	along := func(axes string) func(*facts.Kernel) bool {
		return func(k *facts.Kernel) bool { return k.IsCollective() && (axes == "" || k.Axes == "" || k.Axes == axes) }
	}
	before, now := trafficOf(v.Old, along(was)), trafficOf(v.New, along(is))
	return now.bytes > before.bytes || now.bytes == before.bytes && now.count > before.count
}

// wayOf is "all-gather over data", or "all-gather" where the axis is not known.
func wayOf(k *facts.Kernel) string { return way(k.Target, k.Axes) }

func way(kind, axes string) string {
	if axes == "" {
		return kind
	}
	return kind + " over " + axes
}

func waysOf(kernels []*facts.Kernel) []string {
	var ways []string
	for _, k := range kernels {
		if way := wayOf(k); !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	return ways
}
