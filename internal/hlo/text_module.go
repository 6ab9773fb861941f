package hlo

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/xlagate/xlagate/internal/wire"
)

// ParseText reads HLO text in one pass. Errors name the file. The module keeps src, and decodes attributes, metadata and literals when they are asked for.
func ParseText(src []byte, file string) (*Module, error) {
	p := newTextParser(src, file)
	if err := caught(p.module); err != nil {
		return nil, err
	}
	return p.m, nil
}

func newTextParser(src []byte, file string) *textParser {
	return &textParser{
		builder: newBuilder(src, FormatText), t: src, file: file, keys: newSpellingIndex(0), stage: stageHeader,
	}
}

// textParser reads HLO text into a module. It throws a *SyntaxError.
type textParser struct {
	builder
	t    text
	file string

	body    *textBody       // of the computation that is being read
	bodies  []*textBody     // no longer in use
	aside   [][]Instruction // of computations inside the current one; see nested
	comps   spellingIndex
	keys    spellingIndex
	long    spellingSlot    // the last long shape
	spelled []spelledOpcode // by the numbers in opcodes

	operands []InstrID   // stack of the operands of the current instructions, which may be nested
	callees  []calleeRef // likewise

	stage   textStage
	comp    Range // the name of the current computation
	nesting int
}

// maxNesting bounds the nesting of shapes, instructions and computations.
const maxNesting = 200

// module reads [header] [tables] computation*.
func (p *textParser) module() {
	i, printed := p.head()
	// Nearly every instruction begins an indented line, and nearly every computation ends with a brace that begins a line.
	p.reserve(p.t.estimate(i, "\n  "), p.t.estimate(i, "\n}"))
	p.comps = newSpellingIndex(cap(p.m.Comps))
	if p.t.instruction(i) {
		p.alone(i)
	} else {
		for p.stage = stageBetween; i < len(p.t); {
			i = p.t.blanks(p.computation(i))
		}
	}
	switch { // what XLA printed has an ENTRY: without one it was cut off between two computations
	case p.m.Entry != NoComp:
	case printed || len(p.m.Comps) == 0:
		p.fail(len(p.t), len(p.t), "")
	default:
		p.m.Entry = CompID(len(p.m.Comps) - 1)
	}
	p.finish()
}

// head reads the header and the tables, and reports whether XLA printed the text: the header has attributes or, until 2020, names of computations begin with %.
func (p *textParser) head() (end int, printed bool) {
	if len(p.t) > math.MaxUint32 {
		p.fail(0, 0, "the file has %d bytes, more than 4 GiB", len(p.t))
	}
	p.m.Header = Header{NumPartitions: 1, ReplicaCount: 1}
	const byteOrderMark = "\xef\xbb\xbf"
	i := p.t.blanks(len(p.t) - len(bytes.TrimPrefix(p.t, []byte(byteOrderMark))))
	if p.t.word(i, "HloModule") {
		i, printed = p.header(i + len("HloModule"))
		i = p.t.blanks(p.tables(i))
		printed = printed || p.t.at(i, '%')
	}
	return i, printed
}

// estimate estimates from few samples how often a string occurs behind start, and adds a little.
func (t text) estimate(start int, what string) (n int) {
	const sample = 1 << 12
	every := max(1<<16, (len(t)-start)>>6)
	for i := start; i < len(t); i += every {
		n += bytes.Count(t[i:min(i+sample, len(t))], []byte(what)) * min(every, len(t)-i) / min(sample, len(t)-i)
	}
	return n + n/32 + 1
}

// expect reads a punctuation mark and the blanks around it.
func (p *textParser) expect(i int, c byte) int {
	if i = p.t.blanks(p.t.blank(i)); !p.t.at(i, c) {
		p.fail(i, i, "expected %q", c)
	}
	return p.t.blanks(p.t.blank(i + 1))
}

// name reads a name with or without %.
func (p *textParser) name(i int, what string) spelling {
	if p.t.at(i, '%') {
		i++
	}
	name := p.t.name(i)
	if name.n == 0 {
		p.fail(i, i, "expected %s", what)
	}
	return name
}

// integer reads a decimal number.
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

// nest counts one more level of nesting. The caller counts it down again.
func (p *textParser) nest(i int) {
	if p.nesting++; p.nesting > maxNesting {
		p.fail(i, i, "nested more than %d deep", maxNesting)
	}
}

// textStage is the part of the text that the parser is in, as the message for a file that was cut off there names it.
type textStage string

const (
	stageHeader      textStage = "inside its header"
	stageTables      textStage = "inside its stack-frame tables"
	stageBetween     textStage = "before its ENTRY computation"
	stageSignature   textStage = "inside the signature of NAME"
	stageBody        textStage = "inside NAME"
	stageInstruction textStage = "inside an instruction of NAME"
)

// fail throws a SyntaxError for the token from start to end. When the token ends with the file, the message is instead that the file was cut off.
func (p *textParser) fail(start, end int, format string, args ...any) {
	e := &SyntaxError{File: p.file, Message: wire.Plain(fmt.Sprintf(format, args...)), Offset: int64(start)}
	// A whole text ends with a brace: without one its last line is torn.
	torn := bytes.IndexByte(p.t[start:], '\n') < 0 && !bytes.HasSuffix(bytes.TrimRight(p.t, " \t\r"), []byte{'}'})
	if end >= len(p.t) || torn {
		name := "a computation without a name"
		if p.comp.Len() > 0 {
			name = "%" + p.m.Text(p.comp)
		}
		e.Message, e.Offset = wire.Plain("the file ends "+strings.Replace(string(p.stage), "NAME", name, 1)), int64(len(p.t))
	}
	before := p.t[:e.Offset]
	e.Line = 1 + bytes.Count(before, []byte{'\n'})
	e.Column = len(before) - bytes.LastIndexByte(before, '\n')
	near, _, _ := bytes.Cut(p.t[e.Offset:min(int(e.Offset)+40, len(p.t))], []byte{'\n'})
	e.Near = string(bytes.TrimRight(near, "\r"))
	panic(e)
}
