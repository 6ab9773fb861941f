package gate

import (
	"strings"
	"testing"
)

// Every key of a rule goes one way or the other, and a pull request that turns it back goes the other way.
func TestKeyOfARule(t *testing.T) {
	for _, c := range []struct{ old, fresh, there, back string }{
		{"{rule: max-kernels, max: 19}", "{rule: max-kernels, max: 20}", "looser max-kernels: max 19 → 20", "stricter max-kernels: max 20 → 19"},
		{"{rule: max-kernels, max: 19, min: 3}", "{rule: max-kernels, max: 19}", "looser max-kernels: min 3 → none", "stricter max-kernels: min none → 3"},
		{"{rule: max-kernels, min: 3}", "{rule: max-kernels, min: 2}", "looser max-kernels: min 3 → 2", "stricter max-kernels: min 2 → 3"},
		{"{rule: max-kernels, equal: 3}", "{rule: max-kernels, equal: 2}", "changed max-kernels: equal 3 → 2", "changed max-kernels: equal 2 → 3"},
		{"{rule: max-kernels, max: 3, max_increase: 1}", "{rule: max-kernels, max: 3, max_increase: 2}", "looser max-kernels: max_increase 1 → 2", "stricter max-kernels: max_increase 2 → 1"},
		{"{rule: max-kernels, max: 3, max_increase: 1}", "{rule: max-kernels, max: 3}", "looser max-kernels: max_increase 1 → none", "stricter max-kernels: max_increase none → 1"},
		{"{rule: max-kernels, max: 3, max_decrease: 4%}", "{rule: max-kernels, max: 3, max_decrease: 5%}", "looser max-kernels: max_decrease 4 % → 5 %", "stricter max-kernels: max_decrease 5 % → 4 %"},
		{"{rule: max-kernels, max_increase: 1}", "{rule: max-kernels, max_increase: 1%}", "changed max-kernels: max_increase 1 → 1 %", "changed max-kernels: max_increase 1 % → 1"},
		{"{rule: max-temp-bytes, max: 1KiB}", "{rule: max-temp-bytes, max: 1MiB}", "looser max-temp-bytes: max 1.0 KiB → 1.0 MiB", "stricter max-temp-bytes: max 1.0 MiB → 1.0 KiB"},
		{"{rule: max-step-time, max: 1ms}", "{rule: max-step-time, max: 2ms}", "looser max-step-time: max 1 ms → 2 ms", "stricter max-step-time: max 2 ms → 1 ms"},
		{"{rule: max-step-time, max_increase: 2%}", "{rule: max-step-time, max_increase: 1%}", "stricter max-step-time: max_increase 2 % → 1 %", "looser max-step-time: max_increase 1 % → 2 %"},
		{"{rule: max-peak-bytes, max: 1GiB}", "{rule: max-peak-bytes, max: 1GiB, min_growth: 4KiB}", "looser max-peak-bytes: min_growth none → 4.0 KiB", "stricter max-peak-bytes: min_growth 4.0 KiB → none"},
		{"{rule: no-new-collectives, max: 1}", "{rule: no-new-collectives, max: 2}", "looser no-new-collectives: max 1 → 2", "stricter no-new-collectives: max 2 → 1"},
		{"{rule: max-kernels, max: 3, level: warning}", "{rule: max-kernels, max: 3, level: info}", "looser max-kernels: level warning → info", "stricter max-kernels: level info → warning"},
		{"{rule: max-kernels, max: 3, level: info}", "{rule: max-kernels, max: 3, level: off}", "looser max-kernels: level info → off", "stricter max-kernels: level off → info"},
		{"{rule: max-kernels, max: 3, level: off}", "{rule: max-kernels, max: 3}", "stricter max-kernels: level off → error", "looser max-kernels: level error → off"},
		{"{rule: no-unclustered-ops, allow: [A]}", "{rule: no-unclustered-ops, allow: [A, B]}", "looser no-unclustered-ops: allow A → A, B", "stricter no-unclustered-ops: allow A, B → A"},
		{"{rule: no-recompilation, max_variants: 2}", "{rule: no-recompilation}", "changed no-recompilation: max_variants 2 → none, and the rule has its default", "changed no-recompilation: max_variants none → 2, instead of the rule's default"},
		{"{rule: no-host-callback}", "{rule: no-host-callback, max: 1000}", "changed no-host-callback: max none → 1,000, instead of the rule's default", "changed no-host-callback: max 1,000 → none, and the rule has its default"},
		{"{rule: no-host-callback}", "{rule: no-host-callback, max_increase: 1000}", "changed no-host-callback: max_increase none → 1,000, instead of the rule's default", "changed no-host-callback: max_increase 1,000 → none, and the rule has its default"},
	} {
		if got := told(t, withRules(c.old), withRules(c.fresh)); got != c.there {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.old, c.fresh, got, c.there)
		}
		if got := told(t, withRules(c.fresh), withRules(c.old)); got != c.back {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.fresh, c.old, got, c.back)
		}
	}
}

