package changes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// called is the difference of two compilations with these arguments, whose fingerprints differ.
func called(t *testing.T, old, fresh []facts.Parameter) *changes.Variant {
	t.Helper()
	a, b := variant("", "old"), variant("", "fresh")
	a.Params, b.Params = old, fresh
	return compared(t, a, b)
}

func sentences(list []changes.ParamChange) string {
	var out []string
	for _, p := range list {
		out = append(out, p.Name+": "+p.What)
	}
	return strings.Join(out, "; ")
}

func TestWhatAnArgumentBecame(t *testing.T) {
	base := facts.Parameter{Name: "x", Shape: "f32[8,4]"}
	with := func(edit func(*facts.Parameter)) facts.Parameter {
		p := base
		edit(&p)
		return p
	}
	aliased := with(func(p *facts.Parameter) { p.Aliased = true })
	for _, c := range []struct {
		old, fresh facts.Parameter
		want       string
	}{
		{base, base, ""},
		{base, with(func(p *facts.Parameter) { p.Name = "y" }), ""},
		{base, with(func(p *facts.Parameter) { p.Shape = "f32[16,4]" }), "x: f32[8,4] → f32[16,4]"},
		{base, with(func(p *facts.Parameter) { p.Layout = "0,1" }), "x: layout {} → {0,1}"},
		{base, with(func(p *facts.Parameter) { p.Sharding = "{replicated}" }), "x: sharding none → {replicated}"},
		{with(func(p *facts.Parameter) { p.Sharding = "{replicated}" }), base, "x: sharding {replicated} → none"},
		{with(func(p *facts.Parameter) { p.Constant = "3" }), with(func(p *facts.Parameter) { p.Constant = "4" }), "x: constant 3 → 4"},
		{with(func(p *facts.Parameter) { p.Constant = "3" }), base, "x: constant 3 → none"},
		{aliased, base, "x: no longer donated"},
		{aliased, with(func(p *facts.Parameter) { p.Donated = true }), "x: still donated, but no output has its shape f32[8,4]"},
		{base, aliased, "x: donated now"},
		{base, with(func(p *facts.Parameter) { p.Donated = true }), ""},
		{base, with(func(p *facts.Parameter) { p.Unused = true }), "x: nothing reads it any more"},
		{with(func(p *facts.Parameter) { p.Unused = true }), base, ""},
		{aliased, with(func(p *facts.Parameter) { p.Shape, p.Unused = "f32[9,4]", true }), "x: f32[8,4] → f32[9,4], no longer donated, nothing reads it any more"},
	} {
		if got := sentences(called(t, []facts.Parameter{c.old}, []facts.Parameter{c.fresh}).Params); got != c.want {
			t.Errorf("%+v became %+v: %q, wanted %q", c.old, c.fresh, got, c.want)
		}
	}
}

// The place in a list is no name: what comes into a list moves the arrays behind it. Lists of equal ranks are compared place by place.
func TestArgumentsInLists(t *testing.T) {
	list := func(shapes string) (params []facts.Parameter) {
		for i, shape := range strings.Fields(shapes) {
			params = append(params, facts.Parameter{Name: fmt.Sprintf("model.states[0][%d]", i), Shape: shape})
		}
		return append(params, facts.Parameter{Name: "rate", Shape: "f32[]"})
	}
	for _, c := range []struct{ old, fresh, want string }{
		{"f32[8] f32[4,8] f32[8,4]", "f32[8] f32[4] f32[4,8] f32[8,4]", "model.states[0][1]: new: f32[4]"},
		{"f32[8] f32[4,8] f32[8,4]", "f32[8] f32[8,4]", "model.states[0][1]: gone: f32[4,8]"},
		{"f32[8] f32[4,8] f32[8,4]", "f32[8,4] f32[4,8] f32[8]", ""},
		{"f32[8] f32[4,8] f32[8,4]", "f32[16] f32[4,16] f32[16,4]", "model.states[0][0]: f32[8] → f32[16]; model.states[0][1]: f32[4,8] → f32[4,16]; model.states[0][2]: f32[8,4] → f32[16,4]"},
		{"f32[8] f32[4]", "f32[4] f32[2]", "model.states[0][0]: f32[8] → f32[4]; model.states[0][1]: f32[4] → f32[2]"},
		{"f32[4,8] f32[8]", "u32[2] f32[4,8] f32[8]", "model.states[0][0]: new: u32[2]"},
	} {
		if got := sentences(called(t, list(c.old), list(c.fresh)).Params); got != c.want {
			t.Errorf("%s, now %s: %q, wanted %q", c.old, c.fresh, got, c.want)
		}
	}
	alike := func(mark func(*facts.Parameter, string), marks string) (params []facts.Parameter) {
		for i, m := range strings.Split(marks, "") {
			params = append(params, facts.Parameter{Name: fmt.Sprintf("kv[%d]", i), Shape: "f32[8]"})
			mark(&params[i], m)
		}
		return params
	}
	sharded := func(p *facts.Parameter, mark string) { p.Sharding = "{" + mark + "}" }
	donated := func(p *facts.Parameter, mark string) { p.Aliased = mark == "d" }
	for _, c := range []struct {
		mark             func(*facts.Parameter, string)
		old, fresh, want string
	}{
		{sharded, "aaa", "aaaa", "kv[3]: new: f32[8]"},
		{sharded, "aaa", "aa", "kv[2]: gone: f32[8]"},
		{sharded, "ab", "abc", "kv[2]: new: f32[8]"},
		{sharded, "ab", "cab", "kv[0]: new: f32[8]"},
		{sharded, "ab", "ba", "kv[0]: sharding {a} → {b}; kv[1]: sharding {b} → {a}"},
		{donated, "d..", "..d", "kv[0]: no longer donated; kv[2]: donated now"},
	} {
		old, fresh := append(alike(c.mark, c.old), facts.Parameter{Name: "n", Shape: "s32[2]"}), append(alike(c.mark, c.fresh), facts.Parameter{Name: "n", Shape: "s32[4]"})
		got := strings.ReplaceAll("; "+sentences(called(t, old, fresh).Params), "; n: s32[2] → s32[4]", "")
		if got != "; "+c.want {
			t.Errorf("%s, now %s: %q, wanted %q", c.old, c.fresh, got, c.want)
		}
	}
}

