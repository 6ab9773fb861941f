package github

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A marker that was written is read as it was.
func TestMarkerRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Marker{
			Key: rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._/-]{0,63}`).Draw(t, "key"), Run: Run{rapid.Int64Min(0).Draw(t, "run"), rapid.IntRange(0, 99).Draw(t, "attempt")},
			Head: rapid.StringMatching(`[0-9a-f]{40}`).Draw(t, "head"), At: rapid.Int64Range(0, 1<<40).Draw(t, "at"), Print: rapid.StringMatching(`[0-9a-f]{0,16}`).Draw(t, "print"),
			Clean: rapid.Bool().Draw(t, "clean"), Problems: rapid.IntRange(0, 9).Draw(t, "problems"), Errors: rapid.IntRange(0, 9).Draw(t, "errors"), Warnings: rapid.IntRange(0, 9).Draw(t, "warnings"),
		}
		if got, ok := parseMarker(m.String() + "\nwhatever --> follows"); !ok || got != m {
			t.Fatalf("%+v came back as %+v, %v", m, got, ok)
		}
	})
}

// Only a comment that begins with a whole marker of a valid key is one of the gate's.
func TestNoMarker(t *testing.T) {
	good := Marker{Key: "default"}.String()
	for _, body := range []string{
		"", "hello", " " + good, "> " + good, "\n" + good, strings.TrimSuffix(good, " -->"), strings.Replace(good, "key=default", "key=", 1), strings.Replace(good, "key=default ", "", 1),
		strings.Replace(good, "key=default", "key=-x", 1), strings.Replace(good, "v1", "v2", 1), strings.Replace(good, "key=default", "key=<b>", 1),
	} {
		if m, ok := parseMarker(body); ok {
			t.Errorf("%q is taken for %+v", body, m)
		}
	}
	if m, ok := parseMarker(strings.Replace(good, " -->", " new=field x -->", 1)); !ok || m.Key != "default" {
		t.Errorf("a marker of a later version: %+v, %v", m, ok)
	}
}

// The later run is newer; attempts count within a run, and the clock only where a run has no number.
func TestNewer(t *testing.T) {
	at := func(id int64, attempt int, at int64) Marker { return Marker{Run: Run{id, attempt}, At: at} }
	for _, c := range []struct {
		a, b Marker
		want bool
	}{
		{at(2, 1, 0), at(1, 9, 99), true}, {at(1, 9, 99), at(2, 1, 0), false},
		{at(1, 2, 0), at(1, 1, 99), true}, {at(1, 1, 99), at(1, 2, 0), false},
		{at(1, 1, 5), at(1, 1, 4), true}, {at(1, 1, 4), at(1, 1, 4), false}, {at(1, 1, 3), at(1, 1, 4), false},
		{at(0, 0, 5), at(9, 1, 4), true}, {at(9, 1, 4), at(0, 0, 5), false}, {at(9, 1, 5), at(0, 0, 5), false},
	} {
		if got := c.a.newer(c.b); got != c.want {
			t.Errorf("%+v newer than %+v: %v", c.a, c.b, got)
		}
	}
}

// No two runs are each newer than the other.
func TestNewerIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Marker {
			return Marker{Run: Run{rapid.Int64Range(0, 2).Draw(t, name), rapid.IntRange(1, 2).Draw(t, name)}, At: rapid.Int64Range(0, 2).Draw(t, name)}
		}
		a, b := draw("a"), draw("b")
		if a.newer(b) && b.newer(a) || a.newer(a) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}
