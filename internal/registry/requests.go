package registry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
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

// Error is the reason why an artifact could not be read or written, and the fix.
type Error struct {
	Where   string // the artifact
	Message string
	Fix     string

	cause error
}

// Error returns the message with the artifact.
func (e *Error) Error() string { return e.Where + ": " + e.Message }

// Unwrap returns the underlying error: [fs.ErrNotExist] for a missing artifact.
func (e *Error) Unwrap() error { return e.cause }

// explain returns an [Error] with message and fix for an underlying error.
func (r Reference) explain(err error) error {
	var said *Error
	if err == nil || errors.As(err, &said) || errors.Is(err, context.Canceled) {
		return err
	}
	e := &Error{Where: r.String(), cause: err}
	var file *fs.PathError
	switch host := r.name.Registry; {
	case errors.As(err, &file):
		e.Message, e.Fix = err.Error(), "see that it can be read and written here, and that there is room"
	case errors.Is(err, errdef.ErrNotFound):
		e.Message, e.Fix, e.cause = "there is no such tag or repository in "+host, "correct the name, or push it", fs.ErrNotExist
	case refused(err):
		e.Message = fmt.Sprintf("%s denies access: %s", host, inner(err))
		e.Fix = fmt.Sprintf("log in: docker login %s; in GitHub Actions give the job packages: read (to accept: write) and GITHUB_TOKEN", host)
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData):
		e.Message, e.Fix = host+" sent something else than it was asked for: the digest is wrong", "push it again; the registry or a proxy before it is damaged"
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Message, e.Fix = host+" cut the answer off before its end", "try again; if it happens again, push it again"
	case errors.Is(err, http.ErrSchemeMismatch):
		e.Message, e.Fix = host+" uses http, not https", "give it a certificate, or say that this is meant: --plain-http"
	case untrusted(err):
		e.Message, e.Fix = host+" has a certificate that is not trusted here: "+inner(err), "name the certificate of who signed it: SSL_CERT_FILE"
	case unanswered(err):
		e.Message, e.Fix = host+" does not answer: "+inner(err), "see that it is up and can be reached from here (HTTPS_PROXY names a proxy)"
	default:
		e.Message, e.Fix = host+" failed: "+inner(err), "try again later"
	}
	return e
}

// refused reports whether the registry denied access.
func refused(err error) bool {
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		return answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden
	}
	return errors.Is(err, auth.ErrBasicCredentialNotFound)
}

func untrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate)
}

func unanswered(err error) bool {
	var network net.Error
	return errors.As(err, &network)
}

// inner returns an error's text without the request, which the message names already.
func inner(err error) string {
	var answer *errcode.ErrorResponse
	var request *url.Error
	switch {
	case errors.As(err, &answer) && len(answer.Errors) > 0:
		return fmt.Sprintf("%d %s", answer.StatusCode, oneLine(answer.Errors.Error()))
	case errors.As(err, &answer):
		return fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	case errors.As(err, &request):
		return request.Err.Error()
	}
	return err.Error()
}

// maxSaid bounds the part of a registry's message that is printed.
const maxSaid = 300

// oneLine makes a registry's message safe to print, on one line.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	return text[:min(len(text), maxSaid)]
}
