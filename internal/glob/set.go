package glob

import "strings"

// Set is a list of patterns that many names are held against: what is spelled out is looked up, and only patterns are tried one by one.
type Set struct {
	spelled  map[string]bool
	patterns []string
}

// NewSet makes a set of patterns.
func NewSet(patterns []string) *Set {
	s := &Set{spelled: make(map[string]bool, len(patterns))}
	for _, p := range patterns {
		s.spelled[p] = true // a pattern fits its own spelling, too
		if !Plain(p) {
			s.patterns = append(s.patterns, p)
		}
	}
	return s
}

// Fits reports whether the name fits one of the patterns, as [Any] does.
func (s *Set) Fits(name string) bool { return s.spelled[name] || Any(s.patterns, name) }

// Plain reports whether a pattern fits no name but itself.
func Plain(pattern string) bool { return !strings.ContainsAny(pattern, meaning) }

// meaning are the characters by which a pattern means more than itself.
const meaning = `*?[{\`
