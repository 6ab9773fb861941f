// Package registry stores dumps and baselines in OCI registries. No other package accesses them.
package registry

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

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
