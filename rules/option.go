package rules

// Option is one key of a rule in xlagate.yaml.
type Option struct {
	Key     string
	Type    OptionType
	Doc     string
	Default any      // nil: not set
	Enum    []string // the values a Word may have
	Fields  []Option // the keys of each entry of a Table
	Require bool
}

// OptionType says what a value may be.
type OptionType int

// The types of options, with what they decode to.
const (
	Word    OptionType = iota // string; one of Enum where given
	Text                      // string
	Glob                      // string, a well-formed glob
	Globs                     // []string; one glob may stand alone
	Words                     // []string; one word may stand alone
	Count                     // float64, a whole number >= 0
	Size                      // float64, bytes: 12, 12KiB, 2GiB
	Number                    // float64
	Share                     // float64 in 0..1: 0.5 or 50%
	Growth                    // Change: 3, 1MiB, 5%
	Switch                    // bool
	Table                     // []Entry
	Pattern                   // string, a data-flow pattern
	ShapeOf                   // string, a shape with wildcards
	Expr                      // string, a CEL expression
	Pairs                     // map[string]string
	Seconds                   // float64: 90s, 20m
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
	{Key: "level", Type: Word, Enum: []string{"error", "warning", "info", "off"}, Doc: "how bad a finding is", Default: "error"},
	{Key: "program", Type: Globs, Doc: "programs it looks at", Default: []string{"*"}},
	{Key: "target", Type: Globs, Doc: "targets it looks at", Default: []string{"*"}},
	{Key: "name", Type: Text, Doc: "what findings call this rule"},
	{Key: "reason", Type: Text, Doc: "why it stands here; shown in the finding"},
	{Key: "rule", Type: Text, Doc: "the rule's id; see `xlagate rules`", Require: true},
}

// bounds are the keys that bound what a rule counts. Those that compare with the baseline are left out where no baseline has it.
func bounds(m *Metric) []Option {
	amount := map[string]OptionType{"bytes": Size, "seconds": Seconds}[m.Unit]
	if amount == Word {
		amount = Number
	}
	keys := []Option{
		{Key: "max", Type: amount, Doc: "the most " + m.Noun + " there may be; needs no baseline"},
		{Key: "min", Type: amount, Doc: "the least " + m.Noun + " there must be; needs no baseline"},
		{Key: "equal", Type: amount, Doc: "exactly how many or how much " + m.Noun + " there must be; needs no baseline"},
	}
	if m.Unit == "seconds" {
		return keys
	}
	return append(keys,
		Option{Key: "max_increase", Type: Growth, Doc: "how much more " + m.Noun + " than in the baseline there may be: 2, 1MiB or 5%"},
		Option{Key: "max_decrease", Type: Growth, Doc: "how much less " + m.Noun + " than in the baseline there may be: 2, 1MiB or 5%"},
	)
}
