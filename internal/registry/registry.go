// Package registry stores dumps and baselines in OCI registries. No other package accesses them.
package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	oras "oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"
)

// Client reads and writes artifacts in registries.
type Client struct {
	Cache  string // the folder for pulled blobs; "" for no cache
	Plain  bool   // use http instead of https for registries on other machines too
	Agent  string // the User-Agent of requests
	Getenv func(string) string

	patience patience // zero for the defaults
}

// repository returns a client of the repository of a reference.
func (c Client) repository(ref Reference) *remote.Repository {
	return &remote.Repository{
		Reference: ref.name,
		PlainHTTP: c.Plain || ref.local(),
		Client: &auth.Client{
			Client: &http.Client{Transport: cmp.Or(c.patience, usual).transport()}, Header: http.Header{"User-Agent": {c.Agent}},
			Cache: auth.NewCache(), ClientID: "xlagate", Credential: c.credential,
		},
	}
}

// patience holds the timeouts and delays of requests.
type patience struct {
	connect time.Duration
	idle    time.Duration // the longest time without a byte sent or received
	first   time.Duration // the delay before the second try; it doubles for each further one
	tries   int
}

var usual = patience{connect: 10 * time.Second, idle: time.Minute, first: 500 * time.Millisecond, tries: 4}

// longestWait bounds the delay that a registry can request before the next try.
const longestWait = 20 * time.Second

func (p patience) transport() http.RoundTripper {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DialContext = (&net.Dialer{Timeout: p.connect}).DialContext
	policy := &retry.GenericPolicy{
		Retryable: retry.DefaultPredicate, Backoff: retry.ExponentialBackoff(p.first, 2, 0.1), MaxWait: longestWait, MaxRetry: p.tries - 1,
	}
	return &retry.Transport{Base: watched{base, p.idle}, Policy: func() retry.Policy { return policy }}
}

// credential returns the credential for a registry: from the files of docker, podman and oras, else the token of a GitHub Actions job
// for GitHub's registry. If there is none it returns no error: many artifacts are public.
func (c Client) credential(ctx context.Context, host string) (auth.Credential, error) {
	for _, path := range c.credentialFiles() {
		store, err := credentials.NewStore(path, credentials.StoreOptions{})
		if err != nil {
			return auth.EmptyCredential, fmt.Errorf("read the credentials in %s: %w", path, err)
		}
		found, err := credentials.Credential(store)(ctx, host)
		if err != nil {
			return auth.EmptyCredential, fmt.Errorf("ask for the credentials that %s names: %w", path, err)
		}
		if found != auth.EmptyCredential {
			return found, nil
		}
	}
	if token := c.env("GITHUB_TOKEN"); token != "" && host == githubRegistry {
		return auth.Credential{Username: cmp.Or(c.env("GITHUB_ACTOR"), "xlagate"), Password: token}, nil
	}
	return auth.EmptyCredential, nil
}

const githubRegistry = "ghcr.io"

// credentialFiles returns the files in which docker, podman and oras store credentials, docker's first. They may be missing.
func (c Client) credentialFiles() []string {
	var files []string
	if dir := c.env("DOCKER_CONFIG"); dir != "" {
		files = append(files, filepath.Join(dir, "config.json"))
	} else if home := c.env("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".docker", "config.json"))
	}
	if file := c.env("REGISTRY_AUTH_FILE"); file != "" {
		files = append(files, file)
	} else if dir := c.env("XDG_RUNTIME_DIR"); dir != "" {
		files = append(files, filepath.Join(dir, "containers", "auth.json"))
	}
	return files
}

func (c Client) env(name string) string {
	if c.Getenv == nil {
		return ""
	}
	return c.Getenv(name)
}

const scheme = "oci://"

// Is reports whether a path is a reference to a registry.
func Is(where string) bool { return strings.HasPrefix(where, scheme) }

// Reference identifies an artifact in a registry by a tag or a digest.
type Reference struct{ name oras.Reference }

// Parse parses oci://REGISTRY/REPOSITORY:TAG or oci://REGISTRY/REPOSITORY@sha256:….
func Parse(where string) (Reference, error) {
	text := strings.TrimPrefix(where, scheme)
	name, err := oras.ParseReference(text)
	if err != nil {
		registry, rest, _ := strings.Cut(text, "/")
		repository, tag, _ := strings.Cut(rest, ":")
		lower := registry + "/" + strings.ToLower(repository) + ":" + tag
		if _, err := oras.ParseReference(lower); err == nil {
			return Reference{}, fmt.Errorf("%q: the names of repositories are in lower case; write %s", where, scheme+lower)
		}
		return Reference{}, fmt.Errorf("%q is not oci://REGISTRY/REPOSITORY:TAG, as in oci://ghcr.io/owner/xlagate:main", where)
	}
	if name.Reference == "" {
		return Reference{}, fmt.Errorf("%q names no tag; write %s:TAG", where, where)
	}
	return Reference{name}, nil
}

