package hlo

import (
	"fmt"
	"slices"
)

// textBody is a computation that is being read. Its instructions are the last of the module so far; until it is whole, ids count
// from its first: another computation may stand inside of it and go before it.
type textBody struct {
	first InstrID
	names rangeIndex
	root  InstrID      // NoInstr until there is one
	wraps []asyncStart // the `<op>-start`s in it
}

// computation reads a computation: [ENTRY] [%name] [(parameters) -> result] { instructions }[, execution_thread="x"].
func (p *textParser) computation(i int) int {
	start, entry := i, p.t.word(i, "ENTRY")
	if entry {
		i = p.t.blanks(i + len("ENTRY"))
	}
	p.comp = Range{}
	if !p.t.at(i, '{') {
		p.comp, i = p.name(i, "a computation")
	}
	name := p.comp
	p.stage = stageSignature
	i = p.signature(p.t.blanks(i))
	if !p.t.at(i, '{') {
		p.fail(i, i, "expected { and the instructions of the computation")
	}
	id, i := p.block(i, name)
	p.stage = stageBetween
	p.define(start, name, id)
	if entry && p.m.Entry != NoComp {
		p.fail(start, i, "this is the second ENTRY computation")
	}
	if entry {
		p.m.Entry = id
	}
	return p.thread(i, id)
}

// signature skips (p0: f32[2], p1: (s32[], f32[4])) -> f32[2].
func (p *textParser) signature(i int) int {
	if !p.t.at(i, '(') {
		return i
	}
	i = p.t.blanks(p.t.balanced(i))
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

// thread reads what may follow a computation's closing brace.
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

// define makes a computation known by its name.
func (p *textParser) define(at int, name Range, id CompID) {
	if name.Len() == 0 {
		p.m.Comps[id].synthetic = p.unique("_")
		return
	}
	hash := p.t.hash(name)
	if !p.comps.add(p.t, name, hash, int32(id)) {
		p.failf(at, at, "computation %%%s is defined twice", p.m.Text(name))
	}
}

// unique names a computation that has no name in the text as XLA does: "async_wrapped", "async_wrapped.1".
func (p *textParser) unique(name string) string {
	if p.made == nil {
		p.made = make(map[string]int)
	}
	n := p.made[name]
	p.made[name]++
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, n)
}

// block reads the instructions between { at i and }, and enters them as a computation.
func (p *textParser) block(i int, name Range) (CompID, int) {
	start, stage := i, p.stage
	p.nest(i)
	p.comp, p.body = name, p.newBody()
	for i = p.t.blanks(i + 1); !p.t.at(i, '}'); i = p.t.blanks(i) {
		p.stage = stageInstruction
		if i >= len(p.t) {
			p.stage = stageBody
		}
		i = p.instruction(i)
	}
	id := p.close(start, name)
	p.bodies = append(p.bodies, p.body)
	p.nesting--
	p.stage = stage
	return id, i + 1
}

// nested reads a computation that stands in an instruction. The instructions before it step aside.
func (p *textParser) nested(i int) (CompID, int) {
	m, outer, comp := p.m, p.body, p.comp
	aside := slices.Clone(m.Instrs[outer.first:])
	m.Instrs = m.Instrs[:outer.first]
	id, end := p.block(i, Range{})
	m.Comps[id].synthetic = p.unique("_")
	outer.first = InstrID(len(m.Instrs))
	m.Instrs = append(m.Instrs, aside...)
	p.body, p.comp = outer, comp
	return id, end
}

func (p *textParser) newBody() *textBody {
	b := &textBody{}
	if n := len(p.bodies); n > 0 {
		b, p.bodies = p.bodies[n-1], p.bodies[:n-1]
	}
	b.first, b.root, b.wraps = InstrID(len(p.m.Instrs)), NoInstr, b.wraps[:0]
	b.names.reset()
	return b
}

// keep appends an instruction to the computation.
func (p *textParser) keep(in *Instruction) InstrID {
	p.m.Instrs = append(p.m.Instrs, *in)
	return InstrID(len(p.m.Instrs)-1) - p.body.first
}

// close enters the computation that is being read into the module, and makes its ids count from the module's first instruction.
func (p *textParser) close(at int, name Range) CompID {
	m, b := p.m, p.body
	id, instrs := CompID(len(m.Comps)), m.Instrs[b.first:]
	if len(instrs) == 0 {
		p.fail(at, at, "the computation has no instructions")
	}
	if b.root == NoInstr {
		b.root = InstrID(len(instrs) - 1)
	}
	for i := range instrs {
		in := &instrs[i]
		in.Comp = id
		operands := m.operands[in.operands.start : in.operands.start+in.operands.n]
		for o := range operands {
			operands[o] += b.first
		}
	}
	m.Comps = append(m.Comps, Computation{
		Name: name, First: b.first, Count: int32(len(instrs)), Root: b.first + b.root, Caller: NoInstr,
	})
	for _, w := range b.wraps {
		p.unwrap(b.first+w.start, w)
	}
	return id
}
