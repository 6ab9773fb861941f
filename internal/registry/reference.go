package registry

import (
	"fmt"
	"net"
	"strings"

	oras "oras.land/oras-go/v2/registry"
)

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
