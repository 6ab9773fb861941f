package gate

import (
	"fmt"
	"testing"
)

// waivedBase is a configuration with waivers: FINDING EXPIRES [CEILING].
func waivedBase(waivers ...[3]string) string {
	text := withRules() + "waivers:\n"
	for _, w := range waivers {
		text += fmt.Sprintf("  - {finding: %s, reason: why, owner: me, expires: %s", w[0], w[1])
		if w[2] != "" {
			text += ", ceiling: " + w[2]
		}
		text += "}\n"
	}
	return text
}

const someFinding, otherFinding = "0123456789ab", "ba9876543210"

func TestWaiverThatChanges(t *testing.T) {
	for _, c := range []struct{ old, fresh, there, back string }{
		{"2027-02-01 ", "2027-02-02 ", "looser waiver 0123456789ab: until 2027-02-01 → 2027-02-02", "stricter waiver 0123456789ab: until 2027-02-02 → 2027-02-01"},
		{"2027-02-01 3", "2027-02-01 4", "looser waiver 0123456789ab: ceiling 3 → 4", "stricter waiver 0123456789ab: ceiling 4 → 3"},
		{"2027-02-01 3", "2027-02-01 ", "looser waiver 0123456789ab: ceiling 3 → none", "stricter waiver 0123456789ab: ceiling none → 3"},
		{"2027-02-01 3", "2027-02-01 3", "", ""},
	} {
		of := func(s string) string { return waivedBase([3]string{someFinding, s[:10], s[11:]}) }
		if got := told(t, of(c.old), of(c.fresh)); got != c.there {
			t.Errorf("%s became %s: %s, wanted %s", c.old, c.fresh, got, c.there)
		}
		if got := told(t, of(c.fresh), of(c.old)); got != c.back {
			t.Errorf("%s became %s: %s, wanted %s", c.fresh, c.old, got, c.back)
		}
	}
}

// How long waivers may hold is bounded by an entry: without it, or without its bound, they may hold for ever.
func TestDaysOfWaivers(t *testing.T) {
	const bounded, unbounded = "{rule: waiver-valid, max_days: 30}", "{rule: waiver-valid}"
	for _, c := range []struct{ old, fresh, want string }{
		{withRules(bounded), withRules("{rule: waiver-valid, max_days: 9999}"), "looser waiver-valid: max_days 30 → 9,999"},
		{withRules(bounded), withRules(unbounded), "looser waiver-valid: max_days 30 → none"},
		{withRules(bounded), withRules(), "looser waiver-valid: removed"},
		{withRules(unbounded), withRules(bounded), "stricter waiver-valid: max_days none → 30"},
	} {
		if got := told(t, c.old, c.fresh); got != c.want {
			t.Errorf("%s, wanted %s", got, c.want)
		}
	}
}

func TestWaiversArePairedByFinding(t *testing.T) {
	some, other := [3]string{someFinding, "2027-02-01", ""}, [3]string{otherFinding, "2028-02-01", ""}
	if got := told(t, waivedBase(some, other), waivedBase(other, some)); got != "" {
		t.Errorf("another order is told of: %s", got)
	}
	if got := told(t, waivedBase(some, other), waivedBase(other)); got != "stricter waiver 0123456789ab: removed" {
		t.Errorf("one of two goes: %s", got)
	}
	if got := told(t, waivedBase(other), waivedBase(some, other)); got != "looser waiver 0123456789ab: added until 2027-02-01 by me: why" {
		t.Errorf("one comes: %s", got)
	}
}
