package changes_test

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// The step takes updates from an optimizer of optax; between the two versions it adds and multiplies once less. A stored baseline knows no line of a library.
func TestLibraryIsNamed(t *testing.T) {
	for name, old := range map[string]func(*facts.Report) *facts.Report{
		"dump":     func(r *facts.Report) *facts.Report { return r },
		"baseline": func(r *facts.Report) *facts.Report { return stored(t, r) },
	} {
		t.Run(name, func(t *testing.T) {
			v := only(t, changes.Compare(old(measured(t, "optax-before", facts.Options{})), measured(t, "optax-after", facts.Options{})))
			if len(v.Causes) != 1 || !strings.HasPrefix(v.Causes[0].Title, "optax 0.2.6 → 0.2.8") || !strings.HasSuffix(v.Causes[0].Title, "; gone: add, multiply") {
				t.Errorf("causes %+v", v.Causes)
			}
		})
	}
}

// The same difference is not put down to a library of one version, nor to one where the model's line was edited.
func TestLibraryIsNotNamed(t *testing.T) {
	before, after := measured(t, "optax-before", facts.Options{}), measured(t, "optax-after", facts.Options{})
	edited := func(hlo.Location) string { return "an edit" }
	if v := only(t, changes.CompareEdited(before, after, edited)); strings.Contains(v.Causes[0].Title, "optax") {
		t.Errorf("the line was edited, and the title is %q", v.Causes[0].Title)
	}
	before.Toolchain.Libraries = after.Toolchain.Libraries
	if v := only(t, changes.Compare(before, after)); strings.Contains(v.Causes[0].Title, "optax") {
		t.Errorf("the version is the same, and the title is %q", v.Causes[0].Title)
	}
}
