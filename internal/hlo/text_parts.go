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
	first, start, printed := newTextParser(src, file), 0, false
	first.compact = r.Compact
	if caught(func() { start, printed = first.repeating() }) != nil {
		return nil, nil
	}
	cuts := text(src).cuts(start, r.parts(len(src)-start))
	parts, whole := make([]*textParser, len(cuts)), make([]bool, len(cuts))
	parts[0], whole[0] = first, true
	err := r.Share(len(cuts)-1, func(i int) {
		k, p := len(cuts)-1-i, newTextParser(src, file) // the last one first: ENTRY takes longest
		p.later, p.compact = true, r.Compact
		p.shapes.reset()
		parts[k], whole[k] = p, caught(func() { p.part(cuts[k-1], cuts[k]) }) == nil
	})
	if err != nil || slices.Contains(whole, false) {
		return nil, err
	}
	return r.joinText(parts, printed)
}

// repeating reads the head, some computations, and more as long as these repeat each other: who begins in the middle of such a text
// does not know what is repeated. It returns where the next computation begins.
func (p *textParser) repeating() (next int, printed bool) {
	next, printed = p.head()
	size := len(p.t) - next
	p.prepare(next, len(p.t))
	p.stage = stageBetween
	for next < len(p.t) && p.repeats.often(next, size) {
		next = p.t.blanks(p.computation(next))
	}
	return next, printed
}

// cuts finds where computations begin, in about equal distances, first the one at start; the last cut is the end of the text. A
// computation ends with a brace at the beginning of a line. Where that is none of a computation, part notices it.
func (t text) cuts(start, parts int) []int {
	const end = "\n}\n"
	cuts := []int{start}
	if start == len(t) {
		return cuts
	}
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
func (r Reader) joinText(parts []*textParser, printed bool) (*Module, error) {
	first, modules, resolved := parts[0], make([]*Module, len(parts)), make([][]CompID, len(parts))
	before := CompID(0) // computations
	for k, p := range parts {
		modules[k] = p.m
		resolved[k] = make([]CompID, len(p.unresolved))
		for i, name := range p.unresolved {
			id := first.comps.find(p.t, p.t.spelling(int(name.Start), int(name.End)))
			if id < 0 {
				return nil, nil
			}
			resolved[k][i] = id
		}
		for c := range p.m.Comps {
			name, id := p.m.Comps[c].Name, before+CompID(c)
			if k > 0 && name.Len() > 0 && !first.comps.add(p.t, p.t.spelling(int(name.Start), int(name.End)), id) {
				return nil, nil
			}
		}
		before += CompID(len(p.m.Comps))
	}
	m, err := r.join(modules, &first.metas, resolved)
	if m == nil || err != nil || caught(func() { first.chooseEntry(printed) }) != nil {
		return nil, err
	}
	m.finish()
	return m, nil
}