// Arguments are held against those of their name, whatever their order; of as many, those under new names against those whose names are gone.
func TestArgumentsComeAndGo(t *testing.T) {
	a, b, c := facts.Parameter{Name: "a", Shape: "f32[1]"}, facts.Parameter{Name: "b", Shape: "f32[2]"}, facts.Parameter{Name: "c", Shape: "f32[3]"}
	for _, test := range []struct {
		old, fresh []facts.Parameter
		want       string
	}{
		{[]facts.Parameter{a}, []facts.Parameter{a, b}, "b: new: f32[2]"},
		{[]facts.Parameter{a, b}, []facts.Parameter{b}, "a: gone: f32[1]"},
		{[]facts.Parameter{a, b}, []facts.Parameter{b, c, a}, "c: new: f32[3]"},
		{[]facts.Parameter{a, b, c}, []facts.Parameter{c, a}, "b: gone: f32[2]"},
		{nil, []facts.Parameter{a}, "a: new: f32[1]"},
		{[]facts.Parameter{a}, nil, "a: gone: f32[1]"},
		{[]facts.Parameter{a, b}, []facts.Parameter{b, a}, ""},
		{[]facts.Parameter{a, b}, []facts.Parameter{{Name: "d", Shape: "f32[2]"}, {Name: "e", Shape: "f32[1]"}}, ""},
		{[]facts.Parameter{a, b, c}, []facts.Parameter{c, {Name: "d", Shape: "f32[4]"}, b}, "d: f32[1] → f32[4]"},
		{[]facts.Parameter{a}, []facts.Parameter{c}, "c: f32[1] → f32[3]"},
		{[]facts.Parameter{a, b}, []facts.Parameter{{Name: "a", Shape: "f32[9]"}}, "a: f32[1] → f32[9]; b: gone: f32[2]"},
	} {
		if got := sentences(called(t, test.old, test.fresh).Params); got != test.want {
			t.Errorf("%q, wanted %q", got, test.want)
		}
	}
}

// Arguments that differ in the number of the layer alone are told together, if there are few kinds of them.
func TestTrees(t *testing.T) {
	each := func(format string, n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf(format, i))
		}
		return names
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{each("p['layers'][%d]['w']", 3), "p['layers'][0]['w'], p['layers'][1]['w'], p['layers'][2]['w']"},
		{each("p['layers'][%d]['w']", 4), "p['layers'][*]['w'] (4 arrays, 4 B)"},
		{append(each("p['layers'][%d]['w']", 2), each("p['Dense_%d'].bias", 2)...), "p['layers'][*]['w'] (2 arrays, 2 B), p['Dense_*'].bias (2 arrays, 2 B)"},
		{append(each("p['layers'][%d]['w']", 4), "p['head']"), "p['layers'][*]['w'] (4 arrays, 4 B), p['head']"},
		{append(each("p['layers'][%d]['w']", 2), "p['layers'][0]['k']", "p['layers'][0]['v']", "p['layers'][0]['q']"), "p['layers'] (5 arrays, 5 B)"},
		{each("opt[0].mu['w%d']", 4), "opt[0].mu (4 arrays, 4 B)"},
		{each("opt[0].mu[%d].w_1", 4), "opt[0].mu[*].w_1 (4 arrays, 4 B)"},
		{each("v[0][%d]", 6), "v[0] (6 arrays, 6 B)"},
		{each("p['w%d']", 4), "p (4 arrays, 4 B)"},
	} {
		params := phrase.Map(c.names, func(name string) *facts.Parameter { return &facts.Parameter{Name: name, Bytes: 1} })
		if got := strings.Join(changes.Trees(params), ", "); got != c.want {
			t.Errorf("%v: %q, wanted %q", c.names, got, c.want)
		}
	}
}

