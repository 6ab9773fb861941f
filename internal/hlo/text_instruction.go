package hlo

import (
	"bytes"
	"slices"
)

// instruction reads [ROOT] [%]name = shape opcode(operands)[, attribute]*.
func (p *textParser) instruction(i int) int {
	root := p.t.at(i, 'R') && p.t.word(i, "ROOT")
	if root {
		i = p.t.blanks(i + len("ROOT"))
	}
	start := i
	name := p.name(i, "an instruction")
	in := Instruction{Comp: p.body.id, name: name.at, nameLen: uint16(name.n)}
	in.Shape, i = p.shape(p.expect(name.end(), '='))
	spelled, i := p.opcode(i)
	if in.Opcode = spelled.op; in.Opcode == OpGetTupleElement {
		in.Param = -1 // not yet known
	}
	i = p.attributes(p.arguments(i, &in), &in)
	if in.Opcode == OpGetTupleElement || int(in.Opcode) < len(minCallees) && minCallees[in.Opcode] > 0 {
		p.check(i, &in, spelled)
	}
	if wrapped := wrappedIn(in.Opcode); wrapped != noOpcode {
		spelled = p.unlessNative(&in, spelled, wrapped)
	}
	id := p.keep(&in)
	if spelled.wrapped != noOpcode && in.Opcode == OpAsyncStart {
		p.wrap(id, spelled.wrapped)
	}
	if name.n > maxName || !p.enter(name, id) {
		p.refuse(start, name)
	}
	if root && p.body.root >= 0 {
		p.fail(start, i, "this is the computation's second ROOT")
	}
	if root {
		p.body.root = id
	}
	return i
}

// refuse throws for a name that is too long or defined twice.
func (p *textParser) refuse(at int, name spelling) {
	if name.n > maxName {
		p.fail(at, name.end(), "the name is longer than %d bytes", maxName)
	}
	p.fail(at, at, "%%%s is defined twice", p.m.Text(name.bounds()))
}

// arguments reads the parentheses: operands, of a parameter its number, of a constant its literal.
func (p *textParser) arguments(i int, in *Instruction) int {
	if !p.t.at(i, '(') {
		if i = p.t.blanks(i); !p.t.at(i, '(') {
			p.fail(i, i, "expected ( and the operands")
		}
	}
	in.args = uint32(i + 1)
	switch in.Opcode {
	case OpParameter:
		n, end := p.integer(p.t.blanks(i + 1))
		in.Param = int32(n)
		if i = p.t.blanks(end); !p.t.at(i, ')') || int64(in.Param) != n || n < 0 {
			p.fail(i, i, "expected the number of the parameter and )")
		}
	case OpConstant:
		if i = p.t.balanced(i) - 1; !p.t.at(i, ')') {
			p.fail(len(p.t), len(p.t), "")
		}
		in.says = hashText(p.t[in.args:i])
	default:
		i = p.operandList(i+1, in)
	}
	return i + 1
}

// check refuses an instruction that lacks an attribute which its opcode needs. The next token is at i.
func (p *textParser) check(i int, in *Instruction, spelled spelledOpcode) {
	for i > 0 && p.t.is(i-1, classBlank) {
		i--
	}
	if in.Opcode == OpGetTupleElement && in.Param < 0 {
		p.fail(i, i, "expected the index of the get-tuple-element")
	}
	op := in.Opcode
	if op == OpAsyncStart && spelled.wrapped != noOpcode {
		op = spelled.wrapped
	}
	if int(op) < len(minCallees) && p.m.callees[in.callees] < minCallees[op] {
		p.fail(i, i, "expected the computation that the %s calls", p.m.OpcodeName(op))
	}
}

const metadataKey = 'm' | 'e'<<8 | 't'<<16 | 'a'<<24 | 'd'<<32 | 'a'<<40 | 't'<<48 | 'a'<<56

// attributes reads metadata, callees and the index of a get-tuple-element, and skips the other attributes. It returns the offset of the next token.
func (p *textParser) attributes(i int, in *Instruction) int {
	t, start, mark := p.t, i, len(p.callees)
	for {
		if i >= 0 && i < len(t)-16 { // the usual spellings
			if t[i] == '\n' && t[i+1] == ' ' && t[i+2] == ' ' && (t[i+3] == '%' || t[i+3] == 'R') {
				i += 3
				break
			}
			if t[i] == ',' && t[i+1] == ' ' && t.eight(i+2) == metadataKey && t[i+10] == '=' && t[i+11] == '{' && in.meta == 0 {
				i = p.metadata(in, i+11)
				continue
			}
		}
		key := t.key(i)
		if key.n == 0 {
			i = t.blanks(i)
			break
		}
		known := false
		if i, known = p.attribute(in, key); !known {
			in.attrs = uint32(start)
		}
	}
	if len(p.callees) > mark {
		p.fileCallees(in, p.callees[mark:])
		p.callees = p.callees[:mark]
	}
	return i
}

