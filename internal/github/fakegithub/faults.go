package fakegithub

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// Fault makes an operation fail.
type Fault struct {
	Operation string
	Times     int // how often; 0: always
	Skip      int // how often it works before
	Status    int
	Header    map[string]string
	Message   string
	Done      bool          // what was asked is done all the same, and only the answer is lost
	Hang      time.Duration // before it answers
	Drop      bool          // the connection is cut instead of an answer
	Raw       string        // the answer as it is, in place of the message
	Cut       bool          // the connection is cut in the middle of the answer
}

// The faults that GitHub is known for.
var (
	// Forbidden is what a token that can only read is told.
	Forbidden = Fault{Status: 403, Message: "Resource not accessible by integration"}
	// Exhausted is the primary rate limit.
	Exhausted = Fault{Status: 403, Header: map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "1"}, Message: "API rate limit exceeded for installation."}
	// TooMany is the same, as it is told elsewhere.
	TooMany = Fault{Status: 429, Header: map[string]string{"Retry-After": "7"}, Message: "Too Many Requests"}
	// Secondary is the limit on writing too fast; it names no time.
	Secondary = Fault{Status: 403, Message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
	// Broken is a server that fails.
	Broken = Fault{Status: 502, Message: "Server Error"}
	// TooLong is what a body of more than 65,536 characters is told.
	TooLong = Fault{Status: 422, Message: "Validation Failed: body is too long (maximum is 65536 characters)"}
)

// On is the fault for one operation, so many times.
func (f Fault) On(operation string, times int) *Fault {
	f.Operation, f.Times = operation, times
	return &f
}

// fault finds the fault that hits an operation now.
func (s *Server) fault(operation string) *Fault {
	for i, f := range s.Faults {
		if f.Operation != operation {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.Times == 1 {
			s.Faults = append(s.Faults[:i:i], s.Faults[i+1:]...)
		} else if f.Times > 1 {
			f.Times--
		}
		return f
	}
	return nil
}

// strike answers as the fault says.
func (f *Fault) strike(w http.ResponseWriter) {
	if f.Drop {
		panic(http.ErrAbortHandler)
	}
	for key, value := range f.Header {
		w.Header().Set(key, value)
	}
	if f.Cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(f.Raw)+1))
	}
	if f.Raw != "" {
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Raw)
		return
	}
	writeJSON(w, f.Status, map[string]any{"message": f.Message, "documentation_url": "https://docs.github.com/rest"})
}
