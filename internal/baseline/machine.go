package baseline

import (
	"bytes"
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
	w := &writer{}
	w.add(record{Program: &programRecord{Schema, p.Name, p.Toolchain}})
	for _, v := range p.Variants {
		w.variant(v)
	}
	w.add(record{End: &endRecord{w.records}})
	return w.Bytes()
}

// writer writes records.
type writer struct {
	bytes.Buffer
	records int
}

func (w *writer) add(r record) {
	w.records++
	w.WriteString(encoded(r))
}

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
	for i := range v.Params {
		w.add(record{Param: &paramRecord{v.Params[i], v.Params[i].Spec}})
	}
	for i := range v.Outputs {
		w.add(record{Output: &v.Outputs[i]})
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
	var lines []string
	for item, n := range items {
		lines = append(lines, encoded(of(item, several(n))))
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

func (w *writer) sorted(lines []string) {
	slices.Sort(lines)
	w.records += len(lines)
	for _, line := range lines {
		w.WriteString(line)
	}
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
	var lines []string
	for at, do := range counts {
		lines = append(lines, encoded(record{Statement: &statementRecord{at.scope, at.dtype, do}}))
	}
	w.sorted(lines)
}

// kernels writes each form once, with its launch sites.
func (w *writer) kernels(kernels []facts.Kernel) {
	forms, sites := map[*facts.Form]string{}, map[string]map[facts.Site]int{}
	for i := range kernels {
		k := &kernels[i]
		text, known := forms[k.Form]
		if !known {
			text = encoded(k.Form)
			forms[k.Form] = text
		}
		if sites[text] == nil {
			sites[text] = map[facts.Site]int{}
		}
		site := *k.Site
		site.Source, site.Stack = hlo.Location{}, nil
		sites[text][site]++
	}
	var lines []string
	for text, at := range sites {
		all := make([]writtenSite, 0, len(at))
		for site, n := range at {
			all = append(all, writtenSite{site.OpName, strings.TrimSuffix(encoded(siteRecord{site, several(n)}), "\n")})
		}
		form := strings.TrimSuffix(text, "}\n")
		if form != "{" {
			form += ","
		}
		lines = append(lines, `{"kernel":`+form+`"at":`+siteList(all)+"}}\n") // as kernelRecord is written, without writing the form again
	}
	w.sorted(lines)
}

// writtenSite is a site as JSON, with its first sort key.
type writtenSite struct{ opName, text string }

// siteList writes sites as a JSON array, sorted.
func siteList(sites []writtenSite) string {
	slices.SortFunc(sites, func(a, b writtenSite) int {
		if order := strings.Compare(a.opName, b.opName); order != 0 {
			return order
		}
		return strings.Compare(a.text, b.text)
	})
	var list strings.Builder
	for i, s := range sites {
		list.WriteString([]string{"[", ","}[min(i, 1)] + s.text)
	}
	return list.String() + "]"
}
