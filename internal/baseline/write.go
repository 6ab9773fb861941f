package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/phrase"
)

// Format returns a program's file. Two runs of the same source give the same text. Lines that the old file has, whose text may be nil or hold a conflict of
// git, stay as they are there; the reason goes to the first line that it does not have.
func Format(p *Program, old []byte, reason string) []byte {
	w := newWriter()
	w.program(p)
	was, read := annotated(old), annotated(p.text)
	isNew := func(l line) bool { return was[l.text] == nil }
	because := -1 // the reason belongs to the first new kernel, else to the first new line of any kind
	if reason != "" && len(was) > 0 {
		because = slices.IndexFunc(w.lines, func(l line) bool { return l.kernel && isNew(l) })
	}
	if reason != "" && because < 0 {
		because = slices.IndexFunc(w.lines, isNew)
	}
	var b bytes.Buffer
	b.Grow(160 * len(w.lines)) // most are shorter
	ofOld, ofRead := was.of(w.lines), read.of(w.lines)
	for i, l := range w.lines {
		r := cmp.Or(ofOld[i], ofRead[i])
		if at := l.source; r.At == "" && at.File != "" {
			r.At = fmt.Sprintf("%s:%d", path.Base(at.File), at.Line)
		}
		if i == because {
			r.Reason = reason
		}
		text := l.text
		for _, pair := range [][2]string{{"at", r.At}, {"reason", r.Reason}} {
			if pair[1] != "" {
				text = fmt.Sprintf("%s,%q:%s}\n", strings.TrimSuffix(text, "}\n"), pair[0], strings.TrimSuffix(w.line(pair[1]), "\n"))
			}
		}
		b.WriteString(text)
	}
	return b.Bytes()
}

// Same reports whether two baselines are equal for a check. Reasons and source lines may differ.
func Same(a, b *Program) bool {
	plain := func(p *Program) []byte {
		w := newWriter()
		w.program(p)
		return w.text()
	}
	return bytes.Equal(plain(a), plain(b))
}

// text returns the lines without notes.
func (w *writer) text() []byte {
	var b bytes.Buffer
	for _, l := range w.lines {
		b.WriteString(l.text)
	}
	return b.Bytes()
}

// note is what stands behind a line.
type note struct {
	At     string `json:"at"`
	Reason string `json:"reason"`
	within string // the line that its compilation begins with; "" before the first
}

// notes holds what stands behind the lines of a file, by the text before it. Lines may be equal, so each text has a list.
type notes map[string][]note

// take takes the first note of a text from its list: of a compilation, or of all if that is "".
func (n notes) take(text, within string) (first note, found bool) {
	at := slices.IndexFunc(n[text], func(of note) bool { return within == "" || of.within == within })
	if at < 0 {
		return note{}, false
	}
	first = n[text][at]
	n[text] = slices.Delete(n[text], at, at+1)
	return first, true
}

// of returns the notes of lines: those of the same compilation first, then what is left.
func (n notes) of(lines []line) []note {
	list, found, within := make([]note, len(lines)), make([]bool, len(lines)), ""
	for i, l := range lines {
		if beginsVariant(l.text) {
			within = l.text
		}
		list[i], found[i] = n.take(l.text, within)
	}
	for i, l := range lines {
		if !found[i] {
			list[i], _ = n.take(l.text, "")
		}
		list[i].within = ""
	}
	return list
}

func beginsVariant(text string) bool { return strings.HasPrefix(text, `{"variant":`) }

// annotated returns the notes of the lines of a file. Lines without notes are in it as well.
func annotated(file []byte) notes {
	found, within := make(notes, bytes.Count(file, []byte("\n"))), ""
	for plain := range strings.Lines(string(file)) {
		var n note
		at := -1
		for _, key := range []string{`,"at":"`, `,"reason":"`} { // not in a string: there, quotes stand behind a backslash
			if at < 0 && strings.Contains(plain, key) { // which is faster
				at = strings.LastIndex(plain, key)
			}
		}
		if at >= 0 && json.Unmarshal([]byte("{"+plain[at+1:]), &n) == nil { // else it is the reason of a ceiling
			plain = plain[:at] + "}\n"
		}
		if beginsVariant(plain) {
			within = plain
		}
		n.within = within
		found[plain] = append(found[plain], n)
	}
	return found
}

