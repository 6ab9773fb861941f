package hlo

// proto hashes the fields of an instruction that no other part of it tells, as they are serialized.
func (a *Alike) proto(h uint64, in *Instruction) uint64 {
	src := a.m.src
	for f := fieldsOf(src, in.message()); f.next(); {
		switch number := f.tag >> 3; number {
		case 1, 2, 3, 7, 9, 13, 35, 36, 38:
			// name, opcode, shape, metadata, the number in Param, id, operands and callees
		case 37: // control predecessors: ids of this computation's instructions
			h = mix(h, uint64(in.Comp))
		default:
			h = mix(h, uint64(f.tag))
			if f.tag&7 == wireVarint {
				h = mix(h, f.value)
			} else {
				h = mix(h, hashText(src[f.body.Start:f.body.End]))
			}
		}
	}
	return h
}
