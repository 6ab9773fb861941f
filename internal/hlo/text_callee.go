package hlo

import "slices"

// calleeRef is a computation that an instruction calls; callees stand in the order of their roles.
type calleeRef struct {
	role uint8
	comp CompID
}

// minCallees holds how many computations an instruction calls at least.
var minCallees = [...]CompID{OpAsyncStart: 1, OpCall: 1, OpConditional: 1, OpFusion: 1, OpMap: 1, OpReduce: 1, OpWhile: 2}

// calleeRole tells whether an attribute names computations.
func calleeRole(key []byte) (role uint8, ok bool) {
	switch string(key) {
	case "calls", "to_apply", "branch_computations", "called_computations", "body", "true_computation", "select":
		return 0, true
	case "condition", "false_computation", "scatter":
		return 1, true
	}
	return 0, false
}

// calleeList takes %c, {%c, %d} or a nested computation { instructions }.
func (p *textParser) calleeList(i int, role uint8) int {
	if !p.t.at(i, '{') || p.opensBlock(i) {
		return p.callee(i, role)
	}
	return p.list(i, func(i int) int { return p.callee(i, role) })
}

func (p *textParser) callee(i int, role uint8) int {
	if p.t.at(i, '{') {
		id, end := p.nested(i)
		p.callees = append(p.callees, calleeRef{role, id})
		return end
	}
	name := p.name(i, "a computation")
	id := p.comps.find(p.t, name)
	if id < 0 {
		p.failf(i, name.end(), "computation %%%s is not defined before it is called", p.m.Text(name.bounds()))
	}
	p.callees = append(p.callees, calleeRef{role, id})
	return name.end()
}

// guessCallee takes an attribute that is not known but has a computation for its value for a call.
func (p *textParser) guessCallee(i int) {
	name := p.t.name(i + 1)
	if id := p.comps.find(p.t, name); id >= 0 {
		p.callees = append(p.callees, calleeRef{0, id})
	}
}

// opensBlock tells a nested computation from a list of names: an instruction begins with a name and =.
func (p *textParser) opensBlock(i int) bool {
	i = p.t.blanks(i + 1)
	if p.t.word(i, "ROOT") {
		return true
	}
	if p.t.at(i, '%') {
		i++
	}
	end := p.t.ident(i)
	return end > i && p.t.at(p.t.blanks(end), '=')
}

// fileCallees files what an instruction calls. What an async-update or async-done calls is the async-start's and only printed
// again by old versions.
func (p *textParser) fileCallees(in *Instruction, refs []calleeRef) {
	if in.Opcode == OpAsyncUpdate || in.Opcode == OpAsyncDone {
		return
	}
	if len(refs) > 1 {
		slices.SortStableFunc(refs, func(a, b calleeRef) int { return int(a.role) - int(b.role) })
	}
	in.callees = uint32(len(p.m.callees))
	p.m.callees = append(p.m.callees, CompID(len(refs)))
	for _, ref := range refs {
		p.m.callees = append(p.m.callees, ref.comp)
	}
}
