package hlo

import (
	"math/rand/v2"
	"testing"

	"github.com/xlagate/xlagate/internal/hlo/hlotest"
)

const (
	// XLA's canonical print renames the instructions but not the control predecessors.
	namesNobody = "predecessors"
	// A setting of several lines cannot be shuffled line by line.
	inManyLines = "custom_fusion_lines"
)

// A hand-written module, all of XLA's prints of it and its proto have one fingerprint.
func TestFormsOfAModuleAreOneProgram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, made := range hlotest.MadeByXLA(t, "testdata/xla") {
		want := ""
		for form, src := range made.Forms() {
			m, err := Parse(src, made.Name)
			if err != nil {
				t.Errorf("%s: %v", form, err)
				continue
			}
			if got := m.Fingerprint(); want == "" {
				want = got
			} else if got != want && (made.Name != namesNobody || form != "canonical") {
				t.Errorf("%s: the %s form is another program than the proto", made.Name, form)
			}
		}
		if made.Name == inManyLines {
			continue
		}
		if m, err := Parse([]byte(hlotest.Shuffle(made.Printed, random)), made.Name); err != nil || m.Fingerprint() != want {
			t.Errorf("%s: names or order change the program", made.Name)
		}
	}
}

// The modules have every opcode that XLA's parser accepts.
func TestEveryOpcodeIsMade(t *testing.T) {
	made := map[Opcode]bool{}
	for _, module := range hlotest.MadeByXLA(t, "testdata/xla") {
		m := parse(t, module.Printed)
		for i := range m.Instrs {
			made[m.Instrs[i].Opcode] = true
		}
	}
	unknown := map[string]bool{"atan": true, "collective-reduce": true, "shuffle": true, "trace": true, "tuple-select": true} // to jaxlib 0.10.2
	for op := range Opcode(NumOpcodes) {
		if name := opcodeNames[op]; made[op] == unknown[name] {
			t.Errorf("%s is in the modules: %v", name, made[op])
		}
	}
}

// One attribute that is looked for is what is printed with all others.
func TestAttrFindsWhatAttrsPrints(t *testing.T) {
	for _, made := range hlotest.MadeByXLA(t, "testdata/xla") {
		m, err := ParseProto(made.Proto, made.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Instrs {
			for key, want := range m.Attrs(InstrID(i)) {
				if got, ok := m.Attr(InstrID(i), key); !ok || got != want {
					t.Errorf("%s: %s of %s is %q, printed %q", made.Name, key, m.InstrName(InstrID(i)), got, want)
				}
			}
		}
	}
}
