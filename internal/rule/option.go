package rule

import (
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Option is one key of a rule in xlagate.yaml.
type Option struct {
	Key     string
	Type    OptionType
	Doc     string
	Default any      // nil: not set
	Enum    []string // the values a Word may have
	Fields  []Option // the keys of each entry of a Table, or of a Mapping
	Require bool
	Empty   bool    // the list may be empty, as a list of exceptions may
	Least   float64 // of a Count
	// NeedsOne lists keys; each entry of a Table must have at least one of them.
	NeedsOne []string
	Means    string // the common key that this is another name for
	Compares bool   // of a Switch: when it is on, the rule compares with the baseline
}

// OptionType is the type of an option's value.
type OptionType int

// The types of options, with what they decode to.
const (
	Word        OptionType = iota // string; one of Enum where given
	Text                          // string
	Glob                          // string, a well-formed glob
	Globs                         // []string; one glob may be given alone
	Words                         // []string; one word may be given alone
	Count                         // float64, a whole number >= 0
	Size                          // float64, bytes: 12, 12KiB, 2GiB
	Share                         // float64 in 0..1: 0.5 or 50%
	Growth                        // Change: 3, 1MiB, 5%
	Switch                        // bool
	Table                         // []Entry
	Entries                       // a list of mappings that are read one by one
	Mapping                       // Entry
	Pattern                       // string, a data-flow pattern
	ShapeOf                       // string, a shape with wildcards
	Expr                          // string, a CEL expression
	Pairs                         // map[string]string
	Seconds                       // float64: 90s, 20m
	Nanoseconds                   // float64, a predicted time: 13ms, 350us, or a number of nanoseconds
	TimeGrowth                    // Change of a predicted time: 50us, 5%, or a number of nanoseconds
	Day                           // string: 2027-02-01
	FindingID                     // string: 12 hex digits
)

// Change is an allowed growth: an absolute amount or a percentage of the old value.
type Change struct {
	Amount  float64
	Percent bool
}

// Of returns the allowed growth in the old value's unit.
func (c Change) Of(old float64) float64 {
	if c.Percent {
		return old * c.Amount / 100
	}
	return c.Amount
}

// allowed writes what a key allows; nothing where it allows no change.
func (c Change) allowed(key, unit string) string {
	switch {
	case c.Amount == 0:
		return ""
	case c.Percent:
		return fmt.Sprintf(", %s %s %%", key, phrase.Number(c.Amount))
	}
	return fmt.Sprintf(", %s %s", key, phrase.Show(c.Amount, unit))
}

// Refusal says what is wrong with a value of the right type, and where it is in its entry.
type Refusal struct {
	Path []string // keys and, in lists, numbers from 0, from the entry down to the value; empty: the entry lacks something
	Err  error
}

// CommonOptions are the keys that every rule takes.
var CommonOptions = []Option{
	{Key: "level", Type: Word, Enum: []string{"error", "warning", "info", "off"}, Doc: "how bad a finding is", Default: "error"},
	{Key: "program", Type: Globs, Doc: "programs it looks at", Default: []string{"*"}},
	{Key: "target", Type: Globs, Doc: "targets it looks at", Default: []string{"*"}},
	{Key: "name", Type: Text, Doc: "what findings call this rule"},
	{Key: "reason", Type: Text, Doc: "why the entry is here; shown in the finding"},
	{Key: "rule", Type: Text, Doc: "the rule's id; see `xlagate rules`", Require: true},
}

// BoundKeys are the keys that bound what a rule counts.
var BoundKeys = []string{"max", "min", "equal", "max_increase", "max_decrease"}

func (r *Rule) bounds() []Option {
	m := r.Budget
	if m == nil {
		return nil
	}
	amount, growth, such := Count, Growth, "2, 1MiB or 5%"
	switch m.Unit {
	case "bytes":
		amount = Size
	case "share":
		amount = Share
	case "seconds":
		amount = Seconds
	case "nanoseconds":
		amount, growth, such = Nanoseconds, TimeGrowth, "50us or 5%"
	}
	keys := []Option{
		{Key: "max", Type: amount, Doc: "the most there may be; needs no baseline"},
		{Key: "min", Type: amount, Doc: "the least there must be; needs no baseline"},
		{Key: "equal", Type: amount, Doc: "exactly how many or how much there must be; needs no baseline"},
		{Key: "max_increase", Type: growth, Doc: "how much more than in the baseline there may be: " + such},
		{Key: "max_decrease", Type: growth, Doc: "how much less than in the baseline there may be: " + such},
	}
	return slices.DeleteFunc(keys, func(o Option) bool { return r.Refuses(o.Key, func(string) bool { return true }) != "" })
}

// Refuses says why an entry may not have a key that its rule knows of, "" where it may: no key is taken that would change nothing.
// has reports whether the entry has a key.
func (r *Rule) Refuses(key string, has func(string) bool) string {
	if why, ok := r.Without[key]; ok {
		return why
	}
	if slices.ContainsFunc(r.Options, func(o Option) bool { return o.Key == key && o.Means != "" && has(o.Means) }) {
		return "the entry also has max, which says the same"
	}
	m := r.Budget
	compares := key == "max_increase" || key == "max_decrease"
	switch {
	case m == nil && slices.Contains(BoundKeys, key):
		return "it counts nothing"
	case m != nil && m.Unrecorded != "" && compares:
		return "no baseline holds " + m.Unrecorded + "; bound it with max"
	case m != nil && m.Difference && key == "max_decrease" && !slices.ContainsFunc(r.Bounds, has):
		return "it counts differences from the baseline"
	}
	return ""
}

// Keys lists all keys that an entry of this rule may have: its own, the bounds of what it counts, and the common ones.
func (r *Rule) Keys() []Option {
	keys := append(slices.Clone(r.Options), r.bounds()...)
	for _, o := range CommonOptions {
		switch {
		case r.Without[o.Key] != "":
			continue
		case o.Key == "level":
			if r.Level != "" {
				o.Default = r.Level
			}
			if r.Always {
				o.Enum = slices.DeleteFunc(slices.Clone(o.Enum), func(level string) bool { return level == "off" })
			}
		case o.Key == "program" && r.Whole:
			o.Enum, o.Doc = []string{"*"}, "it looks at the target as a whole"
		}
		keys = append(keys, o)
	}
	return keys
}

// Validate finds what is wrong with settings beyond their types.
func (r *Rule) Validate(s *Settings) []Refusal {
	var wrong []Refusal
	if s.Equal != nil && (s.Max != nil || s.Min != nil) {
		wrong = append(wrong, Refusal{[]string{"equal"}, fmt.Errorf("equal excludes max and min; keep one")})
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

// The words that options may hold. A misspelled word would match nothing, and a rule that forbids it would always pass.
var (
	OpcodeWords = hlo.OpcodeNames()
	TypeWords   = hlo.TypeNames()
	KernelKinds = append([]string{"loop", "input", "output", "custom", "library", "rng"}, OpcodeWords...)

	CollectiveWords = []string{
		"all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute", "collective-reduce", "ragged-all-to-all", "recv", "reduce-scatter", "send",
	}
)
