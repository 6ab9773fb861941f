package rules

import (
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
)

// What several rules select by: the part of the model, the size, the place, the operations and the types.

// minGrowth lets growth of a size pass that is too little to matter.
var minGrowth = rule.Option{Key: rule.MinGrowth, Type: rule.Size, Default: 0.0, Doc: "ignore growth below this, even if it is more than max_increase"}

// inPart reports whether an op_name is in the part of the model that the settings select; without op_name they select all of it.
func inPart(c *rule.Context, opName string) bool {
	part := c.Text("op_name")
	return part == "" || phrase.Glob(part, opName)
}

// hasMinBytes reports whether something is at least as large as the key min_bytes of the entry says.
func hasMinBytes(c *rule.Context, bytes int64) bool {
	least, _ := c.Number("min_bytes")
	return float64(bytes) >= least
}

// containsAll reports whether every wanted opcode is there as often as it is wanted.
func containsAll(do facts.Opcodes, wanted []string) bool {
	list := facts.OpcodesOf(slices.Sorted(slices.Values(wanted))...)
	return !slices.ContainsFunc(list, func(want facts.OpcodeTimes) bool { return do.Times(want.Opcode) < want.Times })
}

// placeCounted returns " in loops" where only those in loops are counted.
func placeCounted(c *rule.Context) string {
	if c.Text("in") == "loops" {
		return " in loops"
	}
	return ""
}

// holdsType reports whether a shape, or one in a tuple, has a type.
func holdsType(shape, dtype string) bool {
	arrays := strings.FieldsFunc(shape, func(r rune) bool { return r == '(' || r == ' ' || r == ',' })
	return slices.ContainsFunc(arrays, func(array string) bool { return strings.HasPrefix(array, dtype+"[") })
}
