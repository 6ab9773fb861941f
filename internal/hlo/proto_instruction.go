package hlo

import "math"

// The parts of an HloInstructionProto.
const (
	partOther = iota // any other field; it may be an attribute
	partName
	partOpcode
	partShape
	partMetadata
	partParam
	partID
	partOperands // special reads this part and the following ones
	partCallees
	partOrder
	partFusionKind
	partEmpty // a message that is written even when it is empty
	partCount
)

// partOf holds the parts of fields by their tags.
var partOf = [1 << 10]uint8{
	1<<3 | wireBytes:   partName,
	2<<3 | wireBytes:   partOpcode,
	3<<3 | wireBytes:   partShape,
	7<<3 | wireBytes:   partMetadata,
	9<<3 | wireVarint:  partParam, // parameter_number
	11<<3 | wireBytes:  partFusionKind,
	13<<3 | wireVarint: partParam, // tuple_index
	35<<3 | wireVarint: partID,
	36<<3 | wireBytes:  partOperands, 36<<3 | wireVarint: partOperands,
	37<<3 | wireBytes: partOrder, 37<<3 | wireVarint: partOrder, // control_predecessor_ids
	38<<3 | wireBytes: partCallees, 38<<3 | wireVarint: partCallees,
	68<<3 | wireBytes: partEmpty, // frontend_attributes
	82<<3 | wireBytes: partEmpty, // statistics_viz
}

// instruction reads an HloInstructionProto, without its attributes, and adds it to the module.
func (r *protoReader) instruction(body Range) {
	m, parts := r.m, &r.parts
	in := Instruction{args: body.Start, Comp: CompID(len(m.Comps))}
	r.operands, r.callees = r.operands[:0], r.callees[:0]
	r.cut(body)
	name := parts[partName]
	if name.Len() > maxName {
		r.fail(name.Start, "the name of an instruction is longer than %d bytes", maxName)
	}
	in.name, in.nameLen, in.says = name.Start, uint16(name.Len()), r.says
	if parts[partShape].End > 0 {
		in.Shape = r.shape(parts[partShape])
	}
	if parts[partOpcode].Len() == 0 || parts[partShape].End == 0 {
		r.fail(body.Start, "instruction %s has no opcode or no shape", m.Text(name))
	}
	in.Opcode = r.opcode(parts[partOpcode])
	if parts[partMetadata].Len() > 0 {
		in.meta = r.metas.add(m, parts[partMetadata])
	}
	param := r.number(parts[partParam])
	if param > math.MaxInt32 {
		r.fail(parts[partParam].Start, "the number %d is too large for a parameter or a tuple index", int64(param))
	}
	if in.Param = int32(param); in.Opcode == OpFusion {
		in.Param = r.fusionKind
	}
	in.operands, in.callees = r.addOperands(r.operands...), r.addCallees(r.callees...)
	if op := in.Opcode; parts[partOther].End > 0 || int(op) < NumOpcodes && len(opcodeAttrs[op]) > 0 && op != OpReshape {
		in.attrs = body.End // a reshape, and an opcode without attributes of its own, print none when there is no field for it
	}
	id := int64(r.number(parts[partID]))
	if !r.instructions.add(id, int32(len(r.ids))) {
		r.fail(body.Start, "instruction %s has the id %d of an earlier one", m.Text(name), id)
	}
	r.keep(&in)
	r.ids = append(r.ids, id)
}

// cut finds the parts of an instruction.
func (r *protoReader) cut(body Range) {
	src, parts := r.src[:body.End], &r.parts
	*parts, r.says, r.fusionKind = [partCount]Range{}, 0, 0
	for at := int(body.Start); at < len(src); {
		tag, start, end := shortField(src, at)
		if uint(tag) >= uint(len(partOf)) {
			tag, _, start, end = field(src, at)
		}
		part := partOther
		if tag >= 0 && tag < len(partOf) {
			part = int(partOf[tag])
		}
		if tag < 0 || part >= partOperands {
			part = r.special(tag, part, Range{uint32(start), uint32(end)})
		}
		if at, parts[part] = end, (Range{uint32(start), uint32(end)}); part == partOther {
			r.says = mix(mix(r.says, uint64(tag)), hashText(src[start:end]))
		}
	}
}

// special reads a part whose content counts. It returns the part that the field belongs to.
func (r *protoReader) special(tag, part int, at Range) int {
	switch {
	case tag < 0:
		r.damaged(int(at.End), "instruction", r.parts[partName])
	case part == partOperands:
		r.operands = references(r, r.operands, at, &r.instructions, InstrID(len(r.m.Instrs)-len(r.ids)), "has an operand")
	case part == partCallees:
		r.callees = references(r, r.callees, at, &r.computations, 0, "calls a computation")
	case part == partOrder:
		r.hasOrder = true
		r.says = mix(r.says, uint64(at.Start)) // it names instructions: no other computation is alike
		return partOther
	case part == partEmpty && at.Len() > 0:
		return partOther
	case part == partFusionKind:
		r.fusionKind = fusionKind(r.src[at.Start:at.End])
		return partOther
	}
	return part
}

// references appends the operands or callees in a packed field, which a table numbers from first on by their ids.
func references[T ~int32](r *protoReader, list []T, packed Range, known *idTable, first T, has string) []T {
	src := r.src[:packed.End]
	for at := int(packed.Start); at < len(src); {
		id, n := varint(src, at)
		number := known.find(int64(id))
		if n < 0 {
			r.damaged(at, "instruction", r.parts[partName])
		}
		if number < 0 {
			r.fail(packed.Start, "instruction %s %s (id %d) that does not come before it", r.m.Text(r.parts[partName]), has, int64(id))
		}
		list = append(list, first+T(number))
		at += n
	}
	return list
}

// number returns the value of a varint field, 0 when it is absent.
func (r *protoReader) number(varintField Range) uint64 {
	if varintField.Len() == 0 {
		return 0
	}
	v, _ := varint(r.src, int(varintField.Start))
	return v
}
