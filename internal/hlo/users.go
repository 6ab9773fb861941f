package hlo

// Users tells which instructions use a value.
type Users struct {
	start, end []uint32 // by InstrID: where in list its users stand
	list       []InstrID
}

// Of returns the instructions that have i as an operand, in order, each once. The slice belongs to the users.
func (u *Users) Of(i InstrID) []InstrID { return u.list[u.start[i]:u.end[i]] }

// Users finds the users of every instruction. It costs one pass; keep the result.
func (m *Module) Users() *Users {
	n := len(m.Instrs)
	bounds := make([]uint32, 2*n)
	u := &Users{start: bounds[:n], end: bounds[n:], list: make([]InstrID, len(m.operands))}
	for i := range m.Instrs {
		for _, o := range m.Operands(InstrID(i)) {
			u.start[o]++
		}
	}
	at := uint32(0)
	for i, count := range u.start {
		u.start[i], u.end[i] = at, at
		at += count
	}
	for i := range m.Instrs {
		for _, o := range m.Operands(InstrID(i)) {
			if end := u.end[o]; end == u.start[o] || u.list[end-1] != InstrID(i) {
				u.list[end] = InstrID(i)
				u.end[o]++
			}
		}
	}
	return u
}
