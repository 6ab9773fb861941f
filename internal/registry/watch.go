package registry

import (
	"context"
	"io"
	"net/http"
	"time"
)

// watched cancels requests that send and receive nothing for too long. A timeout for the whole request would fail large blobs.
type watched struct {
	base http.RoundTripper
	idle time.Duration
}

// RoundTrip sends a request and watches it until the response is read.
func (w watched) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	held := &watch{ctx: ctx, idle: w.idle, cancel: cancel}
	held.timer = time.AfterFunc(w.idle, func() { cancel(stalled{w.idle}) })
	req = req.WithContext(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = &sending{req.Body, held}
	}
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		held.stop()
		return nil, held.why(err)
	}
	resp.Body = &receiving{resp.Body, held}
	return resp, nil
}

// stalled reports that a request made no progress for too long. It is a timeout, so that the request is tried again.
type stalled struct{ after time.Duration }

// Error returns the message.
func (s stalled) Error() string { return "nothing came for " + s.after.String() }

// Timeout reports true: the request is worth another try.
func (s stalled) Timeout() bool { return true }

// Temporary implements net.Error.
func (s stalled) Temporary() bool { return true }

// watch is the timer of one request.
type watch struct {
	ctx    context.Context
	idle   time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func (w *watch) moved() { w.timer.Reset(w.idle) }

func (w *watch) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// why returns the cause of a failure: a cancelled request fails with context.Canceled only.
func (w *watch) why(err error) error {
	if s, ok := context.Cause(w.ctx).(stalled); ok && err != io.EOF {
		return s
	}
	return err
}

// sending is the body of a request, receiving that of the response. The end of the response ends the watch.
type (
	sending struct {
		io.ReadCloser
		watch *watch
	}
	receiving struct {
		io.ReadCloser
		watch *watch
	}
)

// Read records progress of the request.
func (s *sending) Read(p []byte) (int, error) {
	s.watch.moved()
	return s.ReadCloser.Read(p)
}

// Read records progress of the response.
func (r *receiving) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil {
		return n, r.watch.why(err)
	}
	r.watch.moved()
	return n, nil
}

// Close ends the watch.
func (r *receiving) Close() error {
	r.watch.stop()
	return r.ReadCloser.Close()
}
