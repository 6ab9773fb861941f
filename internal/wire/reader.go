package wire

import (
	"strconv"
	"strings"
)

// Reader reads a message in either form. The functions in its Fields are func(*Reader) error, and call one of its methods, or the value is skipped.
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
	return &Reader{binary: true, message: data}
}

// IsText reports whether a message is in text format: whether it starts with a name of more than one letter, and what comes before a value.
func IsText(data []byte) bool {
	s := scanner{data: data}
	name, err := s.name()
	next := s.peek()
	return err == nil && len(name) > 1 && (next == '{' || next == ':' || next == '<')
}

// Text returns a reader of a message in text format.
func Text(data []byte) *Reader { return &Reader{scanner: scanner{data: data}} }

// Errorf returns an error at the current field.
func (r *Reader) Errorf(format string, args ...any) error { return r.errorf(r.start, format, args...) }

// All reads the fields of the whole message. In text format a last one without number and name is all others: a func(*Reader, string) error gets their names.
func (r *Reader) All(fields Fields) error {
	if r.binary {
		return r.fields(r.message, fields)
	}
	return r.textFields(0, 0, fields)
}

// Message reads a message, as All does.
func (r *Reader) Message(fields Fields) error {
	if r.binary {
		return r.fields(r.field.Bytes, fields)
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
	err := r.textFields(start, end, fields)
	r.depth--
	return err
}

func (r *Reader) fields(message []byte, fields Fields) error {
	return each(message, func(f Field) error {
		for i := range fields {
			if fields[i].Number == f.Number {
				r.field, r.current = f, fields[i].Name
				return r.read(fields[i].To)
			}
		}
		return nil
	})
}

// read reads the value of the current field.
func (r *Reader) read(to any) (err error) {
	switch to := to.(type) {
	case *string:
		*to, err = r.String()
	case *[]string:
		var s string
		s, err = r.String()
		*to = append(*to, s)
	case *int64:
		*to, err = r.Int()
	case *bool:
		*to, err = r.Bool()
	case *[]byte: // this and the next three are of the wire format alone
		*to = r.field.Bytes
	case *[][]byte:
		*to = append(*to, r.field.Bytes)
	case *[]int64:
		*to, err = r.field.ints(*to)
	case func([]byte) error:
		err = to(r.field.Bytes)
	case Fields:
		err = r.Message(to)
	case func(*Reader) error:
		err = to(r)
	case func(*Reader, string) error:
		err = to(r, r.current)
	}
	return err
}

// textFields reads fields up to the end of the message, which is the end of the file if end is 0.
func (r *Reader) textFields(start int, end byte, fields Fields) error {
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
		if err == nil {
			err = r.textField(at, name, fields)
		}
		if err != nil {
			return err
		}
	}
}

// textField reads one value of a field, or each value of a list.
func (r *Reader) textField(at int, name []byte, fields Fields) error {
	field, to := fields.named(name)
	one := func() error {
		r.blank()
		value := r.pos
		r.current, r.start = field, at
		err := r.read(to)
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

// named finds a field by its name. It makes a string of the name of another field only if something takes all others.
func (f Fields) named(name []byte) (field string, to any) {
	for i := range f {
		switch f[i].Name {
		case string(name):
			return f[i].Name, f[i].To
		case "":
			return string(name), f[i].To
		}
	}
	return "", nil
}

// Entry reads an entry of a map from strings, and calls do to read its value.
func (r *Reader) Entry(do func(key string) error) error {
	var key string
	value, field := -1, Field{}
	err := r.Message(Fields{{1, "key", &key}, {2, "value", func(r *Reader) error {
		value, field = r.pos, r.field
		return nil
	}}})
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
		if r.strings == nil {
			r.strings = map[string]string{}
		}
		r.strings[s] = s
	}
	return s, nil
}

// Int reads an integer.
func (r *Reader) Int() (int64, error) {
	if r.binary {
		return int64(r.field.Value), nil
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
		return r.field.Value != 0, nil
	}
	word, err := r.scalar()
	return string(word) == "true" || string(word) == "1", err
}

// Enums reads numbers of a repeated enum. numbers holds those of the names in text; a name that it does not hold is 0.
func (r *Reader) Enums(numbers map[string]int64) ([]int64, error) {
	if r.binary {
		return r.field.ints(nil)
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
		err := r.Message(Fields{{To: func(r *Reader, name string) error {
			v, err := r.Value()
			fields = append(fields, name+": "+v)
			return err
		}}})
		return "{" + strings.Join(fields, " ") + "}", err
	}
	word, err := r.scalar()
	return string(word), err
}
