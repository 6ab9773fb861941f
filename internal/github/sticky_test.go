package github

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
	"github.com/xlagate/xlagate/internal/result"
)

func TestCommentLives(t *testing.T) {
	s := newSite(t)
	if done := s.post(publication(clean(), 1)); done.Comment.Why != "there is nothing to report" {
		t.Errorf("a clean first run: %+v", done.Comment)
	}
	if done := s.post(publication(found(2), 2)); done.Comment.Done != "created" || done.Comment.URL == "" {
		t.Errorf("the first finding: %+v", done.Comment)
	}
	if done := s.post(publication(found(2), 3)); done.Comment.Why != "the comment already says this" {
		t.Errorf("the same again: %+v", done.Comment)
	}
	if done := s.post(publication(found(1), 4)); done.Comment.Done != "updated" {
		t.Errorf("one fixed: %+v", done.Comment)
	}
	if done := s.post(publication(clean(), 5)); done.Comment.Done != "updated" {
		t.Errorf("all fixed: %+v", done.Comment)
	}
	if !strings.Contains(s.Comments[0].Body, "### ✅ xlagate: all clear in 1 target, 12 checks, 0 waived (was: 1 error at a1a1a1a)") {
		t.Errorf("not green:\n%s", s.Comments[0].Body)
	}
	if done := s.post(publication(clean(), 6)); done.Comment.Why != "the earlier comment already says so" {
		t.Errorf("clean again: %+v", done.Comment)
	}
	s.wantWrites("issues/create-comment 201", "issues/update-comment 200", "issues/update-comment 200")
	if len(s.Comments) != 1 {
		t.Errorf("%d comments", len(s.Comments))
	}
}

func TestCommentIsLeftAlone(t *testing.T) {
	newer := func(s *site) { s.post(publication(found(2), 9)) }
	for name, c := range map[string]struct {
		before func(*site)
		change func(*Publication)
		why    string
	}{
		"older run":     {newer, func(p *Publication) { p.Run = Run{8, 3} }, "a newer run (9, attempt 1) wrote the comment"},
		"older attempt": {func(s *site) { p := publication(found(2), 9); p.Run.Attempt = 2; s.post(p) }, func(p *Publication) { p.Run = Run{9, 1} }, "a newer run (9, attempt 2) wrote the comment"},
		"older clock":   {newer, func(p *Publication) { p.Run = Run{} }, "a newer run (9, attempt 1) wrote the comment"},
		"closed":        {func(s *site) { s.Pulls[7].State = "closed" }, nil, "pull request 7 is closed"},
		"moved on":      {func(s *site) { s.Pulls[7].HeadSHA = baseSHA }, nil, "pull request 7 has moved on from a1a1a1a to b2b2b2b"},
		"once":          {newer, func(p *Publication) { p.Mode = Once; p.Run = Run{10, 1} }, "there already is a comment, and it is written only once"},
		"off":           {nil, func(p *Publication) { p.Mode = Off }, "comments are turned off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			if c.before != nil {
				c.before(s)
			}
			before := len(s.Writes())
			p := publication(found(1), 5)
			if c.change != nil {
				c.change(&p)
			}
			if done := s.post(p); done.Comment.Why != c.why || done.Comment.Done != "" {
				t.Errorf("%+v, wanted %q", done.Comment, c.why)
			}
			if len(s.Writes()) != before {
				t.Errorf("written: %v", s.Writes()[before:])
			}
		})
	}
}

// TestCommentIsFound hides the gate's comment behind hundreds of others, some of which pretend to be it.
func TestCommentIsFound(t *testing.T) {
	s := newSite(t)
	s.post(publication(found(2), 1))
	mine := *s.Comments[0]
	other := publication(found(2), 1)
	other.Key = "serving"
	s.Comments = nil
	for i := range 250 {
		s.Comments = append(s.Comments, &fakegithub.Comment{ID: int64(i + 1), Issue: 7, Body: fmt.Sprintf("remark %d", i), Login: "mona", UserID: 17})
	}
	s.Comments[240].Body = mine.Body // copied by a person
	quoted := mine
	quoted.ID, quoted.Body = 5000, "> "+mine.Body
	s.Comments = append(s.Comments, &mine, &quoted, &fakegithub.Comment{ID: 6000, Issue: 7, Body: mine.Body, Login: "github-actions", UserID: 99})
	if done := s.post(publication(found(1), 2)); done.Comment.Done != "updated" {
		t.Errorf("%+v", done.Comment)
	}
	if mine.Edits != 1 || !strings.Contains(mine.Body, "1 error") {
		t.Errorf("the comment was edited %d times:\n%s", mine.Edits, mine.Body)
	}
	if done := s.post(other); done.Comment.Done != "created" {
		t.Errorf("another gate: %+v", done.Comment)
	}
}

