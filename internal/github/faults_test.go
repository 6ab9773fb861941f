package github

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/github/fakegithub"
)

// TestFaults plays every way in which GitHub is known to fail while a comment is written.
func TestFaults(t *testing.T) {
	const create, list, get = "issues/create-comment", "issues/list-comments", "pulls/get"
	lost := fakegithub.Broken
	lost.Done = true
	dropped := fakegithub.Fault{Drop: true}
	late := fakegithub.Secondary
	late.Header = map[string]string{"Retry-After": "3"}
	long := fakegithub.TooMany
	long.Header = map[string]string{"Retry-After": "3600"}
	slow := fakegithub.TooMany
	slow.Header = map[string]string{"Retry-After": "50"}
	for name, c := range map[string]struct {
		fault    *fakegithub.Fault
		comments int
		warning  string // "" when it works out in the end
		waits    []time.Duration
	}{
		"429 once":                    {fakegithub.TooMany.On(create, 1), 1, "", []time.Duration{7 * time.Second}},
		"403 rate limit":              {fakegithub.Exhausted.On(list, 1), 1, "", []time.Duration{0}},
		"secondary limit":             {fakegithub.Secondary.On(create, 1), 1, "", []time.Duration{time.Minute}},
		"secondary limit with a time": {late.On(create, 2), 1, "", []time.Duration{3 * time.Second, 3 * time.Second}},
		"a limit that lasts":          {long.On(create, 0), 0, "rate limit is used up", nil},
		"two minutes in all":          {slow.On(create, 0), 0, "rate limit is used up", []time.Duration{50 * time.Second, 50 * time.Second}},
		"a limit that does not end":   {late.On(create, 0), 0, "rate limit", []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second, 3 * time.Second}},
		"502 on reading":              {fakegithub.Broken.On(list, 2), 1, "", []time.Duration{time.Second, 2 * time.Second}},
		"502 on reading for ever":     {fakegithub.Broken.On(get, 0), 0, "502", nil},
		"502 on writing, not done":    {fakegithub.Broken.On(create, 1), 1, "", nil},
		"502 on writing, done":        {lost.On(create, 1), 1, "", nil},
		"502 on writing for ever":     {fakegithub.Broken.On(create, 0), 0, "502", nil},
		"a cut connection":            {dropped.On(list, 1), 1, "", nil},
		"a cut connection on writing": {dropped.On(create, 1), 1, "", nil},
		"403, no right":               {fakegithub.Forbidden.On(create, 0), 0, "the token may not do this (403)", nil},
		"404":                         {(&fakegithub.Fault{Status: 404, Message: "Not Found"}).On(get, 0), 0, "does not find it (404)", nil},
		"422, too long at first":      {fakegithub.TooLong.On(create, 1), 1, "", nil},
		"422 for ever":                {fakegithub.TooLong.On(create, 0), 0, "422", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.Faults = append(s.Faults, c.fault)
			done := Publish(context.Background(), s.client("job"), publication(found(2), 1))
			if len(s.Comments) != c.comments {
				t.Errorf("%d comments, wanted %d", len(s.Comments), c.comments)
			}
			if got := strings.Join(done.Warnings, "\n"); (got == "") != (c.warning == "") || !strings.Contains(got, c.warning) {
				t.Errorf("warned %q, wanted %q", got, c.warning)
			}
			if c.waits != nil {
				s.wantWaits(c.waits)
			}
		})
	}
}

// wantWaits allows for the jitter: never more than a second or half of what was wanted on either side.
func (s *site) wantWaits(want []time.Duration) {
	s.t.Helper()
	if len(s.waits) != len(want) {
		s.t.Fatalf("waited %v, wanted %v", s.waits, want)
	}
	for i, w := range want {
		if s.waits[i] < w/2 || s.waits[i] > w+time.Second {
			s.t.Errorf("waited %v, wanted %v", s.waits, want)
		}
	}
}

func TestReadOnlyToken(t *testing.T) {
	s := newSite(t)
	p := publication(found(12), 1)
	p.Check = true
	done := Publish(context.Background(), s.client("reader"), p)
	if len(done.Warnings) != 2 {
		t.Errorf("warnings: %q", done.Warnings)
	}
	if n := strings.Count(done.Commands, "::error "); n != 10 {
		t.Errorf("%d annotations as workflow commands, wanted the 10 worst", n)
	}
	if !strings.Contains(done.Commands, "2 more annotations not shown here") {
		t.Errorf("what is left out is not counted:\n%s", done.Commands)
	}
	if len(s.Comments)+len(s.Checks)+len(s.Statuses) > 0 {
		t.Error("something was written")
	}
}

