package diff

import (
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

const barrier = "opt-barrier"

// heavyEffort is from where an operation is worth naming before others.
const heavyEffort = 8

// efforts weigh operations by how much they tell of a change: what splits or serialises a program before what computes most,
// before what moves data, before arithmetic on single elements, which weighs 1.
var efforts = map[string]int{
	barrier: 32, "infeed": 32, "outfeed": 32, "send": 32, "recv": 32,
	"while": 24, "conditional": 16,
	"dot": 16, "convolution": 16, "ragged-dot": 16, "sort": 16, "fft": 16, "cholesky": 16, "triangular-solve": 16, "scaled-dot": 16,
	"scatter": 12, "gather": 8, "reduce": 8, "reduce-window": 8, "select-and-scatter": 8, "rng-bit-generator": 8, "rng": 8,
	"topk": 12, "transpose": 8, "copy": 4, "concatenate": 4, "dynamic-update-slice": 4, "dynamic-slice": 2, "pad": 2, "reverse": 4,
	"tanh": 2, "exponential": 2, "log": 2, "logistic": 2, "power": 2, "divide": 2, "sqrt": 2, "rsqrt": 2, "erf": 2, "sine": 2, "cosine": 2,
	"slice": 1, "iota": 0,
}

func effort(opcode string) int {
	opcode, _, _ = strings.Cut(opcode, " ") // without what makes it a special one
	if n, ok := efforts[opcode]; ok {
		return n
	}
	if callsHost(opcode) {
		return 32
	}
	if collective(opcode) || !plainOpcode(opcode) {
		return 16
	}
	return 1
}

// callsHost says whether a custom call's target stops the device for the host.
func callsHost(target string) bool { return strings.Contains(target, "callback") }

func collective(opcode string) bool {
	for _, prefix := range []string{"all-", "reduce-scatter", "collective-", "ragged-all"} {
		if strings.HasPrefix(opcode, prefix) {
			return true
		}
	}
	return false
}

// plainOpcode says whether a step is one of HLO's own opcodes rather than a custom call's target.
func plainOpcode(opcode string) bool {
	return strings.IndexFunc(opcode, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }) < 0
}

// effort is what an edit added, less a little for what it removed.
func (e *Edit) effort() int {
	n := 0
	for _, s := range e.Added {
		n += 4 * s.Count * effort(s.Opcode)
	}
	for _, s := range e.Removed {
		n += s.Count * effort(s.Opcode)
	}
	return n
}

// opsOf lists the operations in a kernel; of a launch of a single one, that one.
func opsOf(k *facts.Kernel) []facts.Op {
	if k.Ops.Len() > 0 {
		return k.Ops.Slice()
	}
	return []facts.Op{{Opcode: k.Root, OpName: k.OpName, Shape: k.Out, Source: k.Source}}
}
