package fuzztest

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
)

// field is a field of a message in wire format.
type field struct {
	tag     uint64
	content []byte // behind the tag; of a length-delimited field, behind the length
}

// delimited is the wire type of a field with a length before it: text, bytes, a message.
const delimited = 2

// fields splits a message; nil for what is none.
func fields(message []byte) []field {
	var list []field
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 || tag < 8 {
			return nil
		}
		message = message[n:]
		size := 0
		switch tag & 7 {
		case 0:
			_, size = binary.Uvarint(message)
		case 1:
			size = 8
		case delimited:
			length, n := binary.Uvarint(message)
			if n <= 0 || length > uint64(len(message)-n) {
				return nil
			}
			message, size = message[n:], int(length)
		case 5:
			size = 4
		default:
			return nil
		}
		if size < 0 || size > len(message) || size == 0 && tag&7 != delimited {
			return nil
		}
		list = append(list, field{tag, message[:size]})
		message = message[size:]
	}
	return list
}

func (f field) bytes() []byte {
	out := binary.AppendUvarint(nil, f.tag)
	if f.tag&7 == delimited {
		out = binary.AppendUvarint(out, uint64(len(f.content)))
	}
	return append(out, f.content...)
}

// Proto edits a message in wire format, at any depth: its fields as [Text] does lines, its numbers, texts and lengths. What is no message is
// edited as bytes.
func Proto(r *rand.Rand, data []byte) []byte {
	list := fields(data)
	if len(list) == 0 {
		return Blocks(16)(r, data)
	}
	i := r.IntN(len(list))
	f := &list[i]
	switch {
	case f.tag&7 == delimited && r.IntN(5) > 0: // most fields lie deep
		if len(fields(f.content)) > 0 {
			f.content = Proto(r, f.content)
		} else {
			f.content = value(r, f.content)
		}
	case f.tag&7 == 0 && r.IntN(2) == 0:
		f.content = binary.AppendUvarint(nil, []uint64{0, 1, 127, 128, math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64, r.Uint64()}[r.IntN(9)])
	case r.IntN(6) == 0:
		f.tag = uint64(r.IntN(64))<<3 | f.tag&7
	case r.IntN(8) == 0: // a wrong length
		whole := f.bytes()
		return slices.Concat(join(list[:i]), whole[:r.IntN(len(whole))], join(list[i+1:]))
	default:
		parts := make([][]byte, len(list))
		for i, f := range list {
			parts[i] = f.bytes()
		}
		return bytes.Join(shuffled(r, parts), nil)
	}
	return join(list)
}

// value edits a text, or bytes that are no message.
func value(r *rand.Rand, content []byte) []byte {
	if r.IntN(2) == 0 {
		return Text(r, content)
	}
	return Blocks(4)(r, content)
}

func join(list []field) []byte {
	var out []byte
	for _, f := range list {
		out = append(out, f.bytes()...)
	}
	return out
}
