package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// ruleChanges pairs the entries of both sides, rule by rule, and tells what differs.
func ruleChanges(base, head []*rule.Settings) []Change {
	var out []Change
	for _, r := range rules.All() {
		_, old, fresh := match(rule.EntriesOf(base, r), rule.EntriesOf(head, r), equal)
		pairs, gone, added := match(old, fresh, counterparts)
		for _, p := range pairs {
			out = append(out, compareEntry(p[0], p[1])...)
		}
		for _, s := range gone {
			out = append(out, Change{Effect: Looser, Subject: r.ID, Scope: scope(s), Text: "removed"})
		}
		for _, s := range added {
			out = append(out, addedEntry(s, rule.EntriesOf(base, r)))
		}
	}
	return out
}

func sameScope(a, b *rule.Settings) bool {
	return slices.Equal(a.Programs, b.Programs) && slices.Equal(a.Targets, b.Targets) && a.Pack == b.Pack
}

// match pairs each old entry with the first new one that fits and is not taken; what is left on either side has no counterpart.
func match[E any](old, fresh []E, fits func(a, b E) bool) (pairs [][2]E, gone, added []E) {
	added = slices.Clone(fresh)
	for _, s := range old {
		at := slices.IndexFunc(added, func(f E) bool { return fits(s, f) })
		if at < 0 {
			gone = append(gone, s)
			continue
		}
		pairs = append(pairs, [2]E{s, added[at]})
		added = slices.Delete(added, at, at+1)
	}
	return pairs, gone, added
}

func equal(a, b *rule.Settings) bool { return sameScope(a, b) && len(differences(a, b)) == 0 }

func counterparts(a, b *rule.Settings) bool { return sameScope(a, b) && a.Name == b.Name }

func compareEntry(base, head *rule.Settings) []Change {
	var out []Change
	for _, d := range differences(base, head) {
		out = append(out, Change{Effect: d.effect, Subject: head.Rule.ID, Scope: scope(head), Text: d.text})
	}
	return out
}

// addedEntry tells of an entry that is new. One that takes programs over from a wider entry can ask for less than that did.
func addedEntry(s *rule.Settings, base []*rule.Settings) Change {
	c := Change{Effect: Stricter, Subject: s.Rule.ID, Scope: scope(s), Text: "added"}
	for _, b := range base {
		if !overlaps(b, s) || s.Pack != "" && b.Pack == "" { // a pack takes nothing over from the file
			continue
		}
		var texts []string
		for _, d := range differences(b, s) {
			texts = append(texts, d.text)
			if d.effect != Stricter && c.Effect != Looser {
				c.Effect = d.effect
			}
		}
		c.Text = "now has an entry of its own: " + strings.Join(texts, ", ")
		return c
	}
	return c
}

// overlaps reports whether two entries can speak of one program. Globs that are not equal are taken to overlap.
func overlaps(a, b *rule.Settings) bool {
	wide := func(globs []string) bool {
		return len(globs) == 0 || strings.ContainsAny(strings.Join(globs, ""), "*?[{")
	}
	shares := func(a, b []string) bool {
		return wide(a) || wide(b) || slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
	}
	programs := shares(a.Programs, b.Programs) || slices.ContainsFunc(a.Programs, b.Names) || slices.ContainsFunc(b.Programs, a.Names)
	return programs && shares(a.Targets, b.Targets)
}

func scope(s *rule.Settings) string {
	text := strings.Join(s.Programs, ", ")
	if len(s.Targets) > 0 {
		text = strings.Join(s.Targets, ", ") + "/" + first(text, "*")
	}
	if s.Name != "" && s.Name != s.Rule.ID {
		text = strings.TrimSpace(s.Name + " " + text)
	}
	return text
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// difference is one key that differs.
type difference struct {
	effect string
	text   string
}

// severity orders levels; no level is an error.
var severity = map[string]int{"off": 0, "info": 1, "warning": 2, "error": 3, "": 3}

func differences(base, head *rule.Settings) []difference {
	var out []difference
	if severity[base.Level] != severity[head.Level] {
		out = append(out, difference{direction(severity[base.Level], severity[head.Level]), "level " + first(base.Level, "error") + " → " + first(head.Level, "error")})
	}
	out = append(out, bounds(base, head)...)
	keys := maps.Clone(base.Options)
	if keys == nil {
		keys = map[string]any{}
	}
	maps.Copy(keys, head.Options)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		out = append(out, about(base, head, key).differences(base.Options[key], head.Options[key])...)
	}
	return out
}

// bounds compares all limits. What a rule asks for by itself where it has none (nothing at all, or no more than the baseline) is no
// number: nobody can say which of the two asks for more.
func bounds(base, head *rule.Settings) []difference {
	out := bound(base.Rule, first(first(head.MaxKey, base.MaxKey), "max"), base.Max, head.Max, Looser)
	out = append(out, bound(base.Rule, "min", base.Min, head.Min, Stricter)...)
	out = append(out, bound(base.Rule, "equal", base.Equal, head.Equal, Other)...)
	out = append(out, growth(base.Rule, "max_increase", base.MaxIncrease, head.MaxIncrease)...)
	out = append(out, growth(base.Rule, "max_decrease", base.MaxDecrease, head.MaxDecrease)...)
	if unbounded(base) || unbounded(head) {
		instead := ", instead of what the rule asks for by itself"
		if unbounded(head) {
			instead = ", and the rule asks for what it does by itself"
		}
		for i := range out {
			out[i] = difference{Other, out[i].text + instead}
		}
	}
	return out
}

func unbounded(s *rule.Settings) bool {
	return s.Max == nil && s.Min == nil && s.Equal == nil && s.MaxIncrease == nil && s.MaxDecrease == nil
}

// bound compares a limit; grown says what it means when the limit grows.
func bound(rule *rule.Rule, key string, base, head *float64, grown string) []difference {
	effect := grown
	switch {
	case base == nil && head == nil || base != nil && head != nil && *base == *head:
		return nil
	case head == nil:
		effect = Looser
	case base == nil:
		effect = Stricter
	case grown != Other && *head < *base:
		effect = opposite(grown)
	}
	was, is := numbers(base, head, unit(rule))
	return []difference{{effect, fmt.Sprintf("%s %s → %s", key, was, is)}}
}

// numbers writes two numbers, either of which may not be there, so that they can be told apart.
func numbers(base, head *float64, unit string) (was, is string) {
	switch {
	case base == nil:
		return "none", phrase.Show(*head, unit)
	case head == nil:
		return phrase.Show(*base, unit), "none"
	}
	return phrase.Apart(*base, *head, unit)
}

func unit(rule *rule.Rule) string {
	if rule.Budget == nil {
		return ""
	}
	return rule.Budget.Unit
}

func opposite(e string) string {
	switch e {
	case Looser:
		return Stricter
	case Stricter:
		return Looser
	}
	return Other
}

func growth(r *rule.Rule, key string, base, head *rule.Change) []difference {
	show := func(c *rule.Change) string {
		switch {
		case c == nil:
			return "none"
		case c.Percent:
			return phrase.Number(c.Amount) + " %"
		}
		return phrase.Show(c.Amount, unit(r))
	}
	effect := Other
	switch {
	case base == nil && head == nil || base != nil && head != nil && *base == *head:
		return nil
	case head == nil:
		effect = Looser
	case base == nil:
		effect = Stricter
	case base.Percent == head.Percent && head.Amount > base.Amount:
		effect = Looser
	case base.Percent == head.Percent:
		effect = Stricter
	}
	return []difference{{effect, fmt.Sprintf("%s %s → %s", key, show(base), show(head))}}
}
