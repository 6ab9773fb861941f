package rule

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Keys are all keys that an entry of this rule may have: its own, the bounds of what it counts, and those that every rule has.
func (r *Rule) Keys() []Option {
	keys := append(slices.Clone(r.Options), r.bounds()...)
	for _, o := range CommonOptions {
		switch {
		case r.Without[o.Key] != "":
			continue
		case o.Key == "level":
			o = r.levels(o)
		case o.Key == "program" && r.Whole:
			o.Enum, o.Doc = []string{"*"}, "it looks at the target as a whole"
		}
		keys = append(keys, o)
	}
	return keys
}

// levels are the levels that the rule may have. One that is always on is not turned off.
func (r *Rule) levels(o Option) Option {
	if r.Level != "" {
		o.Default = r.Level
	}
	if r.Always {
		o.Enum = slices.DeleteFunc(slices.Clone(o.Enum), func(level string) bool { return level == "off" })
	}
	return o
}

// Validate finds what is wrong with settings beyond their types.
func (r *Rule) Validate(s *Settings) []Refusal {
	var wrong []Refusal
	if s.Equal != nil && (s.Max != nil || s.Min != nil) {
		wrong = append(wrong, Refusal{[]string{"equal"}, fmt.Errorf("equal stands beside max or min; keep one")})
	}
	if s.Max != nil && s.Min != nil && *s.Min > *s.Max {
		wrong = append(wrong, Refusal{[]string{"min"}, fmt.Errorf("min %v is above max %v", *s.Min, *s.Max)})
	}
	if len(r.NeedsOne) > 0 && !slices.ContainsFunc(r.NeedsOne, s.has) {
		wrong = append(wrong, Refusal{nil, fmt.Errorf("bounds nothing: say %s", phrase.Or(r.NeedsOne))})
	}
	if r.Check != nil {
		wrong = append(wrong, r.Check(s)...)
	}
	return wrong
}
