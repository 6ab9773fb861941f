package rules

import (
	"path"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/match"
	"github.com/xlagate/xlagate/internal/rule"
)

// inPart says whether an op_name stands in the part of the model that the settings choose, or they choose none.
func inPart(c *rule.Context, opName string) bool {
	part := c.Text("op_name")
	return part == "" || match.Glob(part, opName)
}

// fitsPath matches a glob against a whole path, or against its base name when the glob has no slash.
func fitsPath(pattern, file string) bool {
	return match.Glob(pattern, file) || match.Glob(pattern, path.Base(file))
}

// containsAll reports whether every wanted opcode stands there, as often as it is wanted.
func containsAll(do facts.Opcodes, wanted []string) bool {
	for _, want := range facts.OpcodesOf(slices.Sorted(slices.Values(wanted))...) {
		if do.Times(want.Opcode) < want.Times {
			return false
		}
	}
	return true
}