// Fixed reports whether the reference has a digest, so that the artifact can never change.
func (r Reference) Fixed() bool {
	_, err := r.name.Digest()
	return err == nil
}

// String returns the reference in the form that Parse reads.
func (r Reference) String() string { return scheme + r.name.String() }

// At returns the reference together with the digest of its artifact.
func (r Reference) At(digest string) string { return r.String() + "@" + digest }

// local reports whether the registry runs on this machine, so that http is safe.
func (r Reference) local() bool {
	host := r.name.Host()
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// The types of the artifacts that xlagate writes, and of the files in them. xlagate also reads artifacts of other types: any
// layer with a title is a file.
const (
	TypeBaseline = "application/vnd.xlagate.baseline.v1"
	TypeDump     = "application/vnd.xlagate.dump.v1"

	mediaBaseline = "application/vnd.xlagate.baseline.v1+" // the file's extension follows
)

// unpack is oras's annotation of a layer that is an archive of a folder.
const unpack = "io.deis.oras.content.unpack"

// Layer is one file of an artifact.
type Layer struct {
	Name   string // with slashes; "" for the only layer of an artifact that gives it no title
	Size   int64
	Unpack bool // the layer is an archive of files

	descriptor ocispec.Descriptor
	open       func() (io.ReadCloser, error) // nil if the registry has it
}

// manifest is the manifest of an artifact.
type manifest struct {
	digest string
	kind   string // the artifact's type
	layers []Layer
}

// readManifest reads a manifest whose digest was verified. It returns an error for file names outside the artifact and for duplicate names.
func readManifest(desc ocispec.Descriptor, data []byte) (*manifest, error) {
	var m struct {
		ocispec.Manifest
		Manifests []ocispec.Descriptor `json:"manifests"`
	}
	switch err := json.Unmarshal(data, &m); {
	case len(m.Manifests) > 0:
		return nil, errors.New("this is an index of several artifacts; name one of them by its digest")
	case err != nil || m.SchemaVersion != 2:
		return nil, fmt.Errorf("this is no artifact: its manifest (%s) is not readable", desc.MediaType)
	}
	out := &manifest{digest: desc.Digest.String(), kind: m.ArtifactType}
	seen := map[string]bool{}
	for _, d := range m.Layers {
		if d.MediaType == ocispec.MediaTypeEmptyJSON {
			continue
		}
		l := Layer{Name: d.Annotations[ocispec.AnnotationTitle], Size: d.Size, Unpack: d.Annotations[unpack] == "true", descriptor: d}
		if err := l.check(len(m.Layers) == 1); err != nil {
			return nil, err
		}
		if seen[l.Name] {
			return nil, fmt.Errorf("two of its layers are called %q", l.Name)
		}
		seen[l.Name] = true
		out.layers = append(out.layers, l)
	}
	return out, nil
}

func (l *Layer) check(only bool) error {
	d := &l.descriptor
	switch {
	case d.Digest.Validate() != nil || d.Size < 0:
		return fmt.Errorf("the layer %q has no valid digest or size", l.Name)
	case l.Name == "" && !only:
		return fmt.Errorf("it has several layers, and %s has no title: it was not made of files (oras push gives them titles)", short(d.Digest.String()))
	case l.Name != "" && (!fs.ValidPath(l.Name) || strings.ContainsAny(l.Name, "\\\x00")):
		return fmt.Errorf("the layer %q has a name that leads out of the artifact", l.Name)
	}
	return nil
}

// empty is the placeholder blob of an absent configuration or layer.
var empty = inMemory("", ocispec.MediaTypeEmptyJSON, []byte("{}"))

// pack returns the manifest of layers, sorted by name. It contains no time, so equal layers have equal manifests.
func pack(kind string, layers []Layer) (ocispec.Descriptor, []byte, error) {
	m := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: kind, Config: empty.descriptor,
	}
	for _, l := range slices.SortedFunc(slices.Values(layers), func(a, b Layer) int { return cmp.Compare(a.Name, b.Name) }) {
		d := l.descriptor
		d.Annotations = map[string]string{ocispec.AnnotationTitle: l.Name}
		if l.Unpack {
			d.Annotations[unpack] = "true"
		}
		m.Layers = append(m.Layers, d)
	}
	if len(m.Layers) == 0 {
		m.Layers = append(m.Layers, empty.descriptor)
	}
	data, err := json.Marshal(m)
	return ocispec.Descriptor{MediaType: m.MediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}, data, err
}

// short returns the beginning of a digest.
func short(digest string) string {
	algorithm, hex, found := strings.Cut(digest, ":")
	if !found {
		return digest
	}
	return algorithm + ":" + hex[:min(12, len(hex))]
}
