package rule

import (
	"slices"
	"strings"
	"testing"
)

func TestChangeOf(t *testing.T) {
	for _, c := range []struct {
		allowed   Change
		old, want float64
		says      string
	}{
		{Change{}, 100, 0, ""},
		{Change{3, false}, 100, 3, ", max_increase 3"},
		{Change{5, true}, 200, 10, ", max_increase 5 %"},
		{Change{5, true}, 0, 0, ", max_increase 5 %"},
		{Change{0.1, true}, 5000, 5, ", max_increase 0.1 %"},
	} {
		if got := c.allowed.Of(c.old); got != c.want {
			t.Errorf("%+v of %v: %v, want %v", c.allowed, c.old, got, c.want)
		}
		if got := c.allowed.allowed("max_increase", ""); got != c.says {
			t.Errorf("%+v: %q, want %q", c.allowed, got, c.says)
		}
	}
	if got := (Change{2048, false}).allowed("max_increase", "bytes"); got != ", max_increase 2.0 KiB" {
		t.Errorf("%q", got)
	}
}

// A key that would change nothing is refused, with the reason.
func TestRefuses(t *testing.T) {
	set := func(keys ...string) func(string) bool {
		return func(key string) bool { return slices.Contains(keys, key) }
	}
	counting := &Rule{Budget: &Metric{Noun: "kernels"}}
	for name, c := range map[string]struct {
		rule *Rule
		key  string
		has  func(string) bool
		want string
	}{
		"a bound":                       {counting, "max", set(), ""},
		"of a rule that counts nothing": {&Rule{}, "max", set(), "it counts nothing"},
		"what is said not to be":        {&Rule{Without: map[string]string{"level": "it is always an error"}}, "level", set(), "it is always an error"},
		"no baseline holds it":          {&Rule{Budget: &Metric{Unrecorded: "times"}}, "max_increase", set(), "no baseline holds times; bound it with max"},
		"what a baseline does not bind": {&Rule{Budget: &Metric{Unrecorded: "times"}}, "max", set(), ""},
		"fewer differences":             {&Rule{Budget: &Metric{Difference: true}}, "max_decrease", set(), "it counts differences from the baseline"},
		"more differences":              {&Rule{Budget: &Metric{Difference: true}}, "max_increase", set(), ""},
		"fewer differences from a pin":  {&Rule{Budget: &Metric{Difference: true}, Bounds: []string{"pin"}}, "max_decrease", set("pin"), ""},
		"the same by another name":      {&Rule{Budget: &Metric{}, Options: []Option{{Key: "max_variants", Means: "max"}}}, "max_variants", set("max"), "the entry also has max, which says the same"},
		"by one of both names":          {&Rule{Budget: &Metric{}, Options: []Option{{Key: "max_variants", Means: "max"}}}, "max_variants", set(), ""},
	} {
		if got := c.rule.Refuses(c.key, c.has); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The keys of an entry are the rule's own, the bounds in its unit, and those that all rules take.
func TestKeys(t *testing.T) {
	keys := func(r *Rule) (names []string) {
		for _, o := range r.Keys() {
			names = append(names, o.Key)
		}
		return names
	}
	find := func(r *Rule, key string) *Option {
		for _, o := range r.Keys() {
			if o.Key == key {
				return &o
			}
		}
		return nil
	}
	if got := strings.Join(keys(&Rule{Options: []Option{{Key: "own"}}}), " "); got != "own level program target name reason rule" {
		t.Error(got)
	}
	if got := strings.Join(keys(&Rule{Budget: &Metric{Noun: "x"}}), " "); got != "max min equal max_increase max_decrease level program target name reason rule" {
		t.Error(got)
	}
	if got := strings.Join(keys(&Rule{Budget: &Metric{Difference: true}, Without: map[string]string{"level": "no"}}), " "); strings.Contains(got, "level") || !strings.Contains(got, "max_increase") {
		t.Error(got)
	}
	for unit, want := range map[string][2]OptionType{"": {Count, Growth}, "bytes": {Size, Growth}, "seconds": {Seconds, Growth}, "nanoseconds": {Nanoseconds, TimeGrowth}} {
		r := &Rule{Budget: &Metric{Unit: unit, Noun: "x"}}
		if most, increase := find(r, "max"), find(r, "max_increase"); most.Type != want[0] || increase.Type != want[1] {
			t.Errorf("%q: max is of type %d, max_increase of %d", unit, most.Type, increase.Type)
		}
	}
	always := &Rule{Always: true, Level: "info", Whole: true}
	if level := find(always, "level"); slices.Contains(level.Enum, "off") || level.Default != "info" {
		t.Errorf("%+v", level)
	}
	if program := find(always, "program"); !slices.Equal(program.Enum, []string{"*"}) {
		t.Errorf("%+v", program)
	}
	if slices.Contains(CommonOptions[0].Enum, "off") == false || CommonOptions[0].Default != "error" {
		t.Error("the options of one rule changed those of all")
	}
}

// Every common key and every bound says what it is for.
func TestKeysSayWhatTheyAreFor(t *testing.T) {
	for _, o := range (&Rule{Budget: &Metric{Noun: "kernels"}}).Keys() {
		if o.Doc == "" {
			t.Errorf("%s: %+v", o.Key, o)
		}
	}
}

func TestValidate(t *testing.T) {
	r := &Rule{ID: "r", NeedsOne: []string{"max", "pin"}, Check: func(s *Settings) []Refusal {
		if s.Text("pin") == "x" {
			return []Refusal{{Path: []string{"pin"}}}
		}
		return nil
	}}
	for name, c := range map[string]struct {
		set  Settings
		want string // the paths of what is refused
	}{
		"a bound":           {Settings{Limits: Limits{Max: new(1.0)}}, ""},
		"an option":         {Settings{Options: map[string]any{"pin": "y"}}, ""},
		"nothing":           {Settings{}, "()"},
		"equal and max":     {Settings{Limits: Limits{Equal: new(1.0), Max: new(2.0)}}, "(equal)"},
		"equal and min":     {Settings{Limits: Limits{Equal: new(1.0), Min: new(2.0)}}, "(equal) ()"},
		"min above max":     {Settings{Limits: Limits{Min: new(3.0), Max: new(2.0)}}, "(min)"},
		"min is max":        {Settings{Limits: Limits{Min: new(2.0), Max: new(2.0)}}, ""},
		"what it looks at":  {Settings{Options: map[string]any{"pin": "x"}}, "(pin)"},
		"several at a time": {Settings{Limits: Limits{Min: new(3.0), Max: new(2.0), Equal: new(1.0)}, Options: map[string]any{"pin": "x"}}, "(equal) (min) (pin)"},
	} {
		c.set.Rule = r
		var got []string
		for _, wrong := range r.Validate(&c.set) {
			got = append(got, "("+strings.Join(wrong.Path, ".")+")")
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Long lists of words are named by what they are, short ones are listed.
func TestTypeName(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{{OpcodeWords, "HLO operations"}, {KernelKinds, "loop | input"}, {TypeWords, "HLO types"}, {[]string{"a", "b"}, "a | b"}, {nil, "word"}} {
		if got := (Option{Enum: c.words}).typeName(); !strings.HasPrefix(got, c.want) || len(got) > 100 {
			t.Errorf("%.3q: %q", c.words, got)
		}
	}
	if len(CollectiveWords) < 9 {
		t.Errorf("%q", CollectiveWords)
	}
	for _, word := range CollectiveWords {
		if !slices.Contains(OpcodeWords, word) {
			t.Errorf("%s is no operation of HLO", word)
		}
	}
}
