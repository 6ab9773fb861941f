package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds on trying again.
const (
	maxTries     = 5
	maxWait      = 2 * time.Minute // all waits of one request together
	firstWait    = time.Second
	secondary    = time.Minute // GitHub's advice when a secondary limit names no time
	maxRedirects = 5
)

// transport adds what every request needs and the client library lacks: the token on the API's own addresses and nowhere else,
// redirects of moved repositories for all methods, and tries again where that is safe.
type transport struct {
	next   http.RoundTripper
	root   *url.URL // of the API
	token  string
	wait   func(context.Context, time.Duration) error
	random func() float64
	now    func() time.Time
}

// RoundTrip sends a request, and repeats it while that may help.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close() // what is sent are copies
	}
	waited := time.Duration(0)
	for try := 1; ; try++ {
		response, err := t.follow(r)
		pause, again := t.again(r, response, err, try)
		if !again || try == maxTries || waited+pause > maxWait {
			return response, err
		}
		if response != nil {
			drain(response)
		}
		if err := t.wait(r.Context(), pause); err != nil {
			return nil, fmt.Errorf("gave up waiting to try again: %w", err)
		}
		waited += pause
	}
}

// redirects are the statuses by which a server names another address.
var redirects = []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}

// follow sends a request once and follows redirects of the API. The standard library would turn a POST into a GET.
func (t *transport) follow(r *http.Request) (*http.Response, error) {
	at := r.URL
	for range maxRedirects {
		response, err := t.send(r, at)
		if err != nil || !slices.Contains(redirects, response.StatusCode) {
			return response, err
		}
		to, err := at.Parse(response.Header.Get("Location"))
		if err != nil || !t.ownHost(to) || !strings.HasPrefix(to.Path, t.root.Path) {
			return response, nil
		}
		drain(response)
		at = to
	}
	return nil, fmt.Errorf("%s redirects more than %d times", r.URL.Path, maxRedirects)
}

func (t *transport) send(r *http.Request, to *url.URL) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.URL, out.Host = to, to.Host
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		out.Body = body
	}
	if t.token != "" && t.ownHost(to) {
		out.Header.Set("Authorization", "Bearer "+t.token)
	}
	return t.next.RoundTrip(out)
}

// ownHost reports whether an address may see the token. The GraphQL API of an Enterprise Server is beside the REST API.
func (t *transport) ownHost(u *url.URL) bool {
	return u.Scheme == t.root.Scheme && u.Host == t.root.Host && (strings.HasPrefix(u.Path, t.root.Path) || u.Path == "/api/graphql")
}

// again decides whether to send a request once more, and after which pause.
func (t *transport) again(r *http.Request, response *http.Response, err error, try int) (time.Duration, bool) {
	var op *net.OpError
	switch {
	case r.Context().Err() != nil:
		return 0, false
	case err != nil: // a request that failed to dial was never sent
		return t.backoff(try), repeatable(r) || errors.As(err, &op) && op.Op == "dial"
	case limited(response):
		return t.untilAllowed(response), true
	case response.StatusCode >= 500 && response.StatusCode != http.StatusNotImplemented:
		return t.backoff(try), repeatable(r)
	}
	return 0, false
}

// repeatable reports whether repeating a request is harmless. A failed POST may have taken effect: its sender has to look.
func repeatable(r *http.Request) bool {
	return r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "/graphql")
}

// backoff doubles from try to try. The jitter keeps the jobs of a matrix from coming back all at once.
func (t *transport) backoff(try int) time.Duration {
	full := float64(firstWait) * math.Pow(2, float64(try-1))
	return time.Duration(full/2 + t.random()*full/2)
}

// limited reports whether GitHub refused for now. It says so with 403 as often as with 429.
func limited(response *http.Response) bool {
	if response.StatusCode != http.StatusForbidden {
		return response.StatusCode == http.StatusTooManyRequests
	}
	start, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	response.Body = struct { // what was read is put back
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), response.Body), response.Body}
	return response.Header.Get("Retry-After") != "" || response.Header.Get("X-Ratelimit-Remaining") == "0" ||
		err == nil && bytes.Contains(bytes.ToLower(start), []byte("secondary rate limit"))
}

// untilAllowed returns how long GitHub asks to wait, at most twice maxWait, so that adding to it cannot overflow.
func (t *transport) untilAllowed(response *http.Response) time.Duration {
	asked := secondary
	after := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(after, 10, 64); after != "" && (err == nil || errors.Is(err, strconv.ErrRange)) {
		asked = time.Duration(min(seconds, uint64(2*maxWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		asked = at.Sub(t.now())
	} else if reset, err := strconv.ParseInt(response.Header.Get("X-Ratelimit-Reset"), 10, 64); err == nil && response.Header.Get("X-Ratelimit-Remaining") == "0" {
		asked = time.Duration(min(reset-t.now().Unix(), int64(2*maxWait/time.Second))) * time.Second
	}
	return min(max(0, asked), 2*maxWait) + time.Duration(t.random()*float64(firstWait))
}

// drain reads the rest of a body so that its connection can be used again.
func drain(response *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	response.Body.Close()
}
