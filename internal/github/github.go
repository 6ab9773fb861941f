// Package github says on GitHub what the gate found: the comment on a pull request, the check run with its annotations, the step's
// summary. It also brings what lies there: the policy of the base branch, a run's result, who may accept. It alone imports the
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

// Client speaks to one repository on GitHub or a GitHub Enterprise Server.
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
	if t.next == nil {
		t.next = newTransport()
	}
	if t.wait == nil {
		t.wait = wait
	}
	api := gh.NewClient(&http.Client{Transport: t})
	api.BaseURL, api.UserAgent = root, o.Agent
	owner, name, _ := strings.Cut(o.Repository, "/")
	return &Client{api: api, graphQL: o.GraphQL, owner: owner, name: name}, nil
}

// newTransport honours the proxy variables, and does not wait for ever for an answer.
func newTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 30 * time.Second
	return t
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
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

// maxPages bounds a list: a server that always names a next page must not hold a job for ever.
const maxPages = 300
