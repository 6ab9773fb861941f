package gate

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/rule"
)

// TestIDsDoNotDependOnGit checks real pairs without git and with edits at each place that a change names: an id that is printed in one checkout is known in
// the other, and accepts what it says there.
func TestIDsDoNotDependOnGit(t *testing.T) {
	cases, err := os.ReadDir(dumps + "cases")
	if err != nil {
		t.Fatal(err)
	}
	pairs, again := 0, 0
	for _, c := range cases {
		if !strings.HasPrefix(c.Name(), "cpu-") {
			continue
		}
		o := options(t, recommended, "cases/"+c.Name()+"/after.tar.xz")
		o.Against = strings.Replace(o.Dumps[0], "after", "before", 1)
		without := check(t, o)
		for _, c := range without.Open() {
			if c.Source.Line == 0 {
				continue
			}
			edited := edits(t, path.Base(c.Source.File), 2000, c.Source.Line)
			o.Edits = func() (*git.Edits, string) { return edited, "" }
			with := check(t, o)
			pairs++
			for _, sides := range [][2]*result.Result{{without, with}, {with, without}} {
				for _, open := range sides[0].Open() {
					if !sides[1].Holds(open.ID) {
						t.Errorf("%s: %s is called otherwise where line %d was edited", o.Dumps[0], open.Title, c.Source.Line)
					}
				}
			}
			for _, f := range with.Findings {
				if len(f.Also) > 0 {
					again++
				}
			}
		}
	}
	if pairs < 30 || again == 0 {
		t.Errorf("%d pairs, %d findings of changes that are several without git", pairs, again)
	}
}

// pairsOfCases calls a function for every real pair, with options that check what came after against an accepted baseline of what was before. The first names the
// options of the latter.
func pairsOfCases(t *testing.T, of func(name string, before, after Options)) {
	t.Helper()
	cases, err := os.ReadDir(dumps + "cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range cases {
		before := options(t, recommended, "cases/"+dir.Name()+"/before.tar.xz")
		accept(t, before, AcceptOptions{Reason: "start"})
		of(dir.Name(), before, before.to(t, "cases/"+dir.Name()+"/after.tar.xz"))
	}
}

// edited makes git know that lines of a file were edited.
func (o Options) edited(t *testing.T, file string, lines ...int) Options {
	edited := edits(t, path.Base(file), 2000, lines...)
	o.Edits = func() (*git.Edits, string) { return edited, "" }
	return o
}

// TestAcceptedOnABranch accepts the changes of real pairs by their ids where git knows that one line was edited, as on a branch. After the merge git knows none, and
// the same dump passes.
func TestAcceptedOnABranch(t *testing.T) {
	branches, split := 0, 0
	pairsOfCases(t, func(name string, _, o Options) {
		open := check(t, o).Open()
		if len(open) == 0 || open[0].Source.Line == 0 {
			return
		}
		onBranch := o.edited(t, open[0].Source.File, open[0].Source.Line)
		var ids []string
		branch := check(t, onBranch)
		for _, c := range branch.Open() {
			if c.Accept != "" {
				ids = append(ids, c.ID)
			}
		}
		for _, f := range branch.Findings {
			if len(f.Also) > 0 {
				split++
			}
		}
		accept(t, onBranch, AcceptOptions{Only: ids, Reason: "it is wanted"})
		for where, o := range map[string]Options{"the branch": onBranch, "main": o} {
			r := check(t, o)
			if len(r.Problems) != len(branch.Problems) {
				t.Errorf("%s: on %s: %+v", name, where, r.Problems)
			}
			for _, c := range r.Open() {
				if c.Accept != "" {
					t.Errorf("%s: %s was accepted, and is %s on %s", name, c.Title, c.Level, where)
				}
			}
		}
		branches++
	})
	if branches < 15 || split == 0 {
		t.Errorf("%d branches, %d findings of changes that are several after the merge", branches, split)
	}
}

