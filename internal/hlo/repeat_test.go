package hlo

import (
	"bytes"
	"strings"
	"testing"
)

// compact reads a module whose computations may have their instructions in common, and tells how many do.
func compact(t *testing.T, src []byte, r Reader) (m *Module, common int) {
	t.Helper()
	r.Compact = true
	m, err := r.Text(src, "t")
	if err != nil {
		m, err = r.Proto(src, "t")
	}
	if err != nil {
		t.Fatal(err)
	}
	for c := range m.Comps {
		if m.Original(CompID(c)) != CompID(c) {
			common++
		}
	}
	return m, common
}

// A module whose computations have instructions in common is the same as the one in which each has its own.
func TestCompact(t *testing.T) {
	found := 0
	for _, name := range append(fixtures(t, "text/*/*.txt"), fixtures(t, "text/styles/*/*.txt")...) {
		src := readFile(t, name+".txt")
		if m, err := ParseText(src, name); err == nil {
			found += checkCompact(t, name, src, m)
		}
	}
	if found == 0 {
		t.Error("no computations have instructions in common")
	}
}

func checkCompact(t *testing.T, name string, src []byte, want *Module) (found int) {
	t.Helper()
	for _, r := range []Reader{{}, inParts()} {
		m, common := compact(t, src, r)
		found += common
		if got, want := m.InstrCount(), len(want.Instrs); got != want {
			t.Errorf("%s: %d instructions, want %d", name, got, want)
		}
		if got, want := m.Fingerprint(), want.Fingerprint(); got != want {
			t.Errorf("%s: the fingerprint is %s, want %s", name, got, want)
		}
		for c := range m.Comps {
			m.separate(CompID(c))
		}
		if got, want := describe(m), describe(want); got != want {
			t.Errorf("%s: reads otherwise when it is compact: %s", name, firstDifference(got, want))
		}
	}
	return found
}

const twice = `HloModule m
%a {
  %p = f32[] parameter(0)
  ROOT %n = f32[] negate(%p), metadata={op_name="x"}
}
%b {
  %p.1 = f32[] parameter(0)
  ROOT %n.1 = f32[] negate(%p.1), metadata={op_name="x"}
}
ENTRY %e {
  %x = f32[] parameter(0)
  %y = f32[] fusion(%x), kind=kLoop, calls=%a
  ROOT %z = f32[] OP
}
`

// Only what is part of one operation has its instructions in common with others.
func TestCommonInstructions(t *testing.T) {
	for _, c := range []struct {
		op     string
		change string
		with   string
		common int
	}{
		{op: "fusion(%y), kind=kLoop, calls=%b", common: 1},
		{op: "call(%y), to_apply=%b"},
		{op: "conditional(%y, %y, %y), true_computation=%a, false_computation=%b"},
		{op: "fusion(%y), kind=kLoop, calls=%b", change: `ROOT %n.1 = f32[] negate(%p.1), metadata={op_name="x"}`, with: `ROOT %n.1 = f32[] negate(%p.1), metadata={op_name="y"}`},
		{op: "fusion(%y), kind=kLoop, calls=%b", change: "ROOT %n.1", with: "%n.1"},
		{op: "fusion(%y), kind=kLoop, calls=%b", change: "%p.1", with: "p.1"},
		{op: "fusion(%y), kind=kLoop, calls=%b", change: "}\nENTRY", with: "}, execution_thread=\"host\"\nENTRY"},
	} {
		src := strings.ReplaceAll(strings.Replace(twice, "OP", c.op, 1), c.change, c.with)
		if c.change == "" {
			src = strings.Replace(twice, "OP", c.op, 1)
		}
		m, common := compact(t, []byte(src), Reader{})
		if common != c.common {
			t.Errorf("%s, %q for %q: %d computations have instructions in common, want %d", c.op, c.with, c.change, common, c.common)
		}
		found := map[string]InstrID{"n.1": NoInstr, "n": NoInstr, "nothing": NoInstr}
		m.FindInstrs(found)
		if found["n"] == NoInstr || found["n.1"] == NoInstr || found["nothing"] != NoInstr {
			t.Errorf("%s: found %v", c.op, found)
		}
	}
}

