package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/xlagate/xlagate/internal/dump"
	amounts "github.com/xlagate/xlagate/internal/phrase"
)

// The memory that reading a file takes, as a multiple of its content: the content, the module and what is computed of it. Measured on real
// modules of 9 and 24 MB: 2.3 to 2.9 times a text, 3.4 times a proto.
const (
	textWeight  = 3
	protoWeight = 4
	otherWeight = 2 // of a companion file
)

// baseMemory is the memory of the program before it reads anything.
const baseMemory = 32 << 20

// weight estimates the memory that reading a file takes.
func weight(f *dump.File) int64 {
	size := f.ContentSize()
	switch f.Kind {
	case dump.KindHLOText:
		return textWeight * size
	case dump.KindHLOProto:
		return protoWeight * size
	}
	return otherWeight * size
}

// moduleWeight estimates the memory that a module takes. Its files are read one after the other.
func moduleWeight(m *dump.Module) int64 {
	var most int64
	for i := range m.Stages {
		most = max(most, stageWeight(&m.Stages[i]))
	}
	for _, f := range m.Companions {
		most = max(most, weight(f))
	}
	return most
}

// stageWeight estimates the memory that reading a stage takes; 0 for one that was only drawn.
func stageWeight(s *dump.Stage) int64 {
	if f := s.HLO(); f != nil {
		return weight(f)
	}
	return 0
}

// memoryLimit bounds the memory of modules that are read at the same time.
type memoryLimit struct {
	weights *semaphore.Weighted
	size    int64
}

// newMemoryLimit returns what a limit leaves to modules; nil where there is no limit.
func newMemoryLimit(limit int64) *memoryLimit {
	if limit <= 0 {
		return nil
	}
	size := max(limit-baseMemory, 1)
	return &memoryLimit{semaphore.NewWeighted(size), size}
}

// acquire waits until a unit fits. A unit above the limit runs alone.
func (m *memoryLimit) acquire(ctx context.Context, weight int64) (release func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	weight = min(weight, m.size)
	if err := m.weights.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { m.weights.Release(weight) }, nil
}

// exceeded names the largest unit above the limit, which is read all the same; "" when all fit.
func (m *memoryLimit) exceeded(work []unit, limit int64) string {
	var largest unit
	n := 0
	for _, u := range work {
		if m == nil || u.weight <= m.size {
			continue
		}
		if n++; u.weight > largest.weight {
			largest = u
		}
	}
	if n == 0 {
		return ""
	}
	others := ""
	if n > 1 {
		others = fmt.Sprintf(", like %d more", n-1)
	}
	return fmt.Sprintf("%s takes about %s to read, more than the %s that were given: it is read by itself%s",
		largest.name, amounts.Bytes(float64(largest.weight+baseMemory)), amounts.Bytes(float64(limit)), others)
}

// workers is a semaphore with --jobs slots. Modules are read at the same time, and free slots help to measure a large one.
type workers struct{ slots chan struct{} }

// newWorkers makes so many slots, one a processor when jobs is 0.
func newWorkers(jobs int) *workers {
	return &workers{make(chan struct{}, cmp.Or(max(0, jobs), runtime.GOMAXPROCS(0)))}
}

// acquire waits for a slot, which release gives back. A nil semaphore has no limit.
func (w *workers) acquire(ctx context.Context) (release func(), err error) {
	if w == nil {
		return func() {}, nil
	}
	select {
	case w.slots <- struct{}{}:
		return w.release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *workers) release() { <-w.slots }

// forEach calls do(0) to do(n-1) in this goroutine and in as many others as there are free slots. Each is guarded against a file that
// shrinks.
func (w *workers) forEach(n int, do func(i int)) error {
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
	for k := 1; k < n && w.tryAcquire(); k++ {
		helpers.Go(func() {
			defer w.release()
			errs[k] = work()
		})
	}
	errs[0] = work()
	helpers.Wait()
	return errors.Join(errs...)
}

func (w *workers) tryAcquire() bool {
	select {
	case w.slots <- struct{}{}:
		return true
	default:
		return false
	}
}
