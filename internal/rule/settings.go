package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Settings is one entry under `rules:`, with what it inherits from packs.
type Settings struct {
	Rule     *Rule
	Name     string
	Reason   string
	Level    string // error | warning | info
	Targets  []string
	Programs []string
	Limits
	Options map[string]any  // by key; only what was set, or has a default
	Place   string          // file:line:column
	Marks   map[string]Mark // the places of its bounds in the user's file; a pack's have none
	Except  ByProgram       // entries of the same rule that take over the programs they cover
	Pack    string          // the pack it came from; "" when the user's own file names the rule
}

// Limits bound what a rule counts: by numbers, and by what it was in the baseline.
type Limits struct {
	Max         *float64
	MaxKey      string // the rule's own key that max was written as; "": max
	Min         *float64
	Equal       *float64
	MaxIncrease *Change
	MaxDecrease *Change

	implied bool // the rule implies max; the file does not set it
}

// Mark is the place of a value in a file, and its text there.
type Mark struct {
	Line, Column int
	Text         string
	Plain        bool // without quotes
}

// bound returns what the limits say of one of [BoundKeys], a number or a [Change]; nil where they say nothing.
func (l *Limits) bound(key string) any {
	number := map[string]*float64{"max": l.Max, "min": l.Min, "equal": l.Equal}[key]
	change := map[string]*Change{"max_increase": l.MaxIncrease, "max_decrease": l.MaxDecrease}[key]
	switch {
	case number != nil:
		return *number
	case change != nil:
		return *change
	}
	return nil
}

