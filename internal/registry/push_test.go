package registry

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/xlagate/xlagate/internal/registry/registrytest"
)

func TestWhatIsPushedComesBack(t *testing.T) {
	c, ref := hasty(nil), parsed(t, registrytest.New(t).Ref("team/base:main"))
	files := map[string]string{"a/x.yaml": "one", "a/y.yaml": "one", "b/+graphs.yaml": "", "b/%3Clambda%3E.yaml": "two\n"}
	first := mustPush(t, c, ref, "", files)
	if !first.New {
		t.Error("nothing was pushed")
	}
	if got := contents(t, c, ref); fmt.Sprint(got) != fmt.Sprint(files) {
		t.Errorf("%v came back as %v", files, got)
	}
	if again := mustPush(t, c, ref, Replaces(first.Digest), files); again.New || again.Digest != first.Digest {
		t.Errorf("the same again: %+v after %+v", again, first)
	}
	fixed := parsed(t, strings.TrimSuffix(ref.String(), ":main")+"@"+first.Digest)
	mustPush(t, c, ref, Replaces(first.Digest), map[string]string{"a/x.yaml": "three"})
	if got := contents(t, c, fixed); fmt.Sprint(got) != fmt.Sprint(files) {
		t.Errorf("the old digest holds %v", got)
	}
	if kind, err := c.Type(ctx, ref); err != nil || kind != TypeBaseline {
		t.Errorf("type %q, %v", kind, err)
	}
	if got := contents(t, c, parsed(t, ref.String())); len(got) != 1 {
		t.Errorf("the tag holds %v", got)
	}
	mustPush(t, c, ref, Any, nil)
	if got := contents(t, c, ref); len(got) != 0 {
		t.Errorf("an empty artifact holds %v", got)
	}
}

func TestATagThatMovedIsLeftAlone(t *testing.T) {
	s := registrytest.New(t)
	c, ref := hasty(nil), parsed(t, s.Ref("base:main"))
	first := mustPush(t, c, ref, "", map[string]string{"a.yaml": "1"})
	theirs := mustPush(t, c, ref, Replaces(first.Digest), map[string]string{"a.yaml": "2"})
	_, err := c.Push(ctx, ref, TypeBaseline, layersOf(map[string]string{"a.yaml": "3"}), Replaces(first.Digest))
	if says(err, "somebody else moved the tag meanwhile", short(first.Digest), short(theirs.Digest)) {
		t.Error(err)
	}
	_, err = c.Push(ctx, ref, TypeBaseline, layersOf(map[string]string{"a.yaml": "3"}), "")
	if says(err, "it named nothing and names") {
		t.Error(err)
	}
	var looked atomic.Int32
	s.Before(func(w http.ResponseWriter, r *http.Request) bool { // it moves while layers are on their way
		if strings.HasSuffix(r.URL.Path, "/manifests/main") && r.Method == http.MethodGet && looked.Add(1) == 2 {
			mustPush(t, c, ref, Any, map[string]string{"a.yaml": "4"})
		}
		return false
	})
	_, err = c.Push(ctx, ref, TypeBaseline, layersOf(map[string]string{"a.yaml": "3"}), Replaces(theirs.Digest))
	if says(err, "somebody else moved the tag meanwhile") {
		t.Error(err)
	}
	s.Before(nil)
	if got := contents(t, c, ref); got["a.yaml"] != "4" {
		t.Errorf("the tag holds %v", got)
	}
	if _, err := c.Push(ctx, parsed(t, s.Ref("base@"+first.Digest)), TypeBaseline, nil, Any); says(err, "a digest names what never changes") {
		t.Error(err)
	}
}

func TestNothingTravelsTwice(t *testing.T) {
	s := registrytest.New(t)
	c, ref := hasty(nil), parsed(t, s.Ref("base:main"))
	c.Cache = filepath.Join(t.TempDir(), "blobs")
	mustPush(t, c, ref, "", map[string]string{"a.yaml": "1", "b.yaml": "2"})
	sent := s.Asked(http.MethodPut, "/blobs/")
	mustPush(t, c, ref, Any, map[string]string{"a.yaml": "1", "b.yaml": "3"})
	if n := s.Asked(http.MethodPut, "/blobs/") - sent; n != 1 {
		t.Errorf("%d blobs were sent, wanted 1", n)
	}
	contents(t, c, ref)
	fetched := s.Asked(http.MethodGet, "/blobs/")
	if got := contents(t, c, ref); fetched != 2 || s.Asked(http.MethodGet, "/blobs/") != fetched || got["b.yaml"] != "3" {
		t.Errorf("%d blobs were fetched, then %d; %v", fetched, s.Asked(http.MethodGet, "/blobs/")-fetched, got)
	}
	kept, err := filepath.Glob(filepath.Join(c.Cache, "sha256-*"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("%v, %v", kept, err)
	}
	for _, name := range kept { // what is damaged is pulled again
		if err := os.WriteFile(name, []byte("X"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := contents(t, c, ref); got["a.yaml"] != "1" || s.Asked(http.MethodGet, "/blobs/") != fetched+2 {
		t.Errorf("%v after %d more", got, s.Asked(http.MethodGet, "/blobs/")-fetched)
	}
	c.Cache = ""
	contents(t, c, ref)
	if s.Asked(http.MethodGet, "/blobs/") != fetched+4 {
		t.Error("without a cache something came from one")
	}
}
