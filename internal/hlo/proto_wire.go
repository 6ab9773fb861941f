package hlo

import (
	"encoding/binary"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/xlagate/xlagate/internal/wire"
)

// The wire types. A field's tag is its number<<3 | its wire type. A known field with an unexpected wire type is skipped like an unknown one, as protobuf does.
const (
	wireVarint  = int(protowire.VarintType)
	wireFixed64 = int(protowire.Fixed64Type)
	wireBytes   = int(protowire.BytesType)
	wireFixed32 = int(protowire.Fixed32Type)
)

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
	tag, value, start, end := field(f.src, f.at)
	f.at = end
	if tag < 0 {
		f.broken = brokenness(-tag)
		return false
	}
	f.tag, f.value, f.body = tag, value, Range{uint32(start), uint32(end)}
	return true
}

// field reads the field at an offset: its tag, the value of a varint, and the range of the value. For a broken one it returns a negative
// brokenness as the tag and the offset as the end. HLO protos have no groups.
func field(src []byte, at int) (tag int, value uint64, start, end int) {
	if tag, start, end = shortField(src, at); tag >= 0 {
		if tag&7 == wireVarint {
			value, _ = varint(src, start)
		}
		return tag, value, start, end
	}
	var f wire.Field
	n := f.Read(src[at:])
	switch {
	case n < 0:
		return -int(whyBroken(n)), 0, at, at
	case f.Type == protowire.StartGroupType:
		return -int(garbage), 0, at, at
	}
	return f.Number<<3 | int(f.Type), f.Value, at + n - len(f.Bytes), at + n
}

// shortField reads a field in place: one with a tag of one or two bytes that is a varint of at most eight bytes, or of a length below 16,384, and not
// at the very end of the file. Nearly all are. For others, and for what is no field, it returns a negative tag.
func shortField(src []byte, at int) (tag, start, end int) {
	const longest = 2 + 8 // a tag and a varint
	if at < 0 || at > cap(src)-longest {
		return -1, 0, 0
	}
	b := src[at : at+longest] // what is in it behind the message is not used
	tag, start = int(b[0]), 1
	if tag >= 0x80 {
		tag, start = tag&0x7f|int(b[1])<<7, 2
	}
	if tag&7 == wireVarint {
		last := ^binary.LittleEndian.Uint64(b[start:start+8]) & marks
		if end = start + 1 + int(firstMark(last)); last == 0 {
			return -1, 0, 0
		}
	} else {
		size := int(b[start])
		if start++; size >= 0x80 {
			size, start = size&0x7f|int(b[start])<<7, start+1
		}
		if end = start + size; size >= 0x80<<7 || tag&7 != wireBytes {
			return -1, 0, 0
		}
	}
	if at+end > len(src) || uint(tag-8) >= 0x80<<7-8 {
		return -1, 0, 0
	}
	return tag, at + start, at + end
}

// whyBroken returns the reason for an error of protowire.
func whyBroken(n int) brokenness {
	if errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		return cutOff
	}
	return garbage
}

// varint reads one varint. n is its length in bytes, or a negative brokenness.
func varint(src []byte, at int) (v uint64, n int) {
	if at < len(src) && src[at] < 0x80 {
		return uint64(src[at]), 1
	}
	if v, n = protowire.ConsumeVarint(src[at:]); n < 0 {
		return 0, -int(whyBroken(n))
	}
	return v, n
}

// more reports whether a packed field has another number.
func (f *fields) more() bool { return f.at < len(f.src) && f.broken == whole }

// varint reads one number of a packed field.
func (f *fields) varint() uint64 {
	v, n := varint(f.src, f.at)
	if n < 0 {
		f.broken = brokenness(-n)
		return 0
	}
	f.at += n
	return v
}
