package hlo

// textBody is a computation that is being read. Its instructions are the last ones of the module.
type textBody struct {
	id     CompID // unless computations inside it come before it
	first  InstrID
	names  nameIndex
	root   InstrID      // NoInstr until there is one
	wraps  []asyncStart // the `<op>-start`s in it
	alone  bool         // it is one instruction outside a computation
	handed int32        // number of parameters made for the operands of that instruction
}

// computation reads a computation: [ENTRY] [%name] [(parameters) -> result] { instructions }[, execution_thread="x"].
func (p *textParser) computation(i int) int {
	start, entry := i, p.t.word(i, "ENTRY")
	if entry {
		i = p.t.blanks(i + len("ENTRY"))
	}
	var name spelling
	if !p.t.at(i, '{') {
		name = p.name(i, "a computation")
		i = name.end()
	}
	p.comp = name.bounds()
	p.stage = stageSignature
	i = p.signature(p.t.blanks(i))
	if !p.t.at(i, '{') {
		p.fail(i, i, "expected { and the instructions of the computation")
	}
	id, i := p.block(i, p.comp)
	p.stage = stageBetween
	if name.n == 0 {
		p.m.Comps[id].made = p.m.make(nameless)
	} else if !p.comps.add(p.t, name, int32(id)) {
		p.fail(start, start, "computation %%%s is defined twice", p.m.Text(name.bounds()))
	}
	if entry && p.m.Entry != NoComp {
		p.fail(start, i, "this is the second ENTRY computation")
	}
	if entry {
		p.m.Entry = id
	}
	return p.thread(i, id)
}

// signature skips (p0: f32[2], p1: (s32[], f32[4])) -> f32[2], if it is there.
func (p *textParser) signature(i int) int {
	if !p.t.at(i, '(') {
		return i
	}
	i = p.t.blanks(p.t.blank(p.t.balanced(i)))
	if !p.t.at(i, '-') || !p.t.at(i+1, '>') {
		p.fail(i, i+1, "expected -> and the result of the computation")
	}
	i = p.t.blanks(i + 2)
	end := p.t.shape(i)
	if end == i {
		p.fail(i, i, "expected the shape of the computation's result")
	}
	return p.t.blanks(end)
}

// thread reads the execution_thread behind a computation's closing brace, if it is there.
func (p *textParser) thread(i int, id CompID) int {
	key, value, ok := p.t.attributeKey(i)
	if !ok || p.m.Text(key) != "execution_thread" {
		return i
	}
	end := p.t.attributeValue(key, value)
	if end-value >= 2 {
		p.m.Comps[id].Thread = Range{uint32(value + 1), uint32(end - 1)}
	}
	return end
}

// Names of computations that have none in the text.
const (
	nameless     = "_"
	asyncWrapped = "async_wrapped" // the one in an `<op>-start`
)

// make adds a name to Module.made and returns its index + 1.
func (m *Module) make(name string) int32 {
	m.made = append(m.made, name)
	return int32(len(m.made))
}

// block reads the instructions between { at i and }, and adds them as a computation.
func (p *textParser) block(i int, name Range) (CompID, int) {
	start, stage := i, p.stage
	p.nest(i)
	p.comp, p.body = name, p.newBody()
	p.stage = stageInstruction
	for i = p.t.blanks(i + 1); !p.t.at(i, '}'); i = p.t.blanks(i) {
		if i >= len(p.t) {
			p.stage = stageBody
		}
		i = p.instruction(i)
	}
	id := p.close(start, name)
	p.m.Comps[id].Source.End = uint32(i + 1)
	p.bodies = append(p.bodies, p.body)
	if p.nesting--; p.nesting == 0 && len(p.aside) > 0 {
		p.putBack()
	}
	p.stage = stage
	return id, i + 1
}

// nested reads a computation inside an instruction. Its instructions are set aside until the outer one is complete, whose instructions must be contiguous.
func (p *textParser) nested(i int) (CompID, int) {
	m, instrs, outer, comp := p.m, p.m.Instrs, p.body, p.comp
	m.Instrs = nil
	id, end := p.block(i, Range{})
	m.Comps[id].made = m.make(nameless)
	p.aside = append(p.aside, m.Instrs)
	m.Instrs, p.body, p.comp = instrs, outer, comp
	return id, p.thread(end, id)
}

// putBack appends the instructions that were set aside.
func (p *textParser) putBack() {
	m := p.m
	for _, instrs := range p.aside {
		first := InstrID(len(m.Instrs))
		for i := range instrs {
			operands := listAt(m.operands, instrs[i].operands)
			for k := range operands {
				operands[k] += first
			}
			if i == 0 || instrs[i].Comp != instrs[i-1].Comp {
				c := &m.Comps[instrs[i].Comp]
				c.First, c.Root = first+c.First, first+c.Root
			}
		}
		m.Instrs = append(m.Instrs, instrs...)
	}
	p.aside = p.aside[:0]
}

