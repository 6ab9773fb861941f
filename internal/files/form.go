package files

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
)

// PackedForm sums up how values of a type are laid out. Builds that give a type the same form read each other's bytes.
func PackedForm(value any) string {
	sum := sha256.New()
	describe(sum, reflect.TypeOf(value), map[reflect.Type]bool{})
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// describe spells a type; one that holds itself is spelled once.
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
			fmt.Fprintf(w, "%s: ", t.Field(i).Name)
			describe(w, t.Field(i).Type, seen)
		}
	}
}
