package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/xlagate/xlagate/internal/diff"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/files"
	"github.com/xlagate/xlagate/internal/result"
)

// writeJSON writes a value indented, keys of maps sorted, `<`, `>` and `&` as they are. Lists that are empty are written as such, not as null.
func writeJSON(w io.Writer, what string, v any) error { return encodeJSON(w, what, v, "  ", true) }

// encodeJSON is writeJSON with a choice of the indentation, and of leaving out the operations in kernels, which are most of a large program.
func encodeJSON(w io.Writer, what string, v any, indent string, operations bool) error {
	e := json.NewEncoder(uncommanded{w})
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(filled(reflect.ValueOf(v), operations).Interface()); err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, err)
	}
	return nil
}

// uncommanded writes JSON that spells the old form of a workflow command, and characters that a terminal obeys or that reorder others, in another way:
// a log or a screen may show the JSON.
type uncommanded struct{ w io.Writer }

// Write takes a whole value, as the encoder writes it.
func (u uncommanded) Write(p []byte) (int, error) {
	text := p
	if bytes.Contains(p, []byte("##[")) {
		text = bytes.ReplaceAll(p, []byte("##["), []byte(`#\u0023[`))
	}
	if _, err := u.w.Write(spelled(text)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unseen reports whether a character has no shape of its own. The encoder escapes the ASCII ones.
func unseen(r rune) bool { return r >= 0x7f && !unicode.IsPrint(r) }

// spelled escapes the unseen characters of JSON.
func spelled(text []byte) []byte {
	plain := true
	for _, c := range text { // to look at the characters of tens of megabytes takes ten times as long
		plain = plain && c < 0x7f
	}
	if plain || bytes.IndexFunc(text, unseen) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch high, low := utf16.EncodeRune(r); {
		case !unseen(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// filled copies a value with empty lists and maps in the place of nil ones, but for those that the JSON form leaves out when they are empty.
func filled(v reflect.Value, operations bool) reflect.Value {
	switch {
	case v.Type() == reflect.TypeFor[facts.Kernel](): // leaves out its empty lists
		if k := v.Interface().(facts.Kernel); !operations {
			k.Ops = facts.OpList{}
			return reflect.ValueOf(k)
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(filled(v.Elem(), operations))
		return out
	case v.Kind() == reflect.Map && v.IsNil():
		return reflect.MakeMap(v.Type())
	case v.Kind() == reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(filled(v.Index(i), operations))
		}
		return out
	case v.Kind() == reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for field, value := range out.Fields() {
			if tag := field.Tag.Get("json"); tag != "-" && value.CanSet() && !(value.IsZero() && strings.Contains(tag, ",omit")) {
				value.Set(filled(value, operations))
			}
		}
		return out
	}
	return v
}

// asJSON renders a value that is its own JSON form.
func asJSON[T any](w io.Writer, v T, _ Options) error { return writeJSON(w, "the report", v) }

// each is the view of every element. Of none it is an empty list, not null.
func each[T, V any](list []T, view func(*T) V) []V {
	out := make([]V, len(list))
	for i := range list {
		out[i] = view(&list[i])
	}
	return out
}

// The schemas of the JSON of a dump's contents and of a difference.
const (
	InspectSchema = "xlagate.inspect/v1"
	DiffSchema    = "xlagate.diff/v1"
)

// heading begins a JSON document.
type heading struct {
	Schema string      `json:"schema"`
	Tool   result.Tool `json:"tool"`
}

func headed(schema string, o Options) heading {
	return heading{schema, result.Tool{Name: "xlagate", Version: o.Version}}
}

func inspectJSON(w io.Writer, r *facts.Report, o Options) error {
	indent := "  "
	if o.OneLine {
		indent = ""
	}
	return encodeJSON(w, "what the dump holds", &inspection{headed(InspectSchema, o), r, o.Parts}, indent, o.All)
}

// inspection is the JSON form of a dump's contents.
type inspection struct {
	heading
	*facts.Report
	Parts []result.Part `json:"parts,omitempty"`
}

// CheckInspection checks the keys of the JSON of a dump's contents, as [files.CheckKeys] does.
func CheckInspection(data []byte) *files.KeyError {
	return files.CheckKeys(data, reflect.TypeFor[inspection]())
}

// The JSON form of a difference. The kernels of a program are those of all of its variants; where there are several, each lists its own as well.
type (
	diffView struct {
		heading
		*diff.Report
		Programs []programView `json:"programs"`
	}
	programView struct {
		*diff.Program
		Kernels  diff.Kernels  `json:"kernels"`
		Variants []variantView `json:"variants"`
	}
	variantView struct {
		Old string `json:"old,omitempty"` // signatures
		New string `json:"new,omitempty"`
		*diff.Variant
		Kernels *diff.Kernels `json:"kernels,omitempty"`
	}
)

func diffJSON(w io.Writer, d *diff.Report, o Options) error {
	v := &diffView{headed(DiffSchema, o), d, each(d.Programs, viewProgram)}
	return encodeJSON(w, "the difference", v, "  ", o.All)
}

func viewProgram(p **diff.Program) programView {
	v := programView{Program: *p}
	for _, variant := range v.Program.Variants {
		k, all := &variant.Kernels, &v.Kernels
		all.Kept += k.Kept
		all.Removed, all.Added = append(all.Removed, k.Removed...), append(all.Added, k.Added...)
		all.Changed, all.Moved = append(all.Changed, k.Changed...), append(all.Moved, k.Moved...)
		all.Split, all.Merged, all.Unrolled = append(all.Split, k.Split...), append(all.Merged, k.Merged...), append(all.Unrolled, k.Unrolled...)
		if len(v.Program.Variants) == 1 {
			k = nil
		}
		v.Variants = append(v.Variants, variantView{signature(variant.Old), signature(variant.New), variant, k})
	}
	return v
}

// signatureOf is the signature of the new side, or of the old one where there is no new one.
func signatureOf(v *diff.Variant) string { return cmp.Or(signature(v.New), signature(v.Old)) }

func signature(v *facts.Variant) string {
	if v == nil {
		return ""
	}
	return v.Signature
}
