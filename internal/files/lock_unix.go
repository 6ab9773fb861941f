//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of an open file, unless another process holds it.
func tryLock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// release removes the file and releases the lock.
func (l *lock) release() error { return errors.Join(os.Remove(l.Name()), l.Close()) }
