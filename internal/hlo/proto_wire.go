package hlo

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The wire types. A field's tag is its number<<3 | its wire type. A known field with an unexpected wire type is skipped like an unknown
// field, as protobuf does.
const (
	wireVarint  = int(protowire.VarintType)
	wireFixed64 = int(protowire.Fixed64Type)
	wireBytes   = int(protowire.BytesType)
	wireFixed32 = int(protowire.Fixed32Type)
)

// maxTag is the highest tag that protobuf allows.
const maxTag = uint64(protowire.MaxValidNumber)<<3 | 7

// fields iterates over the fields of one serialized message. It stops, and sets broken, at the first byte that does not begin a field.
type fields struct {
	src    []byte // up to the end of the message
	at     int
	tag    int    // number<<3 | wire type
	value  uint64 // of a varint or fixed field
	body   Range  // the bytes of its value, without tag and length
	broken brokenness
}

// brokenness is the reason why a message could not be read to its end.
type brokenness uint8

const (
	whole   brokenness = iota
	cutOff             // a field is longer than the rest of its message
	garbage            // no field begins here
)

func fieldsOf(src []byte, r Range) fields {
	return fields{src: src[:r.End], at: int(r.Start)}
}

// next reads one field. It returns false at the end of the message and where it is broken.
func (f *fields) next() bool {
	if f.at >= len(f.src) || f.broken != whole {
		return false
	}
	if f.short() {
		return true
	}
	tag, value, start, end := field(f.src, f.at)
	if tag < 0 {
		f.at = end
		f.fail(brokenness(-tag))
		return false
	}
	f.tag, f.value, f.body, f.at = tag, value, Range{uint32(start), uint32(end)}, end
	return true
}

// short reads one field with a tag of one or two bytes and a number or a length of one byte, as nearly all are. It returns false for others.
func (f *fields) short() bool {
	src, at := f.src, f.at
	if at < 0 || at > len(src)-3 {
		return false
	}
	tag, size, start := int(src[at]), int(src[at+1]), at+2
	if tag >= 0x80 {
		tag, size, start = tag&0x7f|size<<7, int(src[at+2]), at+3
	}
	if size >= 0x80 || uint(tag-8) >= 0x80<<7-8 {
		return false
	}
	switch tag & 7 {
	case wireVarint:
		f.tag, f.value, f.body, f.at = tag, uint64(size), Range{uint32(start - 1), uint32(start)}, start
		return true
	case wireBytes:
		if size <= len(src)-start {
			f.tag, f.value, f.body, f.at = tag, 0, Range{uint32(start), uint32(start + size)}, start+size
			return true
		}
	}
	return false
}

// field reads the field at an offset: its tag, the value of a varint, and the range of the value. For a broken one it returns a negative
// brokenness as the tag and the offset of the break as the end.
func field(src []byte, at int) (tag int, value uint64, start, end int) {
	number, n := varint(src, at)
	if n < 0 {
		return n, 0, at, at
	}
	at += n
	size := uint64(0)
	switch number & 7 {
	case uint64(wireVarint):
		value, n = varint(src, at)
		size = uint64(n)
	case uint64(wireBytes):
		size, n = varint(src, at)
		at += max(n, 0)
	case uint64(wireFixed32):
		size = 4
	case uint64(wireFixed64):
		size = 8
	default: // HLO protos have no groups
		n = -int(garbage)
	}
	switch {
	case n < 0:
		return n, 0, at, at
	case size > uint64(len(src)-at):
		return -int(cutOff), 0, at, at
	case number < 8 || number > maxTag:
		return -int(garbage), 0, at, at
	}
	return int(number), value, at, at + int(size)
}

// varint reads one varint. n is its length in bytes, or a negative brokenness.
func varint(src []byte, at int) (v uint64, n int) {
	if at < len(src) && src[at] < 0x80 {
		return uint64(src[at]), 1
	}
	return longVarint(src, at)
}

func longVarint(src []byte, at int) (v uint64, n int) {
	if at >= 0 && at <= cap(src)-8 { // the bytes behind the message are masked off
		word := binary.LittleEndian.Uint64(src[at : at+8])
		last := ^word & marks
		if n = int(firstMark(last)) + 1; last != 0 && n <= len(src)-at {
			return joinBits(word & (last ^ (last - 1))), n
		}
	}
	v, n = protowire.ConsumeVarint(src[at:])
	switch {
	case n >= 0:
		return v, n
	case errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF):
		return 0, -int(cutOff)
	}
	return 0, -int(garbage)
}

// joinBits removes the highest bits of eight bytes and joins the others.
func joinBits(word uint64) uint64 {
	word &^= marks
	word = word&0x007f007f007f007f | word>>1&0x3f803f803f803f80
	word = word&0x00003fff00003fff | word>>2&0x0fffc0000fffc000
	return word&0x000000000fffffff | word>>4&0x00fffffff0000000
}

// more reports whether a packed field has another number.
func (f *fields) more() bool { return f.at < len(f.src) && f.broken == whole }

// varint reads one number of a packed field.
func (f *fields) varint() uint64 {
	v, n := varint(f.src, f.at)
	if n < 0 {
		f.fail(brokenness(-n))
		return 0
	}
	f.at += n
	return v
}

// fixed32 and fixed64 read the value of a fixed field, or one number of a packed field.
func (f *fields) fixed32() uint32 {
	if len(f.src)-f.at < 4 {
		f.fail(cutOff)
		return 0
	}
	f.at += 4
	return binary.LittleEndian.Uint32(f.src[f.at-4:])
}

func (f *fields) fixed64() uint64 {
	if len(f.src)-f.at < 8 {
		f.fail(cutOff)
		return 0
	}
	f.at += 8
	return binary.LittleEndian.Uint64(f.src[f.at-8:])
}

// fail sets broken to the first reason.
func (f *fields) fail(why brokenness) {
	if f.broken == whole {
		f.broken = why
	}
}

func (f *fields) float32() float32 { return math.Float32frombits(f.fixed32()) }
func (f *fields) float64() float64 { return math.Float64frombits(f.fixed64()) }
