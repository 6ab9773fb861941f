package wire

import (
	"slices"
	"strconv"
	"strings"
)

// Reader reads a message in either form, field by field. A method that reads a value is called once for a field, by the function that is given the
// name of the field; a value that is not read is skipped.
type Reader struct {
	scanner
	binary  bool
	message []byte // in wire format
	field   Field  // the current field of a message in wire format
	current string // the name of the current field
	start   int    // where that name starts in text
	depth   int
	strings map[string]string // those that were returned
}

// maxNesting bounds how deep messages are in each other.
const maxNesting = 100

// New returns a reader of a message in either form.
func New(data []byte) *Reader {
	if IsText(data) {
		return Text(data)
	}
	return Binary(data)
}

// IsText reports whether a message is in text format: whether it starts with a name of more than one letter, and what comes before a value.
func IsText(data []byte) bool {
	s := scanner{data: data}
	name, err := s.name()
	next := s.peek()
	return err == nil && len(name) > 1 && (next == '{' || next == ':' || next == '<')
}

// Text returns a reader of a message in text format.
func Text(data []byte) *Reader {
	return &Reader{scanner: scanner{data: data}, strings: map[string]string{}}
}

// Binary returns a reader of a message in wire format.
func Binary(data []byte) *Reader {
	return &Reader{binary: true, message: data, strings: map[string]string{}}
}

// Errorf returns an error at the current field.
func (r *Reader) Errorf(format string, args ...any) error { return r.errorf(r.start, format, args...) }

// All calls do with the name of each field of the whole message. names holds the names by the numbers of the fields. In wire format, fields without a
// name are skipped.
func (r *Reader) All(names []string, do func(name string) error) error {
	if r.binary {
		return r.fields(r.message, names, do)
	}
	return r.textFields(0, 0, names, do)
}

// Message reads a message, as All does.
func (r *Reader) Message(names []string, do func(name string) error) error {
	if r.binary {
		return r.fields(r.field.Bytes, names, do)
	}
	start := r.pos
	var end byte
	switch {
	case r.take('{'):
		end = '}'
	case r.take('<'):
		end = '>'
	default:
		return r.errorf(r.pos, "expected {, found %s", r.near(r.pos))
	}
	if r.depth++; r.depth > maxNesting {
		return r.errorf(start, "messages are more than %d deep in each other", maxNesting)
	}
	err := r.textFields(start, end, names, do)
	r.depth--
	return err
}

func (r *Reader) fields(message []byte, names []string, do func(name string) error) error {
	return Each(message, func(f Field) error {
		if f.Number >= len(names) || names[f.Number] == "" {
			return nil
		}
		r.field, r.current = f, names[f.Number]
		return do(r.current)
	})
}

// textFields reads fields up to the end of the message, which is the end of the file if end is 0.
func (r *Reader) textFields(start int, end byte, names []string, do func(name string) error) error {
	for {
		switch c := r.peek(); {
		case r.pos == len(r.data) && end == 0:
			return nil
		case r.pos == len(r.data):
			return r.cut(start)
		case c == end && end != 0:
			r.pos++
			return nil
		}
		at := r.pos
		name, err := r.name()
		if err != nil {
			return err
		}
		if err := r.textField(at, spelled(name, names), do); err != nil {
			return err
		}
	}
}

// spelled returns a name as a string, without allocating it if it is one of the names.
func spelled(name []byte, names []string) string {
	if i := slices.IndexFunc(names, func(known string) bool { return known == string(name) }); i >= 0 {
		return names[i]
	}
	return string(name)
}

// textField calls do for one value of a field, or for each value of a list.
func (r *Reader) textField(at int, name string, do func(name string) error) error {
	one := func() error {
		r.blank()
		value := r.pos
		r.current, r.start = name, at
		err := do(name)
		if err == nil && r.pos == value {
			err = r.skip()
		}
		return err
	}
	if !r.take(':') || !r.take('[') {
		return one()
	}
	for !r.take(']') {
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}

// Entry reads an entry of a map from strings, and calls do to read its value.
func (r *Reader) Entry(do func(key string) error) error {
	var key string
	value, field := -1, Field{}
	err := r.Message([]string{1: "key", 2: "value"}, func(name string) (err error) {
		if name == "key" {
			key, err = r.String()
		} else {
			value, field = r.pos, r.field
		}
		return err
	})
	if err != nil || value < 0 {
		return err
	}
	end := r.pos
	r.pos, r.field = value, field
	err = do(key)
	r.pos = end
	return err
}

// String reads a string. It returns equal strings once.
func (r *Reader) String() (string, error) {
	b := r.field.Bytes
	if !r.binary {
		var err error
		if b, err = r.text(); err != nil {
			return "", err
		}
	}
	s, known := r.strings[string(b)]
	if !known {
		s = string(b)
		r.strings[s] = s
	}
	return s, nil
}

// Strings appends a string to a list.
func (r *Reader) Strings(list *[]string) error {
	s, err := r.String()
	*list = append(*list, s)
	return err
}

// Int reads an integer.
func (r *Reader) Int() (int64, error) {
	if r.binary {
		return r.field.Int(), nil
	}
	word, err := r.scalar()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err != nil {
		return 0, r.Errorf("%s is no number: %q", r.current, word)
	}
	return n, nil
}

// Bool reads a bool.
func (r *Reader) Bool() (bool, error) {
	if r.binary {
		return r.field.Bool(), nil
	}
	word, err := r.scalar()
	return string(word) == "true" || string(word) == "1", err
}

// Enums reads numbers of a repeated enum. numbers holds those of the names in text; a name that it does not hold is 0.
func (r *Reader) Enums(numbers map[string]int64) ([]int64, error) {
	if r.binary {
		return r.field.Ints(nil)
	}
	word, err := r.scalar()
	n, known := numbers[string(word)]
	if !known {
		n, _ = strconv.ParseInt(string(word), 10, 32)
	}
	return []int64{n}, err
}

// Value reads any value in text format: a string without its quotes, a message on one line.
func (r *Reader) Value() (string, error) {
	switch r.peek() {
	case '"', '\'':
		return r.String()
	case '{', '<':
		var fields []string
		err := r.Message(nil, func(name string) error {
			v, err := r.Value()
			fields = append(fields, name+": "+v)
			return err
		})
		return "{" + strings.Join(fields, " ") + "}", err
	}
	word, err := r.scalar()
	return string(word), err
}
