// Package fakegithub is a GitHub for tests. It holds every request against GitHub's own description of its API and refuses what is
// not in it, answers as GitHub does, rights and pages and all, and fails when it is told to.
package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Server is a GitHub with one repository.
type Server struct {
	State
	Prefix     string    // of the REST API: "" as on api.github.com, "/api/v3" as on an Enterprise Server
	Violations []string  // what the description does not allow
	Requests   []Request // what was asked, in order
	Faults     []*Fault
	Moved      string // an earlier OWNER/NAME of the repository, which redirects

	mu          sync.Mutex
	description *description
	web         *httptest.Server
	store       *httptest.Server // where artifacts lie: another host, that must not see a token
}

// Request is one request to the API.
type Request struct {
	Operation string
	Method    string
	Path      string
	Token     string
	Body      map[string]any
	Status    int
}

// New starts a server with an empty repository, OWNER/NAME.
func New(repository, prefix string) *Server {
	s := &Server{State: newState(repository), Prefix: prefix, description: published()}
	s.web = httptest.NewServer(http.HandlerFunc(s.serve))
	s.store = httptest.NewServer(http.HandlerFunc(s.serveStore))
	return s
}

// Close stops the server.
func (s *Server) Close() {
	s.web.Close()
	s.store.Close()
}

// API is the root of the REST API.
func (s *Server) API() string { return s.web.URL + s.Prefix }

// URL is the root of the web pages.
func (s *Server) URL() string { return s.web.URL }

// GraphQL is the address of the GraphQL API.
func (s *Server) GraphQL() string {
	if s.Prefix == "" {
		return s.web.URL + "/graphql"
	}
	return s.web.URL + "/api/graphql"
}

// Do runs something while no request is served.
func (s *Server) Do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Count is how often an operation was asked for, whatever came of it.
func (s *Server) Count(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.Requests {
		if r.Operation == operation {
			n++
		}
	}
	return n
}

// Writes lists the requests that would change something, in order.
func (s *Server) Writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.Requests {
		if r.Method != http.MethodGet && r.Operation != "graphql viewer" {
			out = append(out, fmt.Sprintf("%s %d", r.Operation, r.Status))
		}
	}
	return out
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if s.redirected(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.Prefix + "/graphql"; r.URL.Path == path || r.URL.Path == strings.TrimSuffix(s.Prefix, "/v3")+"/graphql" {
		s.serveGraphQL(w, r)
		return
	}
	c := s.newCall(w, r)
	if c == nil {
		return
	}
	s.handle(c)
	s.Requests = append(s.Requests, Request{Operation: c.operation(), Method: r.Method, Path: r.URL.Path, Token: c.who.token, Body: c.body, Status: c.status})
}

// redirected sends requests for the repository's earlier name to its number, as GitHub does: GET by 301, the rest by 307.
func (s *Server) redirected(w http.ResponseWriter, r *http.Request) bool {
	old, ok := strings.CutPrefix(r.URL.Path, s.Prefix+"/repos/"+s.Moved+"/")
	if s.Moved == "" || !ok {
		return false
	}
	status := http.StatusTemporaryRedirect
	if r.Method == http.MethodGet {
		status = http.StatusMovedPermanently
	}
	to := s.API() + "/repositories/1/" + old
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", to)
	w.WriteHeader(status)
	return true
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if v != nil {
		_ = json.NewEncoder(w).Encode(v)
	}
}
