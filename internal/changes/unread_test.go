package changes_test

import (
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// A graph is gone because a function reads no value any more. It is missing where that is not known.
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
	whole, without := graph("main", "step"), graph("main", "other")
	whole.Name, without.Name = "whole", "whole" // by torch_xla.compile
	gone := graph("", "step", "step")
	for _, c := range []struct {
		reader string
		name   string
		left   []*facts.Program
		unread bool
		sure   bool
	}{
		{"step (train.py)", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step")}, true, false},
		{"step (other.py)", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step")}, false, false},
		{"", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step")}, false, false},
		{"step (train.py)", "SyncTensorsGraph-2", []*facts.Program{graph("main", "forward")}, false, false},                       // it does not run
		{"step (train.py)", "SyncTensorsGraph-2", []*facts.Program{graph("step", "step")}, false, false},                          // it ends another graph
		{"step (train.py)", "SyncTensorsGraph-2", []*facts.Program{graph("", "step")}, false, false},                              // there is no log
		{"step (train.py)", "SyncTensorsGraph-2", []*facts.Program{graph("main", "step"), graph("main", "forward")}, true, false}, // another graph of the step
		{"step (train.py)", "whole-2", []*facts.Program{whole}, true, true},                                                       // a part of another function
		{"step (train.py)", "whole-2", []*facts.Program{without}, true, false},                                                    // its function does not run
		{"", "whole-2", []*facts.Program{whole}, false, false},
		{"step (train.py)", "part-2", []*facts.Program{whole}, false, false},
	} {
		gone.Name, gone.Variants[0].Reader = c.name, c.reader
		programs := []*changes.Program{{Name: gone.Name, Old: gone, Change: changes.Removed}}
		for _, p := range c.left {
			programs = append(programs, &changes.Program{Name: p.Name, Old: p, New: p, Variants: []*changes.Variant{{Old: p.Variants[0], New: p.Variants[0], Change: changes.Same}}})
		}
		reader, sure := changes.Unread(programs, programs[0])
		if said := map[bool]string{true: c.reader}[c.unread]; reader != said || sure != c.sure {
			t.Errorf("%s of %q: unread in %q, sure: %v", c.name, c.reader, reader, sure)
		}
		if reader, _ := changes.Unread(programs, programs[1]); reader != "" {
			t.Errorf("of a program that is there: unread in %q", reader)
		}
	}
}
