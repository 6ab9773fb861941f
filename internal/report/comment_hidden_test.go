package report

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
	"github.com/xlagate/xlagate/internal/webpage"
)

// Word for word what stands beside the lines of a pull request.
func TestAnnotationsGolden(t *testing.T) {
	for name, r := range map[string]*result.Result{"failing": failing(), "incomplete": incomplete(), "passing": passing()} {
		golden(t, "annotations_"+name+".text", func(w io.Writer) error {
			for _, a := range Annotations(r, Options{Options: webpage.Options{Root: "/srv/models"}, Config: "models/xlagate.yaml"}) {
				if _, err := fmt.Fprintf(w, "%s %s:%d\n%s\n%s\n\n", a.Level, a.File, a.Line, a.Title, a.Message); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// Under the base branch's policy a finding counts that the pull request's own does not bring, or waives; a notice does not.
func TestHiddenFindings(t *testing.T) {
	told := result.Finding{ID: "000000000001", Rule: "max-kernels", Level: "error"}
	waived := result.Finding{ID: "000000000003", Rule: "max-flops", Level: "error", Waived: true}
	own := &result.Result{Findings: []result.Finding{told, waived}}
	for _, c := range []struct {
		under  result.Finding
		hidden bool
	}{
		{result.Finding{ID: "000000000001", Level: "error"}, false},
		{result.Finding{ID: "000000000003", Level: "error"}, true},
		{result.Finding{ID: "000000000003", Level: "error", Waived: true}, false},
		{result.Finding{ID: "000000000004", Level: "error"}, true},
		{result.Finding{ID: "000000000004", Level: "warning"}, true},
		{result.Finding{ID: "000000000004", Level: "info"}, false},
	} {
		comment := Comment{Result: own, Under: &result.Result{Findings: []result.Finding{c.under}}}
		if got := slices.ContainsFunc(comment.hidden(), func(f *result.Finding) bool { return f.ID == c.under.ID }); got != c.hidden {
			t.Errorf("%s at level %s, waived %v: hidden %v", c.under.ID, c.under.Level, c.under.Waived, got)
		}
	}
	if got := (&Comment{Result: own}).hidden(); got != nil {
		t.Errorf("without another policy nothing is hidden: %v", got)
	}
}
