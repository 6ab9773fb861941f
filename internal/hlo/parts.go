package hlo

import "slices"

// joint is how the numbers of one part become those of the whole module.
type joint struct {
	part     *Module
	first    InstrID
	comp     CompID
	operands uint32
	callees  uint32
	made     int32
	shapes   []ShapeID
	metas    []MetadataID
	opcodes  []Opcode
	resolved []CompID // the callees that stand in earlier parts
}

// join puts a module together that was read in parts; the first of them becomes the whole. It returns nothing where more than one
// part has an ENTRY. All tables come out as though the module had been read in one piece.
func (r Reader) join(parts []*Module, metas *metadataIndex, resolved [][]CompID) (*Module, error) {
	m := parts[0]
	joints := make([]joint, len(parts))
	end := joint{operands: uint32(len(m.operands)), callees: uint32(len(m.callees))}
	for k, part := range parts {
		j := &joints[k]
		*j = end
		j.part, j.resolved = part, resolved[k]
		if k > 0 {
			j.tables(m, metas)
			end.operands, end.callees = end.operands+uint32(len(part.operands))-1, end.callees+uint32(len(part.callees))-1
		}
		if part.Entry != NoComp && k > 0 {
			if m.Entry != NoComp {
				return nil, nil
			}
			m.Entry = part.Entry + j.comp
		}
		end.first, end.comp = end.first+InstrID(len(part.Instrs)), end.comp+CompID(len(part.Comps))
	}
	m.Instrs = append(make([]Instruction, 0, end.first), m.Instrs...)[:end.first]
	m.Comps = slices.Grow(m.Comps, int(end.comp)-len(m.Comps))[:end.comp]
	m.operands = append(make([]InstrID, 0, end.operands), m.operands...)[:end.operands]
	m.callees = slices.Grow(m.callees, int(end.callees)-len(m.callees))[:end.callees]
	return m, r.Share(len(joints)-1, func(i int) { joints[i+1].copy(m) })
}

// tables adds what the part has in its tables to those of the module, in the same order.
func (j *joint) tables(m *Module, metas *metadataIndex) {
	part := j.part
	for _, s := range part.shapes.list {
		s.Elements = slices.Clone(s.Elements)
		for i, e := range s.Elements {
			s.Elements[i] = j.shapes[e]
		}
		j.shapes = append(j.shapes, m.shapes.add(s))
	}
	for _, r := range part.metas {
		j.metas = append(j.metas, metas.add(m, r))
	}
	for _, name := range part.unknown {
		if !slices.Contains(m.unknown, name) {
			m.unknown = append(m.unknown, name)
		}
		j.opcodes = append(j.opcodes, Opcode(NumOpcodes+slices.Index(m.unknown, name)))
	}
	j.made = int32(len(m.made))
	m.made = append(m.made, part.made...)
	m.Header.OperandsLeftOut = m.Header.OperandsLeftOut || part.Header.OperandsLeftOut
	for c, ids := range part.ids {
		m.keepIDs(c+j.comp, ids)
	}
}

// copy puts what the part holds in its place in the module.
func (j *joint) copy(m *Module) {
	instrs := m.Instrs[j.first:]
	for i := range j.part.Instrs {
		instrs[i] = j.instruction(j.part.Instrs[i])
	}
	for c, comp := range j.part.Comps {
		comp.First, comp.Root = comp.First+j.first, comp.Root+j.first
		if comp.made > 0 {
			comp.made += j.made
		}
		if comp.calls > 0 {
			comp.calls += j.callees - 1
		}
		m.Comps[int(j.comp)+c] = comp
	}
	copyLists(m.operands[j.operands:], j.part.operands[1:], func(id InstrID) InstrID { return id + j.first })
	copyLists(m.callees[j.callees:], j.part.callees[1:], func(id CompID) CompID {
		if id < 0 {
			return j.resolved[-id-1]
		}
		return id + j.comp
	})
}

func (j *joint) instruction(in Instruction) Instruction {
	in.Shape, in.Comp, in.meta = j.shapes[in.Shape], in.Comp+j.comp, j.metas[in.meta]
	if int(in.Opcode) >= NumOpcodes {
		in.Opcode = j.opcodes[int(in.Opcode)-NumOpcodes]
	}
	if in.operands > 0 {
		in.operands += j.operands - 1
	}
	if in.callees > 0 {
		in.callees += j.callees - 1
	}
	return in
}

// copyLists copies lists that stand behind their lengths.
func copyLists[T ~int32](to, from []T, renumber func(T) T) {
	left := T(0) // of the list at hand
	for i, v := range from {
		if left == 0 {
			to[i], left = v, v
			continue
		}
		to[i] = renumber(v)
		left--
	}
}
