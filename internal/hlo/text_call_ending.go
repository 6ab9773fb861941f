package hlo

import "bytes"

// callEnding is what stands behind the operands of an instruction that calls one computation, up to the next instruction. It is spelled
// alike where a model repeats itself, but for the name of the computation.
type callEnding struct {
	Range
	name   Range
	number InstrID // of the instruction, counted from 1; 0: none
}

// callEnding is where that of an instruction is kept, or of one that shares the slot.
func (p *textParser) callEnding(number InstrID) *callEnding {
	return &p.callEndings[int(number)&(len(p.callEndings)-1)]
}

// endingOfCall reads what stands behind the operands as behind those of an example. It returns where the next instruction begins, 0
// where it is spelled otherwise.
func (p *textParser) endingOfCall(i int, in *Instruction, like InstrID) (next int) {
	known, c := &p.m.Instrs[like], *p.callEnding(like + 1)
	if c.number != like+1 || !bytes.HasPrefix(p.t[i:], p.t[c.Start:c.name.Start]) {
		return 0
	}
	name := p.t.name(i + int(c.name.Start-c.Start))
	if name.n == 0 {
		return 0
	}
	next = name.end() + int(c.End-c.name.End)
	if !bytes.HasPrefix(p.t[name.end():], p.t[c.name.End:c.End]) || !p.t.beginsLine(next) {
		return 0
	}
	callee := p.calleeNamed(name)
	if callee < 0 {
		return 0
	}
	if in.Param, in.meta = known.Param, known.meta; !known.bare() {
		in.attrs = uint32(i) + known.attrs - c.Start
	}
	in.callees = uint32(len(p.m.callees))
	p.m.callees = append(p.m.callees, 1, callee)
	p.keepEndingOfCall(i, next, name)
	return next
}

// call keeps what stands behind the operands of the instruction that is being read, for others, unless it names more than the one
// computation.
func (p *textParser) call(i, next int, in *Instruction) {
	name := p.called
	if p.examples.slots == nil || name.n == 0 || int(name.at) <= i || in.callees == 0 || p.m.callees[in.callees] != 1 || !p.inOneLine(i, next) {
		return
	}
	before, behind := p.t[i:name.at-1], p.t[name.end():next]
	if bytes.IndexByte(before, '%') < 0 && bytes.IndexByte(behind, '%') < 0 {
		p.keepEndingOfCall(i, next, name)
	}
}

// keepEndingOfCall is for the instruction that is being read.
func (p *textParser) keepEndingOfCall(i, next int, name spelling) {
	number := InstrID(len(p.m.Instrs)) + 1
	*p.callEnding(number) = callEnding{Range{uint32(i), uint32(next)}, name.bounds(), number}
}
