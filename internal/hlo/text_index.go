package hlo

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// rangeIndex maps spellings to numbers. The spellings stay in the text: a hash table with open addressing over byte ranges.
type rangeIndex struct {
	slots []rangeSlot // a power of two, at most half of them in use
	used  int
}

// rangeSlot is free when its range is empty.
type rangeSlot struct {
	at    Range
	hash  uint32
	value int32
}

const minSlots = 64

// reset empties the index and keeps its memory.
func (x *rangeIndex) reset() {
	if x.slots == nil {
		x.slots = make([]rangeSlot, minSlots)
	}
	x.slots, x.used = x.slots[:minSlots], 0
	clear(x.slots)
}

// find returns the number of the spelling at r, -1 when there is none.
func (x *rangeIndex) find(t text, r Range, hash uint32) int32 {
	mask := uint32(len(x.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &x.slots[i]
		if s.at.End == 0 {
			return -1
		}
		if s.hash == hash && string(t[s.at.Start:s.at.End]) == string(t[r.Start:r.End]) {
			return s.value
		}
	}
}

// add enters a spelling; it returns false when the index has it already.
func (x *rangeIndex) add(t text, r Range, hash uint32, value int32) bool {
	if x.used++; 2*x.used > len(x.slots) {
		x.grow()
	}
	mask := uint32(len(x.slots) - 1)
	i := hash & mask
	for ; x.slots[i].at.End != 0; i = (i + 1) & mask {
		s := &x.slots[i]
		if s.hash == hash && string(t[s.at.Start:s.at.End]) == string(t[r.Start:r.End]) {
			return false
		}
	}
	x.slots[i] = rangeSlot{r, hash, value}
	return true
}

func (x *rangeIndex) put(s rangeSlot) {
	mask := uint32(len(x.slots) - 1)
	i := s.hash & mask
	for x.slots[i].at.End != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

func (x *rangeIndex) grow() {
	old, n := x.slots, 4*len(x.slots)
	if n <= cap(x.slots) {
		old, x.slots = slices.Clone(old), x.slots[:n]
		clear(x.slots)
	} else {
		x.slots = make([]rangeSlot, n)
	}
	for _, s := range old {
		if s.at.End != 0 {
			x.put(s)
		}
	}
}

// hash mixes the bytes of a range, sixteen at a time; the last ones may be mixed in twice.
func (t text) hash(r Range) uint32 {
	const odd, prime = 0x9E3779B97F4A7C15, 0xC4CEB9FE1A85EC53
	i, end := int(r.Start), int(r.End)
	h := uint64(end-i) * prime
	for ; i+16 <= end; i += 16 {
		high, low := bits.Mul64(binary.LittleEndian.Uint64(t[i:])^odd, binary.LittleEndian.Uint64(t[i+8:])^h)
		h = high ^ low
	}
	var first, last uint64
	switch {
	case end-i >= 8:
		first, last = binary.LittleEndian.Uint64(t[i:]), binary.LittleEndian.Uint64(t[end-8:])
	case i < end:
		first = t.tail(i, end)
	}
	high, low := bits.Mul64(first^odd, last^h)
	return uint32(high ^ low ^ low>>32)
}

// tail reads up to seven bytes as one number.
func (t text) tail(i, end int) uint64 {
	if i+8 <= len(t) {
		return binary.LittleEndian.Uint64(t[i:]) & (1<<(8*(end-i)) - 1)
	}
	var v uint64
	for ; end > i; end-- {
		v = v<<8 | uint64(t[end-1])
	}
	return v
}
