package hlo

import (
	"bytes"
	"strings"
)

// wrapped finds the instruction of a callee that is nothing but parameters and one operation on them.
func (p *printer) wrapped(caller InstrID) (root InstrID, wraps bool) {
	m := p.m
	callees := m.Callees(caller)
	if len(callees) != 1 {
		return NoInstr, false
	}
	root = m.Comps[callees[0]].Root
	first, end := m.Body(callees[0])
	given := uint32(len(m.Operands(caller)))
	for i := first; i < end; i++ {
		in := &m.Instrs[i]
		if isParameter := in.Opcode == OpParameter; isParameter == (i == root) || isParameter && uint32(in.Param) >= given {
			return NoInstr, false
		}
	}
	return root, true
}

// looked are the caller's operands in the order in which the wrapped instruction uses them.
func (p *printer) looked(caller, root InstrID) []InstrID {
	given := p.m.Operands(caller)
	p.through = p.through[:0]
	for _, o := range p.m.Operands(root) {
		p.through = append(p.through, given[p.m.Instrs[o].Param])
	}
	return p.through
}

// isParallel tells whether the CPU back end wrapped an instruction to run it in parallel: on one core it stands alone.
func (m *Module) isParallel(root InstrID) bool {
	config, _ := m.Attr(root, "backend_config")
	_, old := m.Attr(root, "outer_dimension_partitions")
	return old || strings.Contains(config, "outer_dimension_partitions")
}

// start hashes the start of an asynchronous operation alike in its spellings: `all-gather-start`, and `async-start` that calls a
// computation with an all-gather. The latter may have the attributes on either instruction, or on both.
func (p *printer) start(op Opcode, shape ShapeID, callees []CompID, i, wrapped InstrID) digest {
	return p.opcodes[OpAsyncStart].and(p.plain(op, shape, callees, i, wrapped))
}

// started is the result in the shape ((operands), result, ...) of a start.
func (m *Module) started(shape ShapeID) ShapeID {
	if elements := m.Shape(shape).Elements; len(elements) > 1 {
		return elements[1]
	}
	return shape
}

func asyncStep(op Opcode) Opcode {
	if op == OpAsyncUpdate {
		return op
	}
	return OpAsyncDone
}

// callbackAddresses finds the constants that older versions of JAX hand to a callback: the address of the Python function.
func (p *printer) callbackAddresses() map[InstrID]bool {
	addresses, m := make(map[InstrID]bool), p.m
	for i := range p.p.alike.Each() {
		if m.Instrs[i].Opcode != OpCustomCall {
			continue
		}
		if target, _ := m.Attr(i, "custom_call_target"); !isCallback(target) {
			continue
		}
		for _, o := range m.Operands(i) {
			if in := &m.Instrs[o]; in.Opcode == OpConstant && m.isAddress(in.Shape) {
				addresses[o] = true
			}
		}
	}
	return addresses
}

func (m *Module) isAddress(id ShapeID) bool {
	s := m.Shape(id)
	return len(s.Dims) == 0 && (s.Type == S64 || s.Type == U64)
}

func isCallback[T string | []byte](target T) bool {
	return bytes.Contains([]byte(target), []byte("callback"))
}
