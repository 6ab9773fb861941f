package registry

import (
	"strings"
	"testing"
)

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

// The token of a job goes to GitHub's own registry and nowhere else, and not over what somebody logged in with.
// A helper program that docker's configuration names is asked.
// cutOff promises more than it sends.
// Elsewhere than on this machine nothing goes over plain http that was not asked for.
