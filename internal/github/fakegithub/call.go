package fakegithub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/routers"
)

// call is one request while it is answered.
type call struct {
	http.ResponseWriter
	r      *http.Request
	route  *routers.Route
	params map[string]string
	body   map[string]any
	who    identity
	status int
}

func (c *call) operation() string { return c.route.Operation.OperationID }

// newCall reads a request. One that the description does not know is a violation, and answered as such.
func (s *Server) newCall(w http.ResponseWriter, r *http.Request) *call {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), s.Prefix)
	if rest, numbered := strings.CutPrefix(path, "/repositories/1/"); numbered {
		path = "/repos/" + s.Repository + "/" + rest
	}
	route, params := s.description.route(r.Method, path)
	if !ok || route == nil {
		s.violated(w, fmt.Sprintf("%s %s: there is no such operation", r.Method, r.URL.Path))
		return nil
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil
	}
	c := &call{ResponseWriter: w, r: r, route: route, params: params}
	if err := s.description.violation(r, route, params, data); err != nil {
		s.violated(w, fmt.Sprintf("%s: %v", c.operation(), err))
		return nil
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &c.body); err != nil {
			s.violated(w, fmt.Sprintf("%s: %v", c.operation(), err))
			return nil
		}
	}
	if schema := bodySchema(route.Operation); schema != nil {
		if name := unknown(schema, map[string]any(c.body), "body"); name != "" {
			s.violated(w, fmt.Sprintf("%s takes no %s", c.operation(), name))
			return nil
		}
	}
	c.who = s.identify(r)
	return c
}

func (s *Server) violated(w http.ResponseWriter, what string) {
	s.Violations = append(s.Violations, what)
	writeJSON(w, http.StatusNotImplemented, map[string]any{"message": what})
}

// handle answers: rights first, then faults, then what was asked for.
func (s *Server) handle(c *call) {
	handler := handlers[c.operation()]
	switch {
	case handler == nil:
		s.violated(c, c.operation()+": nothing here answers that")
		return
	case c.who.unknown:
		c.refuse(http.StatusUnauthorized, "Bad credentials")
		return
	case c.params["owner"] != "" && c.params["owner"]+"/"+c.params["repo"] != s.Repository:
		c.refuse(http.StatusNotFound, "Not Found")
		return
	case !c.who.may(c.operation()):
		c.refuse(http.StatusForbidden, "Resource not accessible by integration")
		return
	}
	f := s.fault(c.operation())
	if f == nil {
		handler(s, c)
		return
	}
	if f.Done {
		handler(s, &call{ResponseWriter: nowhere{http.Header{}}, r: c.r, route: c.route, params: c.params, body: c.body, who: c.who})
	}
	time.Sleep(f.Hang)
	c.status = f.Status
	f.strike(c.ResponseWriter)
}

// nowhere is where the answers go that are lost.
type nowhere struct{ header http.Header }

// Header is read by nobody.
func (n nowhere) Header() http.Header { return n.header }

// Write drops the answer.
func (nowhere) Write(data []byte) (int, error) { return len(data), nil }

// WriteHeader drops the status.
func (nowhere) WriteHeader(int) {}

func (c *call) refuse(status int, message string) {
	c.status = status
	writeJSON(c.ResponseWriter, status, map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

// answer completes what is given to what the description promises.
func (c *call) answer(status int, given any) {
	c.status = status
	if schema := answerSchema(c.route.Operation, status); schema != nil {
		given = fill(schema, given)
	}
	c.Header().Set("X-Ratelimit-Remaining", "4999")
	writeJSON(c.ResponseWriter, status, given)
}

// page answers with the part of a list that was asked for, and says where the next one is.
func (c *call) page(list []any, wrap func([]any) any) {
	size := number(c.r.URL.Query().Get("per_page"), 30)
	at := number(c.r.URL.Query().Get("page"), 1)
	from, to := min(len(list), (at-1)*size), min(len(list), at*size)
	if to < len(list) {
		next := *c.r.URL
		q := next.Query()
		q.Set("page", strconv.Itoa(at+1))
		next.RawQuery = q.Encode()
		c.Header().Set("Link", fmt.Sprintf(`<http://%s%s>; rel="next"`, c.r.Host, next.RequestURI()))
	}
	c.answer(http.StatusOK, wrap(list[from:to:to]))
}

func asList(list []any) any { return list }

func number(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// text is a string of the body; "" when it is absent.
func (c *call) text(key string) string {
	s, _ := c.body[key].(string)
	return s
}

// number is a number of the path.
func (c *call) number(name string) int64 {
	n, _ := strconv.ParseInt(c.params[name], 10, 64)
	return n
}
