package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

// person is a message with a field of each kind that readers ask for.
type person struct {
	Name    string
	Names   []string
	Age     int64
	Adult   bool
	Colours []int64
	Labels  map[string]int64
	Child   *person
}

var colours = map[string]int64{"RED": 1, "GREEN": 2, "BLUE": 3}

// fields reads a person.
func (p *person) fields() Fields {
	return Fields{
		{1, "name", &p.Name}, {2, "names", &p.Names}, {3, "age", &p.Age}, {4, "adult", &p.Adult},
		{5, "colours", func(r *Reader) error {
			all, err := r.Enums(colours)
			p.Colours = append(p.Colours, all...)
			return err
		}},
		{6, "labels", func(r *Reader) error {
			return r.Entry(func(key string) error {
				n, err := r.Int()
				if p.Labels == nil {
					p.Labels = map[string]int64{}
				}
				p.Labels[key] = n
				return err
			})
		}},
		{7, "child", func(r *Reader) error {
			p.Child = &person{}
			return r.Message(p.Child.fields())
		}},
	}
}

// String spells a person in one way, whatever it was read from.
func (p *person) String() string {
	if p == nil {
		return "nobody"
	}
	return fmt.Sprintf("{%q %q %d %v %v %v %s}", p.Name, p.Names, p.Age, p.Adult, p.Colours, p.Labels, p.Child)
}

// binary is the person in wire format.
func (p *person) binary() (b []byte) {
	text := func(number protowire.Number, s string) {
		b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), s)
	}
	number := func(field protowire.Number, n int64) {
		b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(n))
	}
	text(1, p.Name)
	for _, name := range p.Names {
		text(2, name)
	}
	number(3, p.Age)
	if p.Adult {
		number(4, 1)
	}
	var packed []byte
	for _, c := range p.Colours {
		packed = protowire.AppendVarint(packed, uint64(c))
	}
	if len(packed) > 0 {
		text(5, string(packed))
	}
	for key, n := range p.Labels {
		entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), key)
		entry = protowire.AppendVarint(protowire.AppendTag(entry, 2, protowire.VarintType), uint64(n))
		text(6, string(entry))
	}
	if p.Child != nil {
		text(7, string(p.Child.binary()))
	}
	return b
}

// text is the person in text format, with lists in either spelling.
func (p *person) text(lists bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", escaped(p.Name))
	for _, name := range p.Names {
		fmt.Fprintf(&b, "names: %s\n", escaped(name))
	}
	fmt.Fprintf(&b, "age: %d # a comment\n", p.Age)
	if p.Adult {
		b.WriteString("adult: true\n")
	}
	var words []string
	for _, c := range p.Colours {
		words = append(words, strconv.FormatInt(c, 10))
		for name, n := range colours {
			if n == c {
				words[len(words)-1] = name
			}
		}
	}
	if lists && len(words) > 0 {
		fmt.Fprintf(&b, "colours: [%s]\n", strings.Join(words, ", "))
	} else {
		for _, word := range words {
			fmt.Fprintf(&b, "colours: %s\n", word)
		}
	}
	for key, n := range p.Labels {
		fmt.Fprintf(&b, "labels { key: %s value: %d }\n", escaped(key), n)
	}
	if p.Child != nil {
		fmt.Fprintf(&b, "child {\n%s}\n", p.Child.text(lists))
	}
	return b.String()
}

// escaped quotes a text with all bytes that are not letters as octal numbers.
func escaped(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c >= 'a' && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "\\%03o", c)
		}
	}
	return b.String() + `"`
}

