package github

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// Event is the part of a webhook's payload that matters here. GitHub made it: unlike an artifact it can be trusted to say which
// pull request, commit and person it is about.
type Event struct {
	Action      string      `json:"action"`
	PullRequest PullRequest `json:"pull_request"`
	WorkflowRun WorkflowRun `json:"workflow_run"`
	Issue       struct {
		Number      int `json:"number"`
		PullRequest any `json:"pull_request"` // there when the issue is a pull request
	} `json:"issue"`
	Comment struct {
		ID   int64     `json:"id"`
		Body string    `json:"body"`
		User Actor     `json:"user"`
		At   time.Time `json:"created_at"`
	} `json:"comment"`
	Sender Actor `json:"sender"`
}

// Actor is who did something.
type Actor struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
	Type  string `json:"type"`
}

// PullRequest is what is known of a pull request.
type PullRequest struct {
	Number int    `json:"number"`
	State  string `json:"state"`
	Head   Branch `json:"head"`
	Base   Branch `json:"base"`
}

// Branch is one side of a pull request.
type Branch struct {
	SHA  string `json:"sha"`
	Ref  string `json:"ref"`
	Repo struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

// Fork reports whether the pull request comes from another repository.
func (p PullRequest) Fork() bool { return p.Head.Repo.FullName != p.Base.Repo.FullName }

// WorkflowRun is the run that a workflow_run event is about.
type WorkflowRun struct {
	ID             int64  `json:"id"`
	Attempt        int    `json:"run_attempt"`
	WorkflowID     int64  `json:"workflow_id"`
	Event          string `json:"event"`
	HeadSHA        string `json:"head_sha"`
	HeadBranch     string `json:"head_branch"`
	HeadRepository struct {
		FullName string `json:"full_name"`
		Owner    Actor  `json:"owner"`
	} `json:"head_repository"`
}

// maxEvent bounds a payload; GitHub's own limit is 25 MB.
const maxEvent = 25 << 20

func readEvent(path string) (Event, error) {
	var e Event
	f, err := os.Open(path)
	if err != nil {
		return e, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEvent+1))
	if err != nil {
		return e, err
	}
	if len(data) > maxEvent {
		return e, fmt.Errorf("it is larger than %d bytes", maxEvent)
	}
	if len(data) == 0 {
		return e, nil
	}
	err = json.Unmarshal(data, &e)
	return e, err
}
