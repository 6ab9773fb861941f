package gate

import (
	"slices"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
)

// A program is gone from a dump that was looked at, and from none that could not be.
func TestNothingIsGoneFromWhatWasNotSeen(t *testing.T) {
	o := options(t, recommended, "cpu-donation_lost/before.tar.xz")
	accept(t, o, AcceptOptions{Reason: "start"})
	gone := func(r *result.Result) bool {
		return slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return f.Rule == "orphan-baseline" })
	}
	if r := check(t, o.to(t, "cpu-improved/after.tar.xz")); r.ExitCode != ExitFindings && r.ExitCode != ExitIncomplete || !gone(r) {
		t.Errorf("another program: exit %d, findings %+v", r.ExitCode, r.Findings)
	}
	o.Dumps = []string{t.TempDir()}
	if r := check(t, o); r.ExitCode != ExitIncomplete || gone(r) {
		t.Errorf("an empty dump: exit %d, findings %+v", r.ExitCode, r.Findings)
	}
}
