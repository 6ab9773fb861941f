package price

import "github.com/xlagate/xlagate/internal/hlo"

// fusedBody is what the price of a fusion asks of the computation that it calls.
type fusedBody struct {
	root    hlo.InstrID
	indexed hlo.InstrID  // its first gather or scatter
	params  []fusedParam // by parameter number
	bytes   float64      // what is read from outside: of all parameters, and the constants that are too large for the code
}

// fusedParam is a parameter of a fused computation, and how many bytes of it are read; hlo.NoInstr where the computation has none of its number.
type fusedParam struct {
	id    hlo.InstrID
	bytes float64
}

// fusedBody looks through the computation that a fusion or a call runs, once for all that are like it.
func (p *analyzer) fusedBody(fusion hlo.InstrID) *fusedBody {
	c := p.alike.First(p.m.Callees(fusion)[0])
	if b := p.bodies[c]; b != nil {
		return b
	}
	first, end := p.m.Body(c)
	b := &fusedBody{root: p.m.Comps[c].Root, indexed: hlo.NoInstr}
	p.bodies[c] = b
	params := p.m.Params(c)
	b.params = make([]fusedParam, len(params))
	for n, id := range params {
		b.params[n].id = id
	}
	for i := first; i < end; i++ {
		switch p.m.Instrs[i].Opcode {
		case hlo.OpConstant:
			if p.elements(i) > 1 {
				b.bytes += p.size(i)
			}
		case hlo.OpGather, hlo.OpScatter:
			if b.indexed == hlo.NoInstr {
				b.indexed = i
			}
		}
	}
	p.readParams(b, c)
	return b
}

// fusion prices a fusion: the work in its body, and what goes in and out of it. What is between stays in registers.
func (p *analyzer) fusion(i hlo.InstrID) Cost {
	cost := p.callee(i, 0)
	body := p.fusedBody(i)
	if body.indexed != hlo.NoInstr && p.m.AttrText(i, "kind") == "kCustom" {
		return p.cost(body.indexed) // a hand-written kernel for it
	}
	cost.BytesAccessed = p.written(i, body.root) + body.bytes
	return cost
}

// written is what a fusion writes. A root that updates a slice in place writes the slice alone.
func (p *analyzer) written(fusion, root hlo.InstrID) float64 {
	shape := p.m.Instrs[fusion].Shape
	elements, roots := p.m.Shape(shape).Elements, p.m.Operands(root)
	if p.m.Shape(shape).Type != hlo.Tuple {
		return p.writtenBy(root, shape)
	}
	var bytes float64
	for n, e := range elements {
		if p.m.Instrs[root].Opcode == hlo.OpTuple && n < len(roots) {
			bytes += p.writtenBy(roots[n], e)
		} else {
			bytes += float64(p.sizes.leaves[e])
		}
	}
	return bytes
}

func (p *analyzer) writtenBy(root hlo.InstrID, shape hlo.ShapeID) float64 {
	if p.m.Instrs[root].Opcode == hlo.OpDynamicUpdateSlice && len(p.m.Operands(root)) > 1 {
		return p.argSize(root, 1)
	}
	return float64(p.sizes.leaves[shape])
}

// bodyReader finds out what is read of the values in one fused computation.
type bodyReader struct {
	first hlo.InstrID
	reads []float64 // by instruction; unread until it is asked for
}

// unread stands for a number of bytes that is not known yet.
const unread = -1

// readParams finds out how much is read of each parameter.
func (p *analyzer) readParams(b *fusedBody, c hlo.CompID) {
	r := p.spare
	p.spare = nil // a computation inside may have to be looked through meanwhile
	if r == nil {
		r = &bodyReader{}
	}
	r.first, r.reads = p.m.Comps[c].First, r.reads[:0]
	for range p.m.Comps[c].Count {
		r.reads = append(r.reads, unread)
	}
	for n := range b.params {
		if param := &b.params[n]; param.id != hlo.NoInstr {
			param.bytes = p.read(r, param.id)
			b.bytes += p.readFrom(r, param.id, p.m.Instrs[param.id].Shape)
		}
	}
	p.spare = r
}

