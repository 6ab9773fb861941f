package hlo

// Users tells which instructions of a computation use a value.
type Users struct {
	first      InstrID
	start, end []uint32 // by instruction: where in list its users stand
	list       []InstrID
}

// Of returns the instructions that have i as an operand, in order, each once. The slice belongs to the users.
func (u *Users) Of(i InstrID) []InstrID { return u.list[u.start[i-u.first]:u.end[i-u.first]] }

// Users finds the users of every instruction in a computation. It costs one pass; keep the result.
func (m *Module) Users(c CompID) *Users {
	first, end := m.Body(c)
	n := end - first
	bounds := make([]uint32, 2*n)
	u := &Users{first: first, start: bounds[:n], end: bounds[n:]}
	uses := 0
	for i := first; i < end; i++ {
		for _, o := range m.Operands(i) {
			u.start[o-first]++
			uses++
		}
	}
	u.list = make([]InstrID, uses)
	at := uint32(0)
	for i, count := range u.start {
		u.start[i], u.end[i] = at, at
		at += count
	}
	for i := first; i < end; i++ {
		for _, o := range m.Operands(i) {
			if end := u.end[o-first]; end == u.start[o-first] || u.list[end-1] != i {
				u.list[end] = i
				u.end[o-first]++
			}
		}
	}
	return u
}
