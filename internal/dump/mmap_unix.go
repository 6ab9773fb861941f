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

// mapFile maps a whole file into memory, for reading.
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

// A large file is forgotten again and again while it is read, when much of it is in memory.
const (
	forgetFrom  = 64 << 20
	lookEvery   = 10 * time.Millisecond
	forgetAbove = 32 << 20 // how much of files is in memory then, the program itself among them
)

// forget gives the memory of a mapped file back to the system every so often: most of a file is read once, from its beginning to its
// end, and need not stay in the program's memory beside what is made of it. What is read again comes from the system's cache. It goes
// on until stop, which returns when it is over.
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
				return // a system that does not know how
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-over
	})
}

// resident is how much of files the program has in memory; where the system does not tell, more than any has. To forget what was not
// read is to read again what is still needed.
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
