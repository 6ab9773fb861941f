package facts

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
)

// Everything that is shared out is done once, by no more hands than there are, however many share at the same time.
func TestHandsShare(t *testing.T) {
	h := newWorkers(3)
	done := make([]atomic.Int32, 400)
	var busy, most atomic.Int32
	finished := make(chan error)
	for k := range 4 {
		go func() {
			leave, err := h.acquire(context.Background())
			if err != nil {
				finished <- err
				return
			}
			defer func() { leave(); finished <- err }()
			err = h.forEach(100, func(i int) {
				for n := busy.Add(1); n > most.Load(); {
					most.Store(n)
				}
				done[100*k+i].Add(1)
				busy.Add(-1)
			})
		}()
	}
	for range 4 {
		if err := <-finished; err != nil {
			t.Error(err)
		}
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Fatalf("piece %d was done %d times", i, n)
		}
	}
	if n := most.Load(); n > 3 {
		t.Errorf("%d hands worked at once, of 3", n)
	}
	if n := len(h.slots); n != 0 {
		t.Errorf("%d hands were not given back", n)
	}
}

// A large module of one computation has one part: there is nothing to put together.
func TestHandsShareNothing(t *testing.T) {
	if err := newWorkers(2).forEach(0, func(int) { t.Error("something was done") }); err != nil {
		t.Error(err)
	}
}

// fault is like what the runtime panics with when a mapped file lacks bytes.
type fault struct{ error }

func (fault) Addr() uintptr { return 0 }

// A fault in any hand, as of a file that shrinks, is the error of the reading.
func TestHandsFault(t *testing.T) {
	h := newWorkers(4)
	err := h.forEach(4, func(i int) {
		if i == 2 {
			panic(fault{errors.New("fault")})
		}
	})
	if !errors.Is(err, dump.ErrShrunk) {
		t.Errorf("the error is %v", err)
	}
}

// Who waits for a hand is let go when the run is interrupted.
func TestHandsInterrupted(t *testing.T) {
	h := newWorkers(1)
	if _, err := h.acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
