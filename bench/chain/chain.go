// Package chain makes large modules for benchmarks out of real ones: as if so many steps of a training loop were unrolled into one
// program. XLA's own parser and verifier accept what it makes.
package chain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Write writes a module of about size bytes, made of copies of the one in src, HLO text or a serialized HloProto, and says of how
// many. Every copy has all the computations of the original; the entry computations are chained: what one returns, the next takes.
func Write(w io.Writer, src []byte, size int64) (copies int, err error) {
	write := writeProto
	if bytes.HasPrefix(src, []byte("HloModule ")) {
		write = writeText
	}
	if copies, err = copiesFor(write, src, size); err != nil {
		return 0, err
	}
	if err := write(w, src, copies); err != nil {
		return 0, fmt.Errorf("chain %d copies: %w", copies, err)
	}
	return copies, nil
}

// copiesFor is how many copies come nearest to a size. All copies are of one size, but for the first and for the numbers in them.
func copiesFor(write func(io.Writer, []byte, int) error, src []byte, size int64) (int, error) {
	const few = 4
	var one, more counter
	if err := errors.Join(write(&one, src, 1), write(&more, src, few)); err != nil {
		return 0, fmt.Errorf("chain a few copies: %w", err)
	}
	each := (more - one) / (few - 1)
	return 1 + max(0, int((size-int64(one)+int64(each)/2)/int64(each))), nil
}

// counter counts the bytes that are written to it.
type counter int64

// Write counts, and keeps nothing.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

var errForm = errors.New("this is no module in the form that XLA writes into a dump")

// suffix is what tells the names of one copy from those of the others: as long for the first as for the last.
func suffix(k int) string { return fmt.Sprintf(".k%04d", k) }
