package rules

import (
	"path"

	"github.com/xlagate/xlagate/internal/glob"
)

// inPart says whether an op_name stands in the part of the model that the settings choose, or they choose none.
func (c *Context) inPart(opName string) bool {
	part := c.Text("op_name")
	return part == "" || glob.Match(part, opName)
}

// fitsPath matches a glob against a whole path, or against its base name when the glob has no slash.
func fitsPath(pattern, file string) bool {
	return glob.Match(pattern, file) || glob.Match(pattern, path.Base(file))
}

// containsAll reports whether every wanted word is in the list, as often as it is wanted.
func containsAll(list, wanted []string) bool {
	count := map[string]int{}
	for _, s := range list {
		count[s]++
	}
	for _, w := range wanted {
		if count[w]--; count[w] < 0 {
			return false
		}
	}
	return true
}