func TestCommentOfAPerson(t *testing.T) {
	s := newSite(t)
	c := s.client("person")
	for id := range int64(2) {
		p := publication(found(int(id)+1), id+1)
		if done := Publish(t.Context(), c, p); len(done.Warnings) > 0 {
			t.Error(done.Warnings)
		}
	}
	if len(s.Comments) != 1 || s.Comments[0].Edits != 1 {
		t.Errorf("%d comments, the first edited %d times", len(s.Comments), s.Comments[0].Edits)
	}
}

func TestHideAndNew(t *testing.T) {
	for _, prefix := range []string{"", "/api/v3"} {
		s := newSiteAt(t, prefix)
		for id, r := range []int{2, 1, 0} {
			p := publication(found(r), int64(id+1))
			if r == 0 {
				p.Comment.Result = clean()
			}
			p.Mode = HideAndNew
			s.post(p)
		}
		s.wantWrites("issues/create-comment 201", "issues/create-comment 201", "graphql minimizeComment 200", "issues/create-comment 201", "graphql minimizeComment 200")
		if !s.Comments[0].Hidden || !s.Comments[1].Hidden || s.Comments[2].Hidden {
			t.Error("just the last comment should show")
		}
	}
}

func TestPolicyComment(t *testing.T) {
	s := newSite(t)
	p := publication(clean(), 1)
	p.Check = true
	p.Comment.Result.Policy = &result.Policy{Base: "main@91ab03d"}
	if done := s.post(p); done.Comment.Done != "" || s.Checks[0].Conclusion != "success" {
		t.Errorf("the base branch says the same: %+v, %s", done.Comment, s.Checks[0].Conclusion)
	}
	p.Comment.Result.Policy.Files = []result.PolicyFile{{Name: "xlagate.yaml", Was: "xlagate.yaml"}}
	if done := s.post(p); done.Comment.Done != "created" || s.Checks[1].Conclusion != "success" {
		t.Errorf("a change of policy: %+v, %s", done.Comment, s.Checks[1].Conclusion)
	}
	p.Comment.Result.Policy.LoosenedChanges = 1
	if done := s.post(p); done.Comment.Done != "updated" || s.Checks[2].Conclusion != "action_required" || s.Checks[2].Title != "passes only by rules that this branch loosens: 1 change" {
		t.Errorf("looser rules: %+v, %s %q", done.Comment, s.Checks[2].Conclusion, s.Checks[2].Title)
	}
	if Publish(t.Context(), s.client("person"), p); len(s.Statuses) != 1 || s.Statuses[0].State != "failure" {
		t.Errorf("looser rules, as a commit status: %+v", s.Statuses)
	}
	if done := s.post(publication(clean(), 2)); done.Comment.Done != "updated" {
		t.Errorf("the change is taken back: %+v", done.Comment)
	}
}

func TestMarker(t *testing.T) {
	m := Marker{Key: "llama-8b/v5e", Run: Run{9821, 2}, Head: headSHA, At: 1795248149, Clean: true, Problems: 1, Errors: 2, Warnings: 3}
	if got, ok := parseMarker(m.String() + "\nrest"); !ok || got != m {
		t.Errorf("%+v", got)
	}
	for _, body := range []string{"", "<!-- xlagate:v1 -->", "<!-- xlagate:v1 key=a", " <!-- xlagate:v1 key=a -->", "<!-- xlagate:v2 key=a -->", "<!-- xlagate:v1 key=../a|b -->"} {
		if m, ok := parseMarker(body); ok {
			t.Errorf("%q is read as %+v", body, m)
		}
	}
	for _, key := range []string{"", "-a", "a b", "a>b", "a\nb", strings.Repeat("a", 65), "a→b"} {
		if ValidKey(key) {
			t.Errorf("%q is taken for a key", key)
		}
	}
}