// A computation that is spelled like another may still be wrong.
func TestRepeatedNames(t *testing.T) {
	src := strings.Replace(twice, "OP", "fusion(%y), kind=kLoop, calls=%b", 1)
	for old, wrong := range map[string]string{"%p.1": "%n.1", "(%p.1)": "(%p)", "ROOT %n.1": "ROOT %n/1", "%b {": "%a {"} {
		changed := bytes.ReplaceAll([]byte(src), []byte(old), []byte(wrong))
		_, want := anew(changed, "t")
		_, err := Reader{Compact: true}.Text(changed, "t")
		if want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s for %s: %v, want %v", wrong, old, err, want)
		}
	}
}

const calling = `HloModule m
%r {
  %s = f32[] parameter(0)
  %t = f32[] parameter(1)
  ROOT %u = f32[] add(%s, %t)
}
%r.long {
  %s.1 = f32[] parameter(0)
  %t.1 = f32[] parameter(1)
  ROOT %u.1 = f32[] add(%s.1, %t.1)
}
%other {
  %s.2 = f32[] parameter(0)
  %t.2 = f32[] parameter(1)
  ROOT %u.2 = f32[] maximum(%s.2, %t.2)
}
%a {
  %p = f32[4] parameter(0)
  %z = f32[] constant(0)
  ROOT %n = f32[] reduce(%p, %z), dimensions={0}, to_apply=%r, metadata={op_name="x"}
}
%b {
  %p.1 = f32[4] parameter(0)
  %z.1 = f32[] constant(0)
  ROOT %n.1 = f32[] reduce(%p.1, %z.1), dimensions={0}, to_apply=%r.long, metadata={op_name="x"}
}
ENTRY %e {
  %x = f32[4] parameter(0)
  %y = f32[] fusion(%x), kind=kLoop, calls=%a
  ROOT %w = f32[] fusion(%x), kind=kLoop, calls=%b
}
`

// Computations share instructions that call others where what they call is alike.
func TestCommonInstructionsThatCall(t *testing.T) {
	for _, c := range []struct {
		change, with string
		common       int
	}{
		{common: 2},
		{change: "to_apply=%r.long", with: "to_apply=%r", common: 2},
		{change: "to_apply=%r.long", with: "to_apply=%other", common: 1},
		{change: "fusion(%x), kind=kLoop, calls=%b", with: "call(%x), to_apply=%b", common: 1},
		{change: "reduce(%p", with: "custom-call(%p"},
		{change: "dimensions={0}, to_apply", with: "to_apply", common: 2},
		{change: "to_apply=%r", with: "x=%r, to_apply=%r", common: 1},
		{change: "to_apply=%r", with: "control-predecessors={%z}, to_apply=%r", common: 1},
	} {
		src := []byte(strings.ReplaceAll(calling, c.change, c.with))
		if c.change == "" {
			src = []byte(calling)
		}
		m, common := compact(t, src, Reader{})
		if common != c.common {
			t.Errorf("%q for %q: %d computations have instructions in common, want %d", c.with, c.change, common, c.common)
		}
		for id := range m.Comps {
			b := CompID(id)
			if calls := m.SharedCalls(b); m.CompName(b) == "b" && m.Original(b) != b && (len(calls) != 1 || m.CompName(calls[0])[0] != 'r') {
				t.Errorf("%q for %q: b calls %v", c.with, c.change, calls)
			}
		}
		checkExamples(t, c.with, src)
		want, err := anew(src, c.with)
		if err != nil {
			t.Fatal(err)
		}
		checkCompact(t, c.with, src, want)
	}
}

// Whichever byte of computations that share instructions is another: they are read as what they then say.
func TestRepeatsByteByByte(t *testing.T) {
	for at := range calling {
		for _, other := range []byte{calling[at] ^ 1, '%', '.', ' '} {
			src := []byte(calling)
			src[at] = other
			checkExamples(t, "calling", src)
			if m, err := anew(src, "calling"); err == nil {
				checkCompact(t, "calling", src, m)
			}
		}
	}
}
