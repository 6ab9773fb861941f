package facts

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/xlagate/xlagate/internal/dump"
)

// hands are what --jobs gives out: whoever works holds one. Modules are read side by side, and those that are free help to
// measure a large one.
type hands struct{ taken chan struct{} }

// newHands gives out so many, one a processor when that is 0.
func newHands(jobs int) *hands {
	return &hands{make(chan struct{}, cmp.Or(max(0, jobs), runtime.GOMAXPROCS(0)))}
}

// take waits for a hand; leave gives it back. Where none are given out, nothing is shared.
func (h *hands) take(ctx context.Context) (leave func(), err error) {
	if h == nil {
		return func() {}, nil
	}
	select {
	case h.taken <- struct{}{}:
		return h.leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *hands) leave() { <-h.taken }

// share calls do(0) to do(n-1). Each hand guards itself against a file that shrinks.
func (h *hands) share(n int, do func(i int)) error {
	if n <= 0 {
		return nil
	}
	var next atomic.Int64
	work := func() error {
		return dump.Guard(func() error {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				do(int(i - 1))
			}
			return nil
		})
	}
	errs := make([]error, n)
	var helpers sync.WaitGroup
	for k := 1; k < n && h.takeFree(); k++ {
		helpers.Go(func() {
			defer h.leave()
			errs[k] = work()
		})
	}
	errs[0] = work()
	helpers.Wait()
	return errors.Join(errs...)
}

func (h *hands) takeFree() bool {
	select {
	case h.taken <- struct{}{}:
		return true
	default:
		return false
	}
}