// "level: error" is what a rule without a level has.
func TestLevelThatGoesWithoutSaying(t *testing.T) {
	if got := told(t, withRules("{rule: max-kernels, max: 3, level: error}"), withRules("{rule: max-kernels, max: 3}")); got != "" {
		t.Errorf("told of %s", got)
	}
}

// Entries are paired by what they speak of; in which order they stand means nothing.
func TestEntriesInAnotherOrder(t *testing.T) {
	a, b, c := "{rule: max-kernels, program: a, max: 1}", "{rule: max-kernels, program: b, max: 2}", "{rule: max-kernels, target: t, max: 3}"
	if got := told(t, withRules(a, b, c), withRules(c, a, b)); got != "" {
		t.Errorf("another order is told of: %s", got)
	}
	got := told(t, withRules(a, b, c), withRules(c, "{rule: max-kernels, program: b, max: 9}", a))
	if got != "looser max-kernels b: max 2 → 9" {
		t.Errorf("among three entries one changed: %s", got)
	}
}

// Of entries that speak of the same programs those that did not change find one another first.
func TestEqualEntriesPairFirst(t *testing.T) {
	one, two, three := "{rule: max-kernels, max: 1}", "{rule: max-kernels, max: 2}", "{rule: max-kernels, max: 3}"
	if got := told(t, withRules(one, two), withRules(two, three)); got != "looser max-kernels: max 1 → 3" {
		t.Errorf("told: %s", got)
	}
	if got := told(t, withRules(one, one), withRules(one)); got != "looser max-kernels: removed" {
		t.Errorf("one of two equal entries is gone: %s", got)
	}
}

// Entries with names of their own are told from one another by them.
func TestNamedEntries(t *testing.T) {
	a, b := `{rule: assert, name: few, expr: "facts.kernels.total < 9"}`, `{rule: assert, name: lean, program: f, expr: "facts.copies.count < 2"}`
	if got := told(t, withRules(a, b), withRules(a)); got != "looser assert lean f: removed" {
		t.Errorf("told: %s", got)
	}
	looser := strings.Replace(b, "2", "5", 1)
	if got := told(t, withRules(a, b), withRules(looser, a)); !strings.HasPrefix(got, "changed assert lean f: expr ") || strings.Contains(got, "\n") {
		t.Errorf("told: %s", got)
	}
}

func TestScopeNamesTargetAndProgram(t *testing.T) {
	for _, c := range []struct{ entry, want string }{
		{"{rule: max-kernels, max: 1}", "looser max-kernels: removed"},
		{"{rule: max-kernels, program: [a, b], max: 1}", "looser max-kernels a, b: removed"},
		{"{rule: max-kernels, target: t, max: 1}", "looser max-kernels t/*: removed"},
		{"{rule: max-kernels, target: [t, u], program: a, max: 1}", "looser max-kernels t, u/a: removed"},
		{"{rule: max-kernels, name: small, max: 1}", "looser max-kernels small: removed"},
	} {
		if got := told(t, withRules(c.entry), withRules()); got != c.want {
			t.Errorf("%s goes: %s, wanted %s", c.entry, got, c.want)
		}
	}
}

