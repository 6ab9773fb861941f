package hlo

import "math"

// computation reads an HloComputationProto and appends it to the module.
func (r *protoReader) computation(c computationFields) {
	m := r.m
	comp := Computation{First: InstrID(len(m.Instrs)), Count: int32(c.instructions), Root: NoInstr, Caller: NoInstr}
	var id, root int64
	r.instructions.reset(c.instructions)
	f := fieldsOf(r.src, c.body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // name
			comp.Name = f.body
		case 2<<3 | wireBytes: // instructions
			r.instruction(f.body)
		case 5<<3 | wireVarint: // id
			id = int64(f.value)
		case 6<<3 | wireVarint: // root_id
			root = int64(f.value)
		case 8<<3 | wireBytes: // execution_thread
			comp.Thread = f.body
		}
	}
	r.finished(&f, "computation", comp.Name)
	if m.Text(comp.Thread) == "main" {
		comp.Thread = Range{}
	}
	comp.Root = InstrID(r.instructions.find(root))
	if comp.Root == NoInstr {
		r.fail(c.body.Start, "the root (id %d) of computation %s is not in it", root, m.Text(comp.Name))
	}
	if !r.computations.add(id, int32(len(m.Comps))) {
		r.fail(c.body.Start, "computation %s has the id %d of an earlier one", m.Text(comp.Name), id)
	}
	m.Comps = append(m.Comps, comp)
}

// instruction reads the part of an HloInstructionProto that every question needs.
func (r *protoReader) instruction(body Range) {
	m := r.m
	in := Instruction{Attrs: body, Comp: CompID(len(m.Comps)), Shape: -1, bare: true}
	in.operands.start, in.callees.start = uint32(len(m.operands)), uint32(len(m.callees))
	var id int64
	var opcode Range
	f := fieldsOf(r.src, body)
	for f.next() {
		switch f.tag {
		case 1<<3 | wireBytes: // name
			in.Name = f.body
		case 2<<3 | wireBytes: // opcode
			opcode = f.body
		case 3<<3 | wireBytes: // shape
			in.Shape = r.shape(f.body)
		case 7<<3 | wireBytes: // metadata
			in.meta = r.metadata.add(m, f.body)
		case 68<<3 | wireBytes, 82<<3 | wireBytes: // frontend_attributes, statistics_viz: written even when they are empty
			in.bare = in.bare && f.body.Len() == 0
		case 9<<3 | wireVarint, 13<<3 | wireVarint: // parameter_number, tuple_index
			in.Param = r.int32(&f)
		case 35<<3 | wireVarint: // id
			id = int64(f.value)
		case 36<<3 | wireBytes, 36<<3 | wireVarint: // operand_ids
			r.operands(&f, &in)
		case 37<<3 | wireBytes, 37<<3 | wireVarint: // control_predecessor_ids
			r.keepIDs, in.bare = true, false
		case 38<<3 | wireBytes, 38<<3 | wireVarint: // called_computation_ids
			r.callees(&f, &in)
		default:
			in.bare = false
		}
	}
	r.finished(&f, "instruction", in.Name)
	if opcode.Len() == 0 || in.Shape < 0 {
		r.fail(body.Start, "instruction %s has no opcode or no shape", m.Text(in.Name))
	}
	in.Opcode = r.opcode(opcode)
	in.bare = in.bare && in.Opcode.silent()
	if !r.instructions.add(id, int32(len(m.Instrs))) {
		r.fail(body.Start, "instruction %s has the id %d of an earlier one", m.Text(in.Name), id)
	}
	in.operands.n = uint32(len(m.operands)) - in.operands.start
	in.callees.n = uint32(len(m.callees)) - in.callees.start
	m.Instrs = append(m.Instrs, in)
	r.ids = append(r.ids, id)
}

func (r *protoReader) operands(f *fields, in *Instruction) {
	for p := fieldsOf(r.src, f.body); p.more(); {
		id := int64(p.varint())
		operand := r.instructions.find(id)
		if operand < 0 && p.broken == whole {
			r.fail(f.body.Start, "instruction %s has an operand (id %d) that does not stand before it", r.m.Text(in.Name), id)
		}
		r.m.operands = append(r.m.operands, InstrID(operand))
		f.broken = p.broken
	}
}

func (r *protoReader) callees(f *fields, in *Instruction) {
	for p := fieldsOf(r.src, f.body); p.more(); {
		id := int64(p.varint())
		callee := r.computations.find(id)
		if callee < 0 && p.broken == whole {
			r.fail(f.body.Start, "instruction %s calls a computation (id %d) that does not stand before it", r.m.Text(in.Name), id)
		}
		r.m.callees = append(r.m.callees, CompID(callee))
		f.broken = p.broken
	}
}

func (r *protoReader) int32(f *fields) int32 {
	if f.value > math.MaxInt32 {
		r.fail(f.body.Start, "the number %d is too large for a parameter or a tuple index", int64(f.value))
	}
	return int32(f.value)
}

func (r *protoReader) opcode(spelling Range) Opcode {
	hash := text(r.src).hash(spelling)
	n := r.opcodes.find(r.src, spelling, hash)
	if n < 0 {
		n = int32(r.resolve(spelling))
		r.opcodes.add(r.src, spelling, hash, n)
	}
	return Opcode(n)
}

func (r *protoReader) resolve(spelling Range) Opcode {
	m, name := r.m, r.m.Text(spelling)
	if op, ok := LookupOpcode(name); ok {
		return op
	}
	op := len(opcodeNames) + len(m.unknown)
	if op >= int(noOpcode) {
		r.fail(spelling.Start, "there are too many opcodes that no version of XLA knows")
	}
	m.unknown = append(m.unknown, name)
	return Opcode(op)
}
