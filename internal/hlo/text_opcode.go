package hlo

import (
	"math"
	"strings"
)

// spelledOpcode is what an opcode's spelling stands for: an opcode or, for `<op>-start`, `<op>-update` and `<op>-done` that are
// no opcodes themselves, the asynchronous opcode and the one that it wraps.
type spelledOpcode struct{ op, wrapped Opcode }

const noOpcode = Opcode(math.MaxUint16)

// opcode reads an instruction's opcode.
func (p *textParser) opcode(i int) (spelledOpcode, int) {
	head, rest, length := p.t.token(i)
	n, end := p.opcodes.findShort(head, rest, length), i+int(length)
	if n < 0 {
		n, end = p.newOpcode(i)
	}
	return p.spelled[n], end
}

func (p *textParser) newOpcode(i int) (n int32, end int) {
	name := p.t.name(i)
	if name.n == 0 {
		p.fail(i, i, "expected an opcode")
	}
	n = p.opcodes.find(p.t, name)
	if n < 0 {
		n = int32(len(p.spelled))
		p.spelled = append(p.spelled, p.resolve(i, p.m.Text(name.bounds())))
		p.opcodes.add(p.t, name, n)
	}
	return n, name.end()
}

func (p *textParser) resolve(at int, name string) spelledOpcode {
	if spelled, known := lookupSpelling(name); known {
		return spelled
	}
	op, ok := p.unknownOpcode(name)
	if !ok {
		p.fail(at, at, tooManyOpcodes)
	}
	return spelledOpcode{op, noOpcode}
}

// lookupSpelling finds what the name of an opcode that XLA knows stands for.
func lookupSpelling(name string) (spelled spelledOpcode, known bool) {
	if op, ok := LookupOpcode(name); ok {
		return spelledOpcode{op, noOpcode}, true
	}
	for suffix, async := range asyncSuffixes {
		wrapped, cut := strings.CutSuffix(name, suffix)
		if op, ok := LookupOpcode(wrapped); ok && cut {
			return spelledOpcode{async, op}, true
		}
	}
	return spelledOpcode{}, false
}

var asyncSuffixes = map[string]Opcode{"-start": OpAsyncStart, "-update": OpAsyncUpdate, "-done": OpAsyncDone}
