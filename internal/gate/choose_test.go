package gate

import (
	"maps"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/baseline"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// baselined is a program of one variant for each signature, all with these facts.
func baselined(n facts.Values, signatures ...string) *baseline.Program {
	p := &baseline.Program{Program: facts.Program{Name: "f"}}
	for _, s := range signatures {
		v := &facts.Variant{Signature: s, Facts: facts.Values{}, Compiled: facts.Compiled{Fingerprint: "print of " + s, Kernels: []facts.Kernel{{Form: &facts.Form{}, Site: &facts.Site{OpName: s}}}}, Origin: facts.Origin{Modules: []string{"m"}}}
		for k, x := range n {
			v.Facts[k] = x
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}

// renamed marks everything of a program as fresh.
func renamed(p *baseline.Program) *baseline.Program {
	for _, v := range p.Variants {
		v.Fingerprint, v.Kernels[0].OpName, v.Constants, v.Result = "fresh", "fresh", []facts.Constant{{Value: "fresh"}}, "fresh"
	}
	return p
}

func TestTakeFacts(t *testing.T) {
	old := baselined(facts.Values{"kernels.total": 1, "kernels.loop": 1, "copies.count": 1, "gone": 1}, "a")
	fresh := renamed(baselined(facts.Values{"kernels.total": 2, "kernels.loop": 2, "copies.count": 2, "kernels.new": 2}, "a"))
	next := take([]string{"kernels.*", "gone"}, "", old, fresh)
	want := facts.Values{"kernels.total": 2, "kernels.loop": 2, "copies.count": 1, "kernels.new": 2}
	if got := next.Variants[0].Facts; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if v := next.Variants[0]; v.Kernels[0].OpName != "a" || v.Fingerprint != "print of a" || len(v.Constants) != 0 {
		t.Errorf("more was taken than was named: %+v", v)
	}
	if old.Variants[0].Facts["kernels.total"] != 1 || len(old.Variants[0].Facts) != 4 {
		t.Errorf("the old baseline was changed: %v", old.Variants[0].Facts)
	}
}

// What a finding is about besides facts goes with it, and nothing else does.
func TestTakeMoreThanFacts(t *testing.T) {
	for about, changed := range map[string]func(*facts.Variant) bool{
		"kernel list": func(v *facts.Variant) bool { return v.Kernels[0].OpName == "fresh" },
		"params":      func(v *facts.Variant) bool { return v.Result == "fresh" },
		"constants":   func(v *facts.Variant) bool { return len(v.Constants) == 1 },
	} {
		for _, named := range []string{"kernel list", "params", "constants"} {
			next := take([]string{named}, "", baselined(facts.Values{"x": 1}, "a"), renamed(baselined(facts.Values{"x": 2}, "a")))
			if changed(next.Variants[0]) != (named == about) {
				t.Errorf("accepting the %s: the %s went along: %v", named, about, named != about)
			}
		}
	}
}

// Once all facts are those of the fresh program, it is the same program.
func TestTakeTheLastFact(t *testing.T) {
	old, fresh := baselined(facts.Values{"x": 1, "y": 2}, "a"), renamed(baselined(facts.Values{"x": 3, "y": 2}, "a"))
	if got := take([]string{"x"}, "", old, fresh).Variants[0].Fingerprint; got != "fresh" {
		t.Errorf("it is still %s", got)
	}
	if got := take([]string{"y"}, "", old, fresh).Variants[0].Fingerprint; got != "print of a" {
		t.Errorf("it is %s already", got)
	}
}

// A finding of one variant leaves the others as they are.
func TestTakeOneVariant(t *testing.T) {
	old, fresh := baselined(facts.Values{"x": 1}, "a", "b"), baselined(facts.Values{"x": 2}, "b", "a")
	for signature, want := range map[string][2]float64{"": {2, 2}, "a": {2, 1}, "b": {1, 2}, "c": {1, 1}} {
		next := take([]string{"x"}, signature, old, fresh)
		if got := [2]float64{next.Variants[0].Facts["x"], next.Variants[1].Facts["x"]}; got != want {
			t.Errorf("of %q: %v, wanted %v", signature, got, want)
		}
	}
}

// The list of variants is taken over, each with its old facts where it has some.
func TestTakeVariants(t *testing.T) {
	old, fresh := baselined(facts.Values{"x": 1}, "a", "gone"), baselined(facts.Values{"x": 2}, "new", "a")
	fresh.Variants[1].Modules = []string{"m", "n"}
	next := take([]string{"variants"}, "", old, fresh)
	if len(next.Variants) != 2 || next.Variants[0].Signature != "new" || next.Variants[0].Facts["x"] != 2 || next.Variants[1].Facts["x"] != 1 || len(next.Variants[1].Modules) != 2 {
		t.Errorf("%+v %+v", next.Variants[0], next.Variants[1])
	}
}

// Everything is taken where the whole program is what the finding is about, or one side has none.
func TestTakeAll(t *testing.T) {
	old, fresh := baselined(facts.Values{"x": 1}, "a"), baselined(facts.Values{"x": 2}, "a")
	if take([]string{"x", "*"}, "a", old, fresh) != fresh || take([]string{"x"}, "a", nil, fresh) != fresh || take([]string{"x"}, "a", old, nil) != nil {
		t.Error("not all was taken")
	}
}

// The findings that are named decide, each for its own program.
func TestChosen(t *testing.T) {
	old, fresh := baselined(facts.Values{"kernels.total": 1, "copies.count": 1}, "a"), baselined(facts.Values{"kernels.total": 2, "copies.count": 2}, "a")
	in := &candidate{findings: []result.Finding{
		{ID: "one", Rule: "max-kernels", Program: "f"}, {ID: "two", Rule: "max-copies", Program: "f"}, {ID: "other", Rule: "max-kernels", Program: "g"},
		{ID: "three", Change: "both", Rule: "max-kernels", Program: "f"}, {ID: "four", Change: "both", Rule: "max-copies", Program: "f"},
	}}
	for _, c := range []struct {
		ids             []string
		kernels, copies float64
	}{
		{[]string{"one"}, 2, 1}, {[]string{"two"}, 1, 2}, {[]string{"one", "two"}, 2, 2}, {[]string{"other"}, 1, 1}, {[]string{"both"}, 2, 2}, {[]string{"four"}, 1, 2}, {[]string{"nobody"}, 1, 1}, {nil, 1, 1},
	} {
		got := in.chosen(c.ids, "f", old, fresh).Variants[0].Facts
		if got["kernels.total"] != c.kernels || got["copies.count"] != c.copies {
			t.Errorf("%v: %v", c.ids, got)
		}
	}
	if in.chosen([]string{"one"}, "f", nil, fresh) != fresh || in.chosen([]string{"other"}, "f", nil, fresh) != nil {
		t.Error("of a program that is new")
	}
}

// A variant of which every change is named is accepted whole, whatever is not about it.
func TestChosenVariant(t *testing.T) {
	sides := func(kernels, instructions float64) *baseline.Program {
		p := baselined(facts.Values{"kernels.total": kernels, "instructions.after": instructions}, "a")
		p.Variants = append(p.Variants, baselined(facts.Values{"kernels.total": kernels, "instructions.after": instructions}, "b").Variants...)
		return p
	}
	in := &candidate{
		target: "t",
		findings: []result.Finding{
			{ID: "one", Change: "edit", Rule: "max-kernels", Program: "f", Variant: "a"}, {ID: "two", Change: "edit", Rule: "max-kernels", Program: "f", Variant: "b"},
			{ID: "three", Change: "other", Rule: "max-copies", Program: "f", Variant: "b"},
		},
		changes: []result.Change{{ID: "edit", Target: "t", Program: "f", Variants: []string{"a", "b"}}, {ID: "other", Target: "t", Program: "f", Variants: []string{"b"}}},
	}
	for _, c := range []struct {
		ids  []string
		a, b facts.Values
	}{
		{[]string{"edit"}, facts.Values{"kernels.total": 2, "instructions.after": 20}, facts.Values{"kernels.total": 2, "instructions.after": 10}},
		{[]string{"one"}, facts.Values{"kernels.total": 2, "instructions.after": 10}, facts.Values{"kernels.total": 1, "instructions.after": 10}},
		{[]string{"other"}, facts.Values{"kernels.total": 1, "instructions.after": 10}, facts.Values{"kernels.total": 1, "instructions.after": 10}},
		{[]string{"edit", "other"}, facts.Values{"kernels.total": 2, "instructions.after": 20}, facts.Values{"kernels.total": 2, "instructions.after": 20}},
	} {
		got := in.chosen(c.ids, "f", sides(1, 10), sides(2, 20)).Variants
		if !maps.Equal(got[0].Facts, c.a) || !maps.Equal(got[1].Facts, c.b) {
			t.Errorf("%v: %v and %v", c.ids, got[0].Facts, got[1].Facts)
		}
	}
}

func TestKnownFindings(t *testing.T) {
	in := []*candidate{{findings: []result.Finding{{ID: "one", Change: "two"}}}, {findings: []result.Finding{{ID: "three"}}}}
	for _, only := range [][]string{nil, {"one"}, {"two", "three"}} {
		if err := known(only, in); err != nil {
			t.Errorf("%v: %v", only, err)
		}
	}
	for _, only := range [][]string{{"four"}, {"one", "four"}} {
		if err := known(only, in); err == nil {
			t.Errorf("%v are known", only)
		}
	}
}

// Tightening takes over what got better, all of it where nothing got worse.
func TestTightenedProgram(t *testing.T) {
	for name, c := range map[string]struct {
		old, fresh facts.Values
		want       facts.Values
		whole      bool
	}{
		"better":          {facts.Values{"kernels.total": 3}, facts.Values{"kernels.total": 2}, facts.Values{"kernels.total": 2}, true},
		"worse":           {facts.Values{"kernels.total": 3}, facts.Values{"kernels.total": 4}, facts.Values{"kernels.total": 3}, false},
		"the same":        {facts.Values{"kernels.total": 3}, facts.Values{"kernels.total": 3}, facts.Values{"kernels.total": 3}, true},
		"one of each":     {facts.Values{"kernels.total": 3, "copies.count": 3}, facts.Values{"kernels.total": 2, "copies.count": 4}, facts.Values{"kernels.total": 2, "copies.count": 3}, false},
		"one is not told": {facts.Values{"kernels.total": 3, "copies.count": 3}, facts.Values{"kernels.total": 2}, facts.Values{"kernels.total": 2, "copies.count": 3}, false},
		"one is new":      {facts.Values{"kernels.total": 3}, facts.Values{"kernels.total": 2, "copies.count": 1}, facts.Values{"kernels.total": 2}, false},
		"no direction":    {facts.Values{"kernels.total": 3, "loops.trip_count": 1}, facts.Values{"kernels.total": 2, "loops.trip_count": 5}, facts.Values{"kernels.total": 2, "loops.trip_count": 5}, true},
	} {
		old, fresh := baselined(c.old, "a"), renamed(baselined(c.fresh, "a"))
		v := tightened(old, fresh).Variants[0]
		if !maps.Equal(v.Facts, c.want) || (v.Fingerprint == "fresh") != c.whole {
			t.Errorf("%s: %v, %s", name, v.Facts, v.Fingerprint)
		}
		if !maps.Equal(old.Variants[0].Facts, c.old) {
			t.Errorf("%s: the old baseline was changed", name)
		}
	}
}

// A variant or program that only one side has is left as it was.
func TestTightenedWithoutACounterpart(t *testing.T) {
	old, fresh := baselined(facts.Values{"kernels.total": 3}, "a"), baselined(facts.Values{"kernels.total": 2}, "b")
	if got := tightened(old, fresh); len(got.Variants) != 1 || got.Variants[0].Signature != "a" || got.Variants[0].Facts["kernels.total"] != 3 {
		t.Errorf("%+v", got.Variants[0])
	}
	if tightened(nil, fresh) != nil || tightened(old, nil) != old {
		t.Error("of a program that one side lacks")
	}
}

// The reason that was given before stays as long as the facts do.
func TestReasonStays(t *testing.T) {
	with := func(x float64, reason string) *baseline.Program {
		p := baselined(facts.Values{"x": x}, "a")
		p.Reason = reason
		return p
	}
	for _, c := range []struct {
		given     string
		old, next *baseline.Program
		want      string
	}{
		{"new", nil, with(1, ""), "new"}, {"", nil, with(1, ""), ""},
		{"new", with(1, "old"), with(1, ""), "old"}, {"new", with(1, "old"), with(2, ""), "new"}, {"", with(1, "old"), with(2, ""), "old"}, {"", with(1, "old"), with(1, ""), "old"},
	} {
		if got := reason(c.given, c.old, c.next); got != c.want {
			t.Errorf("given %q: %q, wanted %q", c.given, got, c.want)
		}
	}
}

// The programs of both sides are gone through, each once, in order.
func TestNamesOfBothSides(t *testing.T) {
	in := &candidate{fresh: map[string]*baseline.Program{"c": nil, "a": {}}, old: &baseline.Set{Programs: []*baseline.Program{{Program: facts.Program{Name: "b"}}, {Program: facts.Program{Name: "a"}}}}}
	if got := in.names(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v", got)
	}
}
