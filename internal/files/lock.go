package files

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
)

// lock is a file that one process at a time holds. The system frees it when the process ends, however that is.
type lock struct{ *os.File }

// Held says that another process holds a lock.
type Held struct{ Holder string }

// Error names the holder.
func (h *Held) Error() string { return h.Holder + " is writing there" }

// acquire takes a lock, or fails with [Held].
func acquire(path string) (*lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		held, err := tryLock(f)
		if held {
			holder, _ := os.ReadFile(path) // who it is matters less than that there is one
			err = &Held{cmp.Or(strings.TrimSpace(string(holder)), "another process")}
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		mine, err := f.Stat()
		if now, statErr := os.Stat(path); err == nil && statErr == nil && os.SameFile(mine, now) {
			l := &lock{f}
			if err := named(f); err != nil {
				return nil, errors.Join(err, l.release())
			}
			return l, nil
		}
		f.Close() // its last holder removed it meanwhile
	}
}

// named writes into the lock who holds it.
func named(f *os.File) error {
	host, err := os.Hostname()
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "process %d on %s\n", os.Getpid(), host)
	}
	return err
}
