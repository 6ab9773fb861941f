package changes_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/tensorflow"
)

// What a growth is put down to in real pairs: the line of the model, and words of the title.
func TestGrowthInRealPairs(t *testing.T) {
	for _, c := range []struct {
		name         string
		fact         facts.ID
		place, words string
	}{
		{"cpu-bound_given", facts.PriceStep, "pairs.py:367", "an unknown number of times"},
		{"cpu-branch_lost", facts.CostFlops, "pairs.py:424", "gone: conditional"},
		{"cpu-constraint_changed", facts.KernelsTotal, "pairs.py:532", "sharding constraints"},
		{"cpu-constraint_changed", facts.MemoryPeak, "pairs.py:532", "sharding constraints"},
		{"cpu-cost_in_loop", facts.KernelsTotal, "pairs.py:857", "new: add"},
		{"cpu-cost_in_loop", facts.CostFlops, "pairs.py:857", "computed a second time"},
		{"cpu-donate_dtype", facts.CostFlops, "train.py:20", "6 convert"},
		{"cpu-donate_dtype", facts.MemoryPeak, "train.py:20", "no longer updated in place"},
		{"cpu-donation_beside_barrier", facts.MemoryPeak, "pairs.py:1067", "no longer updated in place"},
		{"cpu-donation_beside_barrier", facts.PriceStep, "pairs.py:1067", "no longer updated in place"},
		{"cpu-finished_counted", facts.CopiesCount, "pairs.py:17", "new: reduce"},
		{"cpu-finished_counted", facts.MemoryConstant, "pairs.py:15", "baked into the program"},
		{"cpu-forward_again", facts.PriceStep, "train.py:5", "3 dot"},
		{"cpu-io_callback_log", facts.MemoryOutput, "train.py:10", "host callback"},
		{"cpu-norm_beside_buffer", facts.KernelsTotal, "pairs.py:992", "rsqrt"},
		{"cpu-norm_beside_buffer", facts.MemoryPeak, "pairs.py:1013", "no longer updated in place"},
		{"cpu-place_baked", facts.MemoryConstant, "pairs.py:976", "w['place'] is baked into the program"},
		{"cpu-rate_returned", facts.MemoryOutput, "pairs.py:454", "a result of the program"},
		{"cpu-table_closed_over", facts.MemoryConstant, "pairs.py:501", "table is baked into the program"},
		{"gpu-int8_lost", facts.CostFlops, "pairs.py:356", "s32 → f32"},
		{"gpu-product_in_loop", facts.KernelsTotal, "pairs.py:547", "moved into a loop"},
		{"gpu-two_steps_at_once", facts.KernelsTotal, "pairs.py:418", "the loop ran 12 times, now 6"},
		{"tpu-f64_array", facts.CopiesCount, "train.py:8", "f32 → f64"},
		{"tpu-host_print", facts.CostFlops, "pairs.py:260", "host callback"},
		{"tpu-kernel_lost", facts.MemoryPeak, "pairs.py:261", "gone: tpu_custom_call"},
	} {
		v := only(t, inCase(t, c.name))
		if was, is := v.Old.Facts[c.fact], v.New.Facts[c.fact]; is <= was {
			t.Errorf("%s: %s is %v, was %v", c.name, c.fact, is, was)
		}
		if cause, _ := v.FactGrowth(c.fact); cause == nil || cause.Source.Short() != c.place || !strings.Contains(cause.Title, c.words) {
			t.Errorf("%s: %s grew by %+v, wanted %q at %s", c.name, c.fact, cause, c.words, c.place)
		}
	}
}

// Loops of real pairs that lost their early exit or were unrolled in part, and the cause that a rule about loops names.
func TestLoopsInRealPairs(t *testing.T) {
	for _, c := range []struct {
		name           string
		lost, unrolled int
		place          string
	}{
		{"cpu-end_unseen", 1, 0, ""}, {"cpu-residual_unseen", 1, 0, ""}, {"gpu-two_steps_at_once", 0, 1, "pairs.py:418"},
		{"cpu-psum_in_loop", 0, 0, "pairs.py:273"}, {"tpu-loop_gone", 0, 0, "pairs.py:292"}, {"cpu-rename_all", 0, 0, ""},
	} {
		v := only(t, inCase(t, c.name))
		if lost, unrolled := v.LostExits(), v.PartlyUnrolled(); len(lost) != c.lost || len(unrolled) != c.unrolled {
			t.Errorf("%s: %d exits are lost, %d loops unrolled in part", c.name, len(lost), len(unrolled))
		}
		if cause, _ := v.LoopGrowth(); c.place != "" && (cause == nil || cause.Source.Short() != c.place) {
			t.Errorf("%s: the cause is %+v, wanted one at %s", c.name, cause, c.place)
		}
	}
}