// line is a record as it is written, without its notes.
type line struct {
	text   string
	source hlo.Location
	kernel bool
}

// writer collects the lines of a program's file.
type writer struct {
	buf   bytes.Buffer
	json  *json.Encoder // into buf
	lines []line
	in    scopeRecord // the part of the model that the lines are of
}

func newWriter() *writer {
	w := &writer{}
	w.json = json.NewEncoder(&w.buf)
	w.json.SetEscapeHTML(false)
	return w
}

// line returns a value as a line of JSON.
func (w *writer) line(v any) string {
	w.buf.Reset()
	if err := w.json.Encode(v); err != nil {
		panic(err) // numbers are finite, and nothing else fails
	}
	return w.buf.String()
}

func (w *writer) add(r record) { w.lines = append(w.lines, line{text: w.line(&r)}) }

// scopeOf is the part of the model that the first operation of a name is in.
func scopeOf(opName, in string) scopeRecord {
	opName, _, _ = strings.Cut(opName, ";")
	return scopeRecord{facts.ScopeOf(opName), in}
}

// end ends a section.
func (w *writer) end(section string) {
	w.in = scopeRecord{}
	w.add(record{End: section})
}

func (w *writer) program(p *Program) {
	w.add(record{Baseline: &headRecord{Schema, p.Name}})
	t := p.Toolchain
	w.add(record{Toolchain: &toolchainRecord{t.Framework, t.Backend, t.Device}})
	for _, name := range sortedKeys(t.Versions) {
		w.add(record{Version: &pairRecord{name, t.Versions[name]}})
	}
	for _, name := range sortedKeys(t.Libraries) {
		w.add(record{Library: &pairRecord{name, t.Libraries[name]}})
	}
	for _, name := range sortedKeys(t.Flags) {
		w.add(record{Flag: &pairRecord{name, t.Flags[name]}})
	}
	w.end(endToolchain)
	for i := range p.Ceilings {
		w.add(record{Ceiling: &p.Ceilings[i]})
	}
	w.end(endCeilings)
	for _, v := range p.Variants {
		w.variant(v)
	}
	w.end(endBaseline)
}

func (w *writer) variant(v *facts.Variant) {
	w.add(record{Variant: &variantRecord{
		v.Signature, v.Result, v.Backend, v.WorkVersion, max(1, len(v.Modules)), slices.Sorted(slices.Values(v.Unstable)), v.InputVaries, v.ModelAfter, v.Partitioner, v.Reader,
	}})
	w.facts(v)
	for _, a := range v.Params {
		a.Source = hlo.Location{}
		w.add(record{Argument: &argumentRecord{a, a.Spec}})
	}
	for _, o := range v.Outputs {
		o.OpName = ""
		w.add(record{Result: &o})
	}
	w.end(endArguments)
	w.sorted(phrase.Map(v.Constants, func(c facts.Constant) counted {
		of := func(n int) *record {
			return &record{Constant: &constantRecord{c.OpName, c.Within, c.Value, c.Shape, c.Bytes, n}}
		}
		return counted{in: scopeOf(c.OpName, c.Within), of: of}
	}))
	w.end(endConstants)
	w.sorted(phrase.Map(v.Buffers, func(b facts.Buffer) counted {
		of := func(n int) *record { return &record{Buffer: &bufferRecord{b.OpName, b.Shape, b.Bytes, n}} }
		return counted{in: scopeOf(b.OpName, ""), of: of}
	}))
	w.end(endBuffers)
	w.model(v.Model)
	w.end(endModel)
	var counts []counted
	for of, part := range v.Counts {
		r := &record{Counts: &countsRecord{of, part}}
		counts = append(counts, counted{in: scopeOf(of.Op, of.Within), then: of.Op, of: func(int) *record { return r }})
	}
	w.sorted(counts)
	w.end(endCounts)
	w.kernels(v.Kernels)
	w.end(endKernels)
}

