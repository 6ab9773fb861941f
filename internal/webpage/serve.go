package webpage

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Server serves a page to its own machine. The page fetches each part when it shows it.
type Server struct {
	mu   sync.Mutex // making a part reads a module, which one at a time may do
	page *Page
	turn int // grows with every page, so that one that is shown knows that it is old
}

// Show replaces the page that is served.
func (s *Server) Show(p *Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page != nil {
		s.page.Close()
	}
	s.page = p
	s.turn++
}

// ServeHTTP serves the page, one of its parts, or its number.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !local(r.Host) || r.Method != http.MethodGet {
		http.Error(w, "only for this machine", http.StatusForbidden) // another name for this address leads here from a foreign page
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", policy("'self'")+"; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	switch name, part := strings.CutPrefix(r.URL.Path, "/part/"); {
	case r.URL.Path == "/":
		h.Set("Content-Type", "text/html; charset=utf-8")
		if err := s.page.head(w, "'self'"); err == nil {
			_ = foot(w) // the reader is gone
		}
	case r.URL.Path == "/turn":
		h.Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, s.turn)
	case part && (name == "core" || s.page.parts[name] != nil):
		s.part(w, name)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) part(w http.ResponseWriter, name string) {
	data, err := s.page.packed(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	_, _ = w.Write(data)
}

// local reports whether a request was sent to this machine by a name that only it has.
func local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "localhost" || net.ParseIP(strings.Trim(name, "[]")).IsLoopback()
}
