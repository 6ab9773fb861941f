package hlo

// protoAttr finds one attribute. Those that are asked for most are read without spelling the others.
func (m *Module) protoAttr(i InstrID, key string) (string, bool) {
	in := &m.Instrs[i]
	switch {
	case key == "kind" && in.Opcode == OpFusion:
		return m.Text(m.protoField(i, 11)), true
	case key == "custom_call_target" && in.Opcode == OpCustomCall:
		return m.Text(m.protoField(i, 28)), true
	case key == "backend_config":
		if config := m.protoField(i, 43); config.Len() > 0 {
			return m.Text(config), true
		}
		if m.protoField(i, 99).Len() == 0 {
			return "", false
		}
	case key == "frontend_attributes" && m.protoField(i, 68).Len() == 0:
		return "", false
	}
	for k, v := range m.protoAttrs(i) {
		if k == key {
			return v, true
		}
	}
	return "", false
}

// protoField is the body of the first field of an instruction with a number; empty when there is none.
func (m *Module) protoField(i InstrID, number int) Range {
	for f := fieldsOf(m.src, m.Instrs[i].message()); f.next(); {
		if f.tag == number<<3|wireBytes {
			return f.body
		}
	}
	return Range{}
}

// silent tells whether an opcode prints no attribute for which there is no field.
func (op Opcode) silent() bool {
	if int(op) >= len(opcodeAttrs) || opcodeAttrs[op] == nil {
		return true
	}
	switch op {
	case OpParameter, OpReshape, OpExponential, OpExponentialMinusOne, OpCbrt, OpCosine, OpErf, OpLog, OpLogPlusOne, OpLogistic,
		OpRsqrt, OpSine, OpSqrt, OpTan, OpTanh:
		return true
	}
	return false
}
