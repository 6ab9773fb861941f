package chain

import (
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a serialized message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	raw    []byte // with tag and length
	body   []byte // of a message or string
	value  uint64 // of a varint
}

// fieldsOf cuts a message into its fields.
func fieldsOf(message []byte) ([]field, error) {
	var fields []field
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, fmt.Errorf("%w: %w", errForm, protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(number, kind, message[n:])
		if size < 0 {
			return nil, fmt.Errorf("%w: %w", errForm, protowire.ParseError(size))
		}
		f := field{number: number, kind: kind, raw: message[:n+size]}
		switch kind {
		case protowire.BytesType:
			f.body, _ = protowire.ConsumeBytes(message[n:])
		case protowire.VarintType:
			f.value, _ = protowire.ConsumeVarint(message[n:])
		}
		fields = append(fields, f)
		message = message[n+size:]
	}
	return fields, nil
}

// numbers are the values of a repeated number, packed or not.
func (f field) numbers() []int64 {
	if f.kind == protowire.VarintType {
		return []int64{int64(f.value)}
	}
	var list []int64
	for rest := f.body; len(rest) > 0; {
		v, n := protowire.ConsumeVarint(rest)
		if n < 0 {
			break
		}
		list = append(list, int64(v))
		rest = rest[n:]
	}
	return list
}

func appendText(b []byte, number protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), text)
}

func appendMessage(b []byte, number protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), message)
}

func appendNumber(b []byte, number protowire.Number, value int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(value))
}

func appendNumbers(b []byte, number protowire.Number, values []int64) []byte {
	var packed []byte
	for _, v := range values {
		packed = protowire.AppendVarint(packed, uint64(v))
	}
	return appendMessage(b, number, packed)
}

// stream writes messages that are too large to be put together in memory.
type stream struct {
	w   io.Writer
	n   int64
	err error
}

func (s *stream) write(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
	s.n += int64(len(b))
}

// message writes a field with a message, which is made twice: once to know its length.
func (s *stream) message(number protowire.Number, fill func(*stream)) {
	measure := stream{w: io.Discard}
	fill(&measure)
	s.write(protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.BytesType), uint64(measure.n)))
	fill(s)
}