func (p *textParser) newBody() *textBody {
	b := &textBody{}
	if n := len(p.bodies); n > 0 {
		b, p.bodies = p.bodies[n-1], p.bodies[:n-1]
	}
	b.id, b.first, b.root, b.wraps = CompID(len(p.m.Comps)), InstrID(len(p.m.Instrs)), NoInstr, b.wraps[:0]
	b.alone, b.handed = false, 0
	b.names.reset()
	return b
}

// enter enters an instruction under its name. It returns false when another one of the computation has it.
func (p *textParser) enter(name spelling, id InstrID) bool {
	names, first := &p.body.names, p.body.first
	names.makeSpare()
	hash := name.hash()
	return names.fill(names.slot(p.t, p.m.Instrs[first:], hash, name), hash, int32(id-first))
}

// named returns the instruction of the current computation that has a name, NoInstr when none has.
func (p *textParser) named(name spelling) InstrID {
	first := p.body.first
	if slot := p.body.names.slot(p.t, p.m.Instrs[first:], name.hash(), name); slot.number > 0 {
		return first + InstrID(slot.number-1)
	}
	return NoInstr
}

// close adds the current computation to the module.
func (p *textParser) close(at int, name Range) CompID {
	m, b := p.m, p.body
	id, instrs := CompID(len(m.Comps)), m.Instrs[b.first:]
	if len(instrs) == 0 {
		p.fail(at, at, "the computation has no instructions")
	}
	if b.root == NoInstr {
		b.root = InstrID(len(m.Instrs) - 1)
	}
	if id != b.id {
		for i := range instrs {
			instrs[i].Comp = id
		}
	}
	m.Comps = append(m.Comps, Computation{
		Name: name, Source: Range{uint32(at), 0}, First: b.first,
		Count: int32(len(instrs)), Root: b.root,
	})
	for _, w := range b.wraps {
		p.unwrap(w)
	}
	return id
}

// instruction reports whether an instruction is at i: [ROOT] [[%]name =] shape opcode(.
func (t text) instruction(i int) bool {
	if t.word(i, "ROOT") {
		i = t.blanks(i + len("ROOT"))
	}
	if behind := t.instructionName(i); behind > i {
		i = behind
	}
	end := t.shape(i)
	opcode := t.blanks(end)
	behind := t.ident(opcode)
	_, known := lookupSpelling(string(t[opcode:behind]))
	return end > i && known && t.at(behind, '(')
}

// instructionName skips `[%]name =`, if it is there.
func (t text) instructionName(i int) int {
	start := i
	if t.at(start, '%') {
		start++
	}
	end := t.ident(start)
	equals := t.blanks(end)
	if end == start || !t.at(equals, '=') {
		return i
	}
	return t.blanks(equals + 1)
}

// alone reads a text that is one instruction. The module has one computation, of the instruction and of a parameter for each operand.
func (p *textParser) alone(i int) {
	start := i
	p.nest(i)
	p.body = p.newBody()
	p.body.alone = true
	p.stage = stageInstruction
	if p.t.word(i, "ROOT") || p.t.instructionName(i) > i {
		i = p.instruction(i)
	} else {
		i = p.nameless(i)
	}
	if i < len(p.t) {
		p.fail(i, i, "expected the end of the file behind an instruction without a computation")
	}
	id := p.close(start, Range{})
	p.m.Comps[id].made = p.m.make(nameless)
	p.m.Comps[id].Source.End = uint32(i)
	p.putBack()
}

// nameless reads shape opcode(operands)[, attribute]*. The name of the instruction is its opcode.
func (p *textParser) nameless(i int) int {
	shape, i := p.shape(i)
	name := p.t.name(i)
	in := Instruction{Shape: shape, Comp: p.body.id, name: name.at, nameLen: uint16(name.n)}
	spelled, i := p.opcode(i)
	in.Opcode = spelled.op
	i = p.attributes(p.arguments(i, &in), &in)
	p.check(i, &in, spelled)
	id := p.keep(&in)
	if spelled.wrapped != noOpcode && in.Opcode == OpAsyncStart {
		p.wrap(id, spelled.wrapped)
	}
	return i
}

// handed makes a parameter for the operand at i of an instruction outside a computation, unless there is one.
func (p *textParser) handed(i int, shape ShapeID) {
	name := p.name(i, "an operand")
	if p.named(name) != NoInstr {
		return
	}
	id := p.keep(&Instruction{
		Shape: shape, Comp: p.body.id, Param: p.body.handed, Opcode: OpParameter, name: name.at, nameLen: uint16(name.n),
	})
	p.enter(name, id)
	p.body.handed++
}
