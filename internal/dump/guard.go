package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Limit bounds the memory for reading a dump, in bytes; 0 means no bound. A file may be a fraction of it in size, because its parsed form
// takes several times as much. An archive, which is unpacked on disk, may be a multiple.
type Limit int64

// The bounds of a file and of an archive, relative to the limit.
const (
	fileShare      = 4 // a file may hold a quarter of the limit
	archiveContent = 8 // an archive may unpack to eight times the limit
)

// LimitError reports that a file or an archive is larger than its bound.
type LimitError struct {
	What  string // "the file", "the archive"
	Most  int64  // its bound in bytes
	Limit Limit
}

// Error names the bound.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s holds more than %s, the most that is read with %s of memory", e.What, phrase.Bytes(float64(e.Most)), phrase.Bytes(float64(e.Limit)))
}

// Fix names the flag that raises the bound.
func (e *LimitError) Fix() string {
	return "if that is what the run wrote, allow more: --max-memory " + strings.ReplaceAll(phrase.Bytes(4*float64(e.Limit)), " ", "")
}

// Check returns a [LimitError] for a file that is too large.
func (l Limit) Check(size int64) error {
	if most := int64(l) / fileShare; l > 0 && size > most {
		return &LimitError{"the file", most, l}
	}
	return nil
}

// readAll reads r to its end. about is the expected number of bytes.
func (l Limit) readAll(r io.Reader, about int64) ([]byte, error) {
	return l.readInto(new(bytes.Buffer), r, about)
}

// readInto is readAll into a buffer, which it empties first.
func (l Limit) readInto(content *bytes.Buffer, r io.Reader, about int64) ([]byte, error) {
	if err := l.Check(about); err != nil {
		return nil, err
	}
	content.Reset()
	content.Grow(int(about) + bytes.MinRead) // MinRead more, so that the last Read sees the end without growing the buffer
	_, err := content.ReadFrom(l.reading(r))
	return content.Bytes(), err
}

// reading bounds a reader of one file.
func (l Limit) reading(r io.Reader) io.Reader {
	if l <= 0 {
		return r
	}
	return &limitedReader{r, int64(l) / fileShare, &LimitError{"the file", int64(l) / fileShare, l}}
}

// unpacking bounds a reader of an unpacked archive.
func (l Limit) unpacking(r io.Reader) io.Reader {
	if l <= 0 || l > 1<<50 {
		return r
	}
	return &limitedReader{r, archiveContent * int64(l), &LimitError{"the archive", archiveContent * int64(l), l}}
}

// limitedReader fails with an error after the given number of bytes.
type limitedReader struct {
	from io.Reader
	left int64
	err  error
}

// Read fails once it has read more bytes than the bound.
func (r *limitedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > r.left+1 {
		p = p[:r.left+1]
	}
	n, err := r.from.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, r.err
	}
	return n, err
}

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

// Guard calls a function that reads the content of files. Large files are mapped into memory. If one becomes shorter meanwhile, the next read faults, which
// would end the program; Guard returns ErrShrunk instead. Any other panic in read becomes a [Defect]: this file could not be read, the others can.
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
