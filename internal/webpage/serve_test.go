package webpage

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

func ask(s *Server, method, host, path string) *http.Response {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "http://"+host+path, nil)
	s.ServeHTTP(w, r)
	return w.Result()
}

// A server answers nobody who calls it by another name than this machine's, and nothing but questions.
func TestServerAnswersThisMachineOnly(t *testing.T) {
	s := &Server{}
	s.Show(OfDump(measured(t, "good"), Options{}))
	for _, c := range []struct {
		method, host, path string
		want               int
	}{
		{"GET", "localhost:8000", "/", http.StatusOK}, {"GET", "127.0.0.1:8000", "/", http.StatusOK}, {"GET", "127.0.0.2", "/turn", http.StatusOK},
		{"GET", "[::1]:8000", "/part/core", http.StatusOK}, {"GET", "localhost", "/turn", http.StatusOK},
		{"GET", "example.com:8000", "/", http.StatusForbidden}, {"GET", "localhost.example.com", "/", http.StatusForbidden}, {"GET", "10.0.0.1:8000", "/", http.StatusForbidden},
		{"POST", "localhost:8000", "/", http.StatusForbidden}, {"HEAD", "localhost:8000", "/", http.StatusForbidden},
		{"GET", "localhost:8000", "/part/none", http.StatusNotFound}, {"GET", "localhost:8000", "/part/", http.StatusNotFound}, {"GET", "localhost:8000", "/../etc/passwd", http.StatusNotFound},
	} {
		got := ask(s, c.method, c.host, c.path)
		if got.StatusCode != c.want {
			t.Errorf("%s %s%s: %d, wanted %d", c.method, c.host, c.path, got.StatusCode, c.want)
		}
		policy := got.Header.Get("Content-Security-Policy")
		if c.want == http.StatusOK && (!strings.Contains(policy, "frame-ancestors 'none'") || got.Header.Get("Cache-Control") != "no-store") {
			t.Errorf("%s: %v", c.path, got.Header)
		}
	}
}

// What is served in parts is what a file holds, and a page that is replaced knows that it is old.
func TestServerServesWhatAFileHolds(t *testing.T) {
	r := measured(t, "good")
	want := documents(t, written(t, OfDump(r, Options{})))
	s := &Server{}
	s.Show(OfDump(r, Options{}))
	for name, document := range want {
		z, err := gzip.NewReader(ask(s, "GET", "localhost", "/part/"+name).Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || string(got) != document {
			t.Errorf("%s: %d bytes, the file has %d; %v", name, len(got), len(document), err)
		}
	}
	page, err := io.ReadAll(ask(s, "GET", "localhost", "/").Body)
	if err != nil || len(documents(t, string(page))) != 0 || !strings.Contains(string(page), "</html>") {
		t.Errorf("the page has %d bytes: %v", len(page), err)
	}
	for _, turn := range []string{"1", "2"} {
		if got, err := io.ReadAll(ask(s, "GET", "localhost", "/turn").Body); err != nil || string(got) != turn {
			t.Errorf("turn %s, wanted %s: %v", got, turn, err)
		}
		s.Show(OfDump(r, Options{}))
	}
}

// A kernel that a profiler saw has the time of one run beside the predicted one.
func TestMeasuredKernels(t *testing.T) {
	d, err := dump.Open(t.Context(), filepath.Join("..", "..", "testdata", "dumps", "profiled.tar.xz"), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := facts.Measure(t.Context(), d, facts.Options{KeepModules: true, AllStages: true})
	if err != nil || r.Profile == nil {
		t.Fatal(err, r)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	})
	all := documents(t, written(t, OfDump(r, Options{})))
	total := 0.0
	for _, p := range read[core](t, all["core"]).Programs {
		for _, v := range p.Variants {
			for _, k := range read[kernelLists](t, all[v.Part]).New.Kernels {
				total += k.Measured * float64(r.Profile.Runs[p.Name])
			}
		}
	}
	if want := float64(r.Profile.Time); total < 0.9*want || total > 1.001*want {
		t.Errorf("the kernels take %.0f ns, the profile %.0f", total, want)
	}
}

// Of a result that was read from a file the page has the facts and the changes, and no kernels.
func TestPageOfAResultAlone(t *testing.T) {
	r := &result.Result{
		Verdict: "failed",
		Targets: []result.Target{{Name: "train", Programs: []result.Program{{
			Name: "step", Change: "changed", Variants: []result.Variant{
				{Signature: "f32[8]", Facts: facts.Values{facts.KernelsTotal: 3}, Base: facts.Values{facts.KernelsTotal: 2}}, {Signature: "f32[9]", Facts: facts.Values{facts.KernelsTotal: 4}},
			},
		}}}},
		Changes: []result.Change{{ID: "c1", Edit: result.Edit{Title: "a loop is unrolled"}}},
	}
	all := documents(t, written(t, OfResult(r, nil, Options{})))
	c := read[core](t, all["core"])
	if len(c.Changes) != 1 || len(c.Programs) != 1 || c.Programs[0].Target != "train" || len(c.Programs[0].Variants) != 2 || len(all) != 1 {
		t.Fatalf("%d documents, %+v", len(all), c)
	}
	v := c.Programs[0].Variants
	if v[0].Old == nil || v[0].Old.Facts[facts.KernelsTotal] != 2 || v[0].New.Facts[facts.KernelsTotal] != 3 || v[1].Old != nil || v[0].Part != "" {
		t.Errorf("%+v", v)
	}
}

// A dump of no known device is shown without times.
func TestUnknownDevice(t *testing.T) {
	r := measured(t, "regressed")
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			v.Device = nil
		}
	}
	all := documents(t, written(t, OfDump(r, Options{})))
	for _, p := range read[core](t, all["core"]).Programs {
		for _, v := range p.Variants {
			if v.New.Device != nil {
				t.Errorf("the device is %+v", v.New.Device)
			}
			for _, k := range read[kernelLists](t, all[v.Part]).New.Kernels {
				if k.Time != nil {
					t.Errorf("%s takes %v", k.Name, k.Time)
				}
			}
		}
	}
}
