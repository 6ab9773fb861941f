package phrase

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/xrash/smetrics"
)

// Glob reports whether the name fits the pattern: `*`, which crosses slashes, `?`, `[abc]` and `{a,b}`. A malformed pattern fits nothing; see [ValidGlob].
func Glob(pattern, name string) bool {
	if pattern == "*" || pattern == name {
		return true
	}
	if differs(pattern, name) {
		return false
	}
	ok, err := doublestar.Match(flat(pattern), flat(name))
	return err == nil && ok
}

// differs reports whether a name differs from a pattern before the pattern's first special character. Of thousands of programs that
// thousands of rules name, nearly all do.
func differs(pattern, name string) bool {
	for i := range len(pattern) {
		switch c := pattern[i]; {
		case strings.IndexByte(special, c) >= 0:
			return false
		case i == len(name) || c != name[i]:
			return true
		}
	}
	return len(pattern) < len(name)
}

// AnyGlob reports whether the name fits one of the patterns. No patterns fit nothing.
func AnyGlob(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Glob(p, name) })
}

// MostAlternatives bounds how many names without braces a pattern may stand for, {a,b}{a,b} for four: the matcher may try them all.
const MostAlternatives = 1024

// ValidGlob reports whether a pattern is well-formed and stands for no more than [MostAlternatives].
func ValidGlob(pattern string) bool {
	return doublestar.ValidatePattern(flat(pattern)) && alternatives(pattern) <= MostAlternatives
}

// alternatives counts what the braces of a pattern stand for. It stops soon beyond the bound.
func alternatives(pattern string) int {
	product, group, depth := 1, 1, 0
	for i := 0; i < len(pattern) && product <= MostAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			depth++
		case ',':
			if depth > 0 {
				group++
			}
		case '}':
			if depth--; depth == 0 {
				product, group = product*group, 1
			}
		}
	}
	return product
}

// flat hides slashes from the matcher: an op_name is a path, but its users write "*/mlp/*" and mean any depth.
func flat(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// Globs is a list of patterns for matching many names: plain names are looked up, and only patterns are tried one by one.
type Globs struct {
	spelled  map[string]bool
	patterns []string
}

// NewGlobs returns a set of patterns.
func NewGlobs(patterns []string) *Globs {
	s := &Globs{spelled: make(map[string]bool, len(patterns))}
	for _, p := range patterns {
		s.spelled[p] = true // a pattern fits its own spelling, too
		if !PlainName(p) {
			s.patterns = append(s.patterns, p)
		}
	}
	return s
}

// Fits reports whether the name fits one of the patterns, as [AnyGlob] does.
func (s *Globs) Fits(name string) bool { return s.spelled[name] || AnyGlob(s.patterns, name) }

// PlainName reports whether a pattern fits no name but itself.
func PlainName(pattern string) bool { return !strings.ContainsAny(pattern, special) }

// special are the characters that have a meaning in a pattern.
const special = `*?[{\`

// likely is the similarity, from 0 to 1, above which a word is suggested for another.
const likely = 0.80

// Closest returns the known word that is most similar to the given one, "" when none is.
func Closest(word string, known []string) string {
	best, score := "", likely
	for _, k := range known {
		if s := smetrics.JaroWinkler(strings.ToLower(word), strings.ToLower(k), 0.7, 4); s > score {
			best, score = k, s
		}
	}
	return best
}

// DidYouMean returns `; did you mean "…"?` with the known word that is most similar to the given one, "" when none is.
func DidYouMean(word string, known []string) string {
	if best := Closest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
