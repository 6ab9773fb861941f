package files

import (
	"errors"
	"io"
	"os"
)

// ErrTooLarge reports that a file has more bytes than are read.
var ErrTooLarge = errors.New("it is too large")

// Read reads a file of at most so many bytes. The size that the system says is not enough: a link may lead to a device, which has none and no end.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, most)
}

// ReadAll reads a stream of at most so many bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, ErrTooLarge
	}
	return data, err
}
