package hlo

import "bytes"

// ending is what stands behind the operands of an instruction (behind the opening parenthesis where there are none) up to the next
// instruction. What is spelled alike is read once. It holds itself what it says: the instruction lies far away.
type ending struct {
	Range         // empty where nothing is kept
	attrs  uint32 // as in Instruction
	param  int32
	meta   MetadataID
	opcode Opcode
}

const longestEnding = 1 << 10

// ending finds the ending at i among those that were read for the same opcode. It returns where the next instruction begins and 0
// where it is not found, and the slot in which it would stand.
func (p *textParser) ending(i int, in *Instruction) (next int, e *ending) {
	window := p.t[i:min(i+longestEnding, len(p.t))] // the whole text may be one line
	s := p.t.spelling(i, i+1+bytes.IndexByte(window, '\n'))
	e = &p.endings[mixed(s.head^uint64(in.Opcode)<<48, s.rest)&uint64(len(p.endings)-1)]
	next = i + e.Len()
	if next == i || e.opcode != in.Opcode || !bytes.HasPrefix(p.t[i:], p.t[e.Start:e.End]) || !p.t.beginsLine(next) {
		return 0, e
	}
	if in.Param, in.meta = e.param, e.meta; e.attrs > 0 {
		in.attrs = uint32(i) + e.attrs - e.Start
	}
	return next, e
}

// end keeps the ending of the instruction that is being read, for others, unless it may say something else in another place.
func (p *textParser) end(e *ending, i, next int, in *Instruction) {
	if p.inOneLine(i, next) && in.callees == 0 && bytes.IndexByte(p.t[i:next], '%') < 0 {
		*e = ending{Range{uint32(i), uint32(next)}, in.attrs, in.Param, in.meta, in.Opcode}
	}
}

// inOneLine tells whether what stands from i to the next instruction is the rest of a line, and no more of this instruction follows.
func (p *textParser) inOneLine(i, next int) bool {
	line, indent, _ := bytes.Cut(p.t[i:next], []byte{'\n'})
	return i+len(line) < next && (len(indent) == 0 || string(indent) == "  ") && p.t.beginsLine(next)
}
