package rules

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// The log of PyTorch/XLA counts all graphs together: one with a name, which is in the dump under it, is no compilation of the nameless one.
func TestCompilationsThatALogSaw(t *testing.T) {
	program := func(name string, variants int) *changes.Program {
		p := &facts.Program{Name: name}
		for range variants {
			p.Variants = append(p.Variants, &facts.Variant{Origin: facts.Origin{Modules: []string{"module"}}})
		}
		return &changes.Program{Name: name, New: p}
	}
	nameless, named := program(tensorflow.NamelessGraph, 1), program("train_step", 2)
	for _, c := range []struct {
		logged         map[string]int
		nameless, step float64
	}{
		{map[string]int{tensorflow.NamelessGraph: 3}, 1, 2},
		{map[string]int{tensorflow.NamelessGraph: 5}, 3, 2},
		{map[string]int{"train_step": 4}, 1, 4},
	} {
		target := &rule.Target{Report: &facts.Report{Logs: &tensorflow.Logs{Compiles: c.logged}}, Programs: []*changes.Program{nameless, named}}
		in := rule.NewContext(&rule.Settings{Rule: &maxCompilations}, target, nil)
		if a, b := compiled(in, nameless).Actual, compiled(in, named).Actual; a != c.nameless || b != c.step {
			t.Errorf("of what the log counts as %v, %v are of the nameless graph and %v of train_step", c.logged, a, b)
		}
	}
}
