package hlo

import (
	"bytes"
	"slices"
)

// textParts reads a text in parts, each from a computation to another. It returns nothing where the text is not worth it, and where
// it is not as it should be: who reads it in one piece says what is wrong.
func (r Reader) textParts(src []byte, file string) (*Module, error) {
	if r.parts(len(src)) < 2 {
		return nil, nil
	}
	first, start, headed := newTextParser(src, file), 0, false
	if caught(func() { start, headed = first.head() }) != nil {
		return nil, nil
	}
	cuts := text(src).cuts(start, r.parts(len(src)-start))
	parts := make([]*textParser, len(cuts)-1)
	whole := make([]bool, len(parts))
	err := r.Share(len(parts), func(i int) {
		k, p := len(parts)-1-i, newTextParser(src, file) // the last one first: ENTRY takes longest
		if p.later = k > 0; k == 0 {
			p = first
		}
		p.compact = r.Compact
		p.shapes.reset()
		parts[k], whole[k] = p, caught(func() { p.part(cuts[k], cuts[k+1]) }) == nil
	})
	if err != nil || slices.Contains(whole, false) {
		return nil, err
	}
	return r.joinText(parts, headed)
}

// cuts finds where computations begin, in about equal distances, first the one at start; the last cut is the end of the text. A
// computation ends with a brace at the beginning of a line. Where that is none of a computation, part notices it.
func (t text) cuts(start, parts int) []int {
	const end = "\n}\n"
	cuts := []int{start}
	for k := 1; k < parts; k++ {
		from := max(cuts[len(cuts)-1], start+(len(t)-start)/parts*k)
		n := bytes.Index(t[from:], []byte(end))
		if n < 0 {
			break
		}
		if at := t.blanks(from + n + len(end)); at < len(t) {
			cuts = append(cuts, at)
		}
	}
	return append(cuts, len(t))
}

// part reads the computations between two cuts.
func (p *textParser) part(start, end int) {
	p.prepare(start, end)
	if behind := p.computations(start, end); behind != end {
		p.fail(end, behind, "no computation begins here")
	}
}

// joinText puts the parts together. What no part could know is looked up: a name may be that of a computation in an earlier part.
func (r Reader) joinText(parts []*textParser, headed bool) (*Module, error) {
	first, modules, resolved := parts[0], make([]*Module, len(parts)), make([][]CompID, len(parts))
	var comps []Computation
	for k, p := range parts {
		modules[k] = p.m
		for _, name := range p.unresolved {
			id := first.comps.find(p.t, p.t.spelling(int(name.Start), int(name.End)))
			if id < 0 {
				return nil, nil
			}
			resolved[k] = append(resolved[k], id)
		}
		before := len(comps)
		comps = append(comps, p.m.Comps...)
		for c := range comps[before:] {
			name, id := comps[before+c].Name, CompID(before+c)
			if k > 0 && name.Len() > 0 && !first.comps.add(p.t, p.t.spelling(int(name.Start), int(name.End)), id) {
				return nil, nil
			}
		}
	}
	m, err := r.join(modules, &first.metas, resolved)
	if m == nil || err != nil || caught(func() { first.chooseEntry(headed) }) != nil {
		return nil, err
	}
	m.finish()
	return m, nil
}
