package baseline

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/xlagate/xlagate/internal/yamldoc"
)

// contradiction returns an error if a readable file differs from the page that its machine file gives.
func contradiction(name, machineName string, got *yamldoc.Node, page any) error {
	return (&reader{name, machineName, map[reflect.Type][]string{}}).compare(got, reflect.ValueOf(page), "")
}

// reader compares a readable file with what follows from its machine file.
type reader struct {
	name, machineName string
	keys              map[reflect.Type][]string // of the fields of structs
}

// entry is one key of a mapping with its value.
type entry struct {
	key   string
	value reflect.Value
}

func (r *reader) wrong(at *yamldoc.Node, format string, args ...any) error {
	return broken(r.name, at.Line, at.Column, fmt.Sprintf(format, args...))
}

func (r *reader) compare(got *yamldoc.Node, want reflect.Value, key string) error {
	for want.Kind() == reflect.Interface || want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	kind := yamldoc.Scalar
	switch want.Kind() {
	case reflect.Struct, reflect.Map:
		kind = yamldoc.Mapping
	case reflect.Slice:
		kind = yamldoc.Sequence
	}
	if got.Kind != kind {
		return r.wrong(got, "%s is %s here; by %s it is %s", key, kindOf(got.Kind, got.Value), r.machineName, kindOf(kind, scalar(want)))
	}
	switch kind {
	case yamldoc.Mapping:
		return r.compareKeys(got, r.entries(want), key)
	case yamldoc.Sequence:
		return r.compareItems(got, want, key)
	}
	if text := scalar(want); got.Value != text {
		return r.wrong(got, "%s is %s here and %s by %s", key, got.Value, text, r.machineName)
	}
	return nil
}

func (r *reader) compareItems(got *yamldoc.Node, want reflect.Value, key string) error {
	for i := range min(len(got.Content), want.Len()) {
		if err := r.compare(got.Content[i], want.Index(i), key+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	if len(got.Content) != want.Len() {
		return r.wrong(got, "%s has %d entries here and %d by %s", key, len(got.Content), want.Len(), r.machineName)
	}
	return nil
}

func (r *reader) compareKeys(got *yamldoc.Node, expected []entry, key string) error {
	for i := 0; i+1 < len(got.Content); i += 2 {
		at := got.Content[i]
		one := slices.IndexFunc(expected, func(e entry) bool { return e.key == at.Value })
		if one < 0 {
			return r.wrong(at, "unknown key %q: %s knows nothing of it", at.Value, r.machineName)
		}
		if err := r.compare(got.Content[i+1], expected[one].value, joined(key, at.Value)); err != nil {
			return err
		}
		expected = slices.Delete(expected, one, one+1)
	}
	if len(expected) > 0 {
		missing := slices.MinFunc(expected, func(a, b entry) int { return strings.Compare(a.key, b.key) })
		return r.wrong(got, "%s is missing; %s holds it", joined(key, missing.key), r.machineName)
	}
	return nil
}

// entries lists what a struct or a map holds as JSON.
func (r *reader) entries(v reflect.Value) (list []entry) {
	if v.Kind() == reflect.Map {
		for of := v.MapRange(); of.Next(); {
			list = append(list, entry{of.Key().String(), of.Value()})
		}
		slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.key, b.key) })
		return list
	}
	for i, key := range r.keysOf(v.Type()) {
		key, optional := strings.CutSuffix(key, ",omitempty")
		if field := v.Field(i); key != "" && !(optional && isEmpty(field)) {
			list = append(list, entry{key, field})
		}
	}
	return list
}

// keysOf returns the tags of a struct's fields.
func (r *reader) keysOf(t reflect.Type) []string {
	keys, known := r.keys[t]
	if !known {
		for i := range t.NumField() {
			keys = append(keys, t.Field(i).Tag.Get("json"))
		}
		r.keys[t] = keys
	}
	return keys
}

func isEmpty(v reflect.Value) bool {
	return v.IsZero() || (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0
}

// scalar returns a value as it is written.
func scalar(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "null"
	case reflect.String:
		return strings.ToValidUTF8(v.String(), "\ufffd")
	case reflect.Float64:
		return yamldoc.Number(v.Float())
	}
	return fmt.Sprint(v)
}

func kindOf(kind yamldoc.Kind, value string) string {
	switch kind {
	case yamldoc.Mapping:
		return "a mapping"
	case yamldoc.Sequence:
		return "a list"
	}
	return value
}

func joined(key, name string) string { return strings.TrimPrefix(key+"."+name, ".") }
