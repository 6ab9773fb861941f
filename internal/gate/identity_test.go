package gate

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/git"
	"github.com/xlagate/xlagate/internal/result"
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
				if len(f.Also) > 1 {
					again++
				}
			}
		}
	}
	if pairs < 30 || again == 0 {
		t.Errorf("%d pairs, %d findings of changes that are several without git", pairs, again)
	}
}

// TestAcceptedOnABranch accepts the changes of real pairs by their ids where git knows that one line was edited, as on a branch. After the merge git knows none, and
// the same dump passes.
func TestAcceptedOnABranch(t *testing.T) {
	cases, err := os.ReadDir(dumps + "cases")
	if err != nil {
		t.Fatal(err)
	}
	branches, split := 0, 0
	for _, c := range cases {
		o := options(t, recommended, "cases/"+c.Name()+"/before.tar.xz")
		accept(t, o, AcceptOptions{Reason: "start"})
		o = o.to(t, "cases/"+c.Name()+"/after.tar.xz")
		open := check(t, o).Open()
		if len(open) == 0 || open[0].Source.Line == 0 {
			continue
		}
		edited := edits(t, path.Base(open[0].Source.File), 2000, open[0].Source.Line)
		o.Edits = func() (*git.Edits, string) { return edited, "" }
		var ids []string
		branch := check(t, o)
		for _, c := range branch.Open() {
			if c.Accept != "" {
				ids = append(ids, c.ID)
			}
		}
		for _, f := range branch.Findings {
			if len(f.Also) > 1 {
				split++
			}
		}
		accept(t, o, AcceptOptions{Only: ids, Reason: "it is wanted"})
		for _, edits := range []func() (*git.Edits, string){o.Edits, nil} {
			o.Edits = edits
			r := check(t, o)
			if len(r.Problems) != len(branch.Problems) {
				t.Errorf("%s: %+v", o.Dumps[0], r.Problems)
			}
			for _, c := range r.Open() {
				if c.Accept != "" {
					t.Errorf("%s: %s was accepted, and is %s (edits known: %v)", o.Dumps[0], c.Title, c.Level, edits != nil)
				}
			}
		}
		branches++
	}
	if branches < 15 || split == 0 {
		t.Errorf("%d branches, %d findings of changes that are several after the merge", branches, split)
	}
}

// TestAcceptedAlone accepts one change of real pairs where git knows two edits: it is waived, and no other one is, before the merge and after it.
func TestAcceptedAlone(t *testing.T) {
	cases, err := os.ReadDir(dumps + "cases")
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for _, dir := range cases {
		o := options(t, recommended, "cases/"+dir.Name()+"/before.tar.xz")
		accept(t, o, AcceptOptions{Reason: "start"})
		o = o.to(t, "cases/"+dir.Name()+"/after.tar.xz")
		file, lines := "", []int(nil)
		for _, c := range check(t, o).Changes {
			if name := path.Base(c.Source.File); c.Source.Line > 0 && (file == "" || name == file) && !slices.Contains(lines, c.Source.Line) {
				file, lines = name, append(lines, c.Source.Line)
			}
		}
		if len(lines) < 2 {
			continue
		}
		edited := edits(t, file, 2000, lines[:2]...)
		o.Edits = func() (*git.Edits, string) { return edited, "" }
		open := check(t, o).Open()
		for _, c := range open {
			if c.Accept == "" || len(open) < 2 {
				continue
			}
			own := o
			own.Baseline = filepath.Join(t.TempDir(), "baseline")
			accept(t, own.to(t, "cases/"+dir.Name()+"/before.tar.xz"), AcceptOptions{Reason: "start"})
			accept(t, own, AcceptOptions{Only: []string{c.ID}, Reason: "it is wanted"})
			accepted++
			for _, edits := range []func() (*git.Edits, string){o.Edits, nil} {
				own.Edits = edits
				r := check(t, own)
				for _, f := range r.Findings {
					if f.Waived && f.Change != c.ID && !slices.ContainsFunc(c.Findings, func(id string) bool { return id == f.ID }) {
						t.Errorf("%s: %s was accepted, and %s is waived (edits known: %v)", dir.Name(), c.Title, f.Message, edits != nil)
					}
				}
				for _, again := range r.Open() {
					if again.ID == c.ID && edits != nil {
						t.Errorf("%s: %s was accepted, and is %s", dir.Name(), c.Title, again.Level)
					}
				}
			}
		}
	}
	if accepted < 5 {
		t.Errorf("only %d changes", accepted)
	}
}
