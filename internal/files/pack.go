package files

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Pack serializes a value: exported fields and their pointees, each slice and pointee once. It returns an error for functions,
// channels and interfaces.
func Pack(value any) ([]byte, error) {
	e := &encoder{texts: map[string]uint64{}, shared: map[place]uint64{}}
	err := e.value(reflect.ValueOf(value))
	return e.b, err
}

// place identifies a shared slice or pointee.
type place struct {
	at  uintptr
	len int
	of  reflect.Type
}

type encoder struct {
	b      []byte
	texts  map[string]uint64
	shared map[place]uint64
}

// The tags before slices, maps and pointers. The tag of a slice or map is mark + length.
const (
	markNil = iota
	markKnown
	markNew
)

func (e *encoder) number(n uint64) { e.b = binary.AppendUvarint(e.b, n) }

func (e *encoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		e.number(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.b = binary.AppendVarint(e.b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(v.Float()))
	case reflect.String:
		e.text(v.String())
	case reflect.Array:
		return e.elements(v)
	case reflect.Slice:
		return e.slice(v)
	case reflect.Map:
		return e.table(v)
	case reflect.Pointer:
		return e.pointer(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if err := e.value(v.Field(i)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("pack: a %s cannot be kept", v.Type())
	}
	return nil
}

func (e *encoder) text(s string) {
	id, known := e.texts[s]
	if known {
		e.number(id)
		return
	}
	id = uint64(len(e.texts))
	e.texts[s] = id
	e.number(id)
	e.number(uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) elements(v reflect.Value) error {
	for i := range v.Len() {
		if err := e.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// once writes a slice or pointee, or a reference if it was written before.
func (e *encoder) once(p place) (known bool) {
	id, known := e.shared[p]
	if known {
		e.number(markKnown)
		e.number(id)
		return true
	}
	e.shared[p] = uint64(len(e.shared))
	return false
}

func (e *encoder) slice(v reflect.Value) error {
	switch {
	case v.IsNil():
		e.number(markNil)
		return nil
	case v.Len() == 0:
		e.number(markNew)
		return nil
	case e.once(place{v.Pointer(), v.Len(), v.Type()}):
		return nil
	}
	e.number(markNew + uint64(v.Len()))
	return e.elements(v)
}

func (e *encoder) table(v reflect.Value) error {
	if v.IsNil() {
		e.number(markNil)
		return nil
	}
	e.number(markNew + uint64(v.Len()))
	for _, key := range sortedKeys(v) {
		if err := e.value(key); err != nil {
			return err
		}
		if err := e.value(v.MapIndex(key)); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeys returns a map's keys, with strings sorted so that equal values give equal bytes.
func sortedKeys(table reflect.Value) []reflect.Value {
	keys := table.MapKeys()
	if table.Type().Key().Kind() == reflect.String {
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	}
	return keys
}

func (e *encoder) pointer(v reflect.Value) error {
	if v.IsNil() {
		e.number(markNil)
		return nil
	}
	if e.once(place{v.Pointer(), 1, v.Type()}) {
		return nil
	}
	e.number(markNew)
	return e.value(v.Elem())
}

// PackedForm returns a digest of the layout of a type. Builds with the same form of a type can read each other's bytes.
func PackedForm(value any) string {
	sum := sha256.New()
	describe(sum, reflect.TypeOf(value), map[reflect.Type]bool{})
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// describe writes the layout of a type, a recursive type once.
func describe(w io.Writer, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintf(w, "%s %s ", t.Kind(), t.Name())
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Array:
		fmt.Fprintf(w, "%d ", t.Len())
		describe(w, t.Elem(), seen)
	case reflect.Slice, reflect.Pointer:
		describe(w, t.Elem(), seen)
	case reflect.Map:
		describe(w, t.Key(), seen)
		describe(w, t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			fmt.Fprintf(w, "%s: ", t.Field(i).Name)
			describe(w, t.Field(i).Type, seen)
		}
	}
}
