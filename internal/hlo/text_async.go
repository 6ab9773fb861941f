package hlo

// asyncStart is an `<op>-start` that is syntactic sugar: an async-start that calls a computation of parameters and the one
// operation, which has the attributes that are its own.
type asyncStart struct {
	start InstrID
	op    Opcode
	comp  CompID
}

// wrap makes the computation that an `<op>-start` calls. Its instructions follow when the computation that is being read is whole.
func (p *textParser) wrap(start InstrID, op Opcode) {
	m := p.m
	w := asyncStart{start, op, CompID(len(m.Comps))}
	p.body.wraps = append(p.body.wraps, w)
	m.Comps = append(m.Comps, Computation{Caller: NoInstr, synthetic: p.unique("async_wrapped"), wrapped: true})
}

// unwrap fills the computation of an asyncStart.
func (p *textParser) unwrap(start InstrID, w asyncStart) {
	m, c := p.m, &p.m.Comps[w.comp]
	in := &m.Instrs[start]
	c.First, c.Thread = InstrID(len(m.Instrs)), p.asyncThread(in.Attrs)
	op := Instruction{
		Name: p.opcodeRange(in), Attrs: in.Attrs, Shape: p.wrappedShape(in.Shape), Comp: w.comp, Opcode: w.op,
		operands: span{uint32(len(m.operands)), in.operands.n}, callees: in.callees, meta: in.meta, bare: in.bare,
	}
	in.callees = span{uint32(len(m.callees)), 1}
	m.callees = append(m.callees, w.comp)
	for n, o := range m.Operands(start) {
		operand := &m.Instrs[o]
		m.operands = append(m.operands, InstrID(len(m.Instrs)))
		m.Instrs = append(m.Instrs, Instruction{
			Name: operand.Name, Shape: operand.Shape, Comp: w.comp, Opcode: OpParameter, Param: int32(n),
		})
	}
	c.Root = InstrID(len(m.Instrs))
	c.Count = int32(c.Root-c.First) + 1
	m.Instrs = append(m.Instrs, op)
}

// wrappedShape is the result of the operation inside an async-start of shape ((operands), result, ...).
func (p *textParser) wrappedShape(start ShapeID) ShapeID {
	if elements := p.m.Shape(start).Elements; len(elements) > 1 {
		return elements[1]
	}
	return start
}

// opcodeRange is the spelling of an instruction's opcode without -start.
func (p *textParser) opcodeRange(in *Instruction) Range {
	end := int(in.Args.Start) - 1
	for end > 0 && !p.t.is(end-1, classIdent) {
		end--
	}
	start := end
	for start > 0 && p.t.is(start-1, classIdent) {
		start--
	}
	return Range{uint32(start), uint32(end - len("-start"))}
}

func (p *textParser) asyncThread(attrs Range) Range {
	for key, value := range p.t.attributes(attrs) {
		if p.m.Text(key) == "async_execution_thread" && value.Len() >= 2 {
			return Range{value.Start + 1, value.End - 1}
		}
	}
	return Range{}
}
