package changes_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// doing is a program whose kernels do what the words say, and whose arguments are called and shaped as "x f32[8], y s32[]".
func doing(name, signature string, words string) *facts.Program {
	v := &facts.Variant{Signature: signature, Compiled: facts.Compiled{Fingerprint: name + words}, Interface: facts.Interface{Params: named(signature)}}
	for _, word := range strings.Fields(words) {
		v.Kernels = append(v.Kernels, kernel("jit(f)/"+word, word, "f32[8]"))
	}
	return &facts.Program{Name: name, Variants: []*facts.Variant{v}}
}

func TestProgramsThatWereRenamedAndChanged(t *testing.T) {
	const pair, turned, wide = "x f32[8], y s32[2]", "labels s32[2], image f32[8]", "x f32[16], y s32[2]"
	old := []*facts.Program{doing("step", pair, "dot tanh add sine"), doing("score", pair, "sort gather"), doing("eval", wide, "dot tanh add sine")}
	fresh := []*facts.Program{doing("train_step", turned, "dot tanh add cosine"), doing("rank", pair, "reduce divide"), doing("test", "x f32[4]", "dot tanh add sine")}
	was := map[string]string{}
	for _, p := range changes.Compare(&facts.Report{Programs: old}, &facts.Report{Programs: fresh}).Programs {
		was[p.Name] = p.Change + " " + p.Was
	}
	for name, want := range map[string]string{
		"train_step": "changed step",                // under other names, in another order
		"rank":       "added ", "score": "removed ", // too little is left of it
		"test": "added ", "eval": "removed ", // of other shapes
	} {
		if was[name] != want {
			t.Errorf("%s: %q, wanted %q", name, was[name], want)
		}
	}
}

// A program that shares hardly more than its name with the accepted one is another program.
func TestAnotherProgramOfTheSameName(t *testing.T) {
	accepted := doing("step", "params f32[8], x f32[2], y s32[2], key u32[2]", "dot tanh add sine sort gather")
	for name, c := range map[string]struct {
		fresh *facts.Program
		want  string
	}{
		"other arguments and operations": {doing("step", "image f32[4]", "reduce divide"), "added"},
		"other operations":               {doing("step", "params f32[8], x f32[2], y s32[2]", "reduce divide"), "changed"},
		"other arguments":                {doing("step", "image f32[4]", "dot tanh add sine"), "changed"},
	} {
		programs := changes.Compare(&facts.Report{Programs: []*facts.Program{accepted}}, &facts.Report{Programs: []*facts.Program{c.fresh}}).Programs
		if p := programs[0]; len(programs) != 1 || p.Change != c.want || (p.Replaced == accepted) != (c.want == "added") {
			t.Errorf("%s: %d programs, the first %s", name, len(programs), p.Change)
		}
	}
}

// Programs that became one are compared with it all together, as is one that became several.
func TestJoinedPrograms(t *testing.T) {
	model := func(name, words string) *facts.Program {
		p := doing(name, "x f32[8]", words)
		for _, word := range strings.Fields(words) {
			p.Variants[0].Model = append(p.Variants[0].Model, facts.Statement{Scope: "jit(" + name + ")", Type: "f32", Do: []string{word}})
		}
		return p
	}
	several := []*facts.Program{model("there", "fft sine"), model("scale", "multiply"), model("back", "fft cosine"), model("loss", "reduce")}
	one := []*facts.Program{model("step", "fft sine multiply fft cosine"), model("loss", "reduce")}
	const want = "back + scale + step + there changed; loss same"
	for _, sides := range [][2][]*facts.Program{{several, one}, {one, several}} {
		if got := outcome(changes.Compare(&facts.Report{Programs: sides[0]}, &facts.Report{Programs: sides[1]})); got != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}
