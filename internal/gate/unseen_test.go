package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/result"
)

// A program is gone from a dump that was read, and from none that could not be.
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

// A function that XLA could not compile is told beside those that it could, by the rule for it or without.
func TestUncompiled(t *testing.T) {
	for rules, want := range map[string]int{"{rule: max-kernels, max: 100}": ExitIncomplete, "{rule: no-unclustered-ops}": ExitFindings} {
		o := options(t, "version: 1\nrules: ["+rules+"]\n", "tf-recompile-axis_fixed/dump.tar.xz")
		o.Logs = []string{"../logs/testdata/tf-errors-tf221.txt.gz"}
		r := check(t, o)
		told := slices.ContainsFunc(r.Problems, func(p result.Problem) bool {
			return strings.HasPrefix(p.Message, "XLA cannot compile AsString at ") && strings.Contains(p.Message, ":25 in strings: ")
		})
		if r.ExitCode != want || told != (want == ExitIncomplete) {
			t.Errorf("%s: exit %d, %+v", rules, r.ExitCode, r.Problems)
		}
	}
}
