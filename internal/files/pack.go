package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Pack serializes a value: exported fields and their pointees, each pointee once, and times. It returns an error for functions, channels and interfaces.
func Pack(value any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.b = e.b[:0]
	clear(e.texts)
	clear(e.shared)
	err := e.value(reflect.ValueOf(value))
	return bytes.Clone(e.b), err
}

// encoders are kept from one value to the next: what they hold is larger than what they write.
var encoders = sync.Pool{New: func() any {
	return &encoder{texts: map[string]uint64{}, shared: map[place]uint64{}, fields: map[reflect.Type][]int{}}
}}

// place identifies a shared pointee.
type place struct {
	at uintptr
	of reflect.Type
}

var timeType = reflect.TypeFor[time.Time]()

type encoder struct {
	b      []byte
	texts  map[string]uint64
	shared map[place]uint64
	fields map[reflect.Type][]int // the exported fields of the structs so far
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
		if v.Bool() {
			e.number(1)
		} else {
			e.number(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.b = binary.AppendVarint(e.b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.number(bits.ReverseBytes64(math.Float64bits(v.Float()))) // short for most: the last bits of a round number are zero
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
		if v.Type() == timeType {
			e.b = binary.AppendVarint(e.b, v.Interface().(time.Time).UnixNano())
			return nil
		}
		for _, i := range e.exported(v.Type()) {
			if err := e.value(v.Field(i)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("pack: a %s cannot be kept", v.Type())
	}
	return nil
}

func (e *encoder) exported(t reflect.Type) []int {
	fields, known := e.fields[t]
	if known {
		return fields
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			fields = append(fields, i)
		}
	}
	e.fields[t] = fields
	return fields
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

// once writes a pointee, or a reference if it was written before.
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

// sortedKeys returns a map's keys, with strings and structs sorted so that equal values give equal bytes.
func sortedKeys(table reflect.Value) []reflect.Value {
	keys := table.MapKeys()
	if table.Type().Key().Kind() == reflect.String {
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	} else {
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return keys
}

func (e *encoder) pointer(v reflect.Value) error {
	if v.IsNil() {
		e.number(markNil)
		return nil
	}
	if e.once(place{v.Pointer(), v.Type()}) {
		return nil
	}
	e.number(markNew)
	return e.value(v.Elem())
}

// packing counts how often the encoding of values changed.
const packing = 3

// PackedForm returns a digest of the layout of a type. Builds with the same form of a type can read each other's bytes.
func PackedForm(value any) string {
	sum := sha256.New()
	fmt.Fprintln(sum, packing)
	describe(sum, reflect.TypeOf(value), map[reflect.Type]bool{})
	return fmt.Sprintf("%.8x", sum.Sum(nil))
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

// errDamaged reports bytes that Pack did not write for this type.
var errDamaged = errors.New("pack: the data is damaged")

// Unpack decodes the bytes that Pack wrote into the value of the same type that a pointer points to.
func Unpack(b []byte, to any) error {
	d := &decoder{b: b}
	d.value(reflect.ValueOf(to).Elem())
	if d.failed || len(d.b) > 0 {
		return errDamaged
	}
	return nil
}

type decoder struct {
	b      []byte
	failed bool
	texts  []string
	shared []reflect.Value // invalid while it is being read
	depth  int             // of pointers behind pointers
}

// maxDepth bounds nested pointers; packed values have fewer.
const maxDepth = 1 << 12

func (d *decoder) fail() { d.failed, d.b = true, nil }

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) signed() int64 {
	n := d.number()
	return int64(n>>1) ^ -int64(n&1)
}

// take returns the next n bytes.
func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *decoder) value(v reflect.Value) {
	if d.failed {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.number() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(d.signed())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.number())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(bits.ReverseBytes64(d.number())))
	case reflect.String:
		v.SetString(d.text())
	case reflect.Array:
		d.elements(v)
	case reflect.Slice:
		d.slice(v)
	case reflect.Map:
		d.table(v)
	case reflect.Pointer:
		d.pointer(v)
	case reflect.Struct:
		if v.Type() == timeType {
			v.Set(reflect.ValueOf(time.Unix(0, d.signed())))
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				d.value(f)
			}
		}
	default:
		d.fail()
	}
}

func (d *decoder) text() string {
	id := d.number()
	if id < uint64(len(d.texts)) {
		return d.texts[id]
	}
	if id > uint64(len(d.texts)) {
		d.fail()
	}
	s := string(d.take(d.number()))
	d.texts = append(d.texts, s)
	return s
}

func (d *decoder) elements(v reflect.Value) {
	for i := range v.Len() {
		d.value(v.Index(i))
	}
}

// known returns a pointer that was read before.
func (d *decoder) known(v reflect.Value) {
	id := d.number()
	if id >= uint64(len(d.shared)) || !d.shared[id].IsValid() || d.shared[id].Type() != v.Type() {
		d.fail()
		return
	}
	v.Set(d.shared[id])
}

func (d *decoder) slice(v reflect.Value) {
	mark := d.number()
	if mark == markNil {
		return
	}
	n := mark - markNew
	if mark == markKnown || n > uint64(len(d.b)) { // an element has at least one byte, except for a struct without fields
		d.fail()
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
	d.elements(v)
}

func (d *decoder) table(v reflect.Value) {
	mark := d.number()
	if mark == markNil {
		return
	}
	n := mark - markNew
	if mark == markKnown || n > uint64(len(d.b)) {
		d.fail()
		return
	}
	table := reflect.MakeMapWithSize(v.Type(), int(n))
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	for ; n > 0 && !d.failed; n-- {
		key.SetZero()
		value.SetZero()
		d.value(key)
		d.value(value)
		table.SetMapIndex(key, value)
	}
	v.Set(table)
}

func (d *decoder) pointer(v reflect.Value) {
	switch d.number() {
	case markNil:
	case markKnown:
		d.known(v)
	case markNew:
		d.pointee(v)
	default:
		d.fail()
	}
}

// pointee reads the value that a pointer points to. No packed value points to itself.
func (d *decoder) pointee(v reflect.Value) {
	if d.depth++; d.depth > maxDepth {
		d.fail()
		return
	}
	to, at := reflect.New(v.Type().Elem()), len(d.shared)
	d.shared = append(d.shared, reflect.Value{})
	d.value(to.Elem())
	d.shared[at] = to
	v.Set(to)
	d.depth--
}
