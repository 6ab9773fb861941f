// Package registry keeps dumps and baselines in OCI registries. It alone speaks with them.
package registry

import (
	"cmp"
	"net/http"

	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// Client reads and writes artifacts in registries.
type Client struct {
	Cache  string // the folder that keeps what was pulled, by digest; "" keeps nothing
	Plain  bool   // speak http, not https, with registries on other machines too
	Agent  string // what requests say they come from
	Getenv func(string) string

	patience patience // zero: the usual
}

// repository is a connection to the repository of a reference.
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
