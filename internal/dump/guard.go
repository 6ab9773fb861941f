package dump

import (
	"errors"
	"runtime/debug"
)

// ErrShrunk says that a file lost bytes while it was read.
var ErrShrunk = errors.New("the file became shorter while it was read: another process is writing it")

// Guard runs what reads the content of files. A large file is mapped into memory; where it becomes shorter meanwhile, the system
// answers the next read with a fault, which ends the whole program unless it is turned into ErrShrunk, as here. Whatever else goes wrong in
// it is a [defect.Defect]: this file could not be looked at, the others can.
func Guard(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr
		}:
			err = ErrShrunk
		default:
			err = Caught(failure)
		}
	}()
	return read()
}
