package gate

import (
	"os"
	"path"
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
