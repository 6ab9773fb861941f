package hlo

import "slices"

// findLive marks the instructions of a computation that its result or an effect needs. Parameters are part of the signature.
func (p *printer) findLive(c CompID) {
	m := p.m
	first, end := m.Body(c)
	p.live = slices.Grow(p.live[:0], int(end-first))[:end-first]
	clear(p.live)
	p.live[m.Comps[c].Root-first] = true
	for i := end - 1; i >= first; i-- {
		if p.hasEffect(i) {
			p.effects[c] = true
			p.live[i-first] = true
		}
		if m.Instrs[i].Opcode == OpParameter {
			p.live[i-first] = true
		}
		if !p.live[i-first] {
			continue
		}
		for _, o := range m.Operands(i) {
			p.live[o-first] = true
		}
	}
}

// hasEffect tells whether an instruction does more than compute its result, or cannot be left out on one device alone.
func (p *printer) hasEffect(i InstrID) bool {
	switch p.m.Instrs[i].Opcode {
	case OpSend, OpSendDone, OpRecv, OpRecvDone, OpInfeed, OpOutfeed, OpTrace, OpRng, OpRngGetAndUpdateState,
		OpAllReduce, OpAllReduceStart, OpAllGather, OpAllGatherStart, OpReduceScatter, OpAllToAll, OpRaggedAllToAll,
		OpCollectivePermute, OpCollectivePermuteStart, OpCollectiveBroadcast, OpCollectiveReduce:
		return true
	case OpCustomCall:
		effect, _ := p.m.Attr(i, "custom_call_has_side_effect")
		return effect == "true"
	}
	for _, c := range p.m.Callees(i) {
		if p.effects[p.p.alike.First(c)] {
			return true
		}
	}
	return false
}
