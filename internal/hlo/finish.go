package hlo

// finish completes a module whose computations are all there.
func (m *Module) finish() {
	m.numberMade()
	m.separateRun()
	m.setCallers()
	m.Instrs, m.operands = trimmed(m.Instrs), trimmed(m.operands)
}

// setCallers notes the first instruction that calls each computation, in the order of the computations.
func (m *Module) setCallers() {
	for c := range m.Comps {
		first, end := m.Body(CompID(c))
		for i := first; i < end; i++ {
			if m.Instrs[i].callees > 0 {
				m.setCaller(i)
			}
		}
	}
}

func (m *Module) setCaller(i InstrID) {
	for _, c := range m.Callees(i) {
		if m.Comps[c].Caller == NoInstr {
			m.Comps[c].Caller = i
		}
	}
}
