package github

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

var clock = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// retrier is a transport whose jitter is half of what it may be.
func retrier(t *testing.T, root string) *transport {
	t.Helper()
	u, err := url.Parse(root)
	if err != nil {
		t.Fatal(err)
	}
	return &transport{root: u, random: func() float64 { return 0.5 }, now: func() time.Time { return clock }}
}

func answered(status int, body string, headers ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// Pauses double, and jitter keeps jobs apart.
func TestBackoff(t *testing.T) {
	tr := retrier(t, "https://api.github.com/")
	for try, want := range map[int]time.Duration{1: 750 * time.Millisecond, 2: 1500 * time.Millisecond, 3: 3 * time.Second, 4: 6 * time.Second} {
		if got := tr.backoff(try); got != want {
			t.Errorf("try %d: %v, wanted %v", try, got, want)
		}
	}
	tr.random = func() float64 { return 0 }
	if got := tr.backoff(1); got != firstWait/2 {
		t.Errorf("the least pause is %v", got)
	}
}

// What is limited is what GitHub says to be, in any of its ways.
func TestLimited(t *testing.T) {
	for name, c := range map[string]struct {
		r    *http.Response
		want bool
	}{
		"429":                    {answered(429, ""), true},
		"403":                    {answered(403, "no rights"), false},
		"403 and Retry-After":    {answered(403, "", "Retry-After", "3"), true},
		"403, nothing remains":   {answered(403, "", "X-RateLimit-Remaining", "0"), true},
		"403, something remains": {answered(403, "", "X-RateLimit-Remaining", "1"), false},
		"403, secondary":         {answered(403, `{"message":"You have exceeded a Secondary Rate Limit"}`), true},
		"200 and Retry-After":    {answered(200, "", "Retry-After", "3"), false},
		"404, nothing remains":   {answered(404, "", "X-RateLimit-Remaining", "0"), false},
		"500":                    {answered(500, "secondary rate limit"), false},
	} {
		if got := limited(c.r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Whoever looks into an answer puts it back.
func TestLookingLeavesTheAnswerWhole(t *testing.T) {
	long := strings.Repeat("x", 70<<10) + "end"
	r := answered(403, long)
	limited(r)
	if data, err := io.ReadAll(r.Body); err != nil || string(data) != long {
		t.Errorf("%d of %d bytes are left, %v", len(data), len(long), err)
	}
}

// GitHub's own times go before advice, and a time that is past is now.
func TestUntilAllowed(t *testing.T) {
	tr := retrier(t, "https://api.github.com/")
	const jitter = 500 * time.Millisecond
	for name, c := range map[string]struct {
		headers []string
		want    time.Duration
	}{
		"nothing is said": {nil, time.Minute},
		"seconds":         {[]string{"Retry-After", "7"}, 7 * time.Second},
		"no seconds":      {[]string{"Retry-After", "0"}, 0},
		"ages":            {[]string{"Retry-After", "9223372036854775807"}, 2 * maxWait},
		"more than ages":  {[]string{"Retry-After", "99999999999999999999999"}, 2 * maxWait},
		"a far reset":     {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "9223372036854775807"}, 2 * maxWait},
		"a far date":      {[]string{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"}, 2 * maxWait},
		"below zero":      {[]string{"Retry-After", "-3"}, time.Minute},
		"a date":          {[]string{"Retry-After", clock.Add(9 * time.Second).Format(http.TimeFormat)}, 9 * time.Second},
		"a past date":     {[]string{"Retry-After", clock.Add(-9 * time.Second).Format(http.TimeFormat)}, 0},
		"the reset":       {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1780315230"}, time.Unix(1780315230, 0).Sub(clock)},
		"a past reset":    {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1"}, 0},
		"not used up":     {[]string{"X-RateLimit-Remaining", "3", "X-RateLimit-Reset", "1780315230"}, time.Minute},
		"both":            {[]string{"Retry-After", "7", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1780315230"}, 7 * time.Second},
	} {
		if got := tr.untilAllowed(answered(403, "", c.headers...)); got != c.want+jitter {
			t.Errorf("%s: %v, wanted %v", name, got, c.want+jitter)
		}
	}
}

// A request is sent again where that does no harm.
func TestWhatIsTriedAgain(t *testing.T) {
	tr := retrier(t, "https://api.github.com/")
	dial, reset := &net.OpError{Op: "dial", Err: errors.New("refused")}, errors.New("connection reset")
	for name, c := range map[string]struct {
		method, path string
		r            *http.Response
		err          error
		want         bool
	}{
		"read, gateway fails":   {"GET", "/x", answered(502, ""), nil, true},
		"read, fine":            {"GET", "/x", answered(200, ""), nil, false},
		"read, not found":       {"GET", "/x", answered(404, ""), nil, false},
		"read, not implemented": {"GET", "/x", answered(501, ""), nil, false},
		"read, cut off":         {"GET", "/x", nil, reset, true},
		"edit, gateway fails":   {"PATCH", "/x", answered(502, ""), nil, true},
		"write, gateway fails":  {"POST", "/x", answered(502, ""), nil, false},
		"write, cut off":        {"POST", "/x", nil, reset, false},
		"write, never sent":     {"POST", "/x", nil, dial, true},
		"write, limited":        {"POST", "/x", answered(429, ""), nil, true},
		"question, gateway":     {"POST", "/graphql", answered(502, ""), nil, true},
	} {
		r, err := http.NewRequest(c.method, "https://api.github.com"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := tr.again(r, c.r, c.err, 1); got != c.want {
			t.Errorf("%s: again %v", name, got)
		}
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		if _, got := tr.again(r.WithContext(gone), c.r, c.err, 1); got {
			t.Errorf("%s: again, and nobody waits for it any more", name)
		}
	}
}

// The token is for the API's own addresses, and nowhere else.
func TestWhoSeesTheToken(t *testing.T) {
	for _, c := range []struct {
		root, to string
		want     bool
	}{
		{"https://api.github.com/", "https://api.github.com/repos/a/b", true},
		{"https://api.github.com/", "http://api.github.com/repos/a/b", false},
		{"https://api.github.com/", "https://api.github.com.evil.example/", false},
		{"https://api.github.com/", "https://objects.githubusercontent.com/x", false},
		{"https://api.github.com/", "https://api.github.com:8443/x", false},
		{"https://git.example/api/v3/", "https://git.example/api/v3/user", true},
		{"https://git.example/api/v3/", "https://git.example/api/graphql", true},
		{"https://git.example/api/v3/", "https://git.example/somebody/pages", false},
		{"https://git.example/api/v3/", "https://git.example/api/v30/user", false},
	} {
		u, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := retrier(t, c.root).ownHost(u); got != c.want {
			t.Errorf("%s shows the token to %s: %v", c.root, c.to, got)
		}
	}
}

// closing notes whether it was closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// roundTrip is a server in a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever a request comes to, its own body, the copies that are sent and the answers that nobody gets are closed.
func TestBodiesAreClosedOnRetries(t *testing.T) {
	var bodies []*closing
	body := func(text string) *closing {
		bodies = append(bodies, &closing{Reader: strings.NewReader(text)})
		return bodies[len(bodies)-1]
	}
	tr := retrier(t, "https://api.github.com/")
	tr.wait = func(context.Context, time.Duration) error { return nil }
	tries := 0
	tr.next = roundTrip(func(r *http.Request) (*http.Response, error) {
		defer r.Body.Close()
		if tries++; tries < 3 {
			return &http.Response{StatusCode: 502, Body: body("bad gateway")}, nil
		}
		return answered(200, "done"), nil
	})
	r, err := http.NewRequest(http.MethodPatch, "https://api.github.com/x", body("hello"))
	if err != nil {
		t.Fatal(err)
	}
	r.GetBody = func() (io.ReadCloser, error) { return body("hello"), nil }
	response, err := tr.RoundTrip(r)
	if err != nil || response.StatusCode != 200 || tries != 3 || len(bodies) != 6 {
		t.Fatalf("%v after %d tries with %d bodies, %v", response, tries, len(bodies), err)
	}
	for i, b := range bodies {
		if !b.closed {
			t.Errorf("body %d is left open", i)
		}
	}
}
