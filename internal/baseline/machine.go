package baseline

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
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
	return text(lines(p, storedForms{}))
}

// line is a record as it is written.
type line struct {
	text string
	record
}

func text(lines []line) []byte {
	var b bytes.Buffer
	for i := range lines {
		b.WriteString(lines[i].text)
	}
	return b.Bytes()
}

// storedForm is a form as it is written, and as it is read back.
type storedForm struct {
	text string
	form *facts.Form
}

// storedForms are what forms are stored as. The programs of a run have many in common.
type storedForms map[*facts.Form]storedForm

func (s storedForms) of(f *facts.Form) storedForm {
	stored, known := s[f]
	if !known {
		form := *f
		form.Layout = ""
		stored = storedForm{encoded(f), &form}
		s[f] = stored
	}
	return stored
}

// lines returns the records of a program's machine file. They hold what reading the file gives.
func lines(p *Program, forms storedForms) []line {
	w := &writer{forms: forms}
	toolchain := p.Toolchain
	toolchain.Every = nil
	w.add(record{Program: &programRecord{Schema, p.Name, toolchain}})
	for _, v := range p.Variants {
		w.variant(v)
	}
	w.add(record{End: &endRecord{len(w.lines)}})
	return w.lines
}

// writer collects records.
type writer struct {
	lines []line
	forms storedForms
}

func (w *writer) add(r record) { w.lines = append(w.lines, line{encoded(r), r}) }

// encoded returns a value as one line of JSON.
func encoded(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // numbers are finite, and nothing else fails
	}
	return b.String()
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
	var lines []line
	for item, n := range items {
		r := of(item, several(n))
		lines = append(lines, line{encoded(r), r})
	}
	w.sorted(lines)
}

// several returns a count to write; 0, which is omitted, for one.
func several(n int) int {
	if n == 1 {
		return 0
	}
	return n
}

func (w *writer) sorted(lines []line) {
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.text, b.text) })
	w.lines = append(w.lines, lines...)
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
	var lines []line
	for at, do := range counts {
		r := record{Statement: &statementRecord{at.scope, at.dtype, do}}
		lines = append(lines, line{encoded(r), r})
	}
	w.sorted(lines)
}

// kernels writes each form once, with its launch sites.
func (w *writer) kernels(kernels []facts.Kernel) {
	forms, sites := map[string]*facts.Form{}, map[string]map[facts.Site]int{}
	for i := range kernels {
		k := &kernels[i]
		stored := w.forms.of(k.Form)
		text := stored.text
		if sites[text] == nil {
			forms[text], sites[text] = stored.form, map[facts.Site]int{}
		}
		site := *k.Site
		site.Source, site.Stack = hlo.Location{}, nil
		sites[text][site]++
	}
	var lines []line
	for text, at := range sites {
		all := make([]writtenSite, 0, len(at))
		for site, n := range at {
			r := siteRecord{site, several(n)}
			all = append(all, writtenSite{r, strings.TrimSuffix(encoded(r), "\n")})
		}
		sortSites(all)
		form := strings.TrimSuffix(text, "}\n")
		if form != "{" {
			form += ","
		}
		k := &kernelRecord{forms[text], phrase.Map(all, func(s writtenSite) siteRecord { return s.siteRecord })}
		lines = append(lines, line{`{"kernel":` + form + `"at":` + siteList(all) + "}}\n", record{Kernel: k}}) // as kernelRecord is written, without writing the form again
	}
	w.sorted(lines)
}

// writtenSite is a site with its JSON.
type writtenSite struct {
	siteRecord
	text string
}

func sortSites(sites []writtenSite) {
	slices.SortFunc(sites, func(a, b writtenSite) int {
		if order := strings.Compare(a.OpName, b.OpName); order != 0 {
			return order
		}
		return strings.Compare(a.text, b.text)
	})
}

// siteList writes sites as a JSON array.
func siteList(sites []writtenSite) string {
	var list strings.Builder
	for i, s := range sites {
		list.WriteString([]string{"[", ","}[min(i, 1)] + s.text)
	}
	return list.String() + "]"
}
