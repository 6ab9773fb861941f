package hlo

import "bytes"

// instruction reads [ROOT] [%]name = shape opcode(operands)[, attribute]*.
func (p *textParser) instruction(i int) int {
	b := p.body
	root := p.t.word(i, "ROOT")
	if root {
		i = p.t.blanks(i + len("ROOT"))
	}
	start := i
	in := Instruction{}
	in.Name, i = p.name(i, "an instruction")
	i = p.expect(i, '=')
	in.Shape, i = p.shape(i)
	spelled, i := p.opcode(p.t.blanks(i), &in)
	i = p.attributes(p.arguments(i, &in), &in)
	p.check(i, &in, spelled)
	id := p.keep(&in)
	if spelled.wrapped != noOpcode && in.Opcode == OpAsyncStart {
		p.wrap(id, spelled.wrapped)
	}
	if !b.names.add(p.t, in.Name, p.t.hash(in.Name), int32(id)) {
		p.failf(start, start, "%%%s is defined twice", p.m.Text(in.Name))
	}
	if root && b.root >= 0 {
		p.fail(start, i, "this is the computation's second ROOT")
	}
	if root {
		b.root = id
	}
	return i
}

// arguments reads what stands in the parentheses: operands, but for a parameter its number and for a constant its literal.
func (p *textParser) arguments(i int, in *Instruction) int {
	if i = p.t.blanks(i); !p.t.at(i, '(') {
		p.fail(i, i, "expected ( and the operands")
	}
	in.Args.Start = uint32(i + 1)
	switch in.Opcode {
	case OpParameter:
		n, end := p.integer(p.t.blanks(i + 1))
		in.Param = int32(n)
		if i = p.t.blanks(end); !p.t.at(i, ')') || int64(in.Param) != n || n < 0 {
			p.fail(i, i, "expected the number of the parameter and )")
		}
	case OpConstant:
		if i = p.t.balanced(i) - 1; !p.t.at(i, ')') {
			p.fail(len(p.t), len(p.t), "")
		}
	default:
		i = p.operandList(i+1, in)
	}
	in.Args.End = uint32(i)
	return i + 1
}

// check refuses an instruction that does not say what it must.
func (p *textParser) check(i int, in *Instruction, spelled spelledOpcode) {
	if in.Opcode == OpGetTupleElement && in.Param < 0 {
		p.fail(i, i, "expected the index of the get-tuple-element")
	}
	op := in.Opcode
	if op == OpAsyncStart && spelled.wrapped != noOpcode {
		op = spelled.wrapped
	}
	if int(op) < len(minCallees) && in.callees.n < minCallees[op] {
		p.failf(i, i, "expected the computation that the %s calls", p.m.OpcodeName(op))
	}
}

// attributes skips them all but those that name computations and the index of a get-tuple-element.
func (p *textParser) attributes(i int, in *Instruction) int {
	in.Attrs.Start = uint32(i)
	in.bare = in.Opcode != OpGetTupleElement
	mark := len(p.callees)
	for {
		key, value, ok := p.t.attributeKey(i)
		if !ok {
			break
		}
		i = p.attribute(in, key, value)
	}
	in.Attrs.End = uint32(i)
	if len(p.callees) > mark {
		p.fileCallees(in, p.callees[mark:])
		p.callees = p.callees[:mark]
	}
	return i
}

func (p *textParser) attribute(in *Instruction, key Range, value int) int {
	name := p.t[key.Start:key.End]
	if in.meta == 0 && string(name) == "metadata" {
		return p.metadata(in, key, value)
	}
	if role, ok := calleeRole(name); ok {
		return p.calleeList(value, role)
	}
	in.bare = in.bare && string(name) == "metadata"
	if in.Opcode == OpGetTupleElement && string(name) == "index" {
		n, end := p.integer(value)
		in.Param = int32(n)
		return end
	}
	end := p.value(key, value)
	if p.t[value] == '%' {
		p.guessCallee(value)
	}
	return end
}

// value skips an attribute's value.
func (p *textParser) value(key Range, i int) int {
	end := p.t.attributeValue(key, i)
	if end == i || end >= len(p.t) {
		p.fail(i, end, "expected a value")
	}
	return end
}

// metadata notes an instruction's metadata. It is most often the line's last attribute, and most often one that was read before:
// where it ends need not be scanned again.
func (p *textParser) metadata(in *Instruction, key Range, i int) int {
	if n := bytes.IndexByte(p.t[i:], '\n'); n > 0 {
		if in.meta = p.metas.find(p.m, Range{uint32(i), uint32(i + n)}); in.meta > 0 {
			return i + n
		}
	}
	end := p.value(key, i)
	in.meta = p.metas.add(p.m, Range{uint32(i), uint32(end)})
	return end
}