// people draws persons with children.
func people() *rapid.Generator[*person] {
	return rapid.Custom(func(t *rapid.T) *person {
		var top, last *person
		for range rapid.IntRange(1, 4).Draw(t, "generations") {
			p := &person{
				Name: rapid.String().Draw(t, "name"), Names: rapid.SliceOfN(rapid.StringMatching(`[a-z" \n]{0,9}`), 0, 3).Draw(t, "names"),
				Age: rapid.Int64().Draw(t, "age"), Adult: rapid.Bool().Draw(t, "adult"), Colours: rapid.SliceOfN(rapid.Int64Range(0, 5), 0, 4).Draw(t, "colours"),
			}
			if labels := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}`), rapid.Int64(), 0, 3).Draw(t, "labels"); len(labels) > 0 {
				p.Labels = labels
			}
			if top == nil {
				top = p
			} else {
				last.Child = p
			}
			last = p
		}
		return top
	})
}

// A message is read alike from text and from its wire format.
func TestFormsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := people().Draw(t, "person")
		want := p.String()
		for form, data := range map[string][]byte{"binary": p.binary(), "text": []byte(p.text(false)), "text with lists": []byte(p.text(true))} {
			var got person
			r := New(data)
			if form == "binary" {
				r = &Reader{binary: true, message: data} // a message that begins with an empty name may look like a text
			}
			if err := r.All(got.fields()); err != nil {
				t.Fatalf("%s: %v\n%q", form, err, data)
			}
			if got.String() != want {
				t.Errorf("%s: %s, wanted %s", form, got.String(), want)
			}
		}
	})
}

// What no field asks for is skipped, in both forms.
func TestOthersAreSkipped(t *testing.T) {
	p := &person{Name: "a", Names: []string{"b", "c"}, Age: 7, Labels: map[string]int64{"x": 1}, Child: &person{Name: "d"}}
	for _, data := range [][]byte{p.binary(), []byte(p.text(true))} {
		var age int64
		if err := New(data).All(Fields{{3, "age", &age}}); err != nil || age != 7 {
			t.Errorf("%q: %d, %v", data, age, err)
		}
		var names []string
		if err := New(data).All(Fields{{7, "child", Fields{{1, "name", &names}}}}); err != nil || !slices.Equal(names, []string{"d"}) {
			t.Errorf("%q: %q, %v", data, names, err)
		}
	}
}

func TestIsText(t *testing.T) {
	for text, want := range map[string]bool{
		"name: \"a\"": true, "node {": true, "node <": true, "  # comment\nnode {": true, "a: 1": false, "": false, "name": false, "name = 1": false, "\x0a\x04name": false, "[x.y]: 1": true,
	} {
		if IsText([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// Equal strings of a message are one: a graph names each of its nodes many times.
func TestEqualStringsAreOne(t *testing.T) {
	var names []string
	data := []byte(strings.Repeat("names: \"layer\"\n", 1000))
	if allocations := testing.AllocsPerRun(3, func() {
		names = slices.Grow(names[:0], 1000)
		if err := Text(data).All(Fields{{2, "names", &names}}); err != nil {
			t.Fatal(err)
		}
	}); allocations > 100 {
		t.Errorf("%v allocations for 1000 equal strings", allocations)
	}
}

// A value of another kind is refused, at the line of its field and by its name.
func TestValuesOfAnotherKind(t *testing.T) {
	for text, want := range map[string]string{
		"age: \"x\"":          "line 1: ",
		"\nage: x":            `line 2: age is no number: "x"`,
		"age: 1.5":            `age is no number: "1.5"`,
		"child: 3":            "expected {, found",
		"labels { key: 3 }":   "line 1: ",
		"names: [\"a\", 3]":   "line 1: ",
		"labels { value: x }": `labels is no number: "x"`,
	} {
		err := Text([]byte(text)).All((&person{}).fields())
		if err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "is no number") {
			t.Errorf("%q: %v, wanted %q", text, err, want)
		}
	}
}

// Cut off anywhere, a message in wire format is an error or holds no more than the whole.
func TestCutMessages(t *testing.T) {
	whole := (&person{Name: "somebody", Names: []string{"a", "b"}, Age: 300, Colours: []int64{1, 2}, Labels: map[string]int64{"k": 1}, Child: &person{Name: "child", Age: 1}}).binary()
	for n := range whole {
		var p person
		err := (&Reader{binary: true, message: whole[:n]}).All(p.fields())
		if err == nil && (p.Child != nil || len(p.Names) > 2) {
			t.Errorf("%d of %d bytes: %s", n, len(whole), p.String())
		}
	}
}
