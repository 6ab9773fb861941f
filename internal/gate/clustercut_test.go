package gate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
)

// An operation that parts clusters is told first, and the change that there are more of them belongs to says what parts them.
func TestWhatPartsClusters(t *testing.T) {
	for _, c := range []struct{ before, after, first, told, place string }{
		{"tf-condition/before.tar.xz", "tf-condition/after.tar.xz", "Mul", "a condition (Switch) is in no cluster and splits them", "/srv/app/functions.py:123"},
		{"cases/tf-gelu_gone/after.tar.xz", "cases/tf-gelu_gone/before.tar.xz", "PrintV2", "PrintV2 is in no cluster and splits them", ":0"},
		{"cases/tf-gelu_gone/before.tar.xz", "cases/tf-gelu_gone/before.tar.xz", "", "", ""},
	} {
		o := options(t, "version: 1\nextends: [recommended, tensorflow]\n", c.after)
		var err error
		if o.Against, err = filepath.Abs(dumps + c.before); err != nil {
			t.Fatal(err)
		}
		r := check(t, o)
		findings := r.Findings
		if c.first == "" {
			if len(findings) > 0 {
				t.Errorf("%s: %+v", c.after, findings)
			}
			continue
		}
		if first := findings[0]; first.Rule != "no-unclustered-ops" || first.Subject != c.first {
			t.Errorf("%s: first comes %s of %s", c.after, first.Rule, first.Subject)
		}
		f := ofRule(findings, "max-clusters")
		change := changeOf(t, r, f)
		if says := append([]string{change.Title}, change.Details...); !slices.Contains(says, c.told) || fmt.Sprintf("%s:%d", change.Source.File, change.Source.Line) != c.place {
			t.Errorf("%s: %+v", c.after, change)
		}
	}
}

// changeOf is the change that a finding belongs to.
func changeOf(t *testing.T, r *result.Result, f *result.Finding) *result.Change {
	t.Helper()
	for i := range r.Changes {
		if f != nil && r.Changes[i].ID == f.Change {
			return &r.Changes[i]
		}
	}
	t.Fatalf("no change for %+v", f)
	return nil
}

func ofRule(findings []result.Finding, rule string) *result.Finding {
	for i := range findings {
		if findings[i].Rule == rule {
			return &findings[i]
		}
	}
	return nil
}

// More clusters because a function was traced for other sizes are told as that.
func TestClustersOfAFunctionTracedAgain(t *testing.T) {
	o := options(t, "version: 1\nextends: [recommended, tensorflow]\n", "cases/tf-traced_again/after.tar.xz")
	var err error
	if o.Against, err = filepath.Abs(dumps + "cases/tf-traced_again/before.tar.xz"); err != nil {
		t.Fatal(err)
	}
	r := check(t, o)
	if c := changeOf(t, r, ofRule(r.Findings, "max-clusters")); !strings.HasPrefix(c.Title, "cluster_1 is new: it does the same as cluster_0, for other sizes: ") {
		t.Errorf("%+v", c)
	}
}
