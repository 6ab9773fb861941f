package fakegithub

import (
	"net/http"
	"strings"
	"testing"
)

// TestRefuses asks for what GitHub does not have: a fake that accepts anything proves nothing.
func TestRefuses(t *testing.T) {
	for what, c := range map[string]struct{ method, path, body string }{
		"no such path":        {"GET", "/repos/a/b/remarks", ""},
		"no such method":      {"PUT", "/repos/a/b/issues/7/comments", `{"body":"x"}`},
		"no body":             {"POST", "/repos/a/b/issues/7/comments", ""},
		"no text":             {"POST", "/repos/a/b/issues/7/comments", `{}`},
		"a number as text":    {"POST", "/repos/a/b/issues/7/comments", `{"body":7}`},
		"an unknown property": {"POST", "/repos/a/b/issues/7/comments", `{"body":"x","colour":"red"}`},
		"an unknown filter":   {"GET", "/repos/a/b/pulls?colour=red", ""},
		"another state":       {"GET", "/repos/a/b/pulls?state=sleeping", ""},
		"no number":           {"GET", "/repos/a/b/pulls/seven", ""},
		"51 annotations":      {"POST", "/repos/a/b/check-runs", `{"name":"x","head_sha":"y","status":"completed","conclusion":"success","output":{"title":"t","summary":"s","annotations":[` + strings.TrimSuffix(strings.Repeat(`{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"},`, 51), ",") + `]}}`},
		"another level":       {"POST", "/repos/a/b/check-runs", `{"name":"x","head_sha":"y","status":"completed","conclusion":"success","output":{"title":"t","summary":"s","annotations":[{"path":"a","start_line":1,"end_line":1,"annotation_level":"error","message":"m"}]}}`},
		"no such state":       {"POST", "/repos/a/b/statuses/abc", `{"state":"bad"}`},
		"no such mutation":    {"POST", "/graphql", `{"query":"mutation { deleteRepository(id: 1) { id } }"}`},
		"a wrong classifier":  {"POST", "/graphql", `{"query":"mutation { minimizeComment(input: {subjectId: \"x\", classifier: OLD}) { clientMutationId } }"}`},
	} {
		s := New("a/b", "")
		s.Tokens["t"] = Token{Login: "me", Rights: []string{"*"}}
		r, err := http.NewRequest(c.method, s.API()+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer t")
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if len(s.Violations) != 1 || response.StatusCode < 400 {
			t.Errorf("%s: %d %v", what, response.StatusCode, s.Violations)
		}
		s.Close()
	}
}
