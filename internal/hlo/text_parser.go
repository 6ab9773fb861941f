package hlo

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// ParseText reads HLO text in one pass over its bytes. Attributes are left where they lie in src, which the module keeps: ask
// [Module.Attrs], [Module.Metadata] and [Module.Literal] for them.
func ParseText(src []byte, file string) (*Module, error) { return Reader{}.Text(src, file) }

// Text is [ParseText].
func (r Reader) Text(src []byte, file string) (m *Module, err error) {
	if m, err = r.textParts(src, file); m != nil || err != nil {
		return m, err
	}
	p := newTextParser(src, file)
	p.compact = r.Compact
	if err := caught(p.module); err != nil {
		return nil, err
	}
	return p.m, nil
}

func newTextParser(src []byte, file string) *textParser {
	return &textParser{t: src, file: file, m: &Module{Format: FormatText, src: src, Entry: NoComp}}
}

// textParser builds a module. What is wrong with the text is thrown as a *SyntaxError.
type textParser struct {
	t    text
	file string
	m    *Module

	body        *textBody       // of the computation that is being read
	bodies      []*textBody     // no longer in use
	aside       [][]Instruction // of computations that stand inside the one that is being read
	comps       compIndex
	shapes      spellingIndex
	opcodes     spellingIndex
	keys        spellingIndex
	spelled     []spelledOpcode // by the numbers in opcodes
	metas       metadataIndex
	examples    examples
	endings     []ending
	callEndings []callEnding
	repeats     repeats
	compact     bool // see Reader.Compact
	estimated   int  // how many instructions there are, if none are in common

	operands []InstrID   // a stack: of the instructions that are being read
	callees  []calleeRef // a stack: likewise

	called            spelling // the name of the last computation that was called, empty for one without
	calls, callsMoved CompID   // what the example of an instruction calls, and how far from it was what the one before calls

	later      bool    // it reads a part that is not the first: computations may stand in an earlier one
	unresolved []Range // the names of those; see calleeRef

	stage   textStage
	comp    Range // the computation that stage speaks of
	nesting int
}

const maxNesting = 200

// module reads [header] [tables] computation*.
func (p *textParser) module() {
	i, printed := p.head()
	p.prepare(i, len(p.t))
	if p.t.instruction(i) {
		p.alone(i)
	} else {
		p.computations(i, len(p.t))
	}
	p.chooseEntry(printed)
	p.m.finish()
}

// head reads what stands before the computations, and tells whether XLA printed it: then the header has attributes or, before the end of
// 2020, the computations have a % before their names.
func (p *textParser) head() (end int, printed bool) {
	if len(p.t) > math.MaxUint32 {
		p.fail(0, 0, fmt.Sprintf("the file has %d bytes, more than 4 GiB", len(p.t)))
	}
	p.m.Header = Header{NumPartitions: 1, ReplicaCount: 1}
	p.shapes.reset()
	i := p.t.start()
	if p.t.word(i, "HloModule") {
		i, printed = p.header(i + len("HloModule"))
		i = p.t.blanks(p.tables(i))
		printed = printed || p.t.at(i, '%')
	}
	return i, printed
}

// computations reads those that begin before end, and returns where the next would.
func (p *textParser) computations(i, end int) int {
	p.stage = stageBetween
	for i < end {
		i = p.t.blanks(p.computation(i))
	}
	return i
}

// prepare allocates for what stands from start to end. Nearly always an instruction begins an indented line, and a brace that begins a
// line ends a computation.
func (p *textParser) prepare(start, end int) {
	n, comps := p.t.estimate(start, end, "\n  ")+16, p.t.estimate(start, end, "\n}")+1
	room := n
	if p.compact && !p.later {
		room, p.estimated = n/4, n // most may be in common
	}
	p.m.Instrs, p.m.Comps = make([]Instruction, 0, room), make([]Computation, 0, comps)
	p.m.operands, p.m.callees = append(make([]InstrID, 0, 2*room), 0), append(make([]CompID, 0, room), 0)
	p.comps.makeRoom(comps)
	for _, x := range []*spellingIndex{&p.opcodes, &p.keys} {
		x.reset()
	}
	p.metas.reset(p.m)
	p.repeats.reset(p, start, n)
	p.examples.slots, p.endings = make([]InstrID, knownSlots(n)), make([]ending, knownSlots(n))
	p.callEndings = make([]callEnding, knownSlots(n))
}

// estimate counts what stands from start to end by samples, and a little more. Of a large file each brings pages into memory that are
// forgotten again before they are read: there are few.
func (t text) estimate(start, end int, what string) (n int) {
	const sample = 1 << 12
	every := max(1<<16, (end-start)>>6)
	for i := start; i < end; i += every {
		n += bytes.Count(t[i:min(i+sample, end)], []byte(what)) * min(every, end-i) / min(sample, end-i)
	}
	return n + n/32
}

// trimmed gives back memory that was allocated for more.
func trimmed[T any](s []T) []T {
	if cap(s)-len(s) > len(s)/8 {
		return slices.Clip(slices.Clone(s))
	}
	return s
}

// chooseEntry falls back to the last computation, as XLA does, but not for what XLA printed: a print has an ENTRY, and the text was cut
// between two computations.
func (p *textParser) chooseEntry(printed bool) {
	switch {
	case p.m.Entry != NoComp:
	case printed || len(p.m.Comps) == 0:
		p.fail(len(p.t), len(p.t), "")
	default:
		p.m.Entry = CompID(len(p.m.Comps) - 1)
	}
}

// expect takes one punctuation mark and the blanks around it.
func (p *textParser) expect(i int, c byte) int {
	if i = p.t.blanks(p.t.blank(i)); !p.t.at(i, c) {
		p.failf(i, i, "expected %q", c)
	}
	return p.t.blanks(p.t.blank(i + 1))
}

// name takes a name with or without %.
func (p *textParser) name(i int, what string) spelling {
	if p.t.at(i, '%') {
		i++
	}
	name := p.t.name(i)
	if name.n == 0 {
		p.fail(i, i, "expected "+what)
	}
	return name
}

// integer takes a decimal number.
func (p *textParser) integer(i int) (int64, int) {
	start := i
	if p.t.at(i, '-') {
		start++
	}
	var n int64
	end := start
	for ; end < len(p.t) && '0' <= p.t[end] && p.t[end] <= '9' && n < math.MaxInt64/10; end++ {
		n = 10*n + int64(p.t[end]-'0')
	}
	if end == start || p.t.is(end, classIdent) {
		p.fail(i, max(end, p.t.ident(end)), "expected an integer")
	}
	if start > i {
		n = -n
	}
	return n, end
}

// nest counts one more level of nesting; who calls it counts it down again.
func (p *textParser) nest(i int) {
	if p.nesting++; p.nesting > maxNesting {
		p.failf(i, i, "nested more than %d deep", maxNesting)
	}
}
