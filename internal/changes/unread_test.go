package changes_test

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// A graph that is gone because its function reads no value any more saves what it took. It is missing where that is not known.
func TestUnread(t *testing.T) {
	at := func(function string) hlo.Location {
		return hlo.Location{File: "/run/train.py", Line: 9, Function: function}
	}
	graph := func(ended string, functions ...string) *facts.Program {
		v := &facts.Variant{Signature: "()"}
		if ended != "" {
			v.GraphBreak = &tensorflow.GraphBreak{Where: at(ended)}
		}
		for _, f := range functions {
			v.Kernels = append(v.Kernels, facts.Kernel{Form: &facts.Form{}, Site: &facts.Site{Source: at(f)}})
		}
		return &facts.Program{Name: "SyncTensorsGraph", Variants: []*facts.Variant{v}}
	}
	whole := graph("main", "other")
	whole.Name = "whole" // by torch_xla.compile
	gone := graph("", "step", "step")
	gone.Variants[0].Facts = facts.Values{facts.PriceStep: 700}
	for _, c := range []struct {
		reader string
		name   string
		left   []*facts.Program
		unread bool
	}{
		{"step in train.py", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step")}, true},
		{"step in other.py", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step")}, false},
		{"", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step")}, false},
		{"step in train.py", "SyncTensorsGraph-2", []*facts.Program{graph("main", "forward")}, false},                       // it does not run
		{"step in train.py", "SyncTensorsGraph-2", []*facts.Program{graph("step", "step")}, false},                          // it ends another graph
		{"step in train.py", "SyncTensorsGraph-2", []*facts.Program{graph("", "step")}, false},                              // there is no log
		{"step in train.py", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step"), graph("main", "forward")}, true}, // another graph of the step
		{"step in train.py", "whole-2", []*facts.Program{whole}, true},                                                      // a part of another function
		{"", "whole-2", []*facts.Program{whole}, false},
		{"step in train.py", "part-2", []*facts.Program{whole}, false},
	} {
		gone.Name, gone.Variants[0].Reader = c.name, c.reader
		programs := []*changes.Program{{Name: gone.Name, Old: gone, Change: changes.Removed}}
		for _, p := range c.left {
			programs = append(programs, &changes.Program{Name: p.Name, Old: p, New: p, Variants: []*changes.Variant{{Old: p.Variants[0], New: p.Variants[0], Change: changes.Same}}})
		}
		if got := changes.Unread(programs, programs[0]); got != c.unread || changes.Unread(programs, programs[1]) {
			t.Errorf("%s of %q: unread is %v", c.name, c.reader, got)
		}
		list := changes.NewGrouping(programs, changes.Lines{}, nil).Changes()
		if len(list) == 1 != c.unread {
			t.Errorf("%s of %q: %d changes", c.name, c.reader, len(list))
		}
		for _, got := range list {
			if got.Title != "no value is read any more (step in train.py): PyTorch/XLA compiles one graph fewer, of 2 kernels" || got.Price.StepNS != -700 || got.Price.HighNS >= 0 ||
				!slices.Equal(got.Variants, []string{"()"}) {
				t.Errorf("%+v", got)
			}
		}
	}
}
