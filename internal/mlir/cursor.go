package mlir

import (
	"encoding/binary"
	"math/bits"
)

// cursor reads the primitives of the bytecode. Past the end it gives zeros and is cut from then on.
type cursor struct {
	data []byte
	cut  bool
}

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.data)) {
		c.data, c.cut = nil, true
		return nil
	}
	taken := c.data[:n]
	c.data = c.data[n:]
	return taken
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

// number reads a number of one to nine bytes: the zeros at the bottom of the first say how many follow it.
func (c *cursor) number() uint64 {
	first := c.byte()
	more := bits.TrailingZeros8(first)
	var wide [8]byte
	if more == 8 {
		copy(wide[:], c.take(8))
		return binary.LittleEndian.Uint64(wide[:])
	}
	wide[0] = first
	copy(wide[1:], c.take(uint64(more)))
	return binary.LittleEndian.Uint64(wide[:]) >> (more + 1)
}

// signed reads a number whose sign is at its bottom.
func (c *cursor) signed() int64 {
	n := c.number()
	return int64(n>>1) ^ -int64(n&1)
}

// flagged reads a number with a flag at its bottom.
func (c *cursor) flagged() (uint64, bool) {
	n := c.number()
	return n >> 1, n&1 == 1
}

// count reads how many elements follow: no more than there are bytes.
func (c *cursor) count() int {
	n := c.number()
	if n > uint64(len(c.data)) {
		c.data, c.cut = nil, true
		return 0
	}
	return int(n)
}

// text reads up to a zero byte.
func (c *cursor) text() string {
	for i, b := range c.data {
		if b == 0 {
			return string(c.take(uint64(i) + 1)[:i])
		}
	}
	c.take(uint64(len(c.data)) + 1)
	return ""
}
