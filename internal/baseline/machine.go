package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
)

// A record is one line of a machine file. One of its fields is set.
type record struct {
	Program   *programRecord   `json:"program,omitempty"`
	Variant   *variantRecord   `json:"variant,omitempty"`
	Facts     facts.Values     `json:"facts,omitempty"`
	Param     *paramRecord     `json:"param,omitempty"`
	Output    *facts.Output    `json:"output,omitempty"`
	Constant  *constantRecord  `json:"constant,omitempty"`
	Buffer    *bufferRecord    `json:"buffer,omitempty"`
	Statement *statementRecord `json:"model,omitempty"`
	Kernel    *kernelRecord    `json:"kernel,omitempty"`
	End       *endRecord       `json:"end,omitempty"`
}

type (
	programRecord struct {
		Schema    string          `json:"schema"`
		Name      string          `json:"name"`
		Toolchain facts.Toolchain `json:"toolchain"`
	}
	variantRecord struct {
		Signature   string   `json:"signature"`
		Result      string   `json:"result,omitempty"`
		Fingerprint string   `json:"fingerprint,omitempty"`
		Input       string   `json:"input,omitempty"`
		Backend     string   `json:"backend,omitempty"`
		Work        int      `json:"work,omitempty"`
		Compiles    int      `json:"compiles"`
		Unstable    []string `json:"unstable,omitempty"`
		ModelAfter  bool     `json:"model_after,omitempty"`
	}
	paramRecord struct {
		facts.Parameter
		Spec string `json:"spec,omitempty"`
	}
	constantRecord struct {
		facts.Constant
		Times int `json:"times,omitempty"`
	}
	bufferRecord struct {
		facts.Buffer
		Times int `json:"times,omitempty"`
	}
	statementRecord struct {
		Scope string         `json:"scope,omitempty"`
		Type  string         `json:"type,omitempty"`
		Do    map[string]int `json:"do,omitempty"`
	}
	kernelRecord struct {
		*facts.Form
		At []siteRecord `json:"at"`
	}
	siteRecord struct {
		facts.Site
		Launches int `json:"times,omitempty"`
	}
	endRecord struct {
		Records int `json:"records"`
	}
)

// machine returns a program's machine file, one record a line, in an order that does not depend on the compiler's.
func machine(p *Program) []byte {
	var b bytes.Buffer
	for _, l := range newWriter().program(p) {
		b.WriteString(l.text)
	}
	return b.Bytes()
}

// line is a record as it is written.
type line struct {
	text string
	*record
}

// storedForm is a form as it is written, and as it is read back.
type storedForm struct {
	text string // without the brace behind it
	form *facts.Form
}

// writer writes programs one after the other as records.
type writer struct {
	lines []line
	forms map[*facts.Form]*storedForm // the programs of a run have many in common
	texts map[string]*storedForm      // the same by their texts
	buf   bytes.Buffer
	json  *json.Encoder
}

func newWriter() *writer {
	w := &writer{forms: map[*facts.Form]*storedForm{}, texts: map[string]*storedForm{}}
	w.json = json.NewEncoder(&w.buf)
	w.json.SetEscapeHTML(false)
	return w
}

// program returns the records of a program's machine file, until the next program. They hold what reading the file gives.
func (w *writer) program(p *Program) []line {
	w.lines = w.lines[:0]
	toolchain := p.Toolchain
	toolchain.Every = nil
	w.add(record{Program: &programRecord{Schema, p.Name, toolchain}})
	for _, v := range p.Variants {
		w.variant(v)
	}
	w.add(record{End: &endRecord{len(w.lines)}})
	return w.lines
}

// encoded returns a value as one line of JSON.
func (w *writer) encoded(v any) string {
	w.buf.Reset()
	if err := w.json.Encode(v); err != nil {
		panic(err) // numbers are finite, and nothing else fails
	}
	return w.buf.String()
}

func (w *writer) add(r record) { w.lines = append(w.lines, line{w.encoded(&r), &r}) }

// form returns what a form is stored as. Forms that are written alike are stored as one.
func (w *writer) form(f *facts.Form) *storedForm {
	stored := w.forms[f]
	if stored == nil {
		text := strings.TrimSuffix(w.encoded(f), "}\n")
		if stored = w.texts[text]; stored == nil {
			form := *f
			form.Layout = ""
			stored = &storedForm{text, &form}
			w.texts[text] = stored
		}
		w.forms[f] = stored
	}
	return stored
}