// Whatever grew in a real pair, the cause is one of the pair's or names a place of its own; and what launches add to a fact is its difference.
func TestEveryGrowthHasACause(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/cases/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(err, len(dirs))
	}
	for _, dir := range dirs {
		for _, p := range inCase(t, filepath.Base(dir)).Programs {
			for _, v := range p.Variants {
				if v.Old == nil || v.New == nil || p.Parts != nil {
					continue
				}
				for _, f := range v.Facts {
					if !(f.New > f.Old) || len(v.Causes) == 0 {
						continue
					}
					if cause, _ := v.FactGrowth(facts.ID(f.Name)); cause != nil && cause.Title == "" {
						t.Errorf("%s: %s grew for no reason: %+v", dir, f.Name, cause)
					}
				}
				for _, id := range []facts.ID{facts.KernelsTotal, facts.KernelsWeighted, facts.FusionsTotal} {
					if was, is := changes.Count(id, v.Old.Kernels), changes.Count(id, v.New.Kernels); is-was != v.New.Facts[id]-v.Old.Facts[id] {
						t.Errorf("%s: kernels add %v to %s, it grew by %v", dir, is-was, id, v.New.Facts[id]-v.Old.Facts[id])
					}
				}
				costs := 0.0
				for _, cost := range v.StepIntervals() {
					ns := cost.Middle
					costs += ns
				}
				if step := v.New.Facts[facts.PriceStep] - v.Old.Facts[facts.PriceStep]; len(v.Causes) > 0 && v.Knows(facts.PriceStep) && (costs-step > 1 || step-costs > 1) {
					t.Errorf("%s: causes cost %v ns, the step %v", dir, costs, step)
				}
			}
		}
	}
}