// An entry that is new is stricter, unless it takes programs over from one that asked for more.
func TestEntryOfItsOwn(t *testing.T) {
	wide := "{rule: max-kernels, max: 5, max_increase: 0}"
	for _, c := range []struct{ there, added, want string }{
		{"{rule: max-copies, max: 1}", wide, "stricter max-kernels: added"},
		{wide, "{rule: max-kernels, program: a, max: 9, max_increase: 0}", "looser max-kernels a: now has an entry of its own: max 5 → 9"},
		{wide, "{rule: max-kernels, program: a, max: 4, max_increase: 0}", "stricter max-kernels a: now has an entry of its own: max 5 → 4"},
		{wide, "{rule: max-kernels, program: a, max: 4}", "looser max-kernels a: now has an entry of its own: max 5 → 4, max_increase 0 → none"},
		{wide, "{rule: max-kernels, program: a, max: 5, max_increase: 0%}", "changed max-kernels a: now has an entry of its own: max_increase 0 → 0 %"},
		{wide, "{rule: max-kernels, program: a, max: 9, max_increase: 0%}", "looser max-kernels a: now has an entry of its own: max 5 → 9, max_increase 0 → 0 %"},
		{"{rule: max-kernels, program: b, max: 5}", "{rule: max-kernels, program: a, max: 9}", "stricter max-kernels a: added"},
		{"{rule: max-kernels, program: [b, a], max: 5}", "{rule: max-kernels, program: a, max: 9}", "looser max-kernels a: now has an entry of its own: max 5 → 9"},
		{"{rule: max-kernels, program: b, max: 5}", "{rule: max-kernels, program: \"a*\", max: 9}", "looser max-kernels a*: now has an entry of its own: max 5 → 9"},
		{"{rule: max-kernels, target: t, max: 5}", "{rule: max-kernels, target: u, max: 9}", "stricter max-kernels u/*: added"},
		{"{rule: max-kernels, target: t, max: 5}", "{rule: max-kernels, target: t, program: a, max: 9}", "looser max-kernels t/a: now has an entry of its own: max 5 → 9"},
	} {
		if got := told(t, withRules(c.there), withRules(c.there, c.added)); got != c.want {
			t.Errorf("%s beside %s:\n%s\nwanted\n%s", c.added, c.there, got, c.want)
		}
	}
}

// An entry of the user's own and that of a pack are two: the pack's is not compared with it.
func TestPackAndOwnEntry(t *testing.T) {
	with := "version: 1\nextends: [recommended]\nrules:\n  - {rule: max-step-time, max_increase: 0}\n"
	without := "version: 1\nrules:\n  - {rule: max-step-time, max_increase: 0}\n"
	got := told(t, with, without)
	if !strings.Contains(got, "looser max-step-time: removed") {
		t.Errorf("the pack's entry is gone, told:\n%s", got)
	}
	if got := told(t, without, with); !strings.Contains(got, "stricter max-step-time: added") || strings.Contains(got, "looser") {
		t.Errorf("a pack is added, told:\n%s", got)
	}
}

func TestPromisesOfAList(t *testing.T) {
	fusions := func(list string) string { return withRules("{rule: required-fusions, fusions: [" + list + "]}") }
	a, b := "{name: a, contains: [tanh]}", "{name: b, contains: [exponential], min: 2}"
	for _, c := range []struct{ old, fresh, want string }{
		{a + ", " + b, b + ", " + a, ""},
		{a, a + ", " + b, `stricter required-fusions: fusions: "b" added`},
		{a + ", " + b, a, `looser required-fusions: fusions: "b" removed`},
		{a + ", " + b, a + ", " + strings.Replace(b, "2", "3", 1), `stricter required-fusions: fusions: "b": min 2 → 3`},
		{a, b, "looser required-fusions: fusions: \"a\" removed\nstricter required-fusions: fusions: \"b\" added"},
	} {
		if got := told(t, fusions(c.old), fusions(c.fresh)); got != c.want {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.old, c.fresh, got, c.want)
		}
	}
}

// A key of a rule's own that is not a number says both of its values.
func TestOptionOfWords(t *testing.T) {
	for _, c := range []struct{ old, fresh, want string }{
		{"{rule: max-collectives, max: 3, kinds: [all-reduce]}", "{rule: max-collectives, max: 3, kinds: [all-gather]}", "looser max-collectives: kinds all-reduce → all-gather"},
		{"{rule: no-dtype, dtypes: [f64]}", "{rule: no-dtype, dtypes: [f64], except_scalars: true}", "looser no-dtype: except_scalars none → true"},
		{"{rule: max-collectives, max: 3, max_bytes: 1024}", "{rule: max-collectives, max: 3, max_bytes: 2048}", "looser max-collectives: max_bytes 1.0 KiB → 2.0 KiB"},
	} {
		if got := told(t, withRules(c.old), withRules(c.fresh)); got != c.want {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.old, c.fresh, got, c.want)
		}
	}
}

