package hlo

import (
	"math"
	"slices"
	"strings"
)

// spelledOpcode is what an opcode's spelling stands for: an opcode or, for `<op>-start`, `<op>-update` and `<op>-done` that are
// no opcodes themselves, the asynchronous opcode and the one that it wraps.
type spelledOpcode struct{ op, wrapped Opcode }

const noOpcode = Opcode(math.MaxUint16)

// opcode reads an instruction's opcode.
func (p *textParser) opcode(i int, in *Instruction) (spelledOpcode, int) {
	end := p.t.ident(i)
	if end == i {
		p.fail(i, i, "expected an opcode")
	}
	r := Range{uint32(i), uint32(end)}
	hash := p.t.hash(r)
	n := p.opcodes.find(p.t, r, hash)
	if n < 0 {
		n = int32(len(p.spelled))
		p.spelled = append(p.spelled, p.resolve(i, string(p.t[i:end])))
		p.opcodes.add(p.t, r, hash, n)
	}
	if in.Opcode = p.spelled[n].op; in.Opcode == OpGetTupleElement {
		in.Param = -1 // not yet known
	}
	return p.spelled[n], end
}

func (p *textParser) resolve(at int, name string) spelledOpcode {
	if op, ok := LookupOpcode(name); ok {
		return spelledOpcode{op, noOpcode}
	}
	for suffix, async := range asyncSuffixes {
		wrapped, cut := strings.CutSuffix(name, suffix)
		if op, ok := LookupOpcode(wrapped); ok && cut {
			return spelledOpcode{async, op}
		}
	}
	n := slices.Index(p.m.unknown, name)
	if n < 0 {
		n = len(p.m.unknown)
		p.m.unknown = append(p.m.unknown, name)
	}
	if len(opcodeNames)+n >= int(noOpcode) {
		p.fail(at, at, "there are too many opcodes that no version of XLA knows")
	}
	return spelledOpcode{Opcode(len(opcodeNames) + n), noOpcode}
}

var asyncSuffixes = map[string]Opcode{"-start": OpAsyncStart, "-update": OpAsyncUpdate, "-done": OpAsyncDone}
