package hlo

import (
	"os"
	"strings"
	"testing"
)

// Forty calls, each of which is the caller and the callee of the next, are two to the power of forty places. They end, as they are followed 256 times.
func TestCallsOfCalls(t *testing.T) {
	data, err := os.ReadFile("testdata/calls-of-calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseText(data, "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	for id := range m.Instrs {
		if m.Instrs[id].Opcode == OpCustomCall && m.Kernel(InstrID(id)) == nil {
			t.Error("the kernel is not read")
		}
	}
}

// A literal that is nested deeper than its shape has dimensions is not followed: it was taken apart once for each level.
func TestDeepLiteral(t *testing.T) {
	const levels = 500_000
	deep := strings.Repeat("{", levels) + "1" + strings.Repeat("}", levels)
	m, err := ParseText([]byte("HloModule f\n\nENTRY main {\n  ROOT c = f32[2,1] constant("+deep+")\n}\n"), "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Literal(m.Comps[m.Entry].Root); len(got) < levels || len(got) > 3*levels {
		t.Errorf("a literal of %d bytes is printed with %d", len(deep), len(got))
	}
}