// inCase compares one of the real pairs that all packages share.
func inCase(t *testing.T, name string) *changes.Report {
	t.Helper()
	var sides [2]*facts.Report
	for i, side := range []string{"before", "after"} {
		d, err := dump.Open(t.Context(), filepath.Join("../../testdata/cases", name, side+".tar.xz"), dump.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if sides[i], err = facts.Measure(t.Context(), d, facts.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return changes.Compare(sides[0], sides[1])
}

// A loop in words: how often it ran and runs, or how it ends.
func TestLoopChange(t *testing.T) {
	runs := func(length, most int64, early bool) *facts.Kernel {
		return &facts.Kernel{Form: &facts.Form{Trips: facts.Trips{Length: length, MaxTrips: most, ExitsEarly: early}}}
	}
	for _, c := range []struct {
		old, fresh *facts.Kernel
		want       string
	}{
		{runs(3, 0, false), runs(3, 0, false), ""},
		{runs(3, 0, false), runs(5, 0, false), "the loop ran 3 times, now 5"},
		{runs(3, 0, false), runs(0, 9, true), "the loop ran 3 times, now at most 9"},
		{runs(3, 0, false), runs(0, 0, false), "the loop ran 3 times, now an unknown number of times"},
		{runs(0, 9, true), runs(9, 0, false), "the loop could end early, now it always runs 9 times"},
		{runs(0, 9, true), runs(0, 0, false), "the loop could end early, now it runs until its counter ends it"},
		{runs(0, 0, false), runs(0, 0, false), ""},
	} {
		if got := (changes.LoopChange{Old: c.old, New: c.fresh}).String(); got != c.want {
			t.Errorf("%q, wanted %q", got, c.want)
		}
	}
}

// Why PyTorch/XLA compiled a graph, in fewer words than its log, and at which line.
func TestCuts(t *testing.T) {
	at := func(line int32) hlo.Location { return hlo.Location{File: "train.py", Line: line} }
	graph := func(name string, cuts ...*tensorflow.GraphBreak) *changes.Program {
		p := &facts.Program{Name: name}
		for _, cut := range cuts {
			v := variant("", name)
			v.GraphBreak = cut
			p.Variants = append(p.Variants, v)
		}
		pair := &changes.Program{Name: name, Old: p, New: p}
		for _, v := range p.Variants {
			pair.Variants = append(pair.Variants, &changes.Variant{New: v, Change: changes.Same})
		}
		return pair
	}
	read := &tensorflow.GraphBreak{Reason: "most likely user code trying to access tensor value before torch_xla.sync", Where: at(20)}
	sync, dynamo, other := &tensorflow.GraphBreak{Reason: "user torch_xla.sync", Where: at(30)}, &tensorflow.GraphBreak{Reason: "dynamo is compiling"}, &tensorflow.GraphBreak{Reason: "a new one", Where: at(40)}
	for want, cut := range map[string]*tensorflow.GraphBreak{
		"": nil, "where a tensor's value is read (train.py:20)": read, "at torch_xla.sync (train.py:30)": sync, "by torch.compile": dynamo, "because: a new one (train.py:40)": other,
	} {
		if got := changes.CutText(cut); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
	p, q := graph("SyncTensorsGraph", read, sync, read, nil), graph("SyncTensorsGraph-2", sync)
	if got := changes.Cuts(p.New); got != "where a tensor's value is read (train.py:20), at torch_xla.sync (train.py:30)" {
		t.Error(got)
	}
	if got := changes.ValueReads([]*changes.Program{p, q, {Name: "gone"}}); len(got) != 1 || got[0] != at(20) {
		t.Error(got)
	}
	q.Variants = append(q.Variants, &changes.Variant{Change: changes.Added, New: &facts.Variant{Origin: facts.Origin{GraphBreak: &tensorflow.GraphBreak{Reason: read.Reason, Where: at(50)}}}})
	if got := changes.ValueReads([]*changes.Program{p, q}); len(got) != 1 || got[0] != at(50) {
		t.Errorf("the reads that are new: %v", got)
	}
	if got := changes.CompiledBeside([]*changes.Program{p, {Name: "gone"}, q}, q); got != "SyncTensorsGraph" {
		t.Error(got)
	}
	for _, c := range []struct {
		p    *changes.Program
		want string
	}{
		{q, "a new graph: PyTorch/XLA compiled it at torch_xla.sync, as it does SyncTensorsGraph: what runs before it is not always the same"},
		{graph("SyncTensorsGraph-3", other), "a new graph: PyTorch/XLA compiled it because: a new one"},
		{graph("SyncTensorsGraph-4", nil), "a new graph"},
		{graph("step", nil), "a new program"},
	} {
		c.p.Old = nil
		if got := changes.Newcomer([]*changes.Program{p, c.p}, c.p); got.Title != c.want {
			t.Errorf("%s: %q, wanted %q", c.p.Name, got.Title, c.want)
		}
	}
	again := graph("step", nil)
	again.Replaced = &facts.Program{Variants: []*facts.Variant{called(t, named("x, y"), nil).Old}}
	if got := changes.Newcomer(nil, again).Title; got != "another program than the accepted one of that name: 2 arguments, now 0" {
		t.Error(got)
	}
}

// A program that is compiled again is put down to the call that missed the cache by the log, or to where Python read a value.
func TestCompiledAgain(t *testing.T) {
	read := &tensorflow.GraphBreak{Reason: "access tensor value", Where: hlo.Location{File: "train.py", Line: 20}}
	p := &changes.Program{Name: "step", New: &facts.Program{Name: "step", Variants: []*facts.Variant{variant("a", "1"), variant("b", "2")}}}
	p.New.Variants[1].CallSite = hlo.Location{File: "main.py", Line: 5}
	missed := &tensorflow.Logs{Misses: []tensorflow.CacheMiss{{Program: "other", Where: hlo.Location{File: "x.py", Line: 1}}, {Program: "step"}, {Program: "step", Where: hlo.Location{File: "run.py", Line: 7}}}}
	if got := p.CompiledAgain(missed).Source.Short(); got != "run.py:7" {
		t.Error(got)
	}
	if got := p.CompiledAgain(nil).Source.Short(); got != "main.py:5" {
		t.Error(got)
	}
	p.New.Variants[0].GraphBreak = read
	p.Variants = []*changes.Variant{{New: p.New.Variants[0]}}
	if got := p.CompiledAgain(&tensorflow.Logs{}).Source.Short(); got != "train.py:20" {
		t.Error(got)
	}
}