// attribute reads one attribute. known is true when the instruction holds it without its text.
func (p *textParser) attribute(in *Instruction, key spelling) (end int, known bool) {
	value := p.t.blanks(key.end() + 1)
	kind := p.keys.find(p.t, key)
	if kind < 0 {
		kind = p.newKey(key)
	}
	switch {
	case kind == keyMetadata && in.meta == 0:
		return p.metadata(in, value), true
	case kind == keyCallee0 || kind == keyCallee1:
		return p.calleeList(value, uint8(kind-keyCallee0)), true
	case kind == keyIndex && in.Opcode == OpGetTupleElement:
		n, end := p.integer(value)
		in.Param = int32(n)
		return end, true
	}
	end = p.value(key.bounds(), value)
	if kind == keyMetadata {
		return end, true
	}
	if p.t[value] == '%' { // the name of a computation
		if id := CompID(p.comps.find(p.t, p.t.name(value+1))); id >= 0 {
			p.callees = append(p.callees, calleeRef{0, id})
		}
	}
	in.says = mix(mix(in.says, hashText(p.t[key.at:key.end()])), hashText(p.t[value:end]))
	switch {
	case kind == keyPredecessors:
		in.says = mix(in.says, uint64(value))
	case kind == keyFusionKind && in.Opcode == OpFusion:
		in.Param = fusionKind(p.t[value:end])
	}
	return end, false
}

// Kinds of attributes.
const (
	keyOther = iota
	keyMetadata
	keyIndex
	keyPredecessors // names instructions: no other computation is alike
	keyFusionKind
	keyCallee0 // names computations, by their role; see calleeRef
	keyCallee1
)

func (p *textParser) newKey(key spelling) int32 {
	kind := int32(keyOther)
	name := p.t[key.at:key.end()]
	if calls := attributes[string(name)].calls; calls > 0 {
		kind = keyCallee0 + int32(calls) - 1
	}
	switch string(name) {
	case "metadata":
		kind = keyMetadata
	case "index":
		kind = keyIndex
	case "control-predecessors":
		kind = keyPredecessors
	case "kind":
		kind = keyFusionKind
	}
	p.keys.add(p.t, key, kind)
	return kind
}

// value skips an attribute's value.
func (p *textParser) value(key Range, i int) int {
	end := p.t.attributeValue(key, i)
	if end == i || end >= len(p.t) {
		p.fail(i, end, "expected a value")
	}
	return end
}

// metadata reads an instruction's metadata. Most often it was read before and ends at the first closing brace; then it is not scanned.
func (p *textParser) metadata(in *Instruction, i int) int {
	if in.meta = p.metas.likely(p.m, i); in.meta > 0 {
		return i + p.m.metas[in.meta].Len()
	}
	if n := bytes.IndexByte(p.t[i:], '}') + 1; n > 0 {
		if in.meta = p.metas.find(p.m, Range{uint32(i), uint32(i + n)}); in.meta > 0 {
			return i + n
		}
	}
	end := p.value(Range{}, i)
	in.meta = p.metas.add(p.m, Range{uint32(i), uint32(end)})
	return end
}

// calleeRef is a computation that an instruction calls. Callees are sorted by their roles.
type calleeRef struct {
	role uint8
	comp CompID
}

// minCallees holds how many computations an instruction of each opcode must call.
var minCallees = [...]CompID{OpAsyncStart: 1, OpCall: 1, OpConditional: 1, OpFusion: 1, OpMap: 1, OpReduce: 1, OpWhile: 2}

// calleeList reads %c, {%c, %d} or a nested computation { instructions }.
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
	id := CompID(p.comps.find(p.t, name))
	if id < 0 {
		p.fail(i, name.end(), "computation %%%s is not defined before it is called", p.m.Text(name.bounds()))
	}
	p.callees = append(p.callees, calleeRef{role, id})
	return name.end()
}

// opensBlock reports whether the brace at i opens a nested computation, and not a list of names: an instruction begins with a name and =.
func (p *textParser) opensBlock(i int) bool {
	i = p.t.blanks(i + 1)
	return p.t.word(i, "ROOT") || p.t.instructionName(i) > i
}

// fileCallees adds the callees of an instruction to the module. Those of an async-update or async-done are the async-start's, which old versions print again.
func (p *textParser) fileCallees(in *Instruction, refs []calleeRef) {
	if in.Opcode == OpAsyncUpdate || in.Opcode == OpAsyncDone {
		return
	}
	if len(refs) > 1 {
		slices.SortStableFunc(refs, func(a, b calleeRef) int { return int(a.role) - int(b.role) })
	}
	ids := make([]CompID, 0, 8)
	for _, ref := range refs {
		ids = append(ids, ref.comp)
	}
	in.callees = p.addCallees(ids...)
}
