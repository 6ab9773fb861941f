package artifacts

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a serialized message.
type field struct {
	num   protowire.Number
	typ   protowire.Type
	value uint64 // of a varint or fixed field
	bytes []byte // of a length-delimited one
}

func (f field) int() int64 { return int64(f.value) }

func (f field) bool() bool { return f.value != 0 }

// message calls f for every field of a serialized message.
func message(data []byte, f func(field) error) error {
	for len(data) > 0 {
		num, typ, n := consumeTag(data)
		if n < 0 {
			return fmt.Errorf("the file is no protocol buffer, or was cut off: %w", protowire.ParseError(n))
		}
		data = data[n:]
		fd := field{num: num, typ: typ}
		switch typ {
		case protowire.VarintType:
			fd.value, n = consumeVarint(data)
		case protowire.BytesType:
			fd.bytes, n = consumeBytes(data)
		case protowire.Fixed64Type:
			fd.value, n = protowire.ConsumeFixed64(data)
		default:
			n = protowire.ConsumeFieldValue(num, typ, data)
		}
		if n < 0 {
			return fmt.Errorf("field %d ends too early, the file was cut off: %w", num, protowire.ParseError(n))
		}
		data = data[n:]
		if err := f(fd); err != nil {
			return err
		}
	}
	return nil
}

// The following are protowire's functions of the same names, with a short cut for what a module holds by the million: tags of one
// byte or two, numbers and lengths of one.

func consumeTag(b []byte) (protowire.Number, protowire.Type, int) {
	switch {
	case b[0] >= 1<<3 && b[0] < 0x80:
		return protowire.Number(b[0] >> 3), protowire.Type(b[0] & 7), 1
	case b[0] >= 0x80 && len(b) > 1 && b[1] > 0 && b[1] < 0x80:
		return protowire.Number(b[0]&0x7f>>3) | protowire.Number(b[1])<<4, protowire.Type(b[0] & 7), 2
	}
	return protowire.ConsumeTag(b)
}

func consumeVarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return protowire.ConsumeVarint(b)
}

func consumeBytes(b []byte) ([]byte, int) {
	if len(b) > 0 && b[0] < 0x80 && int(b[0]) < len(b) {
		return b[1 : 1+int(b[0])], 1 + int(b[0])
	}
	return protowire.ConsumeBytes(b)
}

// ints appends a repeated integer field, packed or not.
func (f field) ints(list []int64) ([]int64, error) {
	if f.typ != protowire.BytesType {
		return append(list, f.int()), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, fmt.Errorf("field %d holds a broken list: %w", f.num, protowire.ParseError(n))
		}
		list, b = append(list, int64(v)), b[n:]
	}
	return list, nil
}
