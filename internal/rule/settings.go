package rule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/match"
)

// Settings is one entry under `rules:` after packs and the user's file were put together.
type Settings struct {
	Rule        *Rule
	Name        string
	Reason      string
	Level       string // error | warning | info
	Targets     []string
	Programs    []string
	Max         *float64
	MaxKey      string // the rule's own key that max was written as; "": max
	Min         *float64
	Equal       *float64
	MaxIncrease *Change
	MaxDecrease *Change
	Options     map[string]any  // by key; only what was set, or has a default
	Place       string          // file:line:column
	Marks       map[string]Mark // where the file says its bounds; what a pack says has none
	Except      ByProgram       // entries of the same rule that take over the programs they cover
	Pack        string          // the pack it came from; "" when the user's own file names the rule

	implied bool // max is what the rule means, not what anybody wrote
}

// Mark is where a value stands in a file, and how it is written there.
type Mark struct {
	Line, Column int
	Text         string
	Plain        bool // without quotes
}

// Terms spells what the settings ask for, the same wherever they stand in the file.
func (s *Settings) Terms() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %v %v", s.Name, s.Programs, s.Targets)
	for _, n := range []*float64{s.Max, s.Min, s.Equal} {
		if n == nil {
			b.WriteString(" -")
		} else {
			fmt.Fprintf(&b, " %g", *n)
		}
	}
	for _, c := range []*Change{s.MaxIncrease, s.MaxDecrease} {
		if c == nil {
			b.WriteString(" -")
		} else {
			fmt.Fprintf(&b, " %g %v", c.Amount, c.Percent)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Options)) {
		fmt.Fprintf(&b, " %s", key)
		entries, table := s.Options[key].([]Entry)
		for _, e := range entries {
			fmt.Fprintf(&b, " %v", e.Values)
		}
		if !table {
			fmt.Fprintf(&b, " %v", s.Options[key])
		}
	}
	return b.String()
}

// EntriesOf are those of some settings that are of one rule.
func EntriesOf(list []*Settings, rule *Rule) []*Settings {
	return slices.DeleteFunc(slices.Clone(list), func(s *Settings) bool { return s.Rule != rule })
}

// Covers reports whether the settings speak of a program of a target. Program "*" stands for the target as a whole.
func (s *Settings) Covers(target, program string) bool {
	if !orAll(s.Targets, target) || program != "*" && !s.Names(program) {
		return false
	}
	return !s.Except.Covers(target, program)
}

// Names reports whether the settings are for a program. Of graphs that a framework calls alike they are for all by the name that these have
// in common: which of them is the first depends on the run.
func (s *Settings) Names(program string) bool {
	stem, numbered := facts.NumberedGraph(program)
	return orAll(s.Programs, program) || numbered && orAll(s.Programs, stem)
}

// LeaveNumbered has settings leave to others of the same rule the graphs that those name by their number.
func (s *Settings) LeaveNumbered(others []*Settings) {
	if _, spelled := s.Named(); spelled {
		return // each program by its own name
	}
	for _, o := range others {
		theirs := slices.DeleteFunc(slices.Clone(o.Programs), func(name string) bool {
			stem, numbered := facts.NumberedGraph(name)
			return !numbered || stem == name || orAll(s.Programs, name) || !orAll(s.Programs, stem)
		})
		if len(theirs) > 0 {
			s.Except.Add(&Settings{Rule: o.Rule, Targets: o.Targets, Programs: theirs})
		}
	}
}

// orAll matches a list of globs that means everything when it is empty.
func orAll(globs []string, name string) bool { return len(globs) == 0 || match.AnyGlob(globs, name) }

// value returns an option's value, or the default that the rule gives it.
func (s *Settings) value(key string) any {
	if v, ok := s.Options[key]; ok {
		return v
	}
	for _, o := range s.Rule.Options {
		if o.Key == key {
			return o.Default
		}
	}
	return nil
}

// Bounded reports whether the settings say how much there may be.
func (s *Settings) Bounded() bool {
	return s.AbsolutelyBounded() || s.MaxIncrease != nil || s.MaxDecrease != nil
}

// AbsolutelyBounded reports whether they say so without a baseline.
func (s *Settings) AbsolutelyBounded() bool { return s.Max != nil || s.Min != nil || s.Equal != nil }

// BoundedByOwn reports whether one of the rule's own options bounds what it counts.
func (s *Settings) BoundedByOwn() bool {
	return slices.ContainsFunc(s.Rule.Bounds, func(key string) bool { _, set := s.Options[key]; return set })
}

// NeedsBaseline reports whether the settings compare with the baseline.
func (s *Settings) NeedsBaseline() bool {
	m := s.Rule.Budget
	switch {
	case s.MaxIncrease != nil, s.MaxDecrease != nil:
		return true
	case m == nil:
		return slices.Contains(s.Rule.Reads, Baseline)
	case m.Difference:
		return !s.BoundedByOwn()
	}
	compares := slices.ContainsFunc(s.Rule.Options, func(o Option) bool { return o.Compares && s.On(o.Key) })
	return compares || !s.Rule.Forbids && !s.Bounded() && !s.BoundedByOwn()
}

// has reports whether a key was set.
func (s *Settings) has(key string) bool {
	switch key {
	case "max":
		return s.Max != nil
	case "min":
		return s.Min != nil
	case "equal":
		return s.Equal != nil
	}
	_, set := s.Options[key]
	return set
}

// Severity is the level of the findings: what the settings say, else the rule's own, else error.
func (s *Settings) Severity() string {
	switch {
	case s.Level != "":
		return s.Level
	case s.Rule.Level != "":
		return s.Rule.Level
	}
	return "error"
}

// Number returns a numeric option and whether it was set.
func (s *Settings) Number(key string) (float64, bool) {
	v, ok := s.value(key).(float64)
	return v, ok
}

// Text returns a textual option, "" when it was not set.
func (s *Settings) Text(key string) string {
	v, _ := s.value(key).(string)
	return v
}

// List returns a list option, nil when it was not set.
func (s *Settings) List(key string) []string {
	v, _ := s.value(key).([]string)
	return v
}

// Pairs returns an option of keys with values, nil when it was not set.
func (s *Settings) Pairs(key string) map[string]string {
	v, _ := s.value(key).(map[string]string)
	return v
}

// On returns a switch, false when it was not set.
func (s *Settings) On(key string) bool {
	v, _ := s.value(key).(bool)
	return v
}

// Entries returns a table option.
func (s *Settings) Entries(key string) []Entry {
	v, _ := s.value(key).([]Entry)
	return v
}

// Text returns a textual value of an entry, "" when it was not set.
func (e Entry) Text(key string) string {
	v, _ := e.Values[key].(string)
	return v
}

// List returns a list value of an entry.
func (e Entry) List(key string) []string {
	v, _ := e.Values[key].([]string)
	return v
}

// Pairs returns keys with values of an entry.
func (e Entry) Pairs(key string) map[string]string {
	v, _ := e.Values[key].(map[string]string)
	return v
}

// Number returns a numeric value of an entry and whether it was set.
func (e Entry) Number(key string) (float64, bool) {
	v, ok := e.Values[key].(float64)
	return v, ok
}
