package report

import (
	"io"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/result"
)

// resultHTML renders a result in full: what the Markdown holds, and every fact beside its baseline.
func resultHTML(w io.Writer, r *indexed, o Options) error {
	d := everything
	d.facts = true
	return writeHTML(w, resultPage(r, d), o)
}

// factSections are all facts of all programs, each variant folded.
func factSections(r *indexed) []block {
	var blocks []block
	for i := range r.Targets {
		t := &r.Targets[i]
		s := section{Title: say("All facts of ").in(name, t.Name)}
		for j := range t.Programs {
			p := &t.Programs[j]
			for k := range p.Variants {
				v := &p.Variants[k]
				title := in(name, p.Name+shortSignature(v.Signature, maxSignature)).and(" " + changeWord(p.Change))
				s.add(section{Fold: true, Title: title, Blocks: []block{allFacts(v)}})
			}
		}
		if len(s.Blocks) > 0 {
			blocks = append(blocks, s)
		}
	}
	return blocks
}

// allFacts is a row for each fact that either side knows; what was not dumped is empty.
func allFacts(v *result.Variant) table {
	t := table{Head: []string{"fact", "base", "now"}, Right: []bool{false, true, true}}
	known := map[facts.ID]bool{}
	for fact := range v.Facts {
		known[fact] = true
	}
	for fact := range v.Base {
		known[fact] = true
	}
	cell := func(values facts.Values, fact facts.ID) line {
		n, ok := values[fact]
		if !ok {
			return nil
		}
		return say(value(fact, n))
	}
	for _, fact := range sortedKeys(known) {
		t.Rows = append(t.Rows, []line{in(name, string(fact)), cell(v.Base, fact), cell(v.Facts, fact)})
	}
	return t
}
