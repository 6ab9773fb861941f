package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/config"
	"github.com/xlagate/xlagate/internal/phrase"
)

// targetChanges lists the targets and programs that are added or removed.
func targetChanges(base, head *config.Config) []PolicyChange {
	var out []PolicyChange
	pairs, gone, added := pairUp(base.Targets, head.Targets, func(a, b config.Target) bool { return a.Name == b.Name })
	for _, p := range pairs {
		out = append(out, programs(p[0], p[1])...)
	}
	for _, t := range gone {
		out = append(out, PolicyChange{Effect: Looser, Subject: t.Name, Text: "the target is no longer checked"})
	}
	for _, t := range added {
		out = append(out, PolicyChange{Effect: Stricter, Subject: t.Name, Text: "a new target"})
	}
	return out
}

func programs(base, head config.Target) []PolicyChange {
	var out []PolicyChange
	add := func(key string, old, fresh []string, effect string) {
		if !slices.Equal(old, fresh) {
			out = append(out, PolicyChange{Effect: effect, Subject: head.Name, Text: fmt.Sprintf("%s: %s → %s", key, orNone(old), orNone(fresh))})
		}
	}
	add("programs.include", base.Include, head.Include, narrowed(base.Include, head.Include))
	add("programs.exclude", base.Exclude, head.Exclude, widened(base.Exclude, head.Exclude))
	add("log", base.Logs, head.Logs, widened(head.Logs, base.Logs))
	if base.RequireFresh != head.RequireFresh {
		effect := Stricter
		if base.RequireFresh {
			effect = Looser
		}
		out = append(out, PolicyChange{Effect: effect, Subject: head.Name, Text: fmt.Sprintf("require_fresh %v → %v", base.RequireFresh, head.RequireFresh)})
	}
	for _, c := range []struct{ key, was, is string }{
		{"samples", strconv.Itoa(base.Samples), strconv.Itoa(head.Samples)},
		{"device", cmp.Or(base.Device, "that of the dump"), cmp.Or(head.Device, "that of the dump")}, // which prices are higher depends on the program
		{"dump", cmp.Or(base.Dump, "none"), cmp.Or(head.Dump, "none")},
		{"capture", command(base.Capture), command(head.Capture)},
	} {
		if c.was != c.is {
			out = append(out, PolicyChange{Effect: Other, Subject: head.Name, Text: fmt.Sprintf("%s %s → %s", c.key, c.was, c.is)})
		}
	}
	return out
}

func command(c *config.Capture) string {
	if c == nil {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprint(c.Run, strings.TrimPrefix(fmt.Sprint(c.Env), "map[]")))
}

func orNone(list []string) string { return cmp.Or(strings.Join(list, ", "), "none") }

// narrowed is the effect of another list of what is looked at. No list means everything.
func narrowed(base, head []string) string {
	if len(head) == 0 {
		return Stricter
	}
	if len(base) == 0 || slices.ContainsFunc(base, func(s string) bool { return !slices.Contains(head, s) }) {
		return Looser
	}
	return Stricter
}

// widened is the effect of another list of what is left out.
func widened(base, head []string) string {
	if slices.ContainsFunc(head, func(s string) bool { return !slices.Contains(base, s) }) {
		return Looser
	}
	return Stricter
}

// waivers lists the waivers that are added, removed or changed.
func waivers(base, head []config.Waiver) []PolicyChange {
	var out []PolicyChange
	pairs, gone, added := pairUp(base, head, func(a, b config.Waiver) bool { return a.Finding == b.Finding })
	for _, w := range added {
		out = append(out, PolicyChange{Effect: Looser, Subject: "waiver " + w.Finding, Text: fmt.Sprintf("added until %s by %s: %s", w.Expires, w.Owner, w.Reason)})
	}
	for _, p := range pairs {
		out = append(out, waiver(p[0], p[1])...)
	}
	for _, w := range gone {
		out = append(out, PolicyChange{Effect: Stricter, Subject: "waiver " + w.Finding, Text: "removed"})
	}
	return out
}

func waiver(base, head config.Waiver) []PolicyChange {
	var out []PolicyChange
	subject := "waiver " + head.Finding
	if base.Expires != head.Expires {
		effect := Stricter
		if head.Expires > base.Expires {
			effect = Looser
		}
		out = append(out, PolicyChange{Effect: effect, Subject: subject, Text: fmt.Sprintf("until %s → %s", base.Expires, head.Expires)})
	}
	ceiling := func(w config.Waiver) string {
		if w.Ceiling == nil {
			return "none"
		}
		return phrase.Number(*w.Ceiling)
	}
	if ceiling(base) != ceiling(head) {
		effect := Stricter
		if head.Ceiling == nil || base.Ceiling != nil && *head.Ceiling > *base.Ceiling {
			effect = Looser
		}
		out = append(out, PolicyChange{Effect: effect, Subject: subject, Text: fmt.Sprintf("ceiling %s → %s", ceiling(base), ceiling(head))})
	}
	return out
}
