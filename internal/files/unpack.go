package files

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
)

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
		n := d.number()
		v.SetInt(int64(n>>1) ^ -int64(n&1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.number())
	case reflect.Float32, reflect.Float64:
		if bits := d.take(8); bits != nil {
			v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(bits)))
		}
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

// known returns a slice or pointer that was read before.
func (d *decoder) known(v reflect.Value) {
	id := d.number()
	if id >= uint64(len(d.shared)) || !d.shared[id].IsValid() || d.shared[id].Type() != v.Type() {
		d.fail()
		return
	}
	v.Set(d.shared[id])
}

func (d *decoder) slice(v reflect.Value) {
	switch mark := d.number(); mark {
	case markNil:
	case markKnown:
		d.known(v)
	default:
		n := mark - markNew
		if n > uint64(len(d.b)) { // an element has at least one byte, except for a struct without fields
			d.fail()
			return
		}
		list, at := reflect.MakeSlice(v.Type(), int(n), int(n)), len(d.shared)
		if n > 0 {
			d.shared = append(d.shared, reflect.Value{})
			d.elements(list)
			d.shared[at] = list
		}
		v.Set(list)
	}
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
