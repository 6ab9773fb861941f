package gate

import (
	"slices"
	"strings"
	"testing"
)

// Whatever asks for less comes before all else; apart from that the order of the configuration stays.
func TestLooserFirst(t *testing.T) {
	old := withTargets("{name: a, dump: x}") + "waivers:\n  - {finding: 0123456789ab, reason: r, owner: o, expires: 2027-01-01}\n"
	fresh := strings.NewReplacer("{name: a, dump: x}", "{name: b, dump: x}", "2027", "2028", "rules:\n", "rules:\n  - {rule: max-kernels, max: 3}\n").Replace(old)
	want := []string{"looser a: the target is no longer checked", "looser waiver 0123456789ab: until 2027-01-01 → 2028-01-01", "stricter b: a new target", "stricter max-kernels: added"}
	if got := strings.Split(told(t, old, fresh), "\n"); !slices.Equal(got, want) {
		t.Errorf("%q\nwanted\n%q", got, want)
	}
}

// A policy differs in nothing from itself, and what is looser one way is never looser the other way for a single number.
func TestSelf(t *testing.T) {
	if got := told(t, base, base); got != "" {
		t.Errorf("the policy differs from itself: %s", got)
	}
}