func TestBaselineElsewhere(t *testing.T) {
	got := told(t, withRules(), withRules()+"baseline: elsewhere\n")
	if got != "changed baseline: .xlagate → elsewhere" {
		t.Errorf("told: %s", got)
	}
}

// Two entries that both changed are told of under what they speak of, in whichever order they stand.
func TestTwoEntriesChange(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"program: f, max: ", "program: g, max: ", "looser max-kernels f: max 1 → 4\nstricter max-kernels g: max 9 → 5"},
		{"target: t, max: ", "target: u, max: ", "looser max-kernels t/*: max 1 → 4\nstricter max-kernels u/*: max 9 → 5"},
		{"name: one, max: ", "name: two, max: ", "looser max-kernels one: max 1 → 4\nstricter max-kernels two: max 9 → 5"},
	} {
		entry := func(text, limit string) string { return "{rule: max-kernels, " + text + limit + "}" }
		got := told(t, withRules(entry(c.a, "1"), entry(c.b, "9")), withRules(entry(c.b, "5"), entry(c.a, "4")))
		if got != c.want {
			t.Errorf("%s\nwanted\n%s", got, c.want)
		}
	}
}

// A promise without a name is known by the argument that it names, or else by all that it says.
func TestPromiseWithoutAName(t *testing.T) {
	pin := func(layout string) string {
		return withRules(`{rule: layout-pin, params: [{param: x, layout: "` + layout + `"}, {param: y, layout: "{0}"}]}`)
	}
	if got := told(t, pin("{1,0}"), pin("{0,1}")); got != `changed layout-pin: params: "x": layout {1,0} → {0,1}` {
		t.Errorf("told:\n%s", got)
	}
	ops := strings.NewReplacer("params", "ops", "param: x, ", "op: dot, ", "param: y, ", "op: tanh, ")
	got := told(t, ops.Replace(pin("{1,0}")), ops.Replace(pin("{0,1}")))
	if lines := strings.Split(got, "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "looser layout-pin: ops: ") || !strings.Contains(lines[0], "{1,0}") ||
		!strings.HasPrefix(lines[1], "stricter layout-pin: ops: ") || !strings.Contains(lines[1], "{0,1}") {
		t.Errorf("told:\n%s", got)
	}
	if got := told(t, pin("{1,0}"), strings.Replace(pin("{1,0}"), "rules:\n", "rules:\n\n", 1)); got != "" {
		t.Errorf("a line further down: %s", got)
	}
}

// What a rule lets pass is listed under many names; a longer list asks for less.
func TestListsThatExcuse(t *testing.T) {
	for _, c := range []struct{ old, fresh, want string }{
		{"{rule: max-kernels, max: 1}", "{rule: max-kernels, max: 1, exclude: [a]}", "looser max-kernels: exclude none → a"},
		{"{rule: no-recompilation, max_variants: 1}", "{rule: no-recompilation, max_variants: 1, ignore_args: [step]}", "looser no-recompilation: ignore_args none → step"},
		{"{rule: no-host-callback, program: f, allow: [a]}", "{rule: no-host-callback, program: f, allow: [b]}", "looser no-host-callback f: allow a → b"},
		{"{rule: no-host-callback, program: f, allow: [a]}", "{rule: no-host-callback, program: f}", "stricter no-host-callback f: allow a → none"},
	} {
		if got := told(t, withRules(c.old), withRules(c.fresh)); got != c.want {
			t.Errorf("%s became %s:\n%s\nwanted\n%s", c.old, c.fresh, got, c.want)
		}
	}
}

// An entry for one of the graphs that share a name takes it over from the entry for all of them.
func TestEntryForOneGraphOfAName(t *testing.T) {
	all := "{rule: max-kernels, program: one_step_on_data, max: 9}"
	got := told(t, withRules(all), withRules(all, "{rule: max-kernels, program: one_step_on_data-2, max: 90}"))
	if want := "looser max-kernels one_step_on_data-2: now has an entry of its own: max 9 → 90"; got != want {
		t.Errorf("told: %s, want %s", got, want)
	}
}
