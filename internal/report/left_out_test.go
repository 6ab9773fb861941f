package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
)

// Of long lists a part is shown and the rest is counted; with --all nothing is left out.
func TestWhatIsLeftOutIsCounted(t *testing.T) {
	d := aDiff()
	p := d.Programs[2]
	p.Was = "old_step"
	p.Variants[0].Causes = nil // else the kernels follow from them, and their sum stands for them
	p.Recompile[0].Values = strings.Fields("1 2 3 4 5 6 7 8 9")
	k := &p.Variants[0].Kernels
	for i := range 19 {
		added := gatherKernel()
		added.OpName = fmt.Sprint("op", i)
		k.Added = append(k.Added, added)
	}
	k.Changed = slices.Repeat(k.Changed, 20)
	k.Split = slices.Repeat(k.Split, 20)
	dumped := aDump()
	var stages []facts.PassStage
	for i, opcodes := range []map[string]int{{"add": 3, "copy": 1}, {"add": 1, "copy": 2, "dot": 1, "exp": 1, "log": 1, "tanh": 1, "sine": 1}, {"add": 1}} {
		stages = append(stages, facts.PassStage{Label: fmt.Sprint("stage", i), Kind: dump.StageAfter, Fingerprint: fmt.Sprint(i), Opcodes: opcodes})
	}
	stages = append(stages, stages[2])
	dumped.Passes = []facts.ModulePasses{{Module: "module_0010", Stages: stages}}
	for name, c := range map[string]struct {
		render func(io.Writer, Options) error
		want   []string
	}{
		"diff": {func(w io.Writer, o Options) error { return Diff.Render(w, d, "text", o) }, []string{
			"\n  x   1 → 2 → 3 → 4 → 5 → 6 → … 3 more   dimension 0", "(renamed and changed: it was old_step)", "… 12 more kinds of kernel (--all lists them)", "… 12 more changed kernels (--all lists them)", "… 12 more regrouped kernels (--all lists them)",
		}},
		"passes": {func(w io.Writer, o Options) error { return Inspect.Render(w, dumped, "text", o) }, []string{
			"−2 add, +1 copy, +1 dot, +1 exp, +1 log, 2 more opcodes\n", "−2 copy, −1 dot, −1 exp, −1 log, −1 sine, 1 more opcode\n", "4 stages dumped, the module changed 2 times",
		}},
	} {
		var out, all bytes.Buffer
		if err := c.render(&out, Options{}); err != nil {
			t.Fatal(err)
		}
		if err := c.render(&all, Options{All: true}); err != nil {
			t.Fatal(err)
		}
		for _, words := range c.want {
			if !strings.Contains(out.String(), words) {
				t.Errorf("%s does not say %q:\n%s", name, words, out.String())
			}
		}
		if strings.Contains(all.String(), "--all") {
			t.Errorf("%s leaves out something of all:\n%s", name, all.String())
		}
	}
}
