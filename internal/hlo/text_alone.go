package hlo

// instruction tells whether an instruction stands at i: [ROOT] [[%]name =] shape opcode(.
func (t text) instruction(i int) bool {
	if t.word(i, "ROOT") {
		i = t.blanks(i + len("ROOT"))
	}
	if behind := t.instructionName(i); behind > i {
		i = behind
	}
	end := t.shape(i)
	opcode := t.blanks(end)
	behind := t.ident(opcode)
	_, known := lookupSpelling(string(t[opcode:behind]))
	return end > i && known && t.at(behind, '(')
}

// instructionName skips `[%]name =`; it returns i where none stands.
func (t text) instructionName(i int) int {
	start := i
	if t.at(start, '%') {
		start++
	}
	end := t.ident(start)
	equals := t.blanks(end)
	if end == start || !t.at(equals, '=') {
		return i
	}
	return t.blanks(equals + 1)
}

// alone reads a text that is one instruction: a module of it and of the parameters that it is handed.
func (p *textParser) alone(i int) {
	start := i
	p.nest(i)
	p.body = p.newBody()
	p.body.alone = true
	p.stage = stageInstruction
	if p.t.word(i, "ROOT") || p.t.instructionName(i) > i {
		i = p.instruction(i)
	} else {
		i = p.nameless(i)
	}
	if i < len(p.t) {
		p.fail(i, i, "expected the end of the file behind an instruction without a computation")
	}
	id := p.close(start, Range{})
	p.m.Comps[id].made = p.m.make(nameless)
	p.m.Comps[id].Source.End = uint32(i)
	p.putBack()
}

// nameless reads shape opcode(operands)[, attribute]*, which is called after its opcode.
func (p *textParser) nameless(i int) int {
	shape, i := p.shape(i)
	name := p.t.name(i)
	in := Instruction{Shape: shape, Comp: p.body.id, name: name.at, nameLen: uint16(name.n)}
	spelled, i := p.opcode(i)
	in.Opcode = spelled.op
	i = p.attributes(p.arguments(i, &in), &in)
	p.check(i, &in, spelled)
	id := p.keep(&in)
	if spelled.wrapped != noOpcode && in.Opcode == OpAsyncStart {
		p.wrap(id, spelled.wrapped)
	}
	return i
}

// handed makes the operand at i of an instruction that stands alone a parameter, unless it is one already.
func (p *textParser) handed(i int, shape ShapeID) {
	name := p.name(i, "an operand")
	if p.named(name) != NoInstr {
		return
	}
	id := p.keep(&Instruction{
		Shape: shape, Comp: p.body.id, Param: p.body.handed, Opcode: OpParameter, name: name.at, nameLen: uint16(name.n),
	})
	p.enter(name, id)
	p.body.handed++
}