// A part of the state that has another name is the same part: what is new or gone beside it is said of nothing else.
func TestRenamedState(t *testing.T) {
	for _, c := range []struct{ old, fresh, want string }{
		{"s.params.w f32[4], s.params.b f32[2], s.mu.w f32[4], s.mu.b f32[2]", "s.weights.w f32[4], s.weights.b f32[2], s.ema.w f32[4], s.ema.b f32[2], s.mu.w f32[4], s.mu.b f32[2]", "s.ema.w: new: f32[4]; s.ema.b: new: f32[2]"},
		{"s.mu.w f32[4], s.mu.b f32[2], s.nu.w f32[4], s.nu.b f32[2]", "s.m.w bf16[4], s.m.b f32[2], s.nu.w f32[4], s.nu.b f32[2], x f32[2]", "s.m.w: f32[4] → bf16[4]; x: new: f32[2]"},
		{"s.p['layer0'].w f32[4], s.p['layer0'].b f32[2], s.p['head'] f32[9]", "s.q['layer0'].w f32[4], s.q['layer0'].b f32[2], s.q['head'] f32[8], s.q['tail'] f32[9]", "s.q['head']: f32[9] → f32[8]; s.q['tail']: new: f32[9]"},
		{"s.step s32[], s.params['w'] f32[4]", "s['params']['w'] f32[4], s['seed'] u32[2], s['step'] s32[]", "s['seed']: new: u32[2]"},
		{"s.params.w f32[4], s.params.b f32[2], x f32[2]", "s.params.w f32[4], s.params.b f32[2], s.old.w f32[4], s.old.b f32[2], x f32[2]", "s.old.w: new: f32[4]; s.old.b: new: f32[2]"},
	} {
		if got := sentences(called(t, named(c.old), named(c.fresh)).Params); got != c.want {
			t.Errorf("%s\n%q, wanted %q", c.fresh, got, c.want)
		}
	}
}

// named are arguments as in "x f32[8], y s32[]".
func named(list string) (params []facts.Parameter) {
	for argument := range strings.SplitSeq(list, ", ") {
		name, shape, _ := strings.Cut(argument, " ")
		params = append(params, facts.Parameter{Name: name, Shape: shape})
	}
	return params
}

// Another batch is another size of the same program; another type or rank is another program.
func TestRescaled(t *testing.T) {
	for _, c := range []struct {
		old, fresh string
		want       bool
	}{
		{"f32[8,4] f32[4]", "f32[16,4] f32[4]", true},
		{"f32[8,4] f32[4]", "f32[8,4] f32[4]", false},
		{"f32[8,4]", "bf16[16,4]", false},
		{"f32[8,4]", "f32[16,4,1]", false},
		{"f32[8,4]", "f32[8,4] f32[4]", false},
		{"f32[8] f32[4]", "f32[9] s32[4]", false},
		{"f32[]", "f32[]", false},
	} {
		if got := called(t, shaped(c.old), shaped(c.fresh)).Rescaled; got != c.want {
			t.Errorf("%s became %s: rescaled is %v", c.old, c.fresh, got)
		}
	}
}

// shaped are arguments a, b, … of these shapes.
func shaped(shapes string) []facts.Parameter {
	var out []facts.Parameter
	for i, s := range strings.Fields(shapes) {
		out = append(out, facts.Parameter{Name: string(rune('a' + i)), Shape: s})
	}
	return out
}

// Whatever changes in the arguments is the cause of all the rest.
func TestArgumentsAreTheCause(t *testing.T) {
	for _, c := range []struct{ old, fresh, want string }{
		{"f32[8]", "f32[16]", "a: f32[8] → f32[16]"},
		{"f32[8]", "f32[8] s32[]", "b is new: s32[]"},
		{"f32[8] s32[]", "f32[8]", "b is gone: s32[]"},
		{"f32[1] f32[2] f32[3] f32[4] f32[5]", "f32[2] f32[3] f32[4] f32[5] f32[6]", "a: f32[1] → f32[2]; b: f32[2] → f32[3]; c: f32[3] → f32[4]; 2 more"},
		{"f32[1] f32[2] f32[3] f32[4]", "f32[2] f32[3] f32[4] f32[5]", "a: f32[1] → f32[2]; b: f32[2] → f32[3]; c: f32[3] → f32[4]; d: f32[4] → f32[5]"},
	} {
		v := called(t, shaped(c.old), shaped(c.fresh))
		if v.Causes[0].Kind != changes.KindArguments || v.Causes[0].Title != c.want {
			t.Errorf("%s: %q, wanted %q", v.Causes[0].Kind, v.Causes[0].Title, c.want)
		}
	}
}

