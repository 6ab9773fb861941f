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

// refused reports whether GitHub refused for good: no right, or none that shows.
func refused(err error) bool {
	switch status(err) {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// uncertain reports whether a request that failed may have been done all the same.
func uncertain(err error) bool {
	code := status(err)
	return code >= 500 || code == 0
}
