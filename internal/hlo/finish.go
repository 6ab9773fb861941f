package hlo

// finish completes a module whose computations are all there.
func (m *Module) finish() {
	m.numberMade()
	m.separateRun()
	m.Instrs, m.operands = trimmed(m.Instrs), trimmed(m.operands)
}
