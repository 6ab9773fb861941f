package github

import (
	"errors"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/result"
)

// Request is a comment that asks to accept some changes, or all of them.
type Request struct {
	IDs    []string // empty: all
	Reason string
}

// trigger is the exact beginning of a comment that asks for something: a comment that mentions the words must do nothing.
const trigger = "/xlagate accept"

// ErrNoRequest says that a comment asks for nothing.
var ErrNoRequest = errors.New("the comment does not begin with " + trigger)

// ParseRequest reads "/xlagate accept ID[,ID…] REASON" or "/xlagate accept all REASON" from the first line of a comment.
func ParseRequest(body string) (Request, error) {
	const maxReason = 500 // it goes into the baseline and the commit's message
	line, _, _ := strings.Cut(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	rest, ok := strings.CutPrefix(line, trigger)
	if !ok || rest != "" && rest[0] != ' ' {
		return Request{}, ErrNoRequest
	}
	which, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	reason = strings.TrimSpace(reason)
	var ids []string // none: all
	if which != "all" {
		ids = strings.Split(which, ",")
	}
	switch {
	case slices.ContainsFunc(ids, func(id string) bool { return !result.IsID(id) }):
		return Request{}, errors.New("name what to accept: changes by id, with commas between them, or all: /xlagate accept a3f8c21b9d04 REASON")
	case reason == "":
		return Request{}, errors.New("give a reason: /xlagate accept " + which + " REASON")
	case len(reason) > maxReason:
		return Request{}, errors.New("the reason is too long; give it in one line")
	}
	return Request{ids, reason}, nil
}
