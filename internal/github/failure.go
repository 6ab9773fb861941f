package github

import (
	"context"
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

// failure is a failed request: what it was for, in which repository, why it failed and what to do.
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

// reason returns why a request failed, in words; the client library's errors are an address and a number.
func reason(err error) string {
	code, said := status(err), saying(err)
	switch {
	case code == 0:
		return unanswered(err)
	case code == http.StatusUnauthorized:
		return "GitHub does not know the token (401)" + said + "; it is wrong or has expired: set GITHUB_TOKEN to a valid one"
	case code == http.StatusForbidden:
		return "the token may not do this (403)" + said + "; on pull requests from forks and from Dependabot it can only read; elsewhere " + lacking(err)
	case code == http.StatusNotFound:
		return "GitHub does not find it (404): it does not exist, or the token may not see it; check the names, or " + lacking(err)
	case code == http.StatusGone:
		return "GitHub no longer has it (410)" + said + "; run the gate again"
	case code == http.StatusConflict:
		return "it conflicts with the present state (409)" + said + "; run this again"
	case code == http.StatusUnprocessableEntity:
		return "GitHub rejects it (422)" + said
	case code == http.StatusTooManyRequests:
		return "GitHub's rate limit is used up (429), and waiting for it would take too long; run this again later"
	case code < http.StatusBadRequest:
		return fmt.Sprintf("GitHub redirects it (%d) to another host than its API; is GITHUB_API_URL right, and is there a proxy?", code)
	case code >= http.StatusInternalServerError:
		return fmt.Sprintf("GitHub itself fails (%d)%s; run this again later", code, said)
	}
	return fmt.Sprintf("GitHub answers %d%s", code, said)
}

// saying quotes GitHub's own words, where there are any.
func saying(err error) string {
	const mostSaid = 300 // bytes that are quoted of an answer
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

// unanswered returns the reason if there was no readable answer.
func unanswered(err error) string {
	var sent *url.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "there was no answer in time; run this again later"
	case errors.Is(err, context.Canceled):
		return "it was interrupted"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer was cut off; run this again"
	case errors.As(err, &syntax), errors.As(err, &kind):
		return "the answer is not one of GitHub's (" + err.Error() + "); is GITHUB_API_URL right, and is there a proxy?"
	case errors.As(err, &sent):
		return unreached(sent.Err)
	case errors.Is(err, io.EOF):
		return unreached(err)
	}
	return err.Error()
}

func unreached(err error) string {
	return "GitHub cannot be reached (" + err.Error() + "); is GITHUB_API_URL right, and the proxy? run this again"
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