func TestMustBeConstantArgumentIsTheCause(t *testing.T) {
	v := called(t, []facts.Parameter{{Name: "n", Shape: "s32[]", Constant: "3"}}, []facts.Parameter{{Name: "n", Shape: "s32[]", Constant: "4"}})
	if c := v.Causes[0]; c.Kind != changes.KindArguments || c.Title != "n: 3 → 4" {
		t.Errorf("%s: %s", c.Kind, c.Title)
	}
}

// The cause stands where the function is called.
func TestArgumentsCauseStandsAtTheCall(t *testing.T) {
	a, b := variant("", "old"), variant("", "fresh")
	a.Params, b.Params = shaped("f32[8]"), shaped("f32[16]")
	b.CallSite.File, b.CallSite.Line = "train.py", 58
	if c := compared(t, a, b).Causes[0]; c.Source.File != "train.py" || c.Source.Line != 58 {
		t.Errorf("at %+v", c.Source)
	}
}

func TestShardingInWords(t *testing.T) {
	for sharding, want := range map[string]string{
		"":                     "replicated",
		"{replicated}":         "replicated",
		"{devices=[1,8]<=[8]}": "split on dimension 1 in 8",
		"{devices=[2,4]<=[8]}": "split on dimension 0 in 2, dimension 1 in 4",
		"{devices=[1,1,8]<=[8] last_tile_dim_replicate}": "replicated",
		"{devices=[2,1,4]<=[8] last_tile_dim_replicate}": "split on dimension 0 in 2",
		"{maximal device=3}":                             "sharded {maximal device=3}",
	} {
		p := facts.Parameter{Name: "w", Shape: "f32[16,16]", Sharding: sharding}
		q := facts.Parameter{Name: "w", Shape: "f32[16,16]", Sharding: "{manual}"}
		c := called(t, []facts.Parameter{q}, []facts.Parameter{p}).Causes[0]
		if c.Kind != changes.KindSharding || c.Title != "w is now "+want+", was sharded {manual}" {
			t.Errorf("%q: %s %q", sharding, c.Kind, c.Title)
		}
	}
}

// Whole is written in several ways, or not at all: another compiler's way is no change. The same parts on other devices are one.
func TestShardingThatIsWrittenAnotherWay(t *testing.T) {
	on := func(sharding string) []facts.Parameter {
		return []facts.Parameter{{Name: "w", Shape: "f32[16,16]", Sharding: sharding}}
	}
	if v := called(t, on(""), on("{replicated}")); len(v.Causes) > 0 && v.Causes[0].Kind == changes.KindSharding {
		t.Error(v.Causes[0].Title)
	}
	want := "w is now sharded {devices=[2,1]1,0}, was sharded {devices=[2,1]0,1}"
	if c := called(t, on("{devices=[2,1]0,1}"), on("{devices=[2,1]1,0}")).Causes[0]; c.Title != want {
		t.Errorf("%s, wanted %s", c.Title, want)
	}
}

// How the model calls its axes goes before how the compiler spells them.
func TestShardingByTheModelsAxes(t *testing.T) {
	p := facts.Parameter{Name: "w", Shape: "f32[16,16]", Sharding: "{devices=[1,8]<=[8]}", Spec: "P(None, 'x')"}
	c := called(t, []facts.Parameter{{Name: "w", Shape: "f32[16,16]"}}, []facts.Parameter{p}).Causes[0]
	if c.Title != "w is now sharded P(None, 'x'), was replicated" {
		t.Error(c.Title)
	}
}

func TestDonationIsACause(t *testing.T) {
	donated := func(yes ...bool) []facts.Parameter {
		out := shaped(strings.Repeat("f32[8] ", len(yes)))
		for i := range out {
			out[i].Aliased = yes[i]
		}
		return out
	}
	for _, c := range []struct {
		old, fresh []facts.Parameter
		want       string
	}{
		{donated(true, true), donated(true, false), "no longer updated in place: b"},
		{donated(false, true), donated(true, true), "now updated in place: a"},
		{donated(true, false), donated(false, true), "no longer updated in place: a"},
		{donated(true, true, true, true, true), donated(false, false, false, false, false), "no longer updated in place: a, b, c, 2 more"},
	} {
		causes := called(t, c.old, c.fresh).Causes
		if len(causes) != 1 || causes[0].Kind != changes.KindDonation || causes[0].Title != c.want {
			t.Errorf("%+v, wanted %q", causes, c.want)
		}
	}
}
