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
	copies = max(1, int((size+int64(len(src))/2)/int64(len(src))))
	if err := write(w, src, copies); err != nil {
		return 0, fmt.Errorf("chain %d copies: %w", copies, err)
	}
	return copies, nil
}

var errForm = errors.New("this is no module in the form that XLA writes into a dump")

// suffix is what tells the names of one copy from those of the others.
func suffix(k int) string { return fmt.Sprintf(".k%d", k) }
