package dump

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
)

// DefectFix is the fix that is printed for a Defect.
const DefectFix = "this is a defect of xlagate and not of the model: please report it, with the file; until it is fixed, leave the program out with programs.exclude"

const home = "github.com/xlagate/xlagate/"

// Defect is a panic that was caught.
type Defect struct {
	What any    // the value of the panic
	At   string // package, file and line: "internal/facts/loops.go:114"
}

// Error reports that xlagate failed, and where.
func (d *Defect) Error() string {
	what := strings.TrimPrefix(fmt.Sprint(d.What), "runtime error: ")
	return fmt.Sprintf("xlagate itself failed (%s, at %s)", what, d.At)
}

// Caught returns the defect for a value from recover. The deferred function must call it.
func Caught(failure any) *Defect {
	if d, ok := failure.(*Defect); ok { // raised again after a panic in another goroutine
		return d
	}
	return &Defect{What: failure, At: broken()}
}

// broken returns the innermost frame of xlagate's own code below the panic.
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
	return "an unknown place"
}

// ErrShrunk reports that a file became shorter while it was read.
var ErrShrunk = errors.New("the file became shorter while it was read: another process is writing it")

// Guard calls a function that reads the content of files. Large files are mapped into memory. If one becomes shorter meanwhile, the next read
// faults, which would end the program; Guard returns ErrShrunk instead. Any other panic in
// read becomes a [Defect]: this file could not be read, the others can.
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
