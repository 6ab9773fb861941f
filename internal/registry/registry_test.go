package registry

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/registry/registrytest"
)

var (
	ctx  = context.Background()
	most = Limit{Bytes: 1 << 20, Layers: 100}
)

// hasty waits for nothing longer than a test should.
func hasty(getenv func(string) string) Client {
	return Client{Agent: "xlagate/test", Getenv: getenv, patience: patience{connect: time.Second, idle: 500 * time.Millisecond, first: time.Millisecond, tries: 3}}
}

func parsed(t *testing.T, where string) Reference {
	t.Helper()
	ref, err := Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// contents reads an artifact: every file under its name.
func contents(t *testing.T, c Client, ref Reference) map[string]string {
	t.Helper()
	a, err := c.Pull(ctx, ref, most)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, l := range a.Layers {
		data, err := os.ReadFile(a.Path(l))
		if err != nil {
			t.Fatal(err)
		}
		out[l.Name] = string(data)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustPush(t *testing.T, c Client, ref Reference, over Over, files map[string]string) Pushed {
	t.Helper()
	done, err := c.Push(ctx, ref, TypeBaseline, layersOf(files), over)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func layersOf(files map[string]string) []Layer {
	var layers []Layer
	for name, text := range files {
		layers = append(layers, BaselineFile(name, []byte(text)))
	}
	return layers
}

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
	if again := mustPush(t, c, ref, Over(first.Digest), files); again.New || again.Digest != first.Digest {
		t.Errorf("the same again: %+v after %+v", again, first)
	}
	fixed := parsed(t, strings.TrimSuffix(ref.String(), ":main")+"@"+first.Digest)
	mustPush(t, c, ref, Over(first.Digest), map[string]string{"a/x.yaml": "three"})
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

// The same files make the same artifact, in whatever order they come.
func TestArtifactsAreTheSameEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}/[a-z%A-Z0-9]{1,4}\.yaml`), rapid.String(), 0, 5).Draw(t, "files")
		layers := layersOf(files)
		a, first, err := pack(TypeBaseline, layers)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := rapid.Permutation(layers).Draw(t, "shuffled")
		b, second, err := pack(TypeBaseline, shuffled)
		if err != nil || a.Digest != b.Digest || string(first) != string(second) {
			t.Fatalf("%s\n%s", first, second)
		}
		if m, err := readManifest(a, first); err != nil || len(m.layers) != len(files) {
			t.Fatalf("%v, %v of %v", err, m, files)
		}
	})
}

// This is what was pushed by earlier versions; a change of it makes every baseline new.
func TestManifestStaysAsItIs(t *testing.T) {
	_, data, err := pack(TypeBaseline, []Layer{BaselineFile("m/p.yaml", []byte("x"))})
	const want = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.xlagate.baseline.v1",` +
		`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2},` +
		`"layers":[{"mediaType":"application/vnd.xlagate.baseline.v1+yaml","digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","size":1,"annotations":{"org.opencontainers.image.title":"m/p.yaml"}}]}`
	if err != nil || string(data) != want {
		t.Errorf("%v\n%s\nwanted\n%s", err, data, want)
	}
}

func TestATagThatMovedIsLeftAlone(t *testing.T) {
	s := registrytest.New(t)
	c, ref := hasty(nil), parsed(t, s.Ref("base:main"))
	first := mustPush(t, c, ref, "", map[string]string{"a.yaml": "1"})
	theirs := mustPush(t, c, ref, Over(first.Digest), map[string]string{"a.yaml": "2"})
	_, err := c.Push(ctx, ref, TypeBaseline, layersOf(map[string]string{"a.yaml": "3"}), Over(first.Digest))
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
	_, err = c.Push(ctx, ref, TypeBaseline, layersOf(map[string]string{"a.yaml": "3"}), Over(theirs.Digest))
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

// says reports that an error lacks one of the texts.
func says(err error, texts ...string) bool {
	return err == nil || slices.ContainsFunc(texts, func(text string) bool {
		var e *Error
		return !strings.Contains(err.Error(), text) && !(errors.As(err, &e) && strings.Contains(e.Mend, text))
	})
}

// Layers that the registry has are not sent again, and what was pulled is not pulled again.
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

func TestShelfMakesRoom(t *testing.T) {
	s := &shelf{dir: t.TempDir()}
	for i, age := range []time.Duration{3 * time.Hour, 2 * time.Hour, 0} {
		name := filepath.Join(s.dir, fmt.Sprint("sha256-", i))
		if err := os.WriteFile(name, make([]byte, 10), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int64]int{20: 2, 5: 1} {
		s.prune(max(most, 20))
		s.prune(most)
		entries, err := os.ReadDir(s.dir)
		if err != nil || most == 5 && len(entries) != want || entries[len(entries)-1].Name() != "sha256-2" {
			t.Errorf("%v, %v", entries, err)
		}
	}
}

func TestParse(t *testing.T) {
	for where, want := range map[string]string{
		"oci://ghcr.io/owner/xlagate:main":                      "oci://ghcr.io/owner/xlagate:main",
		"oci://127.0.0.1:5000/a/b/c:v1":                         "oci://127.0.0.1:5000/a/b/c:v1",
		"oci://ghcr.io/a/b:c@sha256:" + strings.Repeat("0", 64): "oci://ghcr.io/a/b@sha256:" + strings.Repeat("0", 64),
		"oci://ghcr.io/Owner/Repo:Main":                         `write oci://ghcr.io/owner/repo:Main`,
		"oci://ghcr.io/a/b":                                     `names no tag; write oci://ghcr.io/a/b:TAG`,
		"oci://ghcr.io":                                         "is not oci://REGISTRY/REPOSITORY:TAG",
		"oci://":                                                "is not oci://REGISTRY/REPOSITORY:TAG",
		"oci://ghcr.io/../b:c":                                  "is not oci://REGISTRY/REPOSITORY:TAG",
		"oci://user@ghcr.io/b:c":                                "is not oci://REGISTRY/REPOSITORY:TAG",
		"oci://ghcr.io/a/b@sha256:12":                           "is not oci://REGISTRY/REPOSITORY:TAG",
	} {
		ref, err := Parse(where)
		if err == nil && ref.String() != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; wanted %q", where, ref, err, want)
		}
	}
	for where, local := range map[string]bool{
		"oci://localhost/a:b": true, "oci://localhost:5000/a:b": true, "oci://127.3.2.1:1/a:b": true, "oci://[::1]:5000/a:b": true,
		"oci://ghcr.io/a:b": false, "oci://localhost.evil.example/a:b": false, "oci://10.0.0.1:5000/a:b": false,
	} {
		if got := parsed(t, where).local(); got != local {
			t.Errorf("%s: on this machine: %v", where, got)
		}
	}
}

func TestManifestsThatAreRefused(t *testing.T) {
	layer := func(title string) string {
		return fmt.Sprintf(`{"digest":"sha256:%064d","size":1,"annotations":{"org.opencontainers.image.title":%q}}`, 0, title)
	}
	for layers, want := range map[string]string{
		layer("../../etc/passwd"):         "leads out of the artifact",
		layer("/etc/passwd"):              "leads out of the artifact",
		layer(`..\x`):                     "leads out of the artifact",
		layer("a/../b"):                   "leads out of the artifact",
		layer("a") + "," + layer("a"):     `two of its layers are called "a"`,
		layer("a") + "," + layer(""):      "has no title",
		`{"digest":"sha256:12","size":1}`: "no valid digest or size",
		`{"digest":"sha256:` + strings.Repeat("0", 64) + `","size":-1}`: "no valid digest or size",
	} {
		_, err := readManifest(empty.descriptor, []byte(`{"schemaVersion":2,"layers":[`+layers+`]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %q", layers, err, want)
		}
	}
	for text, want := range map[string]string{"": "not readable", "{}": "not readable", `{"schemaVersion":2,"manifests":[{}]}`: "an index of several"} {
		if _, err := readManifest(empty.descriptor, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %q", text, err, want)
		}
	}
}

func FuzzReadManifest(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":2,"layers":[{"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","size":1,"annotations":{"org.opencontainers.image.title":"a/b"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readManifest(empty.descriptor, data)
		if err != nil {
			return
		}
		for _, l := range m.layers {
			if l.Name != "" && !fs.ValidPath(l.Name) || l.Size < 0 {
				t.Errorf("%q of %d bytes was let through", l.Name, l.Size)
			}
		}
	})
}

func TestLogins(t *testing.T) {
	s := registrytest.New(t)
	s.Login("ann", "secret", true)
	s.Login("guest", "guest", false)
	where := s.Ref("base:main")
	ref := parsed(t, where)
	file := func(user, password string) string {
		return fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, s.Host, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	}
	as := func(env, name, text string) Client {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return hasty(func(key string) string {
			switch {
			case key != env:
				return ""
			case env == "REGISTRY_AUTH_FILE":
				return filepath.Join(dir, name)
			}
			return dir
		})
	}
	docker, podman := as("DOCKER_CONFIG", "config.json", file("ann", "secret")), as("REGISTRY_AUTH_FILE", "auth.json", file("ann", "secret"))
	mustPush(t, docker, ref, "", map[string]string{"a.yaml": "1"})
	for name, c := range map[string]Client{"docker": docker, "podman": podman, "guest": as("DOCKER_CONFIG", "config.json", file("guest", "guest"))} {
		if got := contents(t, c, ref); got["a.yaml"] != "1" {
			t.Errorf("%s read %v", name, got)
		}
	}
	for name, c := range map[string]Client{
		"nobody": hasty(nil), "a wrong password": as("DOCKER_CONFIG", "config.json", file("ann", "guess")),
		"GITHUB_TOKEN": hasty(func(key string) string { return map[string]string{"GITHUB_TOKEN": "t"}[key] }),
	} {
		if _, err := c.Pull(ctx, ref, most); says(err, "does not let us in", "docker login "+s.Host) {
			t.Errorf("%s: %v", name, err)
		}
	}
	guest := as("DOCKER_CONFIG", "config.json", file("guest", "guest"))
	if _, err := guest.Push(ctx, ref, TypeBaseline, layersOf(map[string]string{"a.yaml": "2"}), Any); says(err, "does not let us in") {
		t.Errorf("a guest pushed: %v", err)
	}
	if _, err := as("DOCKER_CONFIG", "config.json", "{").Pull(ctx, ref, most); says(err, "config.json") {
		t.Errorf("a damaged file: %v", err)
	}
}

// The token of a job goes to GitHub's own registry and nowhere else, and not over what somebody logged in with.
func TestGitHubTokenIsForGitHub(t *testing.T) {
	env := map[string]string{"GITHUB_TOKEN": "token", "GITHUB_ACTOR": "ann"}
	c := hasty(func(key string) string { return env[key] })
	if got, err := c.credential(ctx, "ghcr.io"); err != nil || got.Username != "ann" || got.Password != "token" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, host := range []string{"ghcr.io.example.com", "docker.io", "ghcr.io:444"} {
		if got, err := c.credential(ctx, host); err != nil || got.Password != "" {
			t.Errorf("%s got %+v, %v", host, got, err)
		}
	}
	env["DOCKER_CONFIG"] = t.TempDir()
	own := `{"auths":{"ghcr.io":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("bob:own")) + `"}}}`
	if err := os.WriteFile(filepath.Join(env["DOCKER_CONFIG"], "config.json"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := c.credential(ctx, "ghcr.io"); err != nil || got.Username != "bob" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A helper program that docker's configuration names is asked.
func TestCredentialHelpers(t *testing.T) {
	dir := t.TempDir()
	helper := "#!/bin/sh\nread host\necho \"{\\\"ServerURL\\\":\\\"$host\\\",\\\"Username\\\":\\\"ann\\\",\\\"Secret\\\":\\\"$1-$host\\\"}\"\n"
	if err := os.WriteFile(filepath.Join(dir, "docker-credential-test"), []byte(helper), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"credHelpers":{"r.example":"test","s.example":"absent"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	c := hasty(func(key string) string { return map[string]string{"DOCKER_CONFIG": dir}[key] })
	if got, err := c.credential(ctx, "r.example"); err != nil || got.Password != "get-r.example" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.credential(ctx, "s.example"); err == nil || !strings.Contains(err.Error(), "docker-credential-absent") {
		t.Errorf("a helper that is not there: %v", err)
	}
}

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
		"denied": {says: []string{"does not let us in: 403 denied: no   access", "packages: read"}, do: func(w http.ResponseWriter, r *http.Request, _ int) bool {
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

// cutOff promises more than it sends.
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

// Elsewhere than on this machine nothing goes over plain http that was not asked for.
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
	secure := httptest.NewTLSServer(registrytest.New(t))
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
	if _, err := r.Resolve(ctx, "b"); says(plain.explain(err), "speaks http, not https", "--plain-http") {
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
