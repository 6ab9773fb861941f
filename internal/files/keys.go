package files

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// KeyError is a key of a JSON file that its reader does not know, or that occurs twice.
type KeyError struct {
	Offset int // of the key in the text
	Why    string
}

// Error says what is wrong with the key.
func (e *KeyError) Error() string { return e.Why }

// Position returns the line and the column of an offset in a text, both from 1.
func Position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	return 1 + bytes.Count(before, []byte("\n")), offset - bytes.LastIndexByte(before, '\n')
}

// CheckKeys checks the keys of valid JSON against a type: each is one of the type's, letter by letter, and occurs once.
// Package json accepts a key in any case, and the last one of several, so that a file could say one thing to a person and another to the program.
func CheckKeys(data []byte, of reflect.Type) *KeyError {
	w := &keyWalk{data: data}
	w.value(formOf(of))
	return w.wrong
}

// keyWalk walks through JSON that package json has read without an error. It stops at the first wrong key.
type keyWalk struct {
	data  []byte
	at    int
	wrong *KeyError
}

// value skips a value. The form is nil if it does not determine the keys.
func (w *keyWalk) value(of *form) {
	switch w.next() {
	case '{':
		w.object(of)
	case '[':
		w.list(of)
	case '"':
		w.text()
	default:
		for w.at < len(w.data) && strings.IndexByte(",]} \t\r\n", w.data[w.at]) < 0 {
			w.at++
		}
	}
}

// next skips blanks, and returns the first byte of what follows; 0 at the end.
func (w *keyWalk) next() byte {
	for ; w.at < len(w.data); w.at++ {
		switch c := w.data[w.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// text skips a string, and returns it with its quotes.
func (w *keyWalk) text() []byte {
	start := w.at
	for w.at++; w.at < len(w.data) && w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at = min(w.at+1, len(w.data))
	return w.data[start:w.at]
}

func (w *keyWalk) list(of *form) {
	inner := of.element()
	for w.at++; w.wrong == nil; w.at++ {
		if c := w.next(); c == ']' || c == 0 {
			break
		}
		w.value(inner)
		if w.next() != ',' {
			break
		}
	}
	w.at++
}

func (w *keyWalk) object(of *form) {
	seen := keysSeen{form: of}
	for w.at++; w.wrong == nil; w.at++ {
		if w.next() != '"' {
			break
		}
		start := w.at
		inner, why := seen.add(w.text())
		if why != "" {
			w.wrong = &KeyError{start, why}
			return
		}
		w.next()
		w.at++ // the colon
		w.value(inner)
		if w.next() != ',' {
			break
		}
	}
	w.at++
}

// keysSeen are the keys of one object so far.
type keysSeen struct {
	form  *form
	known []bool          // of the form's keys
	free  map[string]bool // where the form determines none
}

// add adds a key. It returns the form of the key's value, or why the key is wrong.
func (s *keysSeen) add(quoted []byte) (inner *form, why string) {
	key, twice := unquoted(quoted), false
	if s.form == nil || s.form.keys == nil {
		if s.free == nil {
			s.free = map[string]bool{}
		}
		inner, twice, s.free[string(key)] = s.form.element(), s.free[string(key)], true
	} else {
		known, ok := s.form.keys[string(key)]
		if !ok {
			return nil, s.form.unknown(string(key))
		}
		if s.known == nil {
			s.known = make([]bool, len(s.form.keys))
		}
		inner, twice, s.known[known.index] = formOf(known.of), s.known[known.index], true
	}
	if twice {
		why = fmt.Sprintf("the key %+.60q occurs twice", key)
	}
	return inner, why
}

// unquoted returns a key as package json reads it.
func unquoted(quoted []byte) []byte {
	plain := quoted[1:max(1, len(quoted)-1)]
	for _, c := range plain {
		if c == '\\' || c >= utf8.RuneSelf {
			var key string
			_ = json.Unmarshal(quoted, &key) // it was read before
			return []byte(key)
		}
	}
	return plain
}

// form is what a type says about the JSON that it is read from.
type form struct {
	keys map[string]knownKey // of a struct
	of   reflect.Type        // of the elements of a list, and of the values of a map
}

type knownKey struct {
	index int
	of    reflect.Type
}

var forms sync.Map // from a type to its form

// formOf returns the form of a type, nil for a type that reads its own JSON, or may hold any.
func formOf(of reflect.Type) *form {
	if known, ok := forms.Load(of); ok {
		return known.(*form)
	}
	f := newForm(of)
	forms.Store(of, f)
	return f
}

var (
	reader     = reflect.TypeFor[json.Unmarshaler]()
	textReader = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func newForm(of reflect.Type) *form {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if reflect.PointerTo(of).Implements(reader) || reflect.PointerTo(of).Implements(textReader) {
		return nil
	}
	switch of.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return &form{of: of.Elem()}
	case reflect.Struct:
		return &form{keys: keysOf(of)}
	}
	return nil
}

// keysOf returns the keys of a struct, with those of the structs that it embeds.
func keysOf(of reflect.Type) map[string]knownKey {
	keys := map[string]knownKey{}
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if embeds := f.Anonymous && name == "" && newForm(f.Type) != nil; name == "-" || !f.IsExported() || embeds {
			continue
		}
		if name == "" {
			name = f.Name
		}
		at := len(keys)
		if shadowed, twice := keys[name]; twice {
			at = shadowed.index
		}
		keys[name] = knownKey{at, f.Type}
	}
	return keys
}

// element returns the form of the elements of a list or the values of a map.
func (f *form) element() *form {
	if f == nil || f.of == nil {
		return nil
	}
	return formOf(f.of)
}

// unknown says that a struct has no such key.
func (f *form) unknown(key string) string {
	for right := range f.keys {
		if strings.EqualFold(right, key) {
			return fmt.Sprintf("unknown key %+.60q; expected %q", key, right)
		}
	}
	return fmt.Sprintf("unknown key %+.60q", key)
}
