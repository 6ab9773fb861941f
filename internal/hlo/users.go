package hlo

// Users holds the users of the instructions of a module. It finds those of a computation when the first is asked for. It is not to be asked by
// several goroutines at once.
type Users struct {
	m          *Module
	found      []bool   // by CompID
	start, end []uint32 // by InstrID: its users are list[start:end]
	list       []InstrID
}

// Users returns the users of the instructions of a module. Keep the result.
func (m *Module) Users() *Users {
	n := len(m.Instrs)
	return &Users{m: m, found: make([]bool, len(m.Comps)), start: make([]uint32, n), end: make([]uint32, n), list: make([]InstrID, 0, len(m.operands))}
}

// Of returns the instructions that have i as an operand, in order, each once. The slice belongs to u.
func (u *Users) Of(i InstrID) []InstrID {
	if c := u.m.Instrs[i].Comp; !u.found[c] {
		u.find(c)
	}
	return u.list[u.start[i]:u.end[i]]
}

// find finds the users of all instructions of a computation in one pass.
func (u *Users) find(c CompID) {
	u.found[c] = true
	first, end := u.m.Body(c)
	for i := first; i < end; i++ {
		for _, o := range u.m.Operands(i) {
			u.start[o]++
		}
	}
	at := uint32(len(u.list))
	for i := first; i < end; i++ {
		at, u.start[i], u.end[i] = at+u.start[i], at, at
	}
	u.list = u.list[:at]
	for i := first; i < end; i++ {
		for _, o := range u.m.Operands(i) {
			if end := u.end[o]; end == u.start[o] || u.list[end-1] != i {
				u.list[end] = i
				u.end[o]++
			}
		}
	}
}
