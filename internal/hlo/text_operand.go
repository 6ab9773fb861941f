package hlo

// operandList reads operands up to the closing parenthesis and returns its offset.
func (p *textParser) operandList(i int, in *Instruction) int {
	mark := len(p.operands)
	for i = p.t.blanks(i); !p.t.at(i, ')'); {
		if p.t.at(i, '.') {
			i = p.leftOut(i)
		} else {
			var id InstrID
			id, i = p.operand(i)
			p.operands = append(p.operands, id)
		}
		if i = p.t.blanks(i); p.t.at(i, ',') {
			i = p.t.blanks(i + 1)
		} else if !p.t.at(i, ')') {
			p.fail(i, i, "expected , or ) behind an operand")
		}
	}
	in.operands = span{uint32(len(p.m.operands)), uint32(len(p.operands) - mark)}
	p.m.operands = append(p.m.operands, p.operands[mark:]...)
	p.operands = p.operands[:mark]
	return i
}

// leftOut takes ...(+3), with which a compact print leaves out operands.
func (p *textParser) leftOut(i int) int {
	const dots = "...(+"
	if i+len(dots) > len(p.t) || string(p.t[i:i+len(dots)]) != dots {
		p.fail(i, i+len(dots), "expected an operand")
	}
	p.m.Header.OperandsLeftOut = true
	return p.t.balanced(i + len("..."))
}

// operand takes %x, x, f32[2]{0} %x, %while#0 or a whole instruction: s32[1]{0} constant({5}).
func (p *textParser) operand(i int) (InstrID, int) {
	if p.t.at(i, '%') {
		return p.reference(i)
	}
	start, shape := i, NoShape
	if end := p.t.shape(i); end > i {
		shape, _ = p.shape(i)
		i = p.t.blanks(end)
	}
	end := p.t.ident(i)
	if end > i && shape != NoShape && p.t.at(p.t.blanks(end), '(') {
		return p.inlined(i, shape)
	}
	if end == i && !p.t.at(i, '%') {
		p.fail(start, i, "expected an operand")
	}
	return p.reference(i)
}

// inlined takes an instruction that stands in the place of an operand. It has neither name nor attributes.
func (p *textParser) inlined(i int, shape ShapeID) (InstrID, int) {
	p.nest(i)
	in := Instruction{Shape: shape}
	in.Name = Range{uint32(i), uint32(p.t.ident(i))}
	spelled, i := p.opcode(i, &in)
	i = p.arguments(i, &in)
	in.Attrs = Range{uint32(i), uint32(i)}
	p.check(i, &in, spelled)
	p.nesting--
	return p.keep(&in), i
}

// reference takes the name of an instruction that was read before.
func (p *textParser) reference(i int) (InstrID, int) {
	name, end := p.name(i, "an operand")
	id := p.body.names.find(p.t, name, p.t.hash(name))
	if id < 0 {
		p.failf(i, end, "%%%s is not defined before it is used", p.m.Text(name))
	}
	for p.t.at(end, '#') {
		name.End = uint32(p.digits(end + 1))
		id, end = p.element(InstrID(id), name, end+1), int(name.End)
	}
	return InstrID(id), end
}

func (p *textParser) digits(i int) int {
	for i < len(p.t) && '0' <= p.t[i] && p.t[i] <= '9' {
		i++
	}
	return i
}

// element finds or makes the get-tuple-element that %tuple#1 stands for; the whole spelling is its name.
func (p *textParser) element(tuple InstrID, name Range, digits int) int32 {
	hash := p.t.hash(name)
	if id := p.body.names.find(p.t, name, hash); id >= 0 {
		return id
	}
	n, end := p.integer(digits)
	shape := p.m.Shape(p.m.Instrs[p.body.first+tuple].Shape)
	if n < 0 || n >= int64(len(shape.Elements)) {
		p.failf(int(name.Start), end, "the tuple has no element %d", n)
	}
	in := Instruction{Name: name, Shape: shape.Elements[n], Opcode: OpGetTupleElement, Param: int32(n)}
	in.operands = span{uint32(len(p.m.operands)), 1}
	p.m.operands = append(p.m.operands, tuple)
	id := int32(p.keep(&in))
	p.body.names.add(p.t, name, hash, id)
	return id
}
