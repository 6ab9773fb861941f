package registry

import (
	"context"
	"io"
	"net/http"
	"time"
)

// watched gives up requests in which nothing moves any more, in either direction. A limit on the whole would fail large blobs.
type watched struct {
	base http.RoundTripper
	idle time.Duration
}

// RoundTrip is one request, watched until its answer was read.
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

// stalled says that nothing moved for too long. It is a timeout: such requests are tried again.
type stalled struct{ after time.Duration }

// Error is the sentence.
func (s stalled) Error() string { return "nothing came for " + s.after.String() }

// Timeout makes it a network error that is worth another try.
func (s stalled) Timeout() bool { return true }

// Temporary belongs to a network error.
func (s stalled) Temporary() bool { return true }

// watch is the clock of one request.
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

// why is the reason behind a failure: a request that was given up fails with a mere cancellation.
func (w *watch) why(err error) error {
	if s, ok := context.Cause(w.ctx).(stalled); ok && err != io.EOF {
		return s
	}
	return err
}

// sending is the body of a request, receiving that of its answer, whose end is the end of the watch.
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

// Read notes that something was sent.
func (s *sending) Read(p []byte) (int, error) {
	s.watch.moved()
	return s.ReadCloser.Read(p)
}

// Read notes that something came.
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
