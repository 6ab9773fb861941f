package changes

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// compilation takes arguments of shapes that no other one takes, and asks for some operations.
func compilation(shapes, ops string) *facts.Variant {
	v := &facts.Variant{Signature: shapes, Compiled: facts.Compiled{Fingerprint: shapes + ops}, Input: facts.Input{Model: []facts.Statement{{Type: "f32", Do: strings.Fields(ops)}}}}
	for _, shape := range strings.Fields(shapes) {
		v.Params = append(v.Params, facts.Parameter{Shape: shape})
	}
	return v
}

// Compilations with other arguments than before go with those that do most of the same, each with one: the most alike
// with about as many arguments first. What is left goes in order.
func TestCompilationsArePairedByWhatTheyDo(t *testing.T) {
	const step, sorts = "dot add tanh dot reduce", "sort compare select"
	many := strings.TrimSpace(strings.Repeat("f32[8,8] ", 20))
	const one = "f32[8,8]"
	for name, c := range map[string]struct {
		old, fresh []*facts.Variant
		want       string // of each fresh one the arguments of the old one
	}{
		"the most alike": {
			[]*facts.Variant{compilation("f32[8]", step), compilation("s32[2] s32[3]", sorts)},
			[]*facts.Variant{compilation("s32[2,2]", sorts+" select"), compilation("f32[8,8,8]", step)},
			"s32[2] s32[3]; f32[8]",
		},
		"as many arguments": {
			[]*facts.Variant{compilation("f32[8]", step), compilation("f32[8] f32[8,2]", step)},
			[]*facts.Variant{compilation("s8[] s8[] s8[]", step), compilation("s8[]", step)},
			"f32[8] f32[8,2]; f32[8]",
		},
		"as many arguments, though they do a little less of the same": {
			[]*facts.Variant{compilation(one, step), compilation(many, step+" sine dot")},
			[]*facts.Variant{compilation("s8[] "+many, step), compilation("s8[] "+one, step+" sine dot")},
			many + "; " + one,
		},
		"each once": {
			[]*facts.Variant{compilation("f32[8]", step)},
			[]*facts.Variant{compilation("s8[]", step+" sine"), compilation("s8[] s8[]", step)},
			"; f32[8]",
		},
		"of the same ranks": {
			[]*facts.Variant{compilation("f32[8]", step), compilation("f32[9]", sorts)},
			[]*facts.Variant{compilation("f32[2]", sorts), compilation("f32[3]", step)},
			"f32[9]; f32[8]",
		},
		"of the same ranks, in order": {
			[]*facts.Variant{compilation("f32[8]", step), compilation("f32[9]", step)},
			[]*facts.Variant{compilation("f32[2]", step), compilation("f32[3]", step)},
			"f32[8]; f32[9]",
		},
		"of the same ranks, doing something else": {
			[]*facts.Variant{compilation("f32[8]", step)},
			[]*facts.Variant{compilation("f32[2]", "fft")},
			"f32[8]",
		},
		"what is left": {
			[]*facts.Variant{compilation("f32[8]", step), compilation("s32[2] s32[3]", sorts)},
			[]*facts.Variant{compilation("s8[]", "fft"), compilation("s8[] s8[]", "iota")},
			"f32[8]; s32[2] s32[3]",
		},
	} {
		var got []string
		for _, pair := range pairVariants(&facts.Program{Variants: c.old}, &facts.Program{Variants: c.fresh}) {
			old := ""
			if pair[0] != nil {
				old = pair[0].Signature
			}
			got = append(got, old)
		}
		if said := strings.Join(got, "; "); said != c.want {
			t.Errorf("%s: %s, want %s", name, said, c.want)
		}
	}
}

// A renamed program whose constants became arguments is the same if it does and returns the same, unless it does so little that another may do it as well.
func TestRenamedProgramWithOtherArguments(t *testing.T) {
	many, few := strings.Repeat("add multiply ", 64), strings.Repeat("add multiply ", 32)
	for _, c := range []struct{ ops, result, want string }{{many, "(f32[8], s32[])", "loop_fn"}, {few, "(f32[8], s32[])", ""}, {many, "(f32[9], s32[2])", ""}} {
		old := &facts.Program{Name: "loop_fn", Variants: []*facts.Variant{compilation("f32[8]", c.ops)}}
		fresh := &facts.Program{Name: "collect", Variants: []*facts.Variant{compilation("f32[8] f32[9] s32[] s32[2] f32[3]", c.ops)}}
		old.Variants[0].Result, fresh.Variants[0].Result = "(f32[8], s32[])", c.result
		was := ""
		for _, p := range pairPrograms([]*facts.Program{old}, []*facts.Program{fresh}) {
			if p.New == fresh && p.Old != nil {
				was = p.Old.Name
			}
		}
		if was != c.want {
			t.Errorf("%+v: %q", c, was)
		}
	}
}
