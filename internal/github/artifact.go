package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v60/github"
)

// Artifact downloads a run's artifact, which must hold one file, ARTIFACT.json.
func (c *Client) Artifact(ctx context.Context, run int64, name string) ([]byte, error) {
	a, err := c.findArtifact(ctx, run, name)
	if err != nil {
		return nil, err
	}
	if a.GetSizeInBytes() > maxZipped {
		return nil, fmt.Errorf("artifact %s of run %d has %d bytes; at most %d are read", name, run, a.GetSizeInBytes(), maxZipped)
	}
	data, err := c.download(ctx, a.GetID())
	if err != nil {
		return nil, fmt.Errorf("download artifact %s of run %d: %w", name, run, err)
	}
	file, err := unzip(data, name+".json")
	if err != nil {
		return nil, fmt.Errorf("artifact %s of run %d: %w", name, run, err)
	}
	return file, nil
}

// findArtifact finds the newest artifact of a name: every attempt of a run leaves its own.
func (c *Client) findArtifact(ctx context.Context, run int64, name string) (*gh.Artifact, error) {
	var newest *gh.Artifact
	err := pages(func(page gh.ListOptions) (*gh.Response, bool, error) {
		list, response, err := c.api.Actions.ListWorkflowRunArtifacts(ctx, c.owner, c.name, run, &page)
		if err != nil {
			return response, true, err
		}
		for _, a := range list.Artifacts {
			if a.GetName() == name && !a.GetExpired() && (newest == nil || a.GetID() > newest.GetID()) {
				newest = a
			}
		}
		return response, false, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the artifacts of run %d: %w", run, err)
	}
	if newest == nil {
		return nil, fmt.Errorf("%w: run %d left no artifact %s", ErrNothingToDo, run, name)
	}
	return newest, nil
}

// download fetches an artifact from where the API says it lies, without showing the token there.
func (c *Client) download(ctx context.Context, id int64) ([]byte, error) {
	at, _, err := c.api.Actions.DownloadArtifact(ctx, c.owner, c.name, id, maxRedirects)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	response, err := c.plain.Do(r)
	var where *url.Error
	if errors.As(err, &where) {
		return nil, where.Err // the address holds a signature
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the store answered %s", response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxZipped+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxZipped {
		return nil, fmt.Errorf("it has more than %d bytes", maxZipped)
	}
	return data, nil
}
