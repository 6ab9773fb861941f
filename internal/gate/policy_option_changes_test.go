package gate

import (
	"testing"

	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// fewer and more are two values of an option of which the second holds more; for a text, not set and set.
func fewerAndMore(o rule.Option) (fewer, more any) {
	words := append(append([]string{}, o.Enum...), "a", "b")
	switch o.Type {
	case rule.Globs, rule.Words:
		return words[:1], words[:2]
	case rule.Count, rule.Size, rule.Seconds:
		return 2.0, 3.0
	case rule.Share:
		return 0.25, 0.5
	case rule.Switch:
		return false, true
	case rule.Pairs:
		return map[string]string{"a": "1"}, map[string]string{"a": "1", "b": "2"}
	case rule.Table:
		return nil, []rule.Entry{{Values: map[string]any{"name": "a"}}}
	}
	if o.Default != nil {
		return words[0], words[1]
	}
	return nil, "a"
}

// oneEffect is which way a value goes, "" where the differences go several ways.
func oneEffect(q question, base, head any) string {
	all := q.differences(base, head)
	if len(all) == 0 {
		return ""
	}
	for _, d := range all {
		if d.effect != all[0].effect {
			return ""
		}
	}
	return all[0].effect
}

// Every option of every rule that has a direction goes one way when its value grows, and the other way when that is turned back.
func TestEveryOptionHasADirection(t *testing.T) {
	check := func(what string, o rule.Option, q question) {
		fewer, more := fewerAndMore(o)
		there, back := oneEffect(q, fewer, more), oneEffect(q, more, fewer)
		switch {
		case o.Sense == rule.Neither && (there != Other || back != Other):
			t.Errorf("%s has no direction, but is %q and %q", what, there, back)
		case o.Sense != rule.Neither && (there == Other || there == "" || back != opposite(there)):
			t.Errorf("%s from %v to %v is %q, and back %q", what, fewer, more, there, back)
		}
	}
	for _, r := range rules.All.Rules {
		for _, o := range r.Options {
			s := &rule.Settings{Rule: r, Options: map[string]any{}}
			check(r.ID+" "+o.Key, o, questionAbout(s, s, o))
			for _, field := range o.Fields {
				check(r.ID+" "+o.Key+"."+field.Key, field, aboutField(o, field))
			}
		}
	}
}

// What an option says, and what leaving it out comes to.
func TestDirectionsOfOptions(t *testing.T) {
	for _, c := range []struct{ old, fresh, there, back string }{
		{"{rule: donation-kept, min_ratio: 90%}", "{rule: donation-kept, min_ratio: 80%}", "looser donation-kept: min_ratio 90 % → 80 %", "stricter donation-kept: min_ratio 80 % → 90 %"},
		{"{rule: donation-kept}", "{rule: donation-kept, min_ratio: 80%}", "stricter donation-kept: min_ratio none → 80 %", "looser donation-kept: min_ratio 80 % → none"},
		{"{rule: no-unclustered-ops}", "{rule: no-unclustered-ops, min_ratio: 80%}", "looser no-unclustered-ops: min_ratio none → 80 %", "stricter no-unclustered-ops: min_ratio 80 % → none"},
		{"{rule: no-unclustered-ops}", "{rule: no-unclustered-ops, min_ratio: 100%}", "", ""},
		{"{rule: no-unclustered-ops, max: 9}", "{rule: no-unclustered-ops, max: 9, min_ratio: 80%}", "stricter no-unclustered-ops: min_ratio none → 80 %", "looser no-unclustered-ops: min_ratio 80 % → none"},
		{"{rule: async-collectives, min_distance: 2}", "{rule: async-collectives}", "looser async-collectives: min_distance 2 → none", "stricter async-collectives: min_distance none → 2"},
		{"{rule: unused-parameters}", "{rule: unused-parameters, min_bytes: 1KiB}", "looser unused-parameters: min_bytes none → 1.0 KiB", "stricter unused-parameters: min_bytes 1.0 KiB → none"},
		{"{rule: max-copies, max: 3}", "{rule: max-copies, max: 3, in: loops}", "looser max-copies: in all → loops", "stricter max-copies: in loops → all"},
		{"{rule: max-copies, min: 3}", "{rule: max-copies, min: 3, in: loops}", "changed max-copies: in all → loops", "changed max-copies: in loops → all"},
		{"{rule: max-kernels, max: 3}", "{rule: max-kernels, max: 3, scope: all, exclude: []}", "", ""},
		{"{rule: max-kernels, max: 3}", "{rule: max-kernels, max: 3, kind: [loop]}", "looser max-kernels: kind none → loop", "stricter max-kernels: kind loop → none"},
		{"{rule: max-kernels, max: 3, kind: [loop]}", "{rule: max-kernels, max: 3, kind: [loop, input]}", "stricter max-kernels: kind loop → loop, input", "looser max-kernels: kind loop, input → loop"},
		{"{rule: max-unfused, max: 3, op_name: a}", "{rule: max-unfused, max: 3, op_name: b}", "changed max-unfused: op_name a → b", "changed max-unfused: op_name b → a"},
		{"{rule: no-dtype}", "{rule: no-dtype, dtypes: [f64]}", "looser no-dtype: dtypes none → f64", "stricter no-dtype: dtypes f64 → none"},
		{"{rule: flags, forbid: a}", "{rule: flags, forbid: a, require: {b: c}}", "stricter flags: require none → [b:c]", "looser flags: require [b:c] → none"},
		{"{rule: flags}", "{rule: flags, require: {b: c}}", "changed flags: require none → [b:c]", "changed flags: require [b:c] → none"},
		{"{rule: flags, require: {b: c}}", "{rule: flags, require: {b: d}}", "looser flags: require [b:c] → [b:d]", "looser flags: require [b:d] → [b:c]"},
		{"{rule: layout-pin}", "{rule: layout-pin, params: [{param: x, layout: \"0\"}]}", "changed layout-pin: params none → \"[layout:0 param:x]\"", "changed layout-pin: params \"[layout:0 param:x]\" → none"},
		{"{rule: required-fusions, fusions: [{name: a, contains: [dot]}]}", "{rule: required-fusions, fusions: [{name: a, contains: [dot, add]}]}", "stricter required-fusions: fusions: \"a\": contains dot → dot, add", "looser required-fusions: fusions: \"a\": contains dot, add → dot"},
		{"{rule: forbidden-fusions, fusions: [{name: a, contains: [dot]}]}", "{rule: forbidden-fusions, fusions: [{name: a, contains: [dot, add]}]}", "looser forbidden-fusions: fusions: \"a\": contains dot → dot, add", "stricter forbidden-fusions: fusions: \"a\": contains dot, add → dot"},
		{"{rule: required-custom-calls, calls: [{call: TopK, min: 2}]}", "{rule: required-custom-calls, calls: [{call: TopK}]}", "looser required-custom-calls: calls: \"TopK\": min 2 → none", "stricter required-custom-calls: calls: \"TopK\": min none → 2"},
		{"{rule: toolchain, pin: {jaxlib: 1}, ignore: [device]}", "{rule: toolchain, pin: {jaxlib: 1}}", "stricter toolchain: ignore device → none", "looser toolchain: ignore none → device"},
		{"{rule: max-temp-bytes, max: 2147483648}", "{rule: max-temp-bytes, max: 2147483649}", "looser max-temp-bytes: max 2,147,483,648 B → 2,147,483,649 B", "stricter max-temp-bytes: max 2,147,483,649 B → 2,147,483,648 B"},
	} {
		if got := told(t, withRules(c.old), withRules(c.fresh)); got != c.there {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.old, c.fresh, got, c.there)
		}
		if got := told(t, withRules(c.fresh), withRules(c.old)); got != c.back {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.fresh, c.old, got, c.back)
		}
	}
}
