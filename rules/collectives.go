package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
)

// onlyKinds chooses collectives by their kind.
var onlyKinds = rule.Option{
	Key: "kinds", Type: rule.Words, Enum: rule.CollectiveWords,
	Doc: "only these",
}

// whichCollectives are the options that choose the collectives that an entry counts.
var whichCollectives = []rule.Option{
	onlyKinds,
	{Key: "op_name", Type: rule.Glob, Doc: "only those in this part of the model"},
	{Key: "in", Type: rule.Word, Enum: []string{"all", "loops"}, Default: "all", Doc: "all, or only those in loops"},
	{Key: "dtypes", Type: rule.Words, Enum: rule.TypeWords, Doc: "only those whose result holds one of these types"},
	{Key: "min_group_size", Type: rule.Count, Least: 2, Doc: "only those among at least this many devices; a collective-permute is between two"},
	{Key: "min_gathered_dim_size", Type: rule.Count, Least: 1, Doc: "of all-gathers, only those that make a dimension at least this long"},
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
		if least, ok := c.Number("min_group_size"); ok {
			if size := groupSize(k); size > 0 && size < least {
				return false
			}
		}
		least, ok := c.Number("min_gathered_dim_size")
		return !ok || k.Target != "all-gather" || gatheredTo(k) >= least
	}
}

// ofKind reports whether an entry counts collectives of a kernel's kind.
func ofKind(c *rule.Context, k *facts.Kernel) bool {
	kinds := c.List(onlyKinds.Key)
	return kinds == nil || slices.Contains(kinds, k.Target)
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
