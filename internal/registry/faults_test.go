package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/xlagate/xlagate/internal/registry/registrytest"
)

func TestWhatRegistriesDo(t *testing.T) {
	blob := func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/")
	}
	for name, c := range map[string]struct {
		do   func(w http.ResponseWriter, r *http.Request, n int) bool // n counts, from 1
		says []string                                                 // nothing: it comes through
	}{
		"failing once": {do: func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 1 {
				w.WriteHeader(http.StatusBadGateway)
			}
			return n == 1
		}},
		"failing always": {says: []string{"failed: 503 Service Unavailable", "try again later"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}},
		"too many requests once": {do: func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 1 {
				w.WriteHeader(http.StatusTooManyRequests)
			}
			return n == 1
		}},
		"denied": {says: []string{"denies access: 403 denied: no   access", "packages: read"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"errors":[{"code":"DENIED","message":"no \u001b access"}]}`)
			return true
		}},
		"another manifest": {says: []string{"the digest is wrong"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if !strings.Contains(r.URL.Path, "/manifests/") {
				return false
			}
			w.Header().Set("Docker-Content-Digest", "sha256:"+strings.Repeat("0", 64))
			w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
			fmt.Fprint(w, "{}")
			return true
		}},
		"another blob": {says: []string{"the digest is wrong"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if blob(r) {
				fmt.Fprint(w, "evil")
			}
			return blob(r)
		}},
		"a blob cut off once": {do: func(w http.ResponseWriter, r *http.Request, n int) bool {
			return blob(r) && n < 3 && cutOff(w)
		}},
		"a blob cut off always": {says: []string{"cut the answer off"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			return blob(r) && cutOff(w)
		}},
		"no blob": {says: []string{"no such"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if blob(r) {
				w.WriteHeader(http.StatusNotFound)
			}
			return blob(r)
		}},
		"silence in the middle": {says: []string{"does not answer", "nothing came for"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if blob(r) {
				w.Header().Set("Content-Length", "4")
				fmt.Fprint(w, "g")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
			return blob(r)
		}},
		"silence": {says: []string{"does not answer: nothing came for"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			<-r.Context().Done()
			return true
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := registrytest.New(t)
			client, ref := hasty(nil), parsed(t, s.Ref("base:main"))
			mustPush(t, client, ref, "", map[string]string{"a.yaml": "good"})
			var n atomic.Int32
			s.Before(func(w http.ResponseWriter, r *http.Request) bool { return c.do(w, r, int(n.Add(1))) })
			a, err := client.Pull(ctx, ref, most)
			if len(c.says) == 0 && err != nil || len(c.says) > 0 && says(err, c.says...) {
				t.Errorf("%v, wanted %q", err, c.says)
			}
			if err == nil && a.Close() != nil {
				t.Error("not closed")
			}
		})
	}
}

func cutOff(w http.ResponseWriter) bool {
	w.Header().Set("Content-Length", "4")
	fmt.Fprint(w, "go")
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func TestRegistriesThatAreNotThere(t *testing.T) {
	c := hasty(nil)
	s := registrytest.New(t)
	if _, err := c.Pull(ctx, parsed(t, s.Ref("nowhere:main")), most); says(err, "there is no such tag or repository in "+s.Host) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	if _, err := c.Pull(ctx, parsed(t, "oci://"+strings.TrimPrefix(closed.URL, "http://")+"/a:b"), most); says(err, "does not answer", "connection refused", "HTTPS_PROXY") {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Pull(canceled, parsed(t, s.Ref("nowhere:main")), most); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPlainHTTPOnlyWhenAsked(t *testing.T) {
	secure, plain := hasty(nil), hasty(nil)
	plain.Plain = true
	for where, want := range map[string][2]bool{"oci://registry.example/a:b": {false, true}, "oci://localhost:5000/a:b": {true, true}} {
		ref := parsed(t, where)
		if got := [2]bool{secure.repository(ref).PlainHTTP, plain.repository(ref).PlainHTTP}; got != want {
			t.Errorf("%s: http %v, wanted %v", where, got, want)
		}
	}
}

func TestCertificates(t *testing.T) {
	secure := httptest.NewUnstartedServer(registrytest.New(t))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	host := strings.TrimPrefix(secure.URL, "https://")
	ref := parsed(t, "oci://"+host+"/a:b")
	repository := hasty(nil)
	r := repository.repository(ref)
	r.PlainHTTP = false
	_, err := r.Resolve(ctx, "b")
	if says(ref.explain(err), "certificate that is not trusted", "SSL_CERT_FILE") {
		t.Error(ref.explain(err))
	}
	plain := parsed(t, registrytest.New(t).Ref("a:b"))
	r = repository.repository(plain)
	r.PlainHTTP = false
	if _, err := r.Resolve(ctx, "b"); says(plain.explain(err), "uses http, not https", "--plain-http") {
		t.Error(plain.explain(err))
	}
}

func TestTooLarge(t *testing.T) {
	c, ref := hasty(nil), parsed(t, registrytest.New(t).Ref("base:main"))
	mustPush(t, c, ref, "", map[string]string{"a.yaml": strings.Repeat("x", 100), "b.yaml": strings.Repeat("y", 100)})
	for _, most := range []Limit{{150, 9}, {50, 9}, {500, 1}} {
		if _, err := c.Pull(ctx, ref, most); says(err, "it has 2 layers of") {
			t.Errorf("%+v: %v", most, err)
		}
	}
}

// A manifest that is larger than any registry takes is not read.
func TestManifestTooLarge(t *testing.T) {
	s := registrytest.New(t)
	s.Before(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		w.Header().Set("Docker-Content-Digest", "sha256:"+strings.Repeat("0", 64))
		w.Header().Set("Content-Length", strconv.Itoa(maxManifest+1))
		return true
	})
	if _, err := hasty(nil).Pull(ctx, parsed(t, s.Ref("base:main")), most); says(err, "its manifest has 4194305 bytes; at most 4194304 are read") {
		t.Error(err)
	}
}