// Terms writes the settings without their place in the file.
func (s *Settings) Terms() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %v %v", s.Name, s.Programs, s.Targets)
	for _, key := range BoundKeys {
		switch v := s.bound(key).(type) {
		case nil:
			b.WriteString(" -")
		case float64:
			fmt.Fprintf(&b, " %g", v)
		case Change:
			fmt.Fprintf(&b, " %g %v", v.Amount, v.Percent)
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

// EntriesOf lists the settings of one rule.
func EntriesOf(list []*Settings, rule *Rule) []*Settings {
	return slices.DeleteFunc(slices.Clone(list), func(s *Settings) bool { return s.Rule != rule })
}

// Covers reports whether the settings cover a program of a target. Program "*" is the target as a whole.
func (s *Settings) Covers(target, program string) bool {
	if !orAll(s.Targets, target) || program != "*" && !s.Names(program) {
		return false
	}
	return !s.Except.Covers(target, program)
}

// Names reports whether the settings name a program, by any of its names.
func (s *Settings) Names(program string) bool {
	return len(s.Programs) == 0 || slices.ContainsFunc(s.Programs, func(pattern string) bool { return facts.Fits(pattern, program) })
}

// LeaveOthers excepts from each entry of a rule the programs that others name in full: "step-2" from the one for "step", "Encoder.__call__" from the one for
// "__call__".
func LeaveOthers(entries []*Settings) {
	type named struct{ program, targets string }
	known := map[named]bool{}
	var all []*Settings
	byName := map[string][]*Settings{}
	for _, o := range entries {
		for _, program := range o.Programs {
			at := named{program, strings.Join(o.Targets, "\x00")}
			if known[at] {
				continue
			}
			known[at] = true
			one := &Settings{Rule: o.Rule, Targets: o.Targets, Programs: []string{program}}
			all = append(all, one)
			for _, name := range facts.Names(program) {
				byName[name] = append(byName[name], one)
			}
		}
	}
	for _, s := range entries {
		others := all
		if names, spelled := s.named(); spelled {
			others = nil
			for _, name := range names {
				others = append(others, byName[name]...)
			}
		}
		for _, o := range others {
			if program := o.Programs[0]; !orAll(s.Programs, program) && s.Names(program) {
				s.Except.Add(o)
			}
		}
	}
}

// orAll matches a list of globs; an empty list matches everything.
func orAll(globs []string, name string) bool { return len(globs) == 0 || phrase.AnyGlob(globs, name) }

// value returns an option's value, or its default.
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

// Bounded reports whether there is a limit.
func (l *Limits) Bounded() bool { return l.AbsolutelyBounded() || l.Compares() }

// AbsolutelyBounded reports whether there is a limit that needs no baseline.
func (l *Limits) AbsolutelyBounded() bool { return l.Max != nil || l.Min != nil || l.Equal != nil }

// Compares reports whether there is a limit that needs the baseline.
func (l *Limits) Compares() bool { return l.MaxIncrease != nil || l.MaxDecrease != nil }

// growth returns the limits that need the baseline.
func (l Limits) growth() Limits {
	return Limits{MaxIncrease: l.MaxIncrease, MaxDecrease: l.MaxDecrease}
}

// BoundedByOwn reports whether one of the rule's own options bounds what it counts.
func (s *Settings) BoundedByOwn() bool {
	return slices.ContainsFunc(s.Rule.Bounds, func(key string) bool { _, set := s.Options[key]; return set })
}

// KeyOfMax is the key that max is written as.
func (l *Limits) KeyOfMax() string { return cmp.Or(l.MaxKey, "max") }

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

func (s *Settings) has(key string) bool {
	_, set := s.Options[key]
	return set || s.bound(key) != nil
}

// Severity returns the level of the findings: that of the settings, else the rule's, else error.
func (s *Settings) Severity() string {
	return cmp.Or(s.Level, s.Rule.Level, "error")
}

// Number returns a numeric option and whether it is set.
func (s *Settings) Number(key string) (float64, bool) {
	v, ok := s.value(key).(float64)
	return v, ok
}

// Text returns a textual option, "" when it is not set.
func (s *Settings) Text(key string) string { return as[string](s.value(key)) }

// List returns a list option, nil when it is not set.
func (s *Settings) List(key string) []string { return as[[]string](s.value(key)) }

// Pairs returns an option of keys with values, nil when it is not set.
func (s *Settings) Pairs(key string) map[string]string { return as[map[string]string](s.value(key)) }

// On returns a switch, false when it is not set.
func (s *Settings) On(key string) bool { return as[bool](s.value(key)) }

// Entries returns a table option, nil when it is not set.
func (s *Settings) Entries(key string) []Entry { return as[[]Entry](s.value(key)) }

// Entry is one mapping of a Table option: its values by key.
type Entry struct {
	Values map[string]any
	Line   int
}

// Number returns a numeric value and whether it is set.
func (e Entry) Number(key string) (float64, bool) {
	v, ok := e.Values[key].(float64)
	return v, ok
}

// On returns a switch, false when it is not set.
func (e Entry) On(key string) bool { return as[bool](e.Values[key]) }

// Entry returns a mapping, the empty one when it is not set.
func (e Entry) Entry(key string) Entry { return as[Entry](e.Values[key]) }

// Text returns a textual value, "" when it is not set.
func (e Entry) Text(key string) string { return as[string](e.Values[key]) }

// List returns a list value, nil when it is not set.
func (e Entry) List(key string) []string { return as[[]string](e.Values[key]) }

// Pairs returns keys with values, nil when they are not set.
func (e Entry) Pairs(key string) map[string]string { return as[map[string]string](e.Values[key]) }

// as returns a value of a type, its zero where the value is of another.
func as[T any](v any) T {
	t, _ := v.(T)
	return t
}

// ByProgram finds settings by the program that they name. A proposal for thousands of programs has entries for each of them.
type ByProgram struct {
	named    map[string][]*Settings
	patterns []*Settings // which may cover any program
}

// Add adds settings.
func (b *ByProgram) Add(list ...*Settings) {
	for _, s := range list {
		names, spelled := s.named()
		if !spelled {
			b.patterns = append(b.patterns, s)
			continue
		}
		if b.named == nil {
			b.named = map[string][]*Settings{}
		}
		for _, name := range names {
			b.named[name] = append(b.named[name], s)
		}
	}
}

// Covers reports whether some of the settings cover a program of a target. Program "*" is the target as a whole.
func (b *ByProgram) Covers(target, program string) bool { return b.covering(target, program, 1) }

// Several reports whether more than one of the settings cover a program of a target.
func (b *ByProgram) Several(target, program string) bool { return b.covering(target, program, 2) }

func (b *ByProgram) covering(target, program string, least int) bool {
	var lists [][]*Settings
	for _, name := range facts.Names(program) {
		lists = append(lists, b.named[name])
	}
	for _, list := range append(lists, b.patterns) {
		for _, s := range list {
			if (program != "*" || orAll(s.Programs, "*")) && s.Covers(target, program) {
				least--
			}
			if least == 0 {
				return true
			}
		}
	}
	return false
}

// named lists the names of the programs that the settings are for. It is false where one of them is a pattern.
func (s *Settings) named() (programs []string, spelled bool) {
	if slices.ContainsFunc(s.Programs, func(p string) bool { return !phrase.PlainName(p) }) {
		return nil, false
	}
	return s.Programs, len(s.Programs) > 0
}