func TestMovedRepository(t *testing.T) {
	s := newSite(t)
	s.Moved = "acme/old-name"
	c, err := New(Options{API: s.API(), GraphQL: s.GraphQL(), Token: "job", Repository: "acme/old-name"})
	if err != nil {
		t.Fatal(err)
	}
	for id := range int64(2) {
		p := publication(found(2-int(id)), id+1)
		p.Check = true
		if done := Publish(context.Background(), c, p); len(done.Warnings) > 0 {
			t.Error(done.Warnings)
		}
	}
	if len(s.Comments) != 1 || s.Comments[0].Edits != 1 || len(s.Checks) != 2 {
		t.Errorf("%d comments, %d checks", len(s.Comments), len(s.Checks))
	}
}

func TestRedirectsEnd(t *testing.T) {
	var here *httptest.Server
	asked := 0
	here = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, here.URL+r.URL.Path+"x", http.StatusTemporaryRedirect)
	}))
	defer here.Close()
	c, err := New(Options{API: here.URL, Token: "job", Repository: repositoryUnderTest, Wait: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.PullRequest(context.Background(), 7); err == nil || !strings.Contains(err.Error(), "redirects more than 5 times") || asked != maxTries*maxRedirects {
		t.Errorf("%v, after %d requests", err, asked)
	}
}

// TestTokenStaysHome sends the client to another host: the token must not follow.
func TestTokenStaysHome(t *testing.T) {
	seen := "nothing"
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen = r.Header.Get("Authorization") }))
	defer elsewhere.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }))
	defer home.Close()
	c, err := New(Options{API: home.URL, Token: "job", Repository: repositoryUnderTest})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.PullRequest(context.Background(), 7)
	if seen != "" {
		t.Errorf("another host saw %q", seen)
	}
}

func TestTimeOut(t *testing.T) {
	s := newSite(t)
	hangs := fakegithub.Fault{Status: 502, Hang: time.Second}
	s.Faults = append(s.Faults, hangs.On("pulls/get", 0))
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	done := Publish(ctx, s.client("job"), publication(found(1), 1))
	if len(done.Warnings) != 1 || len(s.waits) > 0 {
		t.Errorf("warned %q, waited %v", done.Warnings, s.waits)
	}
}

func TestAddresses(t *testing.T) {
	for api, want := range map[string]string{
		"https://api.github.com":         "https://api.github.com/graphql",
		"https://ghe.example.com/api/v3": "https://ghe.example.com/api/graphql",
		"https://api.acme.ghe.com":       "https://api.acme.ghe.com/graphql",
	} {
		if got := graphQL(api, ""); got != want {
			t.Errorf("%s: %s, wanted %s", api, got, want)
		}
	}
	for _, wrong := range []Options{{API: "https://api.github.com", Repository: "models"}, {API: "api.github.com", Repository: "a/b"}, {API: "https://api.github.com", Repository: "a/b?x=/../"}} {
		if _, err := New(wrong); err == nil {
			t.Errorf("%+v makes a client", wrong)
		}
	}
}

// TestProxy runs itself again with a proxy in the environment, which Go looks at once in a process.
func TestProxy(t *testing.T) {
	if os.Getenv("HTTP_PROXY") == os.Getenv("XLAGATE_PROXY_UNDER_TEST") && os.Getenv("HTTP_PROXY") != "" {
		c, err := New(Options{API: "http://api.github.invalid", Repository: repositoryUnderTest})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.PullRequest(t.Context(), 7)
		return
	}
	asked := make(chan string, 9)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		w.WriteHeader(http.StatusNotFound)
	}))
	defer proxy.Close()
	child := exec.Command(os.Args[0], "-test.run=^TestProxy$")
	child.Env = append(os.Environ(), "HTTP_PROXY="+proxy.URL, "XLAGATE_PROXY_UNDER_TEST="+proxy.URL, "NO_PROXY=")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	select {
	case url := <-asked:
		if url != "http://api.github.invalid/repos/acme/models/pulls/7" {
			t.Errorf("the proxy was asked for %s", url)
		}
	default:
		t.Error("the proxy was not asked")
	}
}
