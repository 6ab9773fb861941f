package gate

import "testing"

// To count less is to ask for less, unless there must be so many of what is counted: from whichever side the entry bounds it.
func TestNarrowerUnderBounds(t *testing.T) {
	for _, c := range []struct{ old, fresh, there, back string }{
		{"max-copies, max: 3", "max-copies, max: 3, in: loops", "looser max-copies: in all → loops", "stricter max-copies: in loops → all"},
		{"max-copies, max_increase: 1", "max-copies, max_increase: 1, in: loops", "looser max-copies: in all → loops", "stricter max-copies: in loops → all"},
		{"max-copies, equal: 3", "max-copies, equal: 3, in: loops", "changed max-copies: in all → loops", "changed max-copies: in loops → all"},
		{"max-copies, max: 3, max_decrease: 1", "max-copies, max: 3, max_decrease: 1, in: loops", "changed max-copies: in all → loops", "changed max-copies: in loops → all"},
		{"max-copies, max: 3", "max-copies, max: 3, min: 1, in: loops", "stricter max-copies: min none → 1\nchanged max-copies: in all → loops", "looser max-copies: min 1 → none\nchanged max-copies: in loops → all"},
		{"donation-kept, min: 2", "donation-kept, min: 2, min_bytes: 1KiB", "looser donation-kept: min_bytes none → 1.0 KiB", "stricter donation-kept: min_bytes 1.0 KiB → none"},
		{"donation-kept, max_decrease: 2", "donation-kept, max_decrease: 2, min_bytes: 1KiB", "looser donation-kept: min_bytes none → 1.0 KiB", "stricter donation-kept: min_bytes 1.0 KiB → none"},
		{"donation-kept, max: 2", "donation-kept, max: 2, min_bytes: 1KiB", "changed donation-kept: min_bytes none → 1.0 KiB", "changed donation-kept: min_bytes 1.0 KiB → none"},
		{"donation-kept, equal: 2", "donation-kept, equal: 2, min_bytes: 1KiB", "changed donation-kept: min_bytes none → 1.0 KiB", "changed donation-kept: min_bytes 1.0 KiB → none"},
		{"donation-kept, max_increase: 2", "donation-kept, max_increase: 2, min_bytes: 1KiB", "changed donation-kept: min_bytes none → 1.0 KiB", "changed donation-kept: min_bytes 1.0 KiB → none"},
		{"no-unclustered-ops, equal: 9", "no-unclustered-ops, equal: 9, min_ratio: 80%", "stricter no-unclustered-ops: min_ratio none → 80 %", "looser no-unclustered-ops: min_ratio 80 % → none"},
		{"no-unclustered-ops, min: 9", "no-unclustered-ops, min: 9, min_ratio: 80%", "stricter no-unclustered-ops: min_ratio none → 80 %", "looser no-unclustered-ops: min_ratio 80 % → none"},
		{"no-unclustered-ops, max_increase: 9", "no-unclustered-ops, max_increase: 9, min_ratio: 80%", "stricter no-unclustered-ops: min_ratio none → 80 %", "looser no-unclustered-ops: min_ratio 80 % → none"},
		{"no-unclustered-ops, max_decrease: 9", "no-unclustered-ops, max_decrease: 9, min_ratio: 80%", "stricter no-unclustered-ops: min_ratio none → 80 %", "looser no-unclustered-ops: min_ratio 80 % → none"},
		{"required-fusions, fusions: [{name: a, contains: [dot]}]", "required-fusions, fusions: [{name: a, contains: [dot], pattern: 'dot(_, _)'}]",
			"stricter required-fusions: fusions: \"a\": pattern none → dot(_, _)", "looser required-fusions: fusions: \"a\": pattern dot(_, _) → none"},
		{"forbidden-fusions, fusions: [{name: a, contains: [dot]}]", "forbidden-fusions, fusions: [{name: a, contains: [dot], pattern: 'dot(_, _)'}]",
			"looser forbidden-fusions: fusions: \"a\": pattern none → dot(_, _)", "stricter forbidden-fusions: fusions: \"a\": pattern dot(_, _) → none"},
	} {
		old, fresh := withRules("{rule: "+c.old+"}"), withRules("{rule: "+c.fresh+"}")
		if got := told(t, old, fresh); got != c.there {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.old, c.fresh, got, c.there)
		}
		if got := told(t, fresh, old); got != c.back {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.fresh, c.old, got, c.back)
		}
	}
}
