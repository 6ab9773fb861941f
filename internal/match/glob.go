// Package match matches names against the patterns that users write (`*`, which crosses slashes, `?`, `[abc]` and `{a,b}`), and finds the
// known name that a misspelt one may mean.
package match

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob reports whether the name fits the pattern. A malformed pattern fits nothing; see [Valid].
func Glob(pattern, name string) bool {
	if pattern == "*" || pattern == name {
		return true
	}
	if apart(pattern, name) {
		return false
	}
	ok, err := doublestar.Match(flat(pattern), flat(name))
	return err == nil && ok
}

// apart reports whether a name is another in front of the first character by which a pattern means more than itself: of thousands of
// programs that thousands of rules name, nearly all are.
func apart(pattern, name string) bool {
	for i := range len(pattern) {
		switch c := pattern[i]; {
		case c == '*' || c == '?' || c == '[' || c == '{' || c == '\\':
			return false
		case i == len(name) || c != name[i]:
			return true
		}
	}
	return len(pattern) < len(name)
}

// AnyGlob reports whether the name fits one of the patterns. No patterns fit nothing.
func AnyGlob(patterns []string, name string) bool {
	for _, p := range patterns {
		if Glob(p, name) {
			return true
		}
	}
	return false
}

// ValidGlob reports whether a pattern is well-formed.
func ValidGlob(pattern string) bool { return doublestar.ValidatePattern(flat(pattern)) }

// flat hides slashes from the matcher: an op_name is a path, but its users write "*/mlp/*" and mean any depth.
func flat(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