// facts writes the facts that do not follow from other lines.
func (w *writer) facts(v *facts.Variant) {
	lines, follow := map[facts.ID]*float64{}, implied(v)
	for id, n := range v.Facts {
		if known, follows := follow[id]; !id.IsPrice() && (!follows || known != n) && !math.IsNaN(n) && !math.IsInf(n, 0) {
			lines[id] = &n
		}
	}
	for id := range follow {
		if !v.Facts.Known(id) {
			lines[id] = nil
		}
	}
	if peak, known := v.Facts[facts.MemoryPeak]; known {
		other := peak - follow[facts.MemoryPeak]
		delete(lines, facts.MemoryPeak)
		if lines[otherMemory] = &other; other == 0 {
			delete(lines, otherMemory)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(lines)) {
		w.add(record{Fact: map[facts.ID]*float64{id: lines[id]}})
	}
	w.end(endFacts)
}

// counted is a line for items that are written alike.
type counted struct {
	line
	in   scopeRecord             // the part of the model that it is of
	then string                  // what lines of one part are sorted by, before their text
	more int                     // of the items, besides the first
	of   func(times int) *record // 0 for one
}

// sorted writes a line for each different item, with the number of those that are equal, in the order of the parts of the model.
func (w *writer) sorted(items []counted) {
	known, list := map[string]int{}, items[:0]
	for _, one := range items {
		one.text = w.line(one.of(0))
		at, again := known[one.text]
		if !again {
			known[one.text], list = len(list), append(list, one)
			continue
		}
		if list[at].more += 1 + one.more; before(one.source, list[at].source) {
			list[at].source = one.source
		}
	}
	slices.SortFunc(list, func(a, b counted) int {
		return cmp.Or(strings.Compare(a.in.Name, b.in.Name), strings.Compare(a.in.Within, b.in.Within), strings.Compare(a.then, b.then), strings.Compare(a.text, b.text))
	})
	for _, one := range list {
		if one.in != w.in { // git merges two changes if a line stays between them
			w.in = one.in
			w.add(record{Scope: &one.in})
		}
		if one.more > 0 {
			one.text = w.line(one.of(1 + one.more))
		}
		w.lines = append(w.lines, one.line)
	}
}

// model writes the model's operations by scope and type, without source lines.
func (w *writer) model(model []facts.Statement) {
	type place struct{ scope, in, dtype string }
	counts, prints := map[place]map[string]int{}, map[place]uint64{}
	for i := range model {
		at := place{model[i].Scope, cmp.Or(model[i].Source.Function, model[i].Within), model[i].Type}
		if counts[at] == nil {
			counts[at] = map[string]int{}
		}
		for _, op := range model[i].Do {
			counts[at][op]++
		}
		prints[at] += model[i].Print
	}
	var lines []counted
	for at, do := range counts {
		r := &record{Model: &modelRecord{Scope: at.scope, Within: at.in, Type: at.dtype, Do: do}}
		if prints[at] != 0 {
			r.Model.Print = fmt.Sprintf("%016x", prints[at])
		}
		lines = append(lines, counted{in: scopeRecord{at.scope, at.in}, then: at.dtype, of: func(int) *record { return r }})
	}
	w.sorted(lines)
}

// kernels writes a line for each different kernel, in the order of the parts of the model.
func (w *writer) kernels(kernels []facts.Kernel) {
	type launch struct {
		form *facts.Form
		site facts.Site
	}
	known, lines := map[launch]int{}, []counted(nil)
	for i := range kernels {
		one := launch{kernels[i].Form, *kernels[i].Site}
		one.site.Within = cmp.Or(one.site.Source.Function, one.site.Within)
		one.site.Source, one.site.Stack = hlo.Location{}, nil
		if one.site.Times == 1 { // it is left out
			one.site.Times = 0
		}
		at, again := known[one]
		if !again {
			known[one] = len(lines)
			lines = append(lines, counted{
				line: line{source: kernels[i].Source, kernel: true}, in: scopeOf(one.site.OpName, one.site.Within), then: one.site.OpName,
				of: func(n int) *record { return &record{Kernel: &kernelRecord{one.site.Within, one.site, one.form, n}} },
			})
			continue
		}
		if lines[at].more++; before(kernels[i].Source, lines[at].source) {
			lines[at].source = kernels[i].Source
		}
	}
	w.sorted(lines) // forms may be written alike
}

// before reports whether a place stands before another in the model.
func before(a, b hlo.Location) bool {
	return a.File != "" && (b.File == "" || a.File < b.File || a.File == b.File && a.Line < b.Line)
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