// readFrom is what is read of a fusion's parameter: of a tuple, what is read of each array in it.
func (p *analyzer) readFrom(b *bodyReader, i hlo.InstrID, shape hlo.ShapeID) float64 {
	s := p.m.Shape(shape)
	if s.Type != hlo.Tuple {
		return p.read(b, i)
	}
	parts := make([]hlo.InstrID, len(s.Elements)) // an element that nobody takes out is read as the whole
	for n := range parts {
		parts[n] = i
	}
	for _, u := range p.users.Of(i) {
		n := int(p.m.Instrs[u].Param)
		if p.m.Instrs[u].Opcode == hlo.OpGetTupleElement && n < len(parts) && parts[n] == i {
			parts[n] = u
		}
	}
	var bytes float64
	for n, e := range s.Elements {
		bytes += p.readFrom(b, parts[n], e)
	}
	return bytes
}

// read is how many bytes of a value that comes into a fusion are read: slices where users take slices, else all of it, and more for each broadcast and reshape.
func (p *analyzer) read(b *bodyReader, i hlo.InstrID) float64 {
	known := &b.reads[i-b.first]
	if *known != unread {
		return *known
	}
	*known = 0 // one that is read from itself ends here
	bytes, all := 0.0, false
	for _, u := range p.users.Of(i) {
		if p.m.Instrs[u].Opcode == hlo.OpFusion {
			bytes += p.readInside(i, u)
			continue
		}
		part, whole := p.readBy(i, u)
		bytes, all = bytes+part, all || whole
	}
	if all {
		bytes += p.size(i)
	}
	*known = bytes
	return bytes
}

// readBy is what one user reads of a value: a part of its own, or the whole, which users share.
func (p *analyzer) readBy(i, user hlo.InstrID) (part float64, whole bool) {
	first := p.m.Operands(user)[0] == i
	switch p.m.Instrs[user].Opcode {
	case hlo.OpBroadcast, hlo.OpReshape:
		return p.size(i), false
	case hlo.OpSlice:
		return p.size(user), false
	case hlo.OpDynamicSlice:
		if first {
			return p.size(user), false
		}
	case hlo.OpDynamicUpdateSlice:
		return 0, !first
	}
	return 0, true
}

// readInside is what a fusion within a fusion reads of a value. Where its body does one operation to it, users that slice the result read only their slices.
func (p *analyzer) readInside(i, fusion hlo.InstrID) (bytes float64) {
	if len(p.m.Callees(fusion)) == 0 {
		return 0
	}
	inner := p.fusedBody(fusion)
	for n, o := range p.m.Operands(fusion) {
		if o == i && n < len(inner.params) && inner.params[n].id != hlo.NoInstr {
			bytes += p.readThrough(inner, fusion, inner.params[n])
		}
	}
	return bytes
}

// readThrough is what the users of an inner fusion make it read of one of its parameters.
func (p *analyzer) readThrough(inner *fusedBody, fusion hlo.InstrID, param fusedParam) (bytes float64) {
	operands := p.m.Operands(inner.root)
	simple, all := len(operands) == 0 || operands[0] == param.id, false
	for _, u := range p.users.Of(fusion) {
		op := p.m.Instrs[u].Opcode
		if part := op == hlo.OpSlice || op == hlo.OpDynamicSlice || op == hlo.OpDynamicUpdateSlice; !simple || !part {
			if !all {
				bytes, all = bytes+param.bytes, true
			}
			continue
		}
		part, whole := p.readBy(fusion, u)
		if bytes += part; whole && !all {
			bytes, all = bytes+p.size(fusion), true
		}
	}
	return bytes
}
