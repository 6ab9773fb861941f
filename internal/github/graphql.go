package github

import (
	"context"
	"net/http"
)

// What only the GraphQL API can do.
const (
	commitMutation = `mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`
	viewerQuery    = `query { viewer { login databaseId } }`
	hideMutation   = `mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized } } }`
)

// graphError is what the GraphQL API answers in place of data.
type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Error is GitHub's own message.
func (e *graphError) Error() string { return e.Message }

// query posts a GraphQL document and fills in its data.
func (c *Client) query(ctx context.Context, document string, variables map[string]any, data any) error {
	body := map[string]any{"query": document}
	if len(variables) > 0 {
		body["variables"] = variables
	}
	r, err := c.api.NewRequest(http.MethodPost, c.graphQL, body)
	if err != nil {
		return err
	}
	answer := struct {
		Data   any          `json:"data"`
		Errors []graphError `json:"errors"`
	}{Data: data}
	if _, err := c.api.Do(ctx, r, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		return &answer.Errors[0]
	}
	return nil
}

// hide folds away an outdated comment.
func (c *Client) hide(ctx context.Context, node string) error {
	if err := c.query(ctx, hideMutation, map[string]any{"id": node}, nil); err != nil {
		return c.failed(err, "hide the earlier comment")
	}
	return nil
}

// viewer is whom the token stands for. The REST API does not tell the token of a job.
func (c *Client) viewer(ctx context.Context) (Actor, error) {
	var data struct {
		Viewer struct {
			Login      string `json:"login"`
			DatabaseID int64  `json:"databaseId"`
		} `json:"viewer"`
	}
	err := c.query(ctx, viewerQuery, nil, &data)
	if err == nil && data.Viewer.Login != "" {
		return Actor{Login: data.Viewer.Login, ID: data.Viewer.DatabaseID}, nil
	}
	user, _, restErr := c.api.Users.Get(ctx, "")
	if err == nil {
		err = restErr
	}
	if restErr != nil {
		return Actor{}, c.failed(err, "ask whose token this is")
	}
	return Actor{Login: user.GetLogin(), ID: user.GetID()}, nil
}
