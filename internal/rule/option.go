package rule

import "slices"

// Option is one key of a rule in xlagate.yaml.
type Option struct {
	Key     string
	Type    OptionType
	Sense   Sense
	Doc     string
	Default any      // nil: not set
	Enum    []string // the values a Word may have
	Fields  []Option // the keys of each entry of a Table, or of a Mapping
	Require bool
	Empty   bool    // it may be an empty list: of what is let pass, none is as good as any
	Least   float64 // of a Count
	// NeedsOne lists keys of which each entry of a Table must have one at least.
	NeedsOne []string
	Wanted   bool   // of a Table: its entries say what must be there, so that one which fits less asks for more
	InPlace  bool   // of a Share that is demanded: it stands in the place of all, which is demanded without it and without a bound
	Means    string // the common key that it is another name of
	Compares bool   // of a Switch: when it is on, the rule compares with the baseline
}

// OptionType says what a value may be.
type OptionType int

// The types of options, with what they decode to.
const (
	Word        OptionType = iota // string; one of Enum where given
	Text                          // string
	Glob                          // string, a well-formed glob
	Globs                         // []string; one glob may stand alone
	Words                         // []string; one word may stand alone
	Count                         // float64, a whole number >= 0
	Size                          // float64, bytes: 12, 12KiB, 2GiB
	Number                        // float64
	Share                         // float64 in 0..1: 0.5 or 50%
	Growth                        // Change: 3, 1MiB, 5%
	Switch                        // bool
	Table                         // []Entry
	Mapping                       // one mapping, read apart
	Pattern                       // string, a data-flow pattern
	ShapeOf                       // string, a shape with wildcards
	Expr                          // string, a CEL expression
	Pairs                         // map[string]string
	Seconds                       // float64: 90s, 20m
	Nanoseconds                   // float64, a predicted time: 13ms, 350us, or a number of nanoseconds
	Day                           // string: 2027-02-01
	FindingID                     // string: 12 hex digits
)

// Change is a growth that is allowed: an absolute amount or a share of the old value.
type Change struct {
	Amount  float64
	Percent bool
}

// Of is the allowed growth in the old value's unit.
func (c Change) Of(old float64) float64 {
	if c.Percent {
		return old * c.Amount / 100
	}
	return c.Amount
}

// Entry is one mapping of a Table option: its values by key.
type Entry struct {
	Values map[string]any
	Line   int
	Column int
}

// CommonOptions are the keys that every rule takes.
var CommonOptions = []Option{
	{Key: "level", Type: Word, Sense: Neither, Enum: []string{"error", "warning", "info", "off"}, Doc: "how bad a finding is", Default: "error"},
	{Key: "program", Type: Globs, Sense: Neither, Doc: "programs it looks at", Default: []string{"*"}},
	{Key: "target", Type: Globs, Sense: Neither, Doc: "targets it looks at", Default: []string{"*"}},
	{Key: "name", Type: Text, Sense: Neither, Doc: "what findings call this rule"},
	{Key: "reason", Type: Text, Sense: Neither, Doc: "why it stands here; shown in the finding"},
	{Key: "rule", Type: Text, Sense: Neither, Doc: "the rule's id; see `xlagate rules`", Require: true},
}

// boundKeys are the keys that bound what a rule counts.
var boundKeys = []string{"max", "min", "equal", "max_increase", "max_decrease"}

// bounds describes those of them that a rule takes.
func (r *Rule) bounds() []Option {
	m := r.Budget
	if m == nil {
		return nil
	}
	amount := Count
	switch m.Unit {
	case "bytes":
		amount = Size
	case "seconds":
		amount = Seconds
	case "nanoseconds":
		amount = Nanoseconds
	}
	keys := []Option{
		{Key: "max", Type: amount, Sense: Caps, Doc: "the most " + m.Noun + " there may be; needs no baseline"},
		{Key: "min", Type: amount, Sense: Demands, Doc: "the least " + m.Noun + " there must be; needs no baseline"},
		{Key: "equal", Type: amount, Sense: Neither, Doc: "exactly how many or how much " + m.Noun + " there must be; needs no baseline"},
		{Key: "max_increase", Type: Growth, Sense: Caps, Doc: "how much more " + m.Noun + " than in the baseline there may be: 2, 1MiB or 5%"},
		{Key: "max_decrease", Type: Growth, Sense: Caps, Doc: "how much less " + m.Noun + " than in the baseline there may be: 2, 1MiB or 5%"},
	}
	return slices.DeleteFunc(keys, func(o Option) bool { return r.Refuses(o.Key, func(string) bool { return true }) != "" })
}

// Refuses says why an entry may not have a key that its rule knows of, "" where it may: no key is taken that would change nothing.
// has says whether the entry has a key.
func (r *Rule) Refuses(key string, has func(string) bool) string {
	if why, ok := r.Without[key]; ok {
		return why
	}
	if slices.ContainsFunc(r.Options, func(o Option) bool { return o.Key == key && o.Means != "" && has(o.Means) }) {
		return "max stands here too, and says the same"
	}
	m := r.Budget
	compares := key == "max_increase" || key == "max_decrease"
	switch {
	case m == nil && slices.Contains(boundKeys, key):
		return "it counts nothing"
	case m != nil && m.Unheld != "" && compares:
		return "no baseline holds " + m.Unheld + "; bound it with max"
	case m != nil && m.Difference && key == "max_decrease" && !slices.ContainsFunc(r.Bounds, has):
		return "it counts differences from the baseline, which has none of them"
	}
	return ""
}
