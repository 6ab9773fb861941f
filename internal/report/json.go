package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// writeJSON writes a value indented, keys of maps sorted, `<`, `>` and `&` as they are. Lists that are empty are written as such, not as null.
func writeJSON(w io.Writer, what string, v any) error { return encodeJSON(w, what, v, "  ", true) }

// encodeJSON is writeJSON with a choice of the indentation, and of leaving out the operations in kernels, which are most of a large program.
func encodeJSON(w io.Writer, what string, v any, indent string, operations bool) error {
	options := []json.Options{json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsonv1.OmitEmptyWithLegacySemantics(true), jsonv1.FormatDurationAsNano(true)}
	if indent != "" {
		options = append(options, jsontext.WithIndent(indent))
	}
	if !operations {
		options = append(options, json.WithMarshalers(json.MarshalToFunc(func(to *jsontext.Encoder, k facts.Kernel) error {
			k.Ops = nil
			return json.MarshalEncode(to, (*plainKernel)(&k))
		})))
	}
	out := &harmlessWriter{w: w}
	err := json.MarshalWrite(out, v, options...)
	if err == nil {
		err = out.end()
	}
	if err = cmp.Or(out.failed, err); err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, err)
	}
	return nil
}

// plainKernel is a kernel that [encodeJSON] writes as it is.
type plainKernel facts.Kernel

// harmlessWriter writes what harmlessJSON makes of JSON, piece by piece: that of a large dump has hundreds of megabytes.
type harmlessWriter struct {
	w      io.Writer
	rest   []byte // the end of what came, as far as it may belong together with what comes
	failed error
}

// Write keeps back what follows the last quote: no character and no command goes across one.
func (h *harmlessWriter) Write(piece []byte) (int, error) {
	h.rest = append(h.rest, piece...)
	end := bytes.LastIndexByte(h.rest, '"') + 1
	if _, err := h.w.Write(harmlessJSON(h.rest[:end])); err != nil {
		h.failed = err
		return 0, err
	}
	h.rest = append(h.rest[:0], h.rest[end:]...)
	return len(piece), nil
}

// end writes what was kept back, and ends the line.
func (h *harmlessWriter) end() error {
	_, err := h.w.Write(append(harmlessJSON(h.rest), '\n'))
	return err
}

// harmlessJSON writes the old form of a workflow command, and characters that a terminal obeys or that reorder others, in another way: a log or a screen
// may show the JSON.
func harmlessJSON(text []byte) []byte {
	if bytes.Contains(text, []byte("##[")) {
		text = bytes.ReplaceAll(text, []byte("##["), []byte(`#\u0023[`))
	}
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

// unseen reports whether a character has no shape of its own. The encoder escapes the ASCII ones.
func unseen(r rune) bool { return r >= 0x7f && !unicode.IsPrint(r) }

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
	return encodeJSON(w, "what the dump holds", &struct {
		heading
		*facts.Report
	}{headed(InspectSchema, o), r}, indent, o.All)
}

// The JSON form of a difference. The kernels of a program are those of all of its variants; where there are several, each lists its own as well.
type (
	diffView struct {
		heading
		*changes.Report
		Programs []programView `json:"programs"`
	}
	programView struct {
		*changes.Program
		Kernels  changes.Kernels `json:"kernels"`
		Variants []variantView   `json:"variants"`
	}
	variantView struct {
		Old string `json:"old,omitempty"` // signatures
		New string `json:"new,omitempty"`
		*changes.Variant
		Kernels *changes.Kernels `json:"kernels,omitempty"`
	}
)

func diffJSON(w io.Writer, d *changes.Report, o Options) error {
	v := &diffView{headed(DiffSchema, o), d, each(d.Programs, viewProgram)}
	return encodeJSON(w, "the difference", v, "  ", o.All)
}

func viewProgram(p **changes.Program) programView {
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

func signature(v *facts.Variant) string {
	if v == nil {
		return ""
	}
	return v.Signature
}
