//go:build unix

package dump

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mapFile maps a whole file into memory, read-only.
func mapFile(f *os.File, size int64) ([]byte, func() error, error) {
	if int64(int(size)) != size {
		return nil, nil, syscall.EFBIG
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	stop := func() {}
	if size >= forgetFrom {
		stop = forget(data)
	}
	return data, func() error {
		stop()
		return unix.Munmap(data)
	}, nil
}

// How often, and above which amount, forget releases the pages of a large file while it is read.
const (
	forgetFrom  = 16 << 20
	lookEvery   = 30 * time.Millisecond
	forgetAbove = 32 << 20 // bytes of mapped files in memory, the program's own included
)

// forget periodically releases the pages of a mapped file: most of a file is read once, from its beginning to its end, and need not stay in memory beside its
// parsed form. A page that is read again comes from the system's cache. forget runs until stop is called; stop waits for it to end.
func forget(data []byte) (stop func()) {
	quit, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			if resident() < forgetAbove {
				continue
			}
			if err := unix.Madvise(data, unix.MADV_DONTNEED); err != nil && !errors.Is(err, unix.EAGAIN) {
				return // the system does not support it
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-over
	})
}

// resident returns the bytes of mapped files in the program's memory; more than any program has, if the system does not report them. Releasing pages of a file
// that is small in memory gains little and makes the system read them again.
func resident() int64 {
	stat, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return math.MaxInt64
	}
	var size, all, shared int64
	if _, err := fmt.Sscan(string(stat), &size, &all, &shared); err != nil {
		return math.MaxInt64
	}
	return shared * int64(os.Getpagesize())
}
