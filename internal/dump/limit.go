package dump

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/xlagate/xlagate/internal/phrase"
)

// Limit is how much memory reading a dump may take, in bytes; 0 for any amount. A file may hold a part of it, because what is made of
// its content takes several times as much, and what an archive unpacks to, on disk, a multiple.
type Limit int64

// The shares of the limit.
const (
	fileShare      = 4 // a file may hold a quarter of the limit
	archiveContent = 8 // an archive may unpack to eight times the limit
)

// LimitError says that a file holds more than it may.
type LimitError struct {
	What  string // "the file", "the archive"
	Most  int64  // the bytes that it may hold
	Limit Limit
}

// Error says how much is too much.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s holds more than %s, the most that is read with %s of memory", e.What, phrase.Bytes(float64(e.Most)), phrase.Bytes(float64(e.Limit)))
}

// Fix names the flag that allows more.
func (e *LimitError) Fix() string {
	return "if that is what the run wrote, allow more: --max-memory " + strings.ReplaceAll(phrase.Bytes(4*float64(e.Limit)), " ", "")
}

// Check refuses a file of too many bytes.
func (l Limit) Check(size int64) error {
	if most := int64(l) / fileShare; l > 0 && size > most {
		return &LimitError{"the file", most, l}
	}
	return nil
}

// readAll reads all content of a file, of about so many bytes.
func (l Limit) readAll(r io.Reader, about int64) ([]byte, error) {
	if err := l.Check(about); err != nil {
		return nil, err
	}
	content := bytes.NewBuffer(make([]byte, 0, about+bytes.MinRead)) // room to see that the file ends there
	_, err := content.ReadFrom(l.reading(r))
	return content.Bytes(), err
}

// reading reads what a file holds.
func (l Limit) reading(r io.Reader) io.Reader {
	if l <= 0 {
		return r
	}
	return &limitedReader{r, int64(l) / fileShare, &LimitError{"the file", int64(l) / fileShare, l}}
}

// unpacking reads what an archive unpacks to.
func (l Limit) unpacking(r io.Reader) io.Reader {
	if l <= 0 || l > 1<<50 {
		return r
	}
	return &limitedReader{r, archiveContent * int64(l), &LimitError{"the archive", archiveContent * int64(l), l}}
}

// limitedReader fails with an error where more than so many bytes are read.
type limitedReader struct {
	from io.Reader
	left int64
	err  error
}

// Read reads on until there is more than there may be.
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
