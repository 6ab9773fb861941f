package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/measure"
)

// listPage is the files of a baseline, one a row.
func listPage(files []Stored) page {
	p := page{Title: say("baseline")}
	if len(files) == 0 {
		p.add(para{say("nothing was accepted yet; record what is there with ").in(name, "xlagate accept")})
	}
	t := table{Head: []string{"target", "program", "variants", "kernels", "toolchain", "file", "reason"}, Right: []bool{false, false, true, true}}
	for i := range files {
		f := &files[i]
		row := []line{in(name, f.Target), in(dim, "graphs"), nil, nil, in(name, toolsOf(f.Tools)), in(name, f.File), say(f.Reason)}
		if f.Program != nil {
			row[1] = in(name, f.Program.Name)
			row[2] = say(measure.Number(float64(len(f.Program.Variants))))
			row[3] = say(storedKernels(f.Program))
		}
		t.Rows = append(t.Rows, row)
	}
	p.add(t)
	return p
}

// storedKernels is the number of kernels of a program's largest variant; "" when none is recorded.
func storedKernels(p *facts.Program) string {
	most := -1.0
	for _, v := range p.Variants {
		if n, ok := v.Facts["kernels.total"]; ok {
			most = max(most, n)
		}
	}
	if most < 0 {
		return ""
	}
	return measure.Number(most)
}

// showPage is one file of a baseline.
func showPage(f Stored) page {
	title := in(strong, f.Target)
	if f.Program != nil {
		title = title.and("   ").in(name, f.Program.Name)
	}
	p := page{Title: title}
	p.add(para{in(name, f.File)})
	if t := toolsOf(f.Tools); t != "" {
		p.add(para{in(dim, "accepted under ").in(name, t)})
	}
	for _, flag := range flags(f.Tools) {
		p.add(para{in(dim, "with ").in(name, flag)})
	}
	if f.Reason != "" {
		p.add(para{in(dim, "because ").and(f.Reason)})
	}
	p.add(filledSection(in(strong, "graphs"), factTable(f.Graphs)))
	if f.Program == nil {
		return p
	}
	for _, v := range f.Program.Variants {
		s := section{Title: in(name, shortSignature(v.Signature, maxName))}
		s.add(factTable(v.Facts), filledSection(in(dim, "kernels"), ledger(v.Kernels)))
		p.add(s)
	}
	return p
}

// factTable lists facts by name.
func factTable(f facts.Numbers) table {
	t := table{Head: []string{"fact", "value"}, Right: []bool{false, true}, Bare: true}
	for _, fact := range sortedKeys(f) {
		t.Rows = append(t.Rows, []line{in(name, fact), say(value(fact, f[fact]))})
	}
	return t
}

type storedView struct {
	Target    string          `json:"target"`
	File      string          `json:"file"`
	Reason    string          `json:"reason,omitempty"`
	Toolchain facts.Toolchain `json:"toolchain"`
	Program   *programView    `json:"program,omitempty"`
	Graphs    facts.Numbers   `json:"graphs,omitempty"`
}

func viewStored(f Stored) storedView {
	v := storedView{Target: f.Target, File: f.File, Reason: f.Reason, Toolchain: f.Tools, Graphs: f.Graphs}
	if f.Program != nil {
		v.Program = &programView{f.Program, true, newFormLines()}
	}
	return v
}

func listJSON(w io.Writer, files []Stored, _ Options) error {
	views := make([]storedView, len(files))
	for i, f := range files {
		views[i] = viewStored(f)
	}
	return writeJSON(w, "the baseline", views)
}

func showJSON(w io.Writer, f Stored, _ Options) error {
	return writeJSON(w, "the baseline", viewStored(f))
}
