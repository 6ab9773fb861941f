package diff_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
)

// doing is a program whose kernels do what the words say.
func doing(name, signature string, words string) *facts.Program {
	v := &facts.Variant{Signature: signature, Fingerprint: name + words}
	for _, word := range strings.Fields(words) {
		v.Kernels = append(v.Kernels, kernel("jit(f)/"+word, word, "f32[8]"))
	}
	return &facts.Program{Name: name, Variants: []*facts.Variant{v}}
}

func TestProgramsThatWereRenamedAndChanged(t *testing.T) {
	old := []*facts.Program{doing("step", "(x)", "dot tanh add sine"), doing("score", "(x)", "sort gather"), doing("eval", "(y)", "dot tanh add sine")}
	fresh := []*facts.Program{doing("train_step", "(x)", "dot tanh add cosine"), doing("rank", "(x)", "reduce divide"), doing("test", "(z)", "dot tanh add sine")}
	was := map[string]string{}
	for _, p := range diff.Compare(&facts.Report{Programs: old}, &facts.Report{Programs: fresh}).Programs {
		was[p.Name] = p.Change + " " + p.Was
	}
	for name, want := range map[string]string{
		"train_step": "changed step", "rank": "added ", "score": "removed ", // too little is left of it
		"test": "added ", "eval": "removed ", // of other arguments
	} {
		if was[name] != want {
			t.Errorf("%s: %q, wanted %q", name, was[name], want)
		}
	}
}
