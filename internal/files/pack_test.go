package files

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

type leaf struct {
	name  string
	Ints  []int32
	bytes []byte
}

type tree struct {
	A      bool
	b      int8
	C      int64
	d      uint16
	E      float64
	f      string
	G      [3]int64
	h      []leaf
	I      map[string]float64
	j      *leaf
	K      []*leaf
	l      map[string][]string
	M      struct{ x, Y int }
	nested *tree
}

func sample() tree {
	shared := &leaf{name: "shared", Ints: []int32{math.MinInt32, -1, 0, math.MaxInt32}, bytes: []byte("x")}
	list := []string{"a", "b"}
	return tree{
		A: true, b: -8, C: math.MinInt64, d: 65535, E: -0.5, f: "f", G: [3]int64{1, -2, 3},
		h: []leaf{{name: "one"}, {Ints: []int32{}, bytes: nil}, {name: "one"}},
		I: map[string]float64{"nan?": math.Inf(1), "": 0}, j: shared, K: []*leaf{shared, nil, shared},
		l: map[string][]string{"p": list, "q": list, "none": nil, "empty": {}}, nested: &tree{f: "f"},
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
	if got.j != got.K[0] || &got.l["p"][0] != &got.l["q"][0] {
		t.Error("what was shared is not any more")
	}
}

func TestNothingWithoutContent(t *testing.T) {
	for _, value := range []any{func() {}, make(chan int), struct{ x any }{1}} {
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

func FuzzRead(f *testing.F) {
	b, err := Pack(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for i := range b {
		f.Add(b[:i])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var got tree
		if err := Unpack(b, &got); err == nil {
			if _, err := Pack(got); err != nil {
				t.Error(err)
			}
		}
	})
}
