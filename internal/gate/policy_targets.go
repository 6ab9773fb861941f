package gate

import (
	"cmp"
	"fmt"
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
	for _, c := range []struct{ key, was, is, effect string }{
		{"programs.include:", orNone(base.Include), orNone(head.Include), stricterIf(len(head.Include) == 0 || len(base.Include) > 0 && holds(head.Include, base.Include))},
		{"programs.exclude:", orNone(base.Exclude), orNone(head.Exclude), stricterIf(holds(base.Exclude, head.Exclude))},
		{"log:", orNone(base.Logs), orNone(head.Logs), stricterIf(holds(head.Logs, base.Logs))},
		{"require_fresh", fmt.Sprint(base.RequireFresh), fmt.Sprint(head.RequireFresh), stricterIf(head.RequireFresh)},
		{"samples", strconv.Itoa(base.Samples), strconv.Itoa(head.Samples), Other},
		{"device", cmp.Or(base.Device, "that of the dump"), cmp.Or(head.Device, "that of the dump"), Other}, // which prices are higher depends on the program
		{"dump", cmp.Or(base.Dump, "none"), cmp.Or(head.Dump, "none"), Other},
		{"capture", command(base.Capture), command(head.Capture), Other},
	} {
		if c.was != c.is {
			out = append(out, PolicyChange{Effect: c.effect, Subject: head.Name, Text: fmt.Sprintf("%s %s → %s", c.key, c.was, c.is)})
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
	add := func(key, was, is string, stricter bool) {
		if was != is {
			out = append(out, PolicyChange{Effect: stricterIf(stricter), Subject: "waiver " + head.Finding, Text: fmt.Sprintf("%s %s → %s", key, was, is)})
		}
	}
	ceiling := func(w config.Waiver) string {
		if w.Ceiling == nil {
			return "none"
		}
		return phrase.Number(*w.Ceiling)
	}
	add("until", base.Expires, head.Expires, head.Expires < base.Expires)
	add("ceiling", ceiling(base), ceiling(head), head.Ceiling != nil && (base.Ceiling == nil || *head.Ceiling < *base.Ceiling))
	return out
}
