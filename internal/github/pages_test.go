package github

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	gh "github.com/google/go-github/v60/github"
)

// listed gives the pages that are asked for of a list of so many.
func listed(count int, stopAt int, fails error) ([]int, error) {
	var asked []int
	err := pages(func(o gh.ListOptions) (*gh.Response, bool, error) {
		page := max(1, o.Page)
		asked = append(asked, page)
		next := page + 1
		if page == count {
			next = 0
		}
		if fails != nil && page == stopAt {
			return &gh.Response{}, false, fails
		}
		return &gh.Response{NextPage: next}, page == stopAt, nil
	})
	return asked, err
}

func TestPages(t *testing.T) {
	if asked, err := listed(3, 0, nil); err != nil || !slices.Equal(asked, []int{1, 2, 3}) {
		t.Errorf("%v, %v", asked, err)
	}
	if asked, err := listed(1, 0, nil); err != nil || !slices.Equal(asked, []int{1}) {
		t.Errorf("%v, %v", asked, err)
	}
	if asked, err := listed(9, 2, nil); err != nil || !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("told to stop: %v, %v", asked, err)
	}
	broken := errors.New("broken")
	if asked, err := listed(9, 2, broken); !errors.Is(err, broken) || !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("broken: %v, %v", asked, err)
	}
}

// A server that always names a next page does not hold a job for ever, and a list that was not read whole is an error.
func TestEndlessPages(t *testing.T) {
	if asked, err := listed(-1, 0, nil); err == nil || len(asked) != maxPages {
		t.Errorf("%d pages, %v", len(asked), err)
	}
}

// A client is made for a repository at an address; anything else is refused.
func TestNewClient(t *testing.T) {
	for _, c := range []struct {
		api, repository string
		fine            bool
	}{
		{"https://api.github.com", "acme/models", true}, {"https://git.example/api/v3/", "acme/models", true},
		{"https://api.github.com", "models", false}, {"https://api.github.com", "acme/models/x", false}, {"https://api.github.com", "acme/../x", false},
		{"", "acme/models", false}, {"api.github.com", "acme/models", false}, {"https://[", "acme/models", false},
	} {
		client, err := New(Options{API: c.api, Repository: c.repository})
		if (err == nil) != c.fine || c.fine && client.Repository() != c.repository {
			t.Errorf("%s of %s: %v", c.repository, c.api, err)
		}
	}
}

// Failures carry a status: limits of all kinds are one.
func TestStatusOfErrors(t *testing.T) {
	answer := func(code int, message string, headers ...string) error {
		return &gh.ErrorResponse{Response: answered(code, "", headers...), Message: message}
	}
	for _, c := range []struct {
		err                error
		status             int
		refused, uncertain bool
	}{
		{answer(404, ""), 404, true, false}, {answer(401, ""), 401, true, false}, {answer(403, ""), 403, true, false}, {answer(410, ""), 410, true, false}, {answer(422, ""), 422, false, false},
		{answer(403, "You have exceeded a secondary rate limit"), 429, false, false}, {answer(403, "", "Retry-After", "3"), 429, false, false}, {&gh.RateLimitError{}, 429, false, false}, {&gh.AbuseRateLimitError{}, 429, false, false},
		{answer(500, ""), 500, false, true}, {answer(502, ""), 502, false, true}, {errors.New("connection reset"), 0, false, true},
	} {
		if got := status(c.err); got != c.status {
			t.Errorf("%v: status %d, wanted %d", c.err, got, c.status)
		}
		if refused(c.err) != c.refused || uncertain(c.err) != c.uncertain {
			t.Errorf("%d %s: refused %v, uncertain %v", c.status, http.StatusText(c.status), refused(c.err), uncertain(c.err))
		}
	}
}
