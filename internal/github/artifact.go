package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Artifact downloads a run's artifact, which must hold one file, ARTIFACT.json.
func (c *Client) Artifact(ctx context.Context, run int64, name string) ([]byte, error) {
	return c.artifactBefore(ctx, run, name, time.Time{})
}

// artifactBefore downloads the artifact that a run had left at a time; the zero time is now.
func (c *Client) artifactBefore(ctx context.Context, run int64, name string, at time.Time) ([]byte, error) {
	a, err := c.findArtifact(ctx, run, name, at)
	if err != nil {
		return nil, err
	}
	if a.GetSizeInBytes() > maxZipped {
		return nil, fmt.Errorf("artifact %s of run %d has %d bytes; at most %d are read", name, run, a.GetSizeInBytes(), maxZipped)
	}
	data, err := c.download(ctx, a.GetID())
	if err != nil {
		return nil, c.failed(err, "download artifact %s of run %d", name, run)
	}
	file, err := unzip(data, name+".json")
	if err != nil {
		return nil, fmt.Errorf("artifact %s of run %d: %w", name, run, err)
	}
	return file, nil
}

// findArtifact finds the newest artifact of a name: every attempt of a run leaves its own.
func (c *Client) findArtifact(ctx context.Context, run int64, name string, at time.Time) (*gh.Artifact, error) {
	var newest *gh.Artifact
	err := pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		list, response, err := c.api.Actions.ListWorkflowRunArtifacts(ctx, c.owner, c.name, run, &page)
		if err != nil {
			return response, true, err
		}
		for _, a := range list.Artifacts {
			late := !at.IsZero() && a.GetCreatedAt().After(at)
			if a.GetName() == name && !a.GetExpired() && !late && (newest == nil || a.GetID() > newest.GetID()) {
				newest = a
			}
		}
		return response, false, nil
	})
	if err != nil {
		return nil, c.failed(err, "list the artifacts of run %d", run)
	}
	if newest == nil {
		return nil, fmt.Errorf("%w: run %d left no artifact %s", ErrNothingToDo, run, name)
	}
	return newest, nil
}

// download fetches an artifact from where the API says it lies, another host, which does not see the token.
func (c *Client) download(ctx context.Context, id int64) ([]byte, error) {
	r, err := c.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts/%d/zip", c.owner, c.name, id), nil)
	if err != nil {
		return nil, err
	}
	response, err := c.api.BareDo(ctx, r)
	var refusal *gh.ErrorResponse
	if errors.As(err, &refusal) && refusal.Response.Request.URL.Host != c.api.BaseURL.Host {
		return nil, fmt.Errorf("the store answered %s; run this again", refusal.Response.Status)
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxZipped+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxZipped {
		return nil, fmt.Errorf("it has more than %d bytes", maxZipped)
	}
	return data, nil
}
