package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/xlagate/xlagate/internal/phrase"
)

// failure is a failed request: what it was for, in which repository, and why it failed.
type failure struct {
	doing, repository string
	cause             error
}

func (c *Client) failed(err error, doing string, args ...any) error {
	return &failure{fmt.Sprintf(doing, args...), c.Repository(), err}
}

// Error says what was being done, in which repository, and why it failed.
func (f *failure) Error() string {
	return fmt.Sprintf("%s in %s: %s", f.doing, f.repository, reason(f.cause))
}

// Unwrap is the failed request.
func (f *failure) Unwrap() error { return f.cause }

// reason returns why a request failed: in GitHub's own words, where it answered, and what may lack, where the token is not enough.
func reason(err error) string {
	code := status(err)
	if code == 0 {
		var sent *url.Error // it holds the address
		var strange *json.SyntaxError
		switch {
		case errors.As(err, &sent):
			err = sent.Err
		case !errors.As(err, &strange) && !errors.Is(err, io.EOF):
			return err.Error() // of GraphQL, which answers 200
		}
		return "no readable answer of GitHub (" + err.Error() + "); is GITHUB_API_URL right, and the proxy?"
	}
	answer := strings.TrimSpace(fmt.Sprintf("GitHub answers %d %s", code, http.StatusText(code))) + saying(err)
	switch code {
	case http.StatusForbidden:
		return answer + "; on pull requests from forks and from Dependabot the token can only read; elsewhere " + lacking(err)
	case http.StatusNotFound:
		return answer + "; it does not exist, or the token may not see it: check the names, or " + lacking(err)
	case http.StatusTooManyRequests:
		return answer + "; the rate limit is used up, and waiting for it would take too long"
	}
	return answer
}

// mostSaid bounds what is quoted of an answer.
const mostSaid = 300

// saying quotes GitHub's own words, where there are any.
func saying(err error) string {
	var response *gh.ErrorResponse
	if !errors.As(err, &response) {
		return ""
	}
	words := append([]string{response.Message}, phrase.Map(response.Errors, func(e gh.Error) string { return e.Message })...)
	text := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	if text == "" {
		return ""
	}
	return ": " + within(text, mostSaid)
}

// permissions are what a job needs for the parts of the API, as a workflow names them.
var permissions = map[string]string{
	"check-runs": "checks", "statuses": "statuses", "code-scanning": "security-events", "actions": "actions", "git": "contents", "contents": "contents",
	"compare": "contents", "issues": "pull-requests", "pulls": "pull-requests",
}

// lacking returns which permission the job needs, by name if the request shows it.
func lacking(err error) string {
	var response *gh.ErrorResponse
	if errors.As(err, &response) && response.Response.Request != nil {
		r := response.Response.Request
		_, rest, _ := strings.Cut(r.URL.Path, "/repos/")
		parts := strings.Split(rest, "/") // OWNER, NAME, and the part; of a commit, its own part comes last
		level := "write"
		if r.Method == http.MethodGet {
			level = "read"
		}
		for _, part := range []string{parts[min(2, len(parts)-1)], parts[len(parts)-1]} {
			if name := permissions[part]; name != "" {
				return "give the job the permission " + name + ": " + level
			}
		}
	}
	return "give the job a token that may"
}

// status is the HTTP status that an error carries, 429 for every kind of limit; 0 when it carries none.
func status(err error) int {
	var response *gh.ErrorResponse
	var rate *gh.RateLimitError
	var abuse *gh.AbuseRateLimitError
	switch {
	case errors.As(err, &response) && response.Response != nil:
		if strings.Contains(strings.ToLower(response.Message), "secondary rate limit") || response.Response.Header.Get("Retry-After") != "" {
			return http.StatusTooManyRequests
		}
		return response.Response.StatusCode
	case errors.As(err, &rate), errors.As(err, &abuse):
		return http.StatusTooManyRequests
	}
	return 0
}

// refused reports whether GitHub refused permanently, for lack of rights or of the thing itself.
func refused(err error) bool {
	switch status(err) {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// uncertain reports whether a failed request may have taken effect.
func uncertain(err error) bool {
	code := status(err)
	return code >= 500 || code == 0
}
