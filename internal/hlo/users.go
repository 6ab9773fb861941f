package hlo

import "slices"

// Users holds the users of the instructions of a computation.
type Users struct {
	first      InstrID
	start, end []uint32 // by instruction: its users are list[start:end]
	list       []InstrID
}

// Of returns the instructions that have i as an operand, in order, each once. The slice belongs to u.
func (u *Users) Of(i InstrID) []InstrID { return u.list[u.start[i-u.first]:u.end[i-u.first]] }

// Find finds the users of all instructions of a computation in one pass. It reuses the memory of the last call.
func (u *Users) Find(m *Module, c CompID) {
	first, end := m.Body(c)
	n := int(end - first)
	u.first, u.start, u.end = first, slices.Grow(u.start[:0], n)[:n], slices.Grow(u.end[:0], n)[:n]
	clear(u.start)
	uses := 0
	for i := first; i < end; i++ {
		for _, o := range m.Operands(i) {
			u.start[o-first]++
			uses++
		}
	}
	u.list = slices.Grow(u.list[:0], uses)[:uses]
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
}
