package companion

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
		num, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("the file is no protocol buffer, or was cut off: %w", protowire.ParseError(n))
		}
		data = data[n:]
		fd := field{num: num, typ: typ}
		switch typ {
		case protowire.VarintType:
			fd.value, n = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			fd.bytes, n = protowire.ConsumeBytes(data)
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
