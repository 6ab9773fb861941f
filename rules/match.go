package rules

import (
	"path"
	"slices"
	"sort"

	"github.com/xlagate/xlagate/internal/glob"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// fits reports whether a name fits one of the globs.
func fits(globs []string, name string) bool { return glob.Any(globs, name) }

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

func sorted(set map[string]bool) []string {
	var list []string
	for s := range set {
		list = append(list, s)
	}
	sort.Strings(list)
	return list
}
