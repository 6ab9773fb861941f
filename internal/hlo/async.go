package hlo

// asyncStart is an `<op>-start` that is short for an async-start and the computation that it calls, which consists of parameters and one operation.
type asyncStart struct {
	start InstrID
	op    Opcode
	comp  CompID
}

// wrappedIn returns the operation of an asynchronous opcode such as all-gather-start, noOpcode of any other.
func wrappedIn(op Opcode) Opcode {
	switch op {
	case OpAllGatherStart, OpAllGatherDone:
		return OpAllGather
	case OpAllReduceStart, OpAllReduceDone:
		return OpAllReduce
	case OpCollectivePermuteStart, OpCollectivePermuteDone:
		return OpCollectivePermute
	case OpCopyStart, OpCopyDone:
		return OpCopy
	}
	return noOpcode
}

// unlessNative tells an `all-reduce-start` that is short for an async-start from one that is an opcode. The shape of the former begins with
// a tuple of its operands, that of the latter only if it has several.
func (p *textParser) unlessNative(in *Instruction, spelled spelledOpcode, wrapped Opcode) spelledOpcode {
	operands := listAt(p.m.operands, in.operands)
	switch in.Opcode {
	case OpAllGatherStart, OpAllReduceStart, OpCollectivePermuteStart, OpCopyStart:
		elements := p.m.Shape(in.Shape).Elements
		several := len(operands) > 1 && in.Opcode != OpAllReduceStart && !p.printsWrapper(in, wrapped)
		if several || len(operands) == 0 || len(elements) < 2 || p.m.Shape(elements[0]).Type != Tuple || p.m.Instrs[operands[0]].Shape == elements[0] {
			return spelled
		}
		in.Opcode = OpAsyncStart
	default:
		if len(operands) != 1 {
			return spelled
		}
		if op := p.m.Instrs[operands[0]].Opcode; op != OpAsyncStart && op != OpAsyncUpdate && op != OpAsyncDone {
			return spelled
		}
		in.Opcode = OpAsyncDone
	}
	return spelledOpcode{in.Opcode, wrapped}
}

// wrap adds the computation that an `<op>-start` calls. unwrap adds its instructions when the current computation is complete.
func (p *textParser) wrap(start InstrID, op Opcode) {
	m := p.m
	if in := &m.Instrs[start]; p.printsWrapper(in, op) {
		callees := m.Callees(start)
		wrapper := callees[len(callees)-1]
		in.callees = p.addCallees(wrapper)
		m.Comps[wrapper].wrapped = true
		return
	}
	w := asyncStart{start, op, CompID(len(m.Comps))}
	p.body.wraps = append(p.body.wraps, w)
	m.Comps = append(m.Comps, Computation{made: m.make(asyncWrapped), wrapped: true, shares: true})
}

// printsWrapper reports whether an `<op>-start` prints the computation that it calls, behind those of the operation. Only prints with nested computations do.
func (p *textParser) printsWrapper(start *Instruction, op Opcode) bool {
	callees := listAt(p.m.callees, start.callees)
	if len(callees) == 0 || len(p.aside) == 0 {
		return false
	}
	last := &p.m.Comps[callees[len(callees)-1]]
	body := p.aside[len(p.aside)-1]
	operands := len(listAt(p.m.operands, start.operands))
	return last.made > 0 && int(last.Count) == operands+1 && len(body) == operands+1 && body[last.Root].Opcode == op
}

// unwrap adds the instructions to the computation of an asyncStart.
func (p *textParser) unwrap(w asyncStart) {
	m, c := p.m, &p.m.Comps[w.comp]
	in := &m.Instrs[w.start]
	op := *in
	op.Shape, op.Comp, op.Opcode = m.started(in.Shape), w.comp, w.op
	op.name, op.nameLen = p.opcodeName(in)
	in.callees = p.addCallees(w.comp)
	c.Source = Range{in.name, in.name}
	c.First = InstrID(len(m.Instrs))
	for key, value := range p.t.attributes(op.attrs) {
		if m.Text(key) == "async_execution_thread" && value.Len() >= 2 {
			c.Thread = Range{value.Start + 1, value.End - 1}
			break
		}
	}
	var parameters []InstrID
	for n, o := range m.Operands(w.start) {
		operand := &m.Instrs[o]
		parameters = append(parameters, p.keep(&Instruction{
			name: operand.name, nameLen: operand.nameLen, Shape: operand.Shape, Comp: w.comp, Opcode: OpParameter, Param: int32(n),
		}))
	}
	op.operands = p.addOperands(parameters...)
	c.Root = p.keep(&op)
	c.Count = int32(c.Root-c.First) + 1
}

// started returns the shape of the result in the shape ((operands), result, ...) of a start.
func (m *Module) started(shape ShapeID) ShapeID {
	if elements := m.Shape(shape).Elements; len(elements) > 1 {
		return elements[1]
	}
	return shape
}

// opcodeName returns the offset of the opcode of an `<op>-start`, and its length without -start.
func (p *textParser) opcodeName(in *Instruction) (at uint32, length uint16) {
	end := int(in.args) - 1
	for end > 0 && !p.t.is(end-1, classIdent) {
		end--
	}
	start := end
	for start > 0 && p.t.is(start-1, classIdent) {
		start--
	}
	return uint32(start), uint16(end - start - len("-start"))
}
