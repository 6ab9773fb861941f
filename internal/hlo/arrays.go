package hlo

// Array is an array that an instruction makes, by its number in the result: a tuple has the arrays of its elements one after the other. A token counts as one.
type Array struct {
	Instr  InstrID
	Number int32
}

// Arrays holds the arrays of the instructions of a module. A tuple, an element of one and a barrier make none: they have those of their operands. It looks at
// a computation when the first instruction of it is asked for. It is not to be asked by several goroutines at once.
type Arrays struct {
	m          *Module
	found      []bool  // by CompID
	leaves     []int32 // by ShapeID: how many arrays it has
	start, end []uint32
	list       []Array // those of an instruction are list[start:end]
}

// Arrays returns the arrays of the instructions of a module. Keep the result.
func (m *Module) Arrays() *Arrays {
	n := len(m.Instrs)
	a := &Arrays{m: m, found: make([]bool, len(m.Comps)), leaves: make([]int32, m.ShapeIDs()), start: make([]uint32, n), end: make([]uint32, n), list: make([]Array, 0, n)}
	for id := range a.leaves { // the elements of a tuple come before it
		s := m.Shape(ShapeID(id))
		if a.leaves[id] = 1; s.Type == Tuple {
			a.leaves[id] = a.count(s.Elements)
		}
	}
	return a
}

func (a *Arrays) count(shapes []ShapeID) (n int32) {
	for _, s := range shapes {
		n += a.leaves[s]
	}
	return n
}

// Of returns the arrays of an instruction's result. The slice belongs to a.
func (a *Arrays) Of(i InstrID) []Array {
	if c := a.m.Instrs[i].Comp; !a.found[c] {
		a.found[c] = true
		for id, end := a.m.Body(c); id < end; id++ {
			a.find(id)
		}
	}
	return a.list[a.start[i]:a.end[i]:a.end[i]]
}

// Element returns the arrays of an element of a tuple.
func (a *Arrays) Element(i InstrID, index int) []Array {
	a.Of(i)
	start, end := a.element(i, index)
	return a.list[start:end:end]
}

func (a *Arrays) element(i InstrID, index int) (start, end uint32) {
	first, elements := a.start[i], a.m.Shape(a.m.Instrs[i].Shape).Elements
	if index < 0 || index >= len(elements) {
		return first, first
	}
	start = first + uint32(index)
	if int(a.end[i]-first) != len(elements) { // there is a tuple in it
		start = first + uint32(a.count(elements[:index]))
	}
	return min(start, a.end[i]), min(start+uint32(a.leaves[elements[index]]), a.end[i])
}

// find finds the arrays of one instruction; those of its operands are known.
func (a *Arrays) find(id InstrID) {
	in, operands := &a.m.Instrs[id], a.m.Operands(id)
	start := uint32(len(a.list))
	switch op := in.Opcode; {
	case op == OpTuple:
		for _, o := range operands {
			a.list = append(a.list, a.list[a.start[o]:a.end[o]]...)
		}
	case op == OpGetTupleElement && len(operands) == 1:
		a.start[id], a.end[id] = a.element(operands[0], int(in.Param))
		return
	case (op == OpOptBarrier || op == OpDomain || op == OpAddDependency) && len(operands) > 0:
		a.start[id], a.end[id] = a.start[operands[0]], a.end[operands[0]]
		return
	default:
		for n := range a.leaves[in.Shape] {
			a.list = append(a.list, Array{id, n})
		}
	}
	a.start[id], a.end[id] = start, uint32(len(a.list))
}

// Shape returns the shape of an array.
func (a *Arrays) Shape(of Array) ShapeID {
	id, n := a.m.Instrs[of.Instr].Shape, of.Number
	for s := a.m.Shape(id); s.Type == Tuple; s = a.m.Shape(id) {
		at := 0
		for ; at < len(s.Elements) && n >= a.leaves[s.Elements[at]]; at++ {
			n -= a.leaves[s.Elements[at]]
		}
		if at == len(s.Elements) { // of a broken module
			return id
		}
		id = s.Elements[at]
	}
	return id
}
