package gate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// ruleChanges pairs the entries of both sides, rule by rule, and lists what differs.
func ruleChanges(base, head []*rule.Settings) []PolicyChange {
	var out []PolicyChange
	for _, r := range rules.All.Rules {
		_, old, fresh := pairUp(rule.EntriesOf(base, r), rule.EntriesOf(head, r), equal)
		pairs, gone, added := pairUp(old, fresh, counterparts)
		for _, p := range pairs {
			out = append(out, compareEntry(p[0], p[1])...)
		}
		for _, s := range gone {
			out = append(out, PolicyChange{Effect: Looser, Subject: r.ID, Scope: scopeOf(s), Text: "removed"})
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

// pairUp pairs each old entry with the first new one that fits and is not taken; what is left on either side has no counterpart.
func pairUp[E any](old, fresh []E, fits func(a, b E) bool) (pairs [][2]E, gone, added []E) {
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

func compareEntry(base, head *rule.Settings) []PolicyChange {
	return phrase.Map(differences(base, head), func(d optionChange) PolicyChange {
		return PolicyChange{Effect: d.effect, Subject: head.Rule.ID, Scope: scopeOf(head), Text: d.text}
	})
}

// addedEntry is the change by a new entry. One that takes programs over from a wider entry can ask for less than that did.
func addedEntry(s *rule.Settings, base []*rule.Settings) PolicyChange {
	c := PolicyChange{Effect: Stricter, Subject: s.Rule.ID, Scope: scopeOf(s), Text: "added"}
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

func scopeOf(s *rule.Settings) string {
	text := strings.Join(s.Programs, ", ")
	if len(s.Targets) > 0 {
		text = strings.Join(s.Targets, ", ") + "/" + cmp.Or(text, "*")
	}
	if s.Name != "" && s.Name != s.Rule.ID {
		text = strings.TrimSpace(s.Name + " " + text)
	}
	return text
}

// optionChange is one key that differs.
type optionChange struct {
	effect string
	text   string
}

// differences compares two entries key by key: the level, the bounds, then the rule's own options. The option says whether
// more of it is stricter.
func differences(base, head *rule.Settings) []optionChange {
	was, is := base.Values(), head.Values()
	all := maps.Clone(was)
	maps.Copy(all, is)
	options := map[string]rule.Option{}
	for _, o := range head.Rule.Keys() {
		options[o.Key] = o
	}
	compare := func(key string) []optionChange {
		o, known := options[key]
		if _, set := all[key]; !known || !set {
			return nil
		}
		delete(all, key)
		if key == "max" {
			o.Key = cmp.Or(head.MaxKey, base.MaxKey, key)
		}
		return questionAbout(base, head, o).differences(was[key], is[key])
	}
	out := compare("level")
	var bounds []optionChange
	for _, key := range rule.BoundKeys {
		bounds = append(bounds, compare(key)...)
	}
	out = append(out, implied(base, head, bounds)...)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, compare(key)...)
	}
	return out
}

// implied marks bounds that only one side has: they replace the rule's own limit (none at all, or no more than in the baseline). That is no
// number, so neither side is stricter.
func implied(base, head *rule.Settings, bounds []optionChange) []optionChange {
	if base.Bounded() && head.Bounded() {
		return bounds
	}
	instead := ", instead of the rule's default"
	if !head.Bounded() {
		instead = ", and the rule has its default"
	}
	for i := range bounds {
		bounds[i] = optionChange{Other, bounds[i].text + instead}
	}
	return bounds
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
