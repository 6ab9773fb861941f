package github

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseRequest(t *testing.T) {
	for body, want := range map[string]Request{
		"/xlagate accept a3f8c21b9d04 bigger batch":                            {[]string{"a3f8c21b9d04"}, "bigger batch"},
		"/xlagate accept a3f8c21b9d04,77e01bd25c11   wanted, see #12 \r\nmore": {[]string{"a3f8c21b9d04", "77e01bd25c11"}, "wanted, see #12"},
		"/xlagate accept all $(rm -rf /) `id` --only x":                        {nil, "$(rm -rf /) `id` --only x"},
	} {
		if got, err := ParseRequest(body); err != nil || !slices.Equal(got.IDs, want.IDs) || got.Reason != want.Reason {
			t.Errorf("%q: %+v %v", body, got, err)
		}
	}
	for _, body := range []string{"", "/xlagate", " /xlagate accept all x", "> /xlagate accept all x", "please /xlagate accept all x", "/XLAGATE accept all x", "/xlagate accepts all x",
		"hi\n/xlagate accept all x", "`/xlagate accept all x`", "/xlagate  accept all x"} {
		if r, err := ParseRequest(body); !errors.Is(err, ErrNoRequest) {
			t.Errorf("%q is taken for a request: %+v %v", body, r, err)
		}
	}
	for _, body := range []string{"/xlagate accept", "/xlagate accept all", "/xlagate accept  ", "/xlagate accept a3f8 x", "/xlagate accept a3f8c21b9d04, 77e01bd25c11 x", "/xlagate accept --only x", "/xlagate accept all " + strings.Repeat("x", 501)} {
		if r, err := ParseRequest(body); err == nil || errors.Is(err, ErrNoRequest) {
			t.Errorf("%q: %+v %v", body, r, err)
		}
	}
}
