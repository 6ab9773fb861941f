package hlo

import "bytes"

// operandList reads operands up to the closing parenthesis and returns its offset.
func (p *textParser) operandList(i int, in *Instruction) int {
	mark := len(p.operands)
	for p.t.at(i, '%') { // the usual spelling: %name, %name
		id, end := p.last(i + 1)
		if id == NoInstr {
			var name spelling
			if name.head, name.rest, name.n = p.t.token(i + 1); name.n == 0 {
				name = p.t.name(i + 1)
			}
			name.at = uint32(i + 1)
			id, end = p.named(name), name.end()
		}
		if id == NoInstr || end+2 >= len(p.t) || p.t[end] != ')' && (p.t[end] != ',' || p.t[end+1] != ' ') {
			break
		}
		p.operands = append(p.operands, id)
		if i = end; p.t[end] == ')' {
			break
		}
		i += 2
	}
	if !p.t.at(i, ')') {
		i = p.moreOperands(i)
	}
	in.operands = p.addOperands(p.operands[mark:]...)
	p.operands = p.operands[:mark]
	return i
}

// last returns the last instruction of the current computation if its name is at i: every third operand is, and needs no table.
func (p *textParser) last(i int) (id InstrID, end int) {
	id = InstrID(len(p.m.Instrs) - 1)
	if id < p.body.first {
		return NoInstr, i
	}
	in := &p.m.Instrs[id]
	end = i + int(in.nameLen)
	if end >= len(p.t) || p.t[end] != ',' && p.t[end] != ')' || string(p.t[i:end]) != string(p.t[in.name:in.name+uint32(in.nameLen)]) {
		return NoInstr, i
	}
	return id, end
}

// moreOperands reads operands in any form and pushes them on the stack.
func (p *textParser) moreOperands(i int) int {
	for i = p.t.blanks(i); !p.t.at(i, ')'); {
		if p.t.at(i, '.') {
			const dots = "...(+" // with which a compact print leaves out operands: those edges are not known
			if !bytes.HasPrefix(p.t[i:], []byte(dots)) {
				p.fail(i, i+len(dots), "expected an operand")
			}
			i = p.t.balanced(i + len("..."))
		} else {
			var id InstrID
			id, i = p.operand(i)
			p.operands = append(p.operands, id)
		}
		if i = p.t.blanks(i); p.t.at(i, ',') {
			i = p.t.blanks(p.t.blank(i + 1))
		} else if !p.t.at(i, ')') {
			p.fail(i, i, "expected , or ) behind an operand")
		}
	}
	return i
}

// operand reads %x, x, f32[2]{0} %x, %while#0 or a whole instruction: s32[1]{0} constant({5}).
func (p *textParser) operand(i int) (InstrID, int) {
	if p.t.at(i, '%') {
		return p.reference(i)
	}
	start, shape := i, NoShape
	if p.t.shape(i) > i {
		shape, i = p.shape(i)
	}
	end := p.t.ident(i)
	if end > i && shape != NoShape && p.t.at(p.t.blanks(end), '(') {
		return p.inlined(i, shape)
	}
	if end == i && !p.t.at(i, '%') {
		p.fail(start, i, "expected an operand")
	}
	if p.body.alone && shape != NoShape {
		p.handed(i, shape)
	}
	return p.reference(i)
}

// inlined reads an instruction in the place of an operand, which has neither a name nor attributes.
func (p *textParser) inlined(i int, shape ShapeID) (InstrID, int) {
	p.nest(i)
	name := p.t.name(i)
	in := Instruction{Shape: shape, Comp: p.body.id, name: name.at, nameLen: uint16(name.n)}
	if name.n > maxName {
		p.refuse(i, name)
	}
	spelled, i := p.opcode(i)
	if in.Opcode = spelled.op; in.Opcode == OpGetTupleElement {
		in.Param = -1
	}
	i = p.arguments(i, &in)
	p.check(i, &in, spelled)
	p.nesting--
	return p.keep(&in), i
}

// reference reads the name of an earlier instruction.
func (p *textParser) reference(i int) (InstrID, int) {
	name := p.name(i, "an operand")
	id := p.named(name)
	if id == NoInstr {
		p.fail(i, name.end(), "%%%s is not defined before it is used", p.m.Text(name.bounds()))
	}
	for end := name.end(); p.t.at(end, '#'); end = name.end() {
		behind := len(p.t) - len(bytes.TrimLeft(p.t[end+1:], "0123456789"))
		name = p.t.spelling(int(name.at), behind)
		id = p.element(id, name, end+1)
	}
	return id, name.end()
}

// element returns the get-tuple-element for %tuple#1, a new one at its first use. Its name is the whole spelling.
func (p *textParser) element(tuple InstrID, name spelling, digits int) InstrID {
	if id := p.named(name); id != NoInstr {
		return id
	}
	n, end := p.integer(digits)
	shape := p.m.Shape(p.m.Instrs[tuple].Shape)
	if n < 0 || n >= int64(len(shape.Elements)) {
		p.fail(int(name.at), end, "the tuple has no element %d", n)
	}
	if name.n > maxName {
		p.refuse(digits, name)
	}
	in := Instruction{
		Shape: shape.Elements[n], Comp: p.body.id, Param: int32(n), Opcode: OpGetTupleElement,
		name: name.at, nameLen: uint16(name.n), operands: p.addOperands(tuple),
	}
	id := p.keep(&in)
	p.enter(name, id)
	return id
}
