package changes

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
)

// taking gives a program arguments of some shapes.
func taking(p *facts.Program, shapes ...string) *facts.Program {
	for _, shape := range shapes {
		p.Variants[0].Params = append(p.Variants[0].Params, facts.Parameter{Shape: shape})
	}
	return p
}

// handing gives a program arguments and results.
func handing(p *facts.Program, shape string) *facts.Program {
	v := taking(p, shape, shape).Variants[0]
	v.Signature, v.Result = "(a: "+shape+", b: "+shape+")", "("+shape+")"
	return p
}

// graph is a program that does some operations, once.
func graph(name, does string) *facts.Program {
	v := &facts.Variant{Compiled: facts.Compiled{Fingerprint: does}, Input: facts.Input{Model: []facts.Statement{{Do: strings.Fields(does)}}}}
	return &facts.Program{Name: name, Variants: []*facts.Variant{v}}
}

func TestNameGraphs(t *testing.T) {
	const step, init, eval = "dot add tanh dot add reduce", "iota rng", "dot add tanh dot"
	for what, c := range map[string]struct {
		old, fresh []*facts.Program
		want       string
	}{
		"one comes in before": {
			[]*facts.Program{graph("SyncTensorsGraph", step)},
			[]*facts.Program{graph("SyncTensorsGraph", eval), graph("SyncTensorsGraph-2", step)},
			"SyncTensorsGraph=" + step + "; SyncTensorsGraph-2=" + eval,
		},
		"one goes, the other changed": {
			[]*facts.Program{graph("SyncTensorsGraph", init), graph("SyncTensorsGraph-2", step)},
			[]*facts.Program{graph("SyncTensorsGraph", step+" sqrt")},
			"SyncTensorsGraph-2=" + step + " sqrt",
		},
		"one goes, another comes": {
			[]*facts.Program{graph("SyncTensorsGraph", init), graph("SyncTensorsGraph-2", step)},
			[]*facts.Program{graph("SyncTensorsGraph", step), graph("SyncTensorsGraph-2", "sort gather")},
			"SyncTensorsGraph-2=" + step + "; SyncTensorsGraph-3=sort gather",
		},
		"nothing in common": {
			[]*facts.Program{graph("SyncTensorsGraph", init)},
			[]*facts.Program{graph("SyncTensorsGraph", step)},
			"SyncTensorsGraph-2=" + step,
		},
		"something in common": {
			[]*facts.Program{graph("SyncTensorsGraph", "tanh")},
			[]*facts.Program{graph("SyncTensorsGraph", step)},
			"SyncTensorsGraph=" + step,
		},
		"the first step and the later ones": { // the later ones take more, and the edit makes the first one do more
			[]*facts.Program{taking(graph("SyncTensorsGraph", step), "f32[8]"), taking(graph("SyncTensorsGraph-2", step+" sqrt"), "f32[8]", "f32[9]", "f32[10]")},
			[]*facts.Program{taking(graph("SyncTensorsGraph", step+" sqrt log"), "f32[8]"), taking(graph("SyncTensorsGraph-2", step+" sqrt log log log"), "f32[8]", "f32[9]", "f32[10]")},
			"SyncTensorsGraph=" + step + " sqrt log; SyncTensorsGraph-2=" + step + " sqrt log log log",
		},
		"the same arguments and results, other operations": {
			[]*facts.Program{handing(graph("step", "dot dot dot dot qr qr"), "f32[8]"), handing(graph("step-2", "dot dot lu lu lu lu lu lu"), "f32[9]")},
			[]*facts.Program{handing(graph("step", "dot dot dot dot add add"), "f32[9]"), handing(graph("step-2", "dot add add add add add add"), "f32[8]")},
			"step=dot add add add add add add; step-2=dot dot dot dot add add",
		},
		"the same operations, other arguments and results": {
			[]*facts.Program{handing(graph("step", "dot dot dot dot"), "f32[8]"), handing(graph("step-2", "sine sine sine dot"), "f32[9]")},
			[]*facts.Program{handing(graph("step", "sine sine sine dot"), "f32[8]"), handing(graph("step-2", "dot dot dot dot"), "f32[9]")},
			"step=dot dot dot dot; step-2=sine sine sine dot",
		},
		"with names": {
			[]*facts.Program{graph("eval-2", step)},
			[]*facts.Program{graph("eval", step)},
			"eval-2=" + step,
		},
	} {
		fresh := &facts.Report{Programs: c.fresh}
		for range 2 { // named so, they stay so
			NameGraphs(&facts.Report{Programs: c.old}, fresh)
			var got []string
			for _, p := range fresh.Programs {
				got = append(got, p.Name+"="+p.Variants[0].Fingerprint)
			}
			if all := strings.Join(got, "; "); all != c.want {
				t.Errorf("%s: got  %s\nwant %s", what, all, c.want)
			}
		}
	}
}
