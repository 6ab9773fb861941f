package dump

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
)

// DefectFix is what can be done about a Defect.
const DefectFix = "this is a defect of xlagate and not of the model: please report it, with the file; until it is fixed, leave the program out with programs.exclude"

const home = "github.com/xlagate/xlagate/"

// Defect is a panic that was caught.
type Defect struct {
	What any    // what was panicked with
	At   string // package, file and line: "internal/facts/loops.go:114"
}

// Error says that xlagate failed, and where.
func (d *Defect) Error() string {
	what := strings.TrimPrefix(fmt.Sprint(d.What), "runtime error: ")
	return fmt.Sprintf("xlagate itself failed (%s, at %s)", what, d.At)
}

// Caught is the defect behind what recover returned. To be called by the function that was deferred.
func Caught(failure any) *Defect {
	if d, ok := failure.(*Defect); ok { // thrown on by another goroutine
		return d
	}
	return &Defect{What: failure, At: broken()}
}

// broken is the innermost place in xlagate's own code, below the panic.
func broken() string {
	calls := make([]uintptr, 64)
	frames := runtime.CallersFrames(calls[:runtime.Callers(1, calls)])
	panicked := false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == "runtime.gopanic" {
			panicked = true
		}
		if name, own := strings.CutPrefix(f.Function, home); own && panicked {
			pkg, _, _ := strings.Cut(path.Base(name), ".")
			return fmt.Sprintf("%s:%d", path.Join(path.Dir(name), pkg, path.Base(f.File)), f.Line)
		}
	}
	return "a place that is not known"
}

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
