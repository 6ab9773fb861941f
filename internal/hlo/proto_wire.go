package hlo

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The wire types, short, for tags: a field's tag is its number<<3 | its wire type. A known field with another wire type is
// skipped like an unknown one, as protobuf itself does.
const (
	wireVarint  = int(protowire.VarintType)
	wireFixed64 = int(protowire.Fixed64Type)
	wireBytes   = int(protowire.BytesType)
	wireFixed32 = int(protowire.Fixed32Type)
)

// maxTag keeps field numbers inside protobuf's own limit.
const maxTag = uint64(protowire.MaxValidNumber)<<3 | 7

// fields walks the fields of one serialized message. It stops at the first byte that is no field and says so in broken.
type fields struct {
	src    []byte // up to the end of the message
	at     int
	tag    int    // number<<3 | wire type
	value  uint64 // of a varint or fixed field
	body   Range  // the bytes of its value, without tag and length
	broken brokenness
}

// brokenness says why a message could not be walked to its end.
type brokenness uint8

const (
	whole   brokenness = iota
	cutOff             // a field announces more bytes than its message has
	garbage            // no field starts here
)

func fieldsOf(src []byte, r Range) fields {
	return fields{src: src[:r.End], at: int(r.Start)}
}

// next reads one field. At the end of the message, or where it is broken, it returns false.
func (f *fields) next() bool {
	if f.at >= len(f.src) {
		return false
	}
	tag, size := f.readTag(), uint64(0)
	f.tag, f.body.Start = int(tag), uint32(f.at)
	switch tag & 7 {
	case uint64(wireVarint):
		f.value = f.varint()
	case uint64(wireBytes):
		size = f.varint()
		f.body.Start = uint32(f.at)
	case uint64(wireFixed32):
		size = 4
	case uint64(wireFixed64):
		size = 8
	default: // groups were never used in an HLO proto
		f.fail(garbage)
	}
	if size > uint64(len(f.src)-f.at) {
		f.fail(cutOff)
	}
	if f.broken != whole || tag < 8 || tag > maxTag {
		f.fail(garbage)
		return false
	}
	f.at += int(size)
	f.body.End = uint32(f.at)
	return true
}

// readTag reads a tag; those of the fields below 16 have one byte, nearly all others two.
func (f *fields) readTag() uint64 {
	if b := f.src[f.at]; b < 0x80 {
		f.at++
		return uint64(b)
	}
	return f.longVarint()
}

// more tells whether a packed field holds another number.
func (f *fields) more() bool { return f.at < len(f.src) && f.broken == whole }

// varint reads one varint; nearly all are of one byte.
func (f *fields) varint() uint64 {
	if f.at < len(f.src) && f.src[f.at] < 0x80 {
		f.at++
		return uint64(f.src[f.at-1])
	}
	return f.longVarint()
}

func (f *fields) longVarint() uint64 {
	if f.at+1 < len(f.src) && f.src[f.at+1] < 0x80 {
		f.at += 2
		return uint64(f.src[f.at-2]&0x7f) | uint64(f.src[f.at-1])<<7
	}
	v, n := protowire.ConsumeVarint(f.src[f.at:])
	if n >= 0 {
		f.at += n
		return v
	}
	if errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		f.fail(cutOff)
	}
	f.fail(garbage)
	return 0
}

// fixed32 and fixed64 read what next found under a fixed tag, or one number of a packed field.
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

// fail keeps the first reason only.
func (f *fields) fail(why brokenness) {
	if f.broken == whole {
		f.broken = why
	}
}

func (f *fields) float32() float32 { return math.Float32frombits(f.fixed32()) }
func (f *fields) float64() float64 { return math.Float64frombits(f.fixed64()) }
