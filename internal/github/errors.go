package github

import (
	"errors"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

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

// ErrNotAllowed says that the token may not do what was asked: on pull requests from forks and from Dependabot GitHub hands out
// tokens that can only read.
var ErrNotAllowed = errors.New("the token may not write here")

// refused reports whether GitHub refused for good: no right, or none that shows.
func refused(err error) bool {
	switch status(err) {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return errors.Is(err, ErrNotAllowed)
}

// uncertain reports whether a request that failed may have been done all the same.
func uncertain(err error) bool {
	code := status(err)
	return code >= 500 || code == 0
}

// Reason says why a call failed, in words that help.
func Reason(err error) string {
	switch status(err) {
	case http.StatusUnauthorized:
		return "GitHub does not know the token (401); it is wrong or has expired"
	case http.StatusForbidden:
		return "the token may not do this (403): on pull requests from forks and from Dependabot it can only read; elsewhere give the job the permission"
	case http.StatusNotFound:
		return "GitHub does not find it (404): there is no such thing, or the token may not see it"
	case http.StatusTooManyRequests:
		return "GitHub's rate limit is used up (429), and waiting for it would take too long"
	}
	return err.Error()
}
