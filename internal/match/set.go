package match

import "strings"

// Globs is a list of patterns that many names are held against: what is spelled out is looked up, and only patterns are tried one by one.
type Globs struct {
	spelled  map[string]bool
	patterns []string
}

// NewGlobs makes a set of patterns.
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

// Fits reports whether the name fits one of the patterns, as [Any] does.
func (s *Globs) Fits(name string) bool { return s.spelled[name] || AnyGlob(s.patterns, name) }

// PlainName reports whether a pattern fits no name but itself.
func PlainName(pattern string) bool { return !strings.ContainsAny(pattern, meaning) }

// meaning are the characters by which a pattern means more than itself.
const meaning = `*?[{\`
