package hlo

import "slices"

// makeRoom makes room for as many instructions as there may be in all, and for what they read if they go on as those that are there. Little
// is reserved before it is known that they are not in common with others.
func (m *Module) makeRoom(instrs int) {
	if n := len(m.Instrs); n < instrs {
		m.Instrs = slices.Grow(m.Instrs, instrs-n)
		m.operands = slices.Grow(m.operands, int(float64(len(m.operands))*float64(instrs-n)/float64(n+1)))
	}
}

// finish completes a module whose computations are all there.
func (m *Module) finish() {
	m.numberMade()
	m.separateRun()
	m.Instrs, m.operands = trimmed(m.Instrs), trimmed(m.operands)
}
