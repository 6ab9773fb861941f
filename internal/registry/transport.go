package registry

import (
	"net"
	"net/http"
	"time"

	"oras.land/oras-go/v2/registry/remote/retry"
)

// patience says how long a registry is waited for.
type patience struct {
	connect time.Duration
	idle    time.Duration // with nothing sent or received
	first   time.Duration // before the second try; each further one waits twice as long
	tries   int
}

var usual = patience{connect: 10 * time.Second, idle: time.Minute, first: 500 * time.Millisecond, tries: 4}

// longestWait bounds what a registry can ask for before the next try.
const longestWait = 20 * time.Second

func (p patience) transport() http.RoundTripper {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DialContext = (&net.Dialer{Timeout: p.connect}).DialContext
	policy := &retry.GenericPolicy{
		Retryable: retry.DefaultPredicate, Backoff: retry.ExponentialBackoff(p.first, 2, 0.1), MaxWait: longestWait, MaxRetry: p.tries - 1,
	}
	return &retry.Transport{Base: watched{base, p.idle}, Policy: func() retry.Policy { return policy }}
}
