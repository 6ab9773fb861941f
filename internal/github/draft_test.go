package github

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
)

// What is not worth a comment, or not ours to overwrite, is left alone, and it is said why.
func TestNeedlessDrafts(t *testing.T) {
	said := &comment{Marker: Marker{Key: "k", Run: Run{5, 1}, Head: "aaaa", Print: "p"}, url: "u"}
	quiet := &comment{Marker: Marker{Key: "k", Run: Run{5, 1}, Head: "aaaa", Clean: true}}
	draft := func(mode string, m Marker) Draft { return Draft{Marker: m, Mode: mode} }
	next := Marker{Key: "k", Run: Run{6, 1}, Head: "bbbb", Print: "q"}
	same := Marker{Key: "k", Run: Run{6, 1}, Head: "aaaa", Print: "p"}
	well := Marker{Key: "k", Run: Run{6, 1}, Head: "bbbb", Clean: true}
	older := Marker{Key: "k", Run: Run{4, 1}, Head: "bbbb", Print: "q"}
	for _, c := range []struct {
		d      Draft
		before *comment
		why    string
	}{
		{draft(Update, next), nil, ""},
		{draft(Update, well), nil, "there is nothing to report"},
		{draft(Update, next), said, ""},
		{draft(Update, well), said, ""},
		{draft(Update, next), quiet, ""},
		{draft(Update, well), quiet, "the earlier comment already says so"},
		{draft(Update, same), said, "the comment already says this"},
		{draft(Update, Marker{Key: "k", Run: Run{6, 1}, Head: "bbbb", Print: "p"}), said, ""},
		{draft(Update, older), said, "a newer run (5, attempt 1) wrote the comment"},
		{draft(Once, next), nil, ""},
		{draft(Once, next), said, "there already is a comment, and it is written only once"},
		{draft(HideAndNew, next), said, ""},
		{draft(HideAndNew, same), said, "the comment already says this"},
	} {
		if got := c.d.needless(c.before); got != c.why {
			t.Errorf("%s %+v over %+v: %q, wanted %q", c.d.Mode, c.d.Marker, c.before, got, c.why)
		}
	}
}

// A comment has its marker and the text within GitHub's bound, and half of that where GitHub refuses it.
func TestDraftsAreBounded(t *testing.T) {
	for refused, want := range map[bool]int{false: MaxComment, true: retryLimit} {
		s := newSite(t)
		if refused {
			s.Faults = append(s.Faults, fakegithub.TooLong.On("issues/create-comment", 1))
		}
		d := Draft{Marker: Marker{Key: "k", Head: headSHA}, Mode: Update, Write: func(_ *Marker, most int) string { return strings.Repeat("x", most) }}
		if _, err := s.client("job").stick(t.Context(), 7, d); err != nil {
			t.Fatal(err)
		}
		if n := len(s.Comments[0].Body); n != want {
			t.Errorf("refused %v: %d bytes, wanted %d", refused, n, want)
		}
	}
}

// A pull request that is closed, or has moved on, is left alone.
func TestUnfitPullRequests(t *testing.T) {
	pr := PullRequest{Number: 7, State: "open"}
	pr.Head.SHA = strings.Repeat("a1", 20)
	if why := unfit(pr, pr.Head.SHA) + unfit(pr, ""); why != "" {
		t.Errorf("open: %s", why)
	}
	if why := unfit(pr, strings.Repeat("b2", 20)); !strings.Contains(why, "pull request 7 has moved on from b2b2b2b") || !strings.Contains(why, "to a1a1a1a") {
		t.Errorf("moved on: %s", why)
	}
	pr.State = "closed"
	if why := unfit(pr, pr.Head.SHA); why != "pull request 7 is closed" {
		t.Errorf("closed: %s", why)
	}
}
