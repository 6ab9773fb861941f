package changes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// Numbered programs without a counterpart do not make each name that stayed be compared with all others.
func TestManyNumberedPrograms(t *testing.T) {
	var old, fresh []*facts.Program
	const n = 1000
	for i := range n {
		a, b := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)
		whole := fmt.Sprintf("dot%d tanh%d exp%d add%d", i, i, i, i)
		old = append(old, graph(a, "sin cos "+a), graph(b, whole))
		fresh = append(fresh, graph(a, "sin cos log "+a), graph(a+"-2", "sort "+a), graph(b, fmt.Sprintf("dot%d tanh%d", i, i)), graph(b+"-2", fmt.Sprintf("exp%d add%d", i, i)))
	}
	joined := 0
	for _, p := range pairPrograms(old, fresh) {
		joined += int(Flag(p.Parts != nil))
	}
	if joined != n {
		t.Errorf("%d programs are joined, wanted %d", joined, n)
	}
}

// Of two compilations each is compared with the one that does the same, in whichever order the parts were compiled.
func TestJointCompilationsInAnotherOrder(t *testing.T) {
	variants := func(name string, does ...string) *facts.Program {
		p := &facts.Program{Name: name}
		for _, d := range does {
			p.Variants = append(p.Variants, graph(name, d).Variants[0])
		}
		return p
	}
	old := []*facts.Program{variants("step", "dot tanh exp add", "sin cos log sort")}
	fresh := []*facts.Program{variants("step", "sin cos", "dot tanh"), variants("step-2", "log sort", "exp add")}
	pairs := pairPrograms(old, fresh)
	if len(pairs) != 1 || pairs[0].Parts == nil {
		t.Fatalf("%d programs", len(pairs))
	}
	for _, pair := range pairVariants(pairs[0].Old, pairs[0].New) {
		var was, is []string
		for _, m := range pair[0].Model {
			was = append(was, m.Do...)
		}
		for _, m := range pair[1].Model {
			is = append(is, m.Do...)
		}
		if !slices.Equal(was, is) {
			t.Errorf("%q is compared with %q", was, is)
		}
	}
}

// The graph that ends within the function is the cause, whichever part has the name of the whole.
func TestCutOfTheLargerPart(t *testing.T) {
	part := func(name, reason string, line int32) *facts.Program {
		p := graph(name, "dot")
		p.Variants[0].GraphBreak = &tensorflow.GraphBreak{Reason: reason, Where: hlo.Location{File: "train.py", Line: line}}
		return p
	}
	whole := []*facts.Program{graph("step", "dot")}
	for _, parts := range [][]*facts.Program{
		{part("step", "user torch_xla.sync", 7), part("step-2", "torch_xla.compile", 20)},
		{part("step", "torch_xla.compile", 20), part("step-2", "user torch_xla.sync", 7)},
		{part("step", "user torch_xla.sync", 20), part("step-2", "user torch_xla.sync", 7)}, // of graphs without a name
	} {
		cause := (&Program{Were: whole, Parts: parts}).Cut()
		if cause == nil || cause.Source.Line != 7 || !strings.HasPrefix(cause.Title, "compiled in 2 parts") {
			t.Errorf("%s and %s: %+v", parts[0].Variants[0].GraphBreak.Reason, parts[1].Variants[0].GraphBreak.Reason, cause)
		}
	}
}
