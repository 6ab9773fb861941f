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
		if in.callees > 0 || in.Opcode.isAsync() || in.name < at {
			return nil
		}
		spelled = append(spelled, stretch{Range{at, in.name}, newName})
		at = in.name + uint32(in.nameLen)
		for _, o := range m.Operands(i) {
			start := at + uint32(bytes.IndexByte(t[at:comp.Source.End], '%')) + 1
			name := m.nameOf(o)
			if start == at || !bytes.HasPrefix(t[start:comp.Source.End], name) || t.is(int(start)+len(name), classIdent) {
				return nil
			}
			spelled = append(spelled, stretch{Range{at, start}, int32(o - first)})
			at = start + uint32(len(name))
		}
	}
	spelled = append(spelled, stretch{Range{at, comp.Source.End}, noName})
	if !spelled.plain(t) {
		return nil
	}
	return spelled
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

// match compares what stands at i with the template, up to where it is another or ends. It returns the names of the instructions; two
// of them may be the same.
func (s template) match(t text, i int, names []spelling) (end int, _ []spelling, matches bool) {
	for k := range s {
		piece := &s[k]
		n := int(piece.End - piece.Start)
		if i+n > len(t) || !bytes.Equal(t[piece.Start:piece.End], t[i:i+n]) {
			return i, names, false
		}
		i += n
		if piece.name >= 0 {
			name := names[piece.name]
			if !bytes.HasPrefix(t[i:], t[name.at:name.end()]) {
				return i, names, false
			}
			i += int(name.n)
		} else if piece.name == newName {
			name := t.name(i)
			if name.n == 0 || name.n > maxName {
				return i, names, false
			}
			names = append(names, name)
			i = name.end()
		}
	}
	return i, names, true
}

// renamed are the instructions of one computation as they stand in the place of another that is spelled like it, under other names.
func (m *Module) renamed(original, c CompID, names []spelling) []Instruction {
	first, end := m.Body(original)
	instrs := append(make([]Instruction, 0, end-first), m.Instrs[first:end]...)
	behind, known := m.Comps[c].Source.End, m.Comps[original].Source.End
	for i := len(instrs) - 1; i >= 0; i-- {
		in, name := &instrs[i], names[i]
		if !in.bare() {
			in.attrs += behind - known
		}
		behind, known = name.at, in.name
		in.args += uint32(name.end()) - in.name - uint32(in.nameLen)
		in.name, in.nameLen = name.at, uint16(name.n)
	}
	return instrs
}
