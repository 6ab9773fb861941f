package files

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
)

// lock is a file that one process at a time can lock. The system releases it when the process ends for any reason.
type lock struct{ *os.File }

// Held reports that another process holds a lock.
type Held struct{ Holder string }

// Error returns a message with the holder.
func (h *Held) Error() string { return h.Holder + " is writing there" }

// acquire takes a lock in a folder, or returns [Held]. The root does not follow a link out of the folder, which a repository may hold.
func acquire(root *os.Root, name string) (*lock, error) {
	for {
		f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		held, err := tryLock(f)
		if held {
			holder, _ := root.ReadFile(name) // only for the message
			err = &Held{cmp.Or(strings.TrimSpace(string(holder)), "another process")}
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		mine, err := f.Stat()
		if now, statErr := root.Stat(name); err == nil && statErr == nil && os.SameFile(mine, now) {
			l := &lock{f}
			if err := named(f); err != nil {
				return nil, errors.Join(err, l.release())
			}
			return l, nil
		}
		f.Close() // its last holder removed the file meanwhile
	}
}

// named writes the holder into the lock.
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