// A change is made of those that are all in it. Of one that two edits share it has only the id, if the other has not.
func TestParts(t *testing.T) {
	change := func(key string, stepNS float64, kernels ...string) *judgedChange {
		cause := &changes.Cause{}
		for _, name := range kernels {
			cause.After = append(cause.After, facts.Kernel{Form: &facts.Form{}, Site: &facts.Site{}, Name: name})
		}
		c := &judgedChange{Change: &changes.Change{Key: key, Parts: []*changes.Part{{Program: "f", Cause: cause}}}}
		c.Price.StepNS = stepNS
		c.found = []*judgedFinding{{Finding: rule.Finding{Finding: result.Finding{ID: "peak", Subject: "memory.peak_bytes", Actual: 9.0}}},
			{Finding: rule.Finding{Finding: result.Finding{ID: "step", Subject: "price.step_ns"}}}}
		return c
	}
	first, second := change("1 first", 70, "a", "b", "c"), change("2 second", 20, "d")
	alone, also, both := change("3 alone", 30, "a"), change("4 also", 25, "b"), change("5 both", 40, "c", "d")
	identify("m", []*judgedChange{first, second}, []*judgedChange{alone, also, both})
	answer([]*judgedChange{first, second}, []*judgedChange{alone, also, both})
	if first.id != alone.id || second.id != both.id {
		t.Errorf("the ids are %s and %s of %s, %s and %s", first.id, second.id, alone.id, also.id, both.id)
	}
	for i, want := range [][]string{{also.id}, {also.id}} {
		if got := first.found[i].Also; !slices.Equal(got, want) {
			t.Errorf("%s is %v as well where no edit is known, want %v", first.found[i].ID, got, want)
		}
		if got := second.found[i].Also; len(got) > 0 {
			t.Errorf("%s of a change that shares one is %v as well", second.found[i].ID, got)
		}
	}
	saves, costly, whole := change("6 saves", -30, "y"), change("7 costly", 100, "x"), change("8 whole", 70, "x", "y")
	saves.found = nil
	identify("m", []*judgedChange{whole}, []*judgedChange{saves, costly})
	answer([]*judgedChange{whole}, []*judgedChange{saves, costly})
	if whole.id != costly.id || !slices.Equal(whole.also, []string{saves.id}) || len(whole.found[1].Also) > 0 {
		t.Errorf("%s is %v as well, its finding %v", whole.id, whole.also, whole.found[1].Also)
	}
}

// TestAcceptedAlone accepts one change of real pairs where git knows two edits, which may be one change where it knows none. No finding answers to the id of
// another change.
func TestAcceptedAlone(t *testing.T) {
	accepted := 0
	pairsOfCases(t, func(name string, before, o Options) {
		file, lines := linesOfChanges(t, o)
		for _, two := range pairsOf(lines) {
			onBranch := o.edited(t, file, two[0], two[1])
			branch := check(t, onBranch)
			ids := map[string]bool{}
			for _, c := range branch.Changes {
				ids[c.ID] = true
			}
			for _, f := range branch.Findings {
				if slices.ContainsFunc(f.Also, func(id string) bool { return ids[id] }) {
					t.Errorf("%s: %s answers to %v, another change", name, f.Message, f.Also)
				}
			}
			for _, c := range branch.Open() {
				if c.Accept != "" && len(branch.Open()) > 1 {
					acceptedAlone(t, name, c, before, onBranch, o)
					accepted++
				}
			}
		}
	})
	if accepted < 5 {
		t.Errorf("%d changes were accepted", accepted)
	}
}

// pairsOf returns a few pairs of different lines.
func pairsOf(lines []int) (pairs [][2]int) {
	for i, first := range lines {
		for _, second := range lines[i+1:] {
			if len(pairs) < 6 {
				pairs = append(pairs, [2]int{first, second})
			}
		}
	}
	return pairs
}

// acceptedAlone accepts a change: it is waived, and no other one is, before the merge and after it.
func acceptedAlone(t *testing.T, name string, c *result.Change, before, onBranch, onMain Options) {
	t.Helper()
	before.Baseline = filepath.Join(t.TempDir(), "baseline")
	onBranch.Baseline, onMain.Baseline = before.Baseline, before.Baseline
	accept(t, before, AcceptOptions{Reason: "start"})
	accept(t, onBranch, AcceptOptions{Only: []string{c.ID}, Reason: "it is wanted"})
	for _, f := range check(t, onBranch).Findings {
		if f.Waived != (f.Change == c.ID) {
			t.Errorf("%s: %s was accepted; of %s, %s is waived: %v", name, c.ID, f.Change, f.Message, f.Waived)
		}
	}
	for _, f := range check(t, onMain).Findings {
		if f.Waived && !slices.Contains(c.Findings, f.ID) && f.Change != c.ID {
			t.Errorf("%s: %s was accepted, and after the merge %s is waived", name, c.ID, f.Message)
		}
	}
}

// linesOfChanges returns the lines that changes and their kernels are on, of the file that has most.
func linesOfChanges(t *testing.T, o Options) (file string, lines []int) {
	t.Helper()
	targets, err := lookAll(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]int{}
	add := func(name string, line int) {
		if name = path.Base(name); line > 0 && line < 2000 && !slices.Contains(of[name], line) {
			of[name] = append(of[name], line)
		}
	}
	for _, c := range targets[0].withoutEdits(o) {
		for _, p := range c.Parts {
			add(p.Source.File, p.Source.Line)
			if p.Cause != nil {
				for _, k := range p.Cause.After {
					add(k.Source.File, int(k.Source.Line))
				}
			}
		}
	}
	for name, list := range of {
		if len(list) > len(lines) || len(list) == len(lines) && name < file {
			file, lines = name, list
		}
	}
	return file, lines
}
