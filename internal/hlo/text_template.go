package hlo

import "bytes"

// template is how a computation in a text is spelled: stretches that stay as they are, and the names behind them.
type template []stretch

type stretch struct {
	Range
	name int32 // of the operand with this number, counted in the computation; or one of the following
}

const (
	newName = -1 - iota // an instruction's own
	noName              // the computation ends
	aCallee             // the name of the computation with this number, counted downwards
)

// template spells a computation out. There is none where a name may stand for more than itself: where it has no % before it, or
// stands in an attribute.
func (m *Module) template(c CompID) template {
	comp, t := &m.Comps[c], text(m.src)
	if comp.Source.Len() == 0 || comp.Thread.Len() > 0 || comp.wrapped {
		return nil
	}
	first, end := m.Body(c)
	spelled := make(template, 0, 4*comp.Count)
	at := comp.Source.Start
	for i := first; i < end; i++ {
		in := &m.Instrs[i]
		if in.callees > 0 && !m.callsOne(in) || in.Opcode.isAsync() || in.name < at {
			return nil
		}
		spelled = append(spelled, stretch{Range{at, in.name}, newName})
		at = in.name + uint32(in.nameLen)
		for _, o := range m.Operands(i) {
			if spelled, at = spelled.names(t[:comp.Source.End], at, m.nameOf(o), int32(o-first)); at == 0 {
				return nil
			}
		}
		for _, c := range m.Callees(i) {
			if spelled, at = spelled.names(t[:comp.Source.End], at, m.src[m.Comps[c].Name.Start:m.Comps[c].Name.End], aCallee-int32(c)); at == 0 {
				return nil
			}
		}
	}
	spelled = append(spelled, stretch{Range{at, comp.Source.End}, noName})
	if !spelled.plain(t) {
		return nil
	}
	return spelled
}

// names appends the stretch from at to a name, which must be the next one. It returns where that ends, 0 if it is another.
func (s template) names(t text, at uint32, name []byte, what int32) (_ template, end uint32) {
	start := at + uint32(bytes.IndexByte(t[at:], '%')) + 1
	if start == at || len(name) == 0 || !bytes.HasPrefix(t[start:], name) || t.is(int(start)+len(name), classIdent) {
		return s, 0
	}
	return append(s, stretch{Range{at, start}, what}), start + uint32(len(name))
}

// plain tells whether every name has a % before it, and no % stands elsewhere.
func (s template) plain(t text) bool {
	for _, piece := range s {
		n := bytes.IndexByte(t[piece.Start:piece.End], '%')
		if piece.name == noName && n >= 0 || piece.name != noName && n != piece.Len()-1 {
			return false
		}
	}
	return true
}

// textMatch compares computations with templates.
type textMatch struct {
	t     text
	names []spelling                               // of the instructions so far; two of them may be the same
	calls func(name spelling, instead CompID) bool // tells whether a computation is like the one that the template calls
}

// computation compares what stands at i with a template, up to where it is another or ends.
func (x *textMatch) computation(s template, i int) (end int, matches bool) {
	t := x.t
	for k := range s {
		piece := &s[k]
		n := int(piece.End - piece.Start)
		if i+n > len(t) || !bytes.Equal(t[piece.Start:piece.End], t[i:i+n]) {
			return i, false
		}
		i += n
		if piece.name >= 0 {
			name := x.names[piece.name]
			if !bytes.HasPrefix(t[i:], t[name.at:name.end()]) {
				return i, false
			}
			i += int(name.n)
		} else if piece.name != noName {
			name := t.name(i)
			if name.n == 0 || name.n > maxName || piece.name <= aCallee && !x.calls(name, CompID(aCallee-piece.name)) {
				return i, false
			}
			if piece.name == newName {
				x.names = append(x.names, name)
			}
			i = name.end()
		}
	}
	return i, true
}

// renamed are the instructions of one computation as they stand in the place of another that is spelled like it, under other names.
func (m *Module) renamed(original, c CompID, names []spelling, calls []CompID) []Instruction {
	first, end := m.Body(original)
	instrs := append(make([]Instruction, 0, end-first), m.Instrs[first:end]...)
	behind, known := m.Comps[c].Source.End, m.Comps[original].Source.End
	for i := len(instrs) - 1; i >= 0; i-- {
		in, name := &instrs[i], names[i]
		for _, callee := range list(m.callees, in.callees) { // one, which stands in the attributes
			last := len(calls) - 1
			behind, known = behind-uint32(m.Comps[calls[last]].Name.Len()), known-uint32(m.Comps[callee].Name.Len())
			calls = calls[:last]
		}
		if !in.bare() {
			in.attrs += behind - known
		}
		behind, known = name.at, in.name
		in.args += uint32(name.end()) - in.name - uint32(in.nameLen)
		in.name, in.nameLen = name.at, uint16(name.n)
	}
	return instrs
}
