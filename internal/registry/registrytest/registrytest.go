// Package registrytest runs a real registry for tests. The registry can require a login or fail on request.
package registrytest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// Server is a registry that runs until the test ends.
type Server struct {
	Host string // the host and port in references

	mu     sync.Mutex
	real   http.Handler
	logins map[string]bool // "user:password": whether they may push
	before func(http.ResponseWriter, *http.Request) bool
	asked  []string
}

// New starts a registry.
func New(t testing.TB) *Server {
	s := Start()
	t.Cleanup(s.Close)
	return s.Server
}

// Running is a registry that must be closed.
type Running struct {
	*Server
	Close func()
}

// Start starts a registry. The caller must close it.
func Start() Running {
	s := &Server{real: registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true)), logins: map[string]bool{}}
	http := httptest.NewServer(s)
	s.Host = strings.TrimPrefix(http.URL, "http://")
	return Running{s, http.Close}
}

// Ref returns a reference to a name in the registry.
func (s *Server) Ref(name string) string { return "oci://" + s.Host + "/" + name }

// Login makes the registry require a login. A user without the right to push can read.
func (s *Server) Login(user, password string, push bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logins[user+":"+password] = push
}

// Before sets a function that is called with every authorized request. If it reports true, it has answered the request.
func (s *Server) Before(do func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = do
}

// Asked returns the number of requests with a method and a path that contains a text.
func (s *Server) Asked(method, path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, a := range s.asked {
		if strings.HasPrefix(a, method+" ") && strings.Contains(a, path) {
			n++
		}
	}
	return n
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	before := s.before
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/token":
		s.token(w, r)
	case !s.allowed(r):
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",service="test"`, s.Host))
		refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "authentication required")
	case before != nil && before(w, r):
	default:
		s.real.ServeHTTP(w, r)
	}
}

// token returns a token for a login: the login and the requested scope.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	user, password, somebody := r.BasicAuth()
	s.mu.Lock()
	push, known := s.logins[user+":"+password]
	s.mu.Unlock()
	granted := "pull"
	switch {
	case !somebody:
		granted = "nothing"
	case !known:
		refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "no such user, or a wrong password")
		return
	case push && strings.Contains(r.URL.Query().Get("scope"), "push"):
		granted = "push"
	}
	answer(w, http.StatusOK, map[string]string{"token": base64.StdEncoding.EncodeToString([]byte(granted))})
}

func (s *Server) allowed(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.logins) == 0 {
		return true
	}
	granted, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return err == nil && (string(granted) == "push" || string(granted) == "pull" && reads)
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	answer(w, status, map[string]any{"errors": []map[string]string{{"code": code, "message": message}}})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