func (w *writer) variant(v *facts.Variant) {
	w.add(record{Variant: &variantRecord{
		v.Signature, v.Result, v.Fingerprint, v.InputPrint, v.Backend, v.WorkVersion, max(1, len(v.Modules)), slices.Sorted(slices.Values(v.Unstable)), v.ModelAfter,
	}})
	if kept := keptFacts(v.Facts); len(kept) > 0 {
		w.add(record{Facts: kept})
	}
	for _, a := range v.Params {
		a.Source = hlo.Location{}
		w.add(record{Param: &paramRecord{a, a.Spec}})
	}
	for _, o := range v.Outputs {
		o.OpName = ""
		w.add(record{Output: &o})
	}
	constants := map[facts.Constant]int{}
	for _, c := range v.Constants {
		c.Source = hlo.Location{}
		constants[c]++
	}
	counted(w, constants, func(c facts.Constant, n int) record { return record{Constant: &constantRecord{c, n}} })
	buffers := map[facts.Buffer]int{}
	for _, b := range v.Buffers {
		b.Source = hlo.Location{}
		buffers[b]++
	}
	counted(w, buffers, func(b facts.Buffer, n int) record { return record{Buffer: &bufferRecord{b, n}} })
	w.model(v.Model)
	w.kernels(v.Kernels)
}

// counted writes a record for each distinct item, with its count.
func counted[T comparable](w *writer, items map[T]int, of func(item T, n int) record) {
	first := len(w.lines)
	for item, n := range items {
		w.add(of(item, several(n)))
	}
	w.sort(first)
}

// several returns a count to write; 0, which is omitted, for one.
func several(n int) int {
	if n == 1 {
		return 0
	}
	return n
}

// sort sorts the lines from one on.
func (w *writer) sort(first int) {
	slices.SortFunc(w.lines[first:], func(a, b line) int { return strings.Compare(a.text, b.text) })
}

// keptFacts returns the facts that are stored. Prices are not: they are computed from the kernels' work when the baseline is read.
func keptFacts(n facts.Values) facts.Values {
	kept := facts.Values{}
	for name, v := range n {
		if !name.IsPrice() && finite(v) {
			kept[name] = v
		}
	}
	return kept
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// model writes the model's operations, grouped by scope and type, without source lines.
func (w *writer) model(model []facts.Statement) {
	type place struct{ scope, dtype string }
	counts := map[place]map[string]int{}
	for i := range model {
		at := place{model[i].Scope, model[i].Type}
		if counts[at] == nil {
			counts[at] = map[string]int{}
		}
		for _, op := range model[i].Do {
			counts[at][op]++
		}
	}
	first := len(w.lines)
	for at, do := range counts {
		w.add(record{Statement: &statementRecord{at.scope, at.dtype, do}})
	}
	w.sort(first)
}

// kernels writes each form once, with its launch sites.
func (w *writer) kernels(kernels []facts.Kernel) {
	type launch struct {
		form *storedForm
		site facts.Site
	}
	launches, sites := map[launch]int{}, map[*storedForm][]siteRecord{}
	for i := range kernels {
		one := launch{w.form(kernels[i].Form), *kernels[i].Site}
		one.site.Source, one.site.Stack = hlo.Location{}, nil
		launches[one]++
	}
	for one, n := range launches {
		sites[one.form] = append(sites[one.form], siteRecord{one.site, several(n)})
	}
	first := len(w.lines)
	for form, at := range sites {
		w.lines = append(w.lines, w.kernel(form, at))
	}
	w.sort(first)
}

// kernel returns the record of a form, as kernelRecord is written, without writing the form again.
func (w *writer) kernel(form *storedForm, at []siteRecord) line {
	texts := make([]writtenSite, len(at))
	for i := range at {
		texts[i] = writtenSite{&at[i], strings.TrimSuffix(w.encoded(&at[i]), "\n")}
	}
	slices.SortFunc(texts, func(a, b writtenSite) int {
		return cmp.Or(strings.Compare(a.OpName, b.OpName), strings.Compare(a.text, b.text))
	})
	k := &kernelRecord{Form: form.form}
	w.buf.Reset()
	w.buf.WriteString(`{"kernel":` + form.text)
	if form.text != "{" {
		w.buf.WriteByte(',')
	}
	w.buf.WriteString(`"at":`)
	for i, s := range texts {
		w.buf.WriteByte("[,"[min(i, 1)])
		w.buf.WriteString(s.text)
		k.At = append(k.At, *s.siteRecord)
	}
	w.buf.WriteString("]}}\n")
	return line{w.buf.String(), &record{Kernel: k}}
}

// writtenSite is a site with its JSON.
type writtenSite struct {
	*siteRecord
	text string
}
