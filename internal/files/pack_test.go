package files

import (
	"bytes"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/fuzztest"
)

type leaf struct {
	Name  string
	Ints  []int32
	Bytes []byte
	cache int // not packed
}

type tree struct {
	A      bool
	B      int8
	C      int64
	D      uint16
	E      float64
	F      string
	G      [3]int64
	H      []leaf
	I      map[string]float64
	J      *leaf
	K      []*leaf
	L      map[string][]string
	M      struct{ X, Y int }
	At     *time.Time
	Nested *tree
}

func sample() tree {
	shared := &leaf{Name: "shared", Ints: []int32{math.MinInt32, -1, 0, math.MaxInt32}, Bytes: []byte("x")}
	list, at := []string{"a", "b"}, time.Unix(1_700_000_000, 123)
	return tree{
		A: true, B: -8, C: math.MinInt64, D: 65535, E: -0.5, F: "f", G: [3]int64{1, -2, 3},
		H: []leaf{{Name: "one"}, {Ints: []int32{}, Bytes: nil}, {Name: "one"}},
		I: map[string]float64{"nan?": math.Inf(1), "": 0}, J: shared, K: []*leaf{shared, nil, shared},
		L: map[string][]string{"p": list, "q": list, "none": nil, "empty": {}}, At: &at, Nested: &tree{F: "f"},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, want := range []tree{{}, sample()} {
		b, err := Pack(want)
		if err != nil {
			t.Fatal(err)
		}
		var got tree
		if err := Unpack(b, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// The same value gives the same bytes, and a type that is laid out in another way another form.
func TestSameBytes(t *testing.T) {
	first, err := Pack(sample())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := Pack(sample()); err != nil || !bytes.Equal(again, first) {
			t.Fatal("other bytes of the same value")
		}
	}
	forms := map[string]string{}
	for name, value := range map[string]any{
		"tree": tree{}, "leaf": leaf{}, "renamed": struct{ A int }{}, "field": struct{ B int }{}, "type": struct{ A int64 }{}, "two": struct{ A, B int }{},
		"list": []int{}, "array": [2]int{}, "longer": [3]int{}, "map": map[string]int{}, "pointer": new(int),
	} {
		form := PackedForm(value)
		if other, taken := forms[form]; taken || form != PackedForm(value) {
			t.Errorf("%s has the form of %s", name, other)
		}
		forms[form] = name
	}
}

func TestSharedOnce(t *testing.T) {
	b, err := Pack(sample())
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte("shared")); n != 1 {
		t.Errorf("a shared text was written %d times", n)
	}
	var got tree
	if err := Unpack(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.J != got.K[0] {
		t.Error("what was shared is not any more")
	}
}

func TestUnexportedFieldsAreLeftOut(t *testing.T) {
	b, err := Pack(leaf{Name: "x", cache: 7})
	if err != nil {
		t.Fatal(err)
	}
	var got leaf
	if err := Unpack(b, &got); err != nil || got.Name != "x" || got.cache != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNothingWithoutContent(t *testing.T) {
	for _, value := range []any{func() {}, make(chan int), struct{ X any }{1}} {
		if _, err := Pack(value); err == nil {
			t.Errorf("%T was packed", value)
		}
	}
}

// Damaged data may have a pointer point to itself, or begin more pointers than any value has; neither is read.
func TestPointersWithoutEnd(t *testing.T) {
	type list struct{ Next *list }
	var self, deep *list
	if err := Unpack([]byte{markNew, markKnown, 0}, &self); err == nil {
		t.Error("a list that points to itself was read")
	}
	if err := Unpack(append(bytes.Repeat([]byte{markNew}, maxDepth+1), markNil), &deep); err == nil {
		t.Error("a list without end was read")
	}
	if err := Unpack(append(bytes.Repeat([]byte{markNew}, maxDepth), markNil), &deep); err != nil {
		t.Error(err)
	}
}

func FuzzUnpack(f *testing.F) {
	b, err := Pack(sample())
	if err != nil {
		f.Fatal(err)
	}
	fuzztest.Run(f, fuzztest.Blocks(1), func(t *testing.T, b []byte) error {
		var got, again tree
		if err := Unpack(b, &got); err != nil {
			return err
		}
		packed, err := Pack(got)
		if err != nil || Unpack(packed, &again) != nil {
			t.Fatalf("%+v is packed as %x, %v", got, packed, err)
		}
		if second, err := Pack(again); err != nil || !bytes.Equal(packed, second) {
			t.Errorf("%x, and then %x, %v", packed, second, err)
		}
		return nil
	}, b)
}
