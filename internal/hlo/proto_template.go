package hlo

import "math/bits"

// protoTemplate is how the instructions of a computation in a proto are serialized: stretches that stay as they are, and what stands
// between them, that names the instructions.
type protoTemplate []protoStretch

type protoStretch struct {
	Range
	behind int32 // the place in Module.operands of a list of ids; or one of the following
}

const (
	anyName    = -1 - iota // the length of a name, and the name
	anyID                  // a varint
	messageEnd             // the instruction ends
	oneCallee              // a list of one id, that of the computation with this number, counted downwards
)

// protoTemplate takes the messages of a computation's instructions apart. There is none where a field that names something is not
// serialized as protobuf does it, or the schedule has the instructions in another order.
func (m *Module) protoTemplate(c CompID) protoTemplate {
	comp := &m.Comps[c]
	id, t := comp.First, make(protoTemplate, 0, 4*comp.Count)
	for f := fieldsOf(m.src, comp.Source); f.next(); {
		if f.tag != 2<<3|wireBytes {
			continue
		}
		var ok bool
		if t, ok = t.instruction(m, f.body, &m.Instrs[id]); !ok {
			return nil
		}
		id++
	}
	return t
}

// instruction appends how one message is serialized.
func (t protoTemplate) instruction(m *Module, body Range, in *Instruction) (_ protoTemplate, ok bool) {
	if in.args != body.Start || in.callees > 0 && !m.callsOne(in) {
		return nil, false
	}
	src, at, seen := m.src, body.Start, [partCount]bool{}
	for f := fieldsOf(src, body); f.next(); {
		part := partOther
		if f.tag < len(partOf) {
			part = int(partOf[f.tag])
		}
		fixed := protoStretch{Range: Range{at, f.body.Start}}
		switch part {
		default:
			continue
		case partOrder:
			return nil, false
		case partCallees:
			if in.callees == 0 {
				return nil, false
			}
			fixed.End, fixed.behind = startOfLength(src, f.body), oneCallee-int32(m.callees[in.callees+1])
		case partName:
			fixed.End, fixed.behind = startOfLength(src, f.body), anyName
		case partID:
			fixed.behind = anyID
		case partOperands:
			fixed.End, fixed.behind = startOfLength(src, f.body), int32(in.operands)
		}
		if seen[part] || part >= partOperands && f.tag&7 == wireVarint || f.body.Len() == 0 || fixed.End == 0 {
			return nil, false
		}
		seen[part] = true
		t, at = append(t, fixed), f.body.End
	}
	return append(t, protoStretch{Range{at, body.End}, messageEnd}), true
}

// startOfLength is where the length stands that a field begins with, 0 where it has more bytes than it needs.
func startOfLength(src []byte, body Range) uint32 {
	at := body.Start - 1
	for n := body.Len() >> 7; n > 0; n >>= 7 {
		at--
	}
	if v, n := varint(src, int(at)); v != uint64(body.Len()) || n != int(body.Start-at) {
		return 0
	}
	return at
}

// protoMatch compares a computation with the template of another, message after message.
type protoMatch struct {
	m     *Module
	left  protoTemplate
	first InstrID     // of the other
	ids   []protoWord // of the instructions so far
	calls []CompID    // of the instructions so far
	comps *idTable
}

// message compares the next one.
func (p *protoMatch) message(body Range) bool {
	t, at, end := text(p.m.src), int(body.Start), int(body.End)
	id := protoWord(0)
	for k := range p.left {
		s := &p.left[k]
		n := int(s.End - s.Start)
		if n > end-at || !t.equal(at, int(s.Start), n) {
			return false
		}
		at += n
		switch s.behind {
		case messageEnd:
			p.left, p.ids = p.left[k+1:], append(p.ids, id)
			return at == end
		case anyID:
			if id, n = t.protoWord(at); n > end-at {
				return false
			}
			at += n
		case anyName:
			v, n := varint(t[:end], at)
			if n < 0 || v > maxName || int(v) > end-at-n {
				return false
			}
			at += n + int(v)
		default:
			if s.behind <= oneCallee {
				at = p.callee(t[:end], at, CompID(oneCallee-s.behind))
			} else {
				at = p.operands(t[:end], at, list(p.m.operands, uint32(s.behind)))
			}
			if at < 0 {
				return false
			}
		}
	}
	return false
}

// operands reads a packed list of ids and returns where it ends, -1 where it does not name the operands.
func (p *protoMatch) operands(t text, at int, operands []InstrID) int {
	size, n := varint(t, at)
	if n < 0 || size > uint64(len(t)-at-n) {
		return -1
	}
	at += n
	end := at + int(size)
	for _, o := range operands {
		id := p.ids[o-p.first]
		if n := id.len(); n > end-at || at > len(p.m.src)-8 || text(p.m.src).number(at, at+n) != uint64(id) {
			return -1
		}
		at += id.len()
	}
	if at != end {
		return -1
	}
	return at
}

// callee reads a packed list of one id and returns where it ends, -1 where that is not of a computation which has the same instructions
// as the one that the template calls.
func (p *protoMatch) callee(t text, at int, instead CompID) int {
	size, n := varint(t, at)
	if n < 0 {
		return -1
	}
	at += n
	id, n := varint(t, at)
	if n < 0 || uint64(n) != size {
		return -1
	}
	c := CompID(p.comps.find(int64(id)))
	if c < 0 || p.m.Original(c) != p.m.Original(instead) {
		return -1
	}
	p.calls = append(p.calls, c)
	return at + n
}

// protoWord is a varint of up to eight bytes as it is serialized, without a byte more than it needs.
type protoWord uint64

// protoWord reads a varint. Of one that is no protoWord the length is that of no message.
func (t text) protoWord(at int) (protoWord, int) {
	if at > len(t)-8 {
		return 0, len(t) + 1
	}
	word := t.eight(at)
	last := ^word & marks
	word &= last ^ (last - 1)
	n := int(firstMark(last)) + 1
	if last == 0 || protoWord(word).len() != n {
		return 0, len(t) + 1
	}
	return protoWord(word), n
}

// len is how many bytes a word has.
func (w protoWord) len() int { return max(1, (bits.Len64(uint64(w))+7)/8) }

// value is the number that a word stands for.
func (w protoWord) value() int64 { return int64(joinBits(uint64(w))) }

// equal compares n bytes at two places that have so many.
func (t text) equal(a, b, n int) bool {
	if n <= 8 && a <= len(t)-8 && b <= len(t)-8 {
		return (t.eight(a)^t.eight(b))<<(64-8*uint(n)) == 0
	}
	return string(t[a:a+n]) == string(t[b:b+n])
}

// moved are the instructions of one computation as they stand in the place of another that is serialized like it.
func (m *Module) moved(original, c CompID) []Instruction {
	first, end := m.Body(original)
	instrs := append(make([]Instruction, 0, end-first), m.Instrs[first:end]...)
	left := instrs
	for f := fieldsOf(m.src, m.Comps[c].Source); f.next(); {
		if f.tag == 2<<3|wireBytes {
			left[0].move(m.src, f.body)
			left = left[1:]
		}
	}
	return instrs
}

// move says where else an instruction stands.
func (in *Instruction) move(src []byte, body Range) {
	in.args = body.Start
	if !in.bare() {
		in.attrs = body.End
	}
	for f := fieldsOf(src, body); f.next(); {
		if f.tag == 1<<3|wireBytes {
			in.name, in.nameLen = f.body.Start, uint16(f.body.Len())
			return
		}
	}
}
