package hlo

import (
	"bytes"
	"math/bits"
)

// A model says the same again and again under other names. A line that is spelled like one that was read before, but for names, is
// compared with that one piece by piece, which takes less than to read it.

// knownSlots is how many slots are worth their memory for the lines of so many instructions, a power of two. A slot holds the last of
// those that share it.
func knownSlots(instrs int) int { return 1 << min(14, bits.Len(uint(instrs/4))) }

// examples are the instructions that lines are compared with; the zero value keeps none.
type examples struct {
	slots []InstrID // counted from 1; 0: none
	last  InstrID   // which the line before was like, counted likewise
}

// example finds the instruction with which what stands behind a name begins alike, NoInstr when there is none: most often the one
// behind the one that the line before was like. It returns where the arguments stand, and otherwise the slot for the line.
func (p *textParser) example(i int) (like InstrID, args int, slot *InstrID) {
	x := &p.examples
	if x.slots == nil {
		return NoInstr, 0, nil
	}
	if x.last > 0 && int(x.last) < len(p.m.Instrs) {
		if args = p.begins(i, x.last); args > 0 {
			x.last++
			return x.last - 1, args, nil
		}
	}
	slot = x.slot(p.beginning(i))
	if x.last = *slot; x.last > 0 {
		if args = p.begins(i, x.last-1); args > 0 {
			return x.last - 1, args, slot
		}
	}
	x.last = 0
	return NoInstr, 0, slot
}

// beginning hashes how a line begins and what the two before it are.
func (p *textParser) beginning(i int) uint64 {
	s := p.t.spelling(i, i+1+bytes.IndexByte(p.t[i:], '('))
	h := mixed(s.head, s.rest)
	for _, in := range p.m.Instrs[max(int(p.body.first), len(p.m.Instrs)-2):] {
		h = mixed(h, uint64(in.Opcode)<<32|uint64(uint32(in.Shape)))
	}
	return h
}

func (x *examples) slot(hash uint64) *InstrID { return &x.slots[hash&uint64(len(x.slots)-1)] }

// begins tells whether what stands behind a name is spelled like that of an instruction up to the arguments. It returns where those
// stand, 0 if not.
func (p *textParser) begins(i int, like InstrID) int {
	known := &p.m.Instrs[like]
	start, end := known.name+uint32(known.nameLen), known.args
	if start >= end || known.Opcode.isAsync() || !bytes.HasPrefix(p.t[i:], p.t[start:end]) {
		return 0
	}
	return i + int(end-start)
}

// follow reads the rest of an instruction that begins like an example, and returns where the next thing begins.
func (p *textParser) follow(i int, in *Instruction, like InstrID, slot *InstrID) int {
	in.args = uint32(i)
	end, guessed := i, true
	if in.hasOperands() {
		end, guessed = p.operandsLike(i, in, like)
	}
	if !guessed && slot != nil {
		*slot = InstrID(len(p.m.Instrs) + 1)
	}
	var e *ending
	if callees := p.m.Callees(like); len(callees) > 0 {
		p.calls = callees[0]
		if next := p.endingOfCall(end, in, like); next > 0 {
			return next
		}
	} else {
		next := 0
		if next, e = p.ending(end, in); next > 0 {
			return next
		}
	}
	begins := end
	if end == i {
		end = p.arguments(i-1, in) - 1
	}
	next := p.attributes(end+1, in)
	if e == nil {
		p.call(end, next, in)
	}
	if e != nil && (begins == end || !in.hasOperands()) {
		p.end(e, begins, next, in)
	}
	return next
}

// isAsync tells whether the opcode may stand for a spelling like all-gather-start.
func (op Opcode) isAsync() bool {
	return op == OpAsyncStart || op == OpAsyncUpdate || op == OpAsyncDone
}

// hasOperands tells whether operands stand in the parentheses.
func (in *Instruction) hasOperands() bool { return in.Opcode != OpParameter && in.Opcode != OpConstant }

// beginsLine tells whether what stands at i, first in its line, is no more of the instruction before.
func (t text) beginsLine(i int) bool { return t.at(i, '%') || t.at(i, 'R') || t.at(i, '}') }

// operandsLike reads operands up to the closing parenthesis and returns its offset. As an example's do, they most often stand equally
// far before. Where they are spelled in an unusual way, it returns i.
func (p *textParser) operandsLike(i int, in *Instruction, like InstrID) (end int, guessed bool) {
	m, at := p.m, i
	operands, moved, mark := m.Operands(like), InstrID(len(m.Instrs))-like, len(m.operands)
	if len(operands) == 0 {
		return i, true
	}
	m.operands = append(m.operands, InstrID(len(operands)))
	guessed = true
	for k, o := range operands {
		if k > 0 {
			at = p.t.blanks(p.t.blank(at + 1))
		}
		id, end := p.operandLike(at, o+moved)
		if id == NoInstr || k < len(operands)-1 && !p.t.at(end, ',') {
			m.operands = m.operands[:mark]
			return i, false
		}
		guessed = guessed && id == o+moved
		m.operands = append(m.operands, id)
		at = end
	}
	if !p.t.at(at, ')') {
		m.operands = m.operands[:mark]
		return i, false
	}
	in.operands = uint32(mark)
	return at, guessed
}

// operandLike takes %name, and looks first whether it is that of an instruction.
func (p *textParser) operandLike(i int, guess InstrID) (id InstrID, end int) {
	if p.t.at(i, '%') {
		i++
	}
	if guess >= p.body.first && !p.body.inlines {
		name := p.m.nameOf(guess)
		end = i + len(name)
		if bytes.HasPrefix(p.t[i:], name) && (p.t.at(end, ',') || p.t.at(end, ')')) {
			return guess, end
		}
	}
	name := p.t.name(i)
	return p.named(name), name.end()
}
