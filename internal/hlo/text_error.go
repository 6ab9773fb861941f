package hlo

import (
	"bytes"
	"fmt"
)

// textStage tells what the parser is inside of.
type textStage uint8

const (
	stageHeader textStage = iota
	stageTables
	stageBetween
	stageSignature
	stageBody
	stageInstruction
)

// fail throws. The text is wrong at start; end is where the token at start ends: when that is where the file ends, the file
// was cut and message is not the reason.
func (p *textParser) fail(start, end int, message string) {
	e := &SyntaxError{File: p.file, Message: message, Offset: int64(start)}
	if end >= len(p.t) || p.isTorn(start) {
		e.Message, e.Offset = p.cut(), int64(len(p.t))
	}
	before := p.t[:e.Offset]
	e.Line = 1 + bytes.Count(before, []byte{'\n'})
	e.Column = len(before) - bytes.LastIndexByte(before, '\n')
	near, _, _ := bytes.Cut(p.t[e.Offset:min(int(e.Offset)+40, len(p.t))], []byte{'\n'})
	e.Near = string(bytes.TrimRight(near, "\r"))
	panic(e)
}

func (p *textParser) failf(start, end int, format string, args ...any) {
	p.fail(start, end, fmt.Sprintf(format, args...))
}

// isTorn tells whether the file's last line begins before byte i and is not whole: a whole text ends with a brace.
func (p *textParser) isTorn(i int) bool {
	return bytes.IndexByte(p.t[i:], '\n') < 0 && !bytes.HasSuffix(bytes.TrimRight(p.t, " \t\r"), []byte{'}'})
}

// cut says what the file ends inside of.
func (p *textParser) cut() string {
	name := "a computation without a name"
	if p.comp.Len() > 0 {
		name = "%" + p.m.Text(p.comp)
	}
	switch p.stage {
	case stageHeader:
		return "the file ends inside its header"
	case stageTables:
		return "the file ends inside its stack-frame tables"
	case stageSignature:
		return "the file ends inside the signature of " + name
	case stageBody:
		return "the file ends inside " + name
	case stageInstruction:
		return "the file ends inside an instruction of " + name
	}
	return "the file ends before its ENTRY computation"
}
