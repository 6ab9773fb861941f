// Package wire reads protocol buffers without generated code: the wire format, and the text format.
package wire

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/protowire"
)

// mostQuoted bounds the bytes of a message that quotes a file.
const mostQuoted = 400

// Printable replaces a text's control characters and invalid bytes.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != '\n' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Plain makes a message that quotes a file safe to print: it removes control characters and bounds the length.
func Plain(message string) string {
	message = Printable(message)
	if len(message) <= mostQuoted {
		return message
	}
	return strings.ToValidUTF8(message[:mostQuoted], "") + fmt.Sprintf("… (%d bytes)", len(message))
}

// Field is one field of a serialized message.
type Field struct {
	Number int
	Type   protowire.Type
	Value  uint64 // of a varint or a 64-bit field
	Bytes  []byte // the content of a length-delimited field, the encoding of others
}

// ints appends the values of a repeated integer field, packed or not.
func (f Field) ints(list []int64) ([]int64, error) {
	if f.Type != protowire.BytesType {
		return append(list, int64(f.Value)), nil
	}
	for b := f.Bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, cutOff(f.Number, n)
		}
		list, b = append(list, int64(v)), b[n:]
	}
	return list, nil
}

// Fields says where the values of a message's fields go: each field with its number in wire format, its name in text format, and what takes its value.
// That is a pointer to a string, a number, a bool or bytes; a pointer to a list of strings, numbers or bytes, to which the value is appended; the Fields
// of a message; or a function that reads it. Other fields are skipped, and those that have nil.
type Fields []struct {
	Number int
	Name   string
	To     any
}

// Scan reads a serialized message. A function is a func([]byte) error, and gets the content of the field.
func Scan(message []byte, fields Fields) error {
	return (&Reader{binary: true}).fields(message, fields)
}

// each calls do with each field of a serialized message, up to the first error, or to the first byte that is not part of a whole field.
func each(message []byte, do func(Field) error) error {
	for len(message) > 0 {
		var f Field
		n := f.Read(message)
		if n < 0 {
			return cutOff(f.Number, n)
		}
		if err := do(f); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

// Bodies iterates over the length-delimited fields of a serialized message by number, up to the first byte that is of no field. The last may be cut off.
func Bodies(message []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for n := 0; n >= 0 && len(message) > n; {
			message = message[n:]
			var f Field
			if n = f.Read(message); f.Type == protowire.BytesType && !yield(f.Number, f.Bytes) {
				return
			}
		}
	}
}

func cutOff(number, n int) error {
	return fmt.Errorf("not a protocol buffer, or cut off: field %d: %w", number, protowire.ParseError(n))
}

// Read reads the field that a message begins with, and returns its length, or protowire's negative error. A field that is cut off has the bytes that there are.
func (f *Field) Read(message []byte) int {
	if n := f.short(message); n > 0 {
		return n
	}
	number, kind, tag := protowire.ConsumeTag(message)
	if tag < 0 {
		return tag
	}
	f.Number, f.Type = int(number), kind
	value, n := message[tag:], 0
	switch kind {
	case protowire.VarintType:
		f.Value, n = protowire.ConsumeVarint(value)
	case protowire.Fixed64Type:
		f.Value, n = protowire.ConsumeFixed64(value)
	case protowire.BytesType:
		if f.Bytes, n = protowire.ConsumeBytes(value); n < 0 {
			if _, length := protowire.ConsumeVarint(value); length > 0 {
				f.Bytes = value[length:]
			}
		}
	default:
		n = protowire.ConsumeFieldValue(number, kind, value)
	}
	switch {
	case n < 0:
		return n
	case kind != protowire.BytesType:
		f.Bytes = value[:n]
	}
	return tag + n
}

// short reads a field in place: one with a tag of one or two bytes and a number or a length of at most eight bytes, and not at
// the very end of the file. Nearly all are. It returns 0 for others.
func (f *Field) short(message []byte) int {
	const longest = 2 + 8 // a tag and a varint
	if cap(message) < longest {
		return 0
	}
	b := message[:longest] // what is in it behind the message is not used
	tag, start := int(b[0]), 1
	if tag >= 0x80 {
		tag, start = tag&0x7f|int(b[1])<<7, 2
	}
	if tag < 8 || tag >= 0x80<<7 {
		return 0
	}
	f.Number, f.Type = tag>>3, protowire.Type(tag&7)
	size, n := shortVarint(b[start:])
	switch end := start + n; {
	case n == 0 || end > len(message):
	case f.Type == protowire.VarintType:
		f.Value, f.Bytes = size, message[start:end]
		return end
	case f.Type == protowire.BytesType && size <= uint64(len(message)-end):
		f.Bytes = message[end : end+int(size)]
		return end + int(size)
	}
	return 0
}

// shortVarint reads a varint of at most eight bytes, and returns how many it has; 0 for a longer one. Eight bytes follow.
func shortVarint(b []byte) (v uint64, n int) {
	if b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	for n < 8 {
		c := b[n]
		v |= uint64(c&0x7f) << (7 * n)
		if n++; c < 0x80 {
			return v, n
		}
	}
	return 0, 0
}

// First returns the first length-delimited field with a number. ok is false if the message has none that is whole.
func First(message []byte, number int) (content []byte, ok bool) {
	_ = each(message, func(f Field) error {
		if f.Number == number && f.Type == protowire.BytesType {
			content, ok = f.Bytes, true
			return io.EOF
		}
		return nil
	})
	return content, ok
}
