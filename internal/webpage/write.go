package webpage

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Built from web/ by `npm run build`.
var (
	//go:embed dist/page.js
	script string
	//go:embed dist/page.css
	style string
)

// policy lets the page run its own script and style, its layout worker, and nothing else. connect is what it may read from.
func policy(connect string) string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; worker-src blob:; connect-src %s; base-uri 'none'; form-action 'none'",
		hashOf(script), hashOf(style), connect)
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Close releases the sources of the page's parts.
func (p *Page) Close() { p.model.close() }

// Write writes the page as one file with all its data, and closes it.
func (p *Page) Write(w io.Writer) error {
	defer p.Close()
	if err := p.head(w, "'none'"); err != nil {
		return err
	}
	for _, name := range append([]string{"core"}, p.names...) {
		data, err := p.packed(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "<script type=\"application/gzip\" id=\"%s\">%s</script>\n", name, base64.StdEncoding.EncodeToString(data)); err != nil {
			return err
		}
	}
	return foot(w)
}

func (p *Page) head(w io.Writer, connect string) error {
	_, err := fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<div id="app"><p>This page needs JavaScript, which it holds itself.</p></div>
`, html.EscapeString(policy(connect)), html.EscapeString(cut(p.core.Title)), style)
	return err
}

func foot(w io.Writer) error {
	_, err := fmt.Fprintf(w, "<script>%s</script>\n</body>\n</html>\n", script)
	return err
}

// packed is a document by its name, compressed.
func (p *Page) packed(name string) ([]byte, error) {
	var content any = p.core
	if name != "core" {
		content = p.parts[name]()
	}
	document, err := encode(content)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed+3)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(document); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

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
