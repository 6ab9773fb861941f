package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// message holds a varint, a string, a packed list, a double and a group.
func message() []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 300)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), "name")
	b = protowire.AppendBytes(protowire.AppendTag(b, 300, protowire.BytesType), []byte{1, 0x80, 2, 3})
	b = protowire.AppendFixed64(protowire.AppendTag(b, 4, protowire.Fixed64Type), 7)
	b = protowire.AppendTag(protowire.AppendTag(b, 5, protowire.StartGroupType), 5, protowire.EndGroupType)
	return protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), []byte("the last of them"))
}

func TestScan(t *testing.T) {
	var number, seven int64
	var is bool
	var names [][]byte
	list, other := []int64{9}, []int64(nil)
	err := Scan(message(), Fields{{1, "number", &number}, {2, "names", &names}, {300, "list", &list}, {4, "double", &other}, {5, "group", nil}})
	if err != nil || number != 300 || !slices.Equal(list, []int64{9, 1, 256, 3}) || !slices.Equal(other, []int64{7}) {
		t.Errorf("%d, %v, %v, %v", number, list, other, err)
	}
	if got := string(bytes.Join(names, []byte(", "))); got != "name, the last of them" {
		t.Errorf("the names are %s", got)
	}
	var name string
	var content []byte
	err = Scan(message(), Fields{{1, "is", &is}, {2, "name", &name}, {300, "message", func(b []byte) error { content = b; return io.EOF }}, {4, "", &seven}})
	if err != io.EOF || !is || name != "name" || len(content) != 4 || seven != 0 {
		t.Errorf("%v, %s, %x, %d, %v", is, name, content, seven, err)
	}
	nested := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), message())
	if err := Scan(nested, Fields{{1, "message", Fields{{2, "name", &name}}}}); err != nil || name != "the last of them" {
		t.Errorf("%s, %v", name, err)
	}
	if name, ok := First(message(), 2); !ok || string(name) != "name" {
		t.Errorf("%s, %v", name, ok)
	}
	if content, ok := First(message(), 1); ok {
		t.Errorf("the number 300 is %x", content)
	}
}

// A message that is cut off inside a field is an error. The beginning of a string can be read.
func TestCutField(t *testing.T) {
	whole := message()
	for n := 1; n <= len("last of them"); n++ {
		cut := whole[:len(whole)-n]
		if err := each(cut, func(Field) error { return nil }); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes less: %v", n, err)
		}
		var last []byte
		for _, last = range Bodies(cut) {
		}
		if want := "the last of them"[:len("the last of them")-n]; string(last) != want {
			t.Errorf("%d bytes less: %q, want %q", n, last, want)
		}
	}
	for number, content := range Bodies([]byte{7}) {
		t.Errorf("field %d is %x", number, content)
	}
	if list, err := (Field{Type: protowire.BytesType, Bytes: []byte{0x80}}).ints(nil); err == nil {
		t.Errorf("half a number is %v", list)
	}
}

// FuzzScan: the fields are those that protowire reads.
func FuzzScan(f *testing.F) {
	f.Add(message())
	for _, seed := range [][]byte{{0x08, 1}, {0x98, 2, 1}, {0x80, 0}, {0x82, 1, 0}, {0}, {0xff, 0xff, 0xff, 0xff, 0xff, 1}, {3, 1, 2, 3}, {0x85}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		err := each(rest, func(f Field) error {
			number, kind, tag := protowire.ConsumeTag(rest)
			size := protowire.ConsumeFieldValue(number, kind, rest[tag:])
			if f.Number != int(number) || f.Type != kind || size < 0 {
				t.Fatalf("%x starts with %+v", rest, f)
			}
			value := rest[tag : tag+size]
			switch kind {
			case protowire.BytesType:
				if want, _ := protowire.ConsumeBytes(value); !bytes.Equal(f.Bytes, want) {
					t.Errorf("%x starts with %+v", rest, f)
				}
			case protowire.VarintType:
				if want, _ := protowire.ConsumeVarint(value); f.Value != want {
					t.Errorf("%x starts with %+v", rest, f)
				}
			}
			rest = rest[tag+size:]
			return nil
		})
		if (err == nil) != (len(rest) == 0) {
			t.Errorf("%v before %x", err, rest)
		}
	})
}
