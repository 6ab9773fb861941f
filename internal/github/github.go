// Package github says on GitHub what the gate found: the comment on a pull request, the check run with its annotations, the step's
// summary. It also brings what is there: files of a revision, a run's result, who may accept. It alone imports the
// API's client library. Nothing here changes a verdict.
package github

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Client accesses one repository on GitHub or a GitHub Enterprise Server.
type Client struct {
	api         *gh.Client
	graphQL     string
	owner, name string
}

// Options is what a client is made from. Only API, GraphQL and Repository must be set.
type Options struct {
	API        string // the REST API's root
	GraphQL    string
	Token      string
	Repository string // OWNER/NAME
	Agent      string // names the tool to GitHub
	Transport  http.RoundTripper
	Wait       func(context.Context, time.Duration) error // how to wait between tries; nil: really
}

// New makes a client.
func New(o Options) (*Client, error) {
	if !validRepository(o.Repository) {
		return nil, fmt.Errorf("%q is not a repository; expected OWNER/NAME", o.Repository)
	}
	root, err := url.Parse(strings.TrimSuffix(o.API, "/") + "/")
	if err != nil || root.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a GitHub API, as https://api.github.com is", o.API)
	}
	t := &transport{next: o.Transport, root: root, token: o.Token, wait: o.Wait, random: rand.Float64, now: time.Now}
	if t.next == nil { // the proxy variables count, and an answer is waited for so long
		next := http.DefaultTransport.(*http.Transport).Clone()
		next.ResponseHeaderTimeout = 30 * time.Second
		t.next = next
	}
	if t.wait == nil {
		t.wait = wait
	}
	api := gh.NewClient(&http.Client{Transport: t})
	api.BaseURL, api.UserAgent = root, o.Agent
	owner, name, _ := strings.Cut(o.Repository, "/")
	return &Client{api: api, graphQL: o.GraphQL, owner: owner, name: name}, nil
}

func wait(ctx context.Context, d time.Duration) error {
	over, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-over.Done()
	return ctx.Err()
}

// Repository is OWNER/NAME.
func (c *Client) Repository() string { return c.owner + "/" + c.name }

// perPage is the most that GitHub puts on a page of a list.
const perPage = 100

// pages calls fetch for one page after the other, until it says stop or there are no more.
func pages(fetch func(gh.ListOptions) (*gh.Response, bool, error)) error {
	o := gh.ListOptions{PerPage: perPage}
	for range maxPages {
		response, stop, err := fetch(o)
		if err != nil || stop || response.NextPage == 0 {
			return err
		}
		o.Page = response.NextPage
	}
	return fmt.Errorf("the list is longer than %d pages", maxPages)
}

// maxPages bounds a list, in case a server always names a next page.
const maxPages = 300

// What only the GraphQL API can do.
const (
	commitMutation = `mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`
	viewerQuery    = `query { viewer { login databaseId } }`
	hideMutation   = `mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized } } }`
)

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

// viewer returns the owner of the token. The REST API does not know the owner of a job's token.
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

const (
	digits    = "0123456789"
	hexDigits = digits + "abcdef"
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// madeOf reports whether a text has only these characters, and from least to most of them. Regular expressions with counts take longer to compile
// than the rest of the program's start.
func madeOf(s, characters string, least, most int) bool {
	return len(s) >= least && len(s) <= most && strings.Trim(s, characters) == ""
}

func validRepository(s string) bool {
	owner, name, _ := strings.Cut(s, "/")
	return madeOf(owner, letters+digits+"_-", 1, 100) && madeOf(name, letters+digits+"._-", 1, 100)
}

// ValidCommit reports whether a text is the full name of a commit.
func ValidCommit(s string) bool { return madeOf(s, hexDigits, 40, 40) || madeOf(s, hexDigits, 64, 64) }

// ValidKey reports whether a text can be a gate's key: nothing in it can end the marker.
func ValidKey(key string) bool {
	return madeOf(key, letters+digits+"._/-", 1, 64) && strings.Contains(letters+digits, key[:1])
}
