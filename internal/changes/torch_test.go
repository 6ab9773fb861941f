package changes_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/facts/factstest"
)

// A Python number that enters a graph of PyTorch/XLA adds an argument and counts those behind it anew: what did it is the edit, on its line, and the
// backward pass, which has no lines, belongs to it.
func TestScalarEnters(t *testing.T) {
	reports := map[string]*facts.Report{}
	for _, version := range []string{"before", "after"} {
		r := factstest.Measure(t, "../../testdata/torch-scalar/"+version+".tar.xz", facts.Options{})
		r.Programs[0].Variants = r.Programs[0].Variants[len(r.Programs[0].Variants)-1:]
		reports[version] = r
	}
	for form, base := range map[string]*facts.Report{"dump": reports["before"], "baseline": stored(t, reports["before"])} {
		v := only(t, changes.Compare(base, reports["after"]))
		if len(v.Params) != 1 || !strings.HasPrefix(v.Params[0].What, "new: f32[]") {
			t.Errorf("against the %s: arguments %+v", form, v.Params)
		}
		if len(v.Causes) != 1 || v.Causes[0].Kind != changes.KindCode || v.Causes[0].Source.Line != 19 || !strings.Contains(v.Causes[0].Title, "logistic") {
			t.Errorf("against the %s: %+v", form, v.Causes)
		}
	}
}
