package hlo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// unlike returns an Alike in which no computations are alike.
func unlike(m *Module) *Alike {
	a := &Alike{m: m}
	for c := range m.Comps {
		a.first, a.start = append(a.first, CompID(c)), append(a.start, int32(len(a.own)))
		for range m.Comps[c].Count {
			a.own = append(a.own, mix(1, uint64(len(a.own))))
		}
	}
	return a
}

func TestWhatIsAlikeSaysTheSame(t *testing.T) {
	found := 0
	for _, name := range pairs(t) {
		for _, file := range []string{name + ".txt", name + ".hlo.pb"} {
			m := readDump(t, "pairs/"+file)
			a := m.Alike()
			for c := range m.Comps {
				like := a.First(CompID(c))
				if like == CompID(c) {
					continue
				}
				found++
				if got, want := said(m, CompID(c)), said(m, like); !slices.Equal(got, want) {
					t.Errorf("%s: %s says\n%s\nand %s\n%s", file, m.CompName(CompID(c)), got, m.CompName(like), want)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no computations are alike")
	}
}

// said spells a computation without names.
func said(m *Module, c CompID) (lines []string) {
	first, end := m.Body(c)
	for i := first; i < end; i++ {
		line := m.OpcodeName(m.Instrs[i].Opcode) + " " + m.ShapeLayoutText(m.Instrs[i].Shape) + " " + m.Literal(i)
		for _, o := range m.Operands(i) {
			line += " ^" + m.OpcodeName(m.Instrs[o].Opcode) + string(rune('0'+i-o))
		}
		for key, value := range m.Attrs(i) {
			line += ", " + key + "=" + value
		}
		for _, callee := range m.Callees(i) {
			lines = append(lines, said(m, callee)...)
		}
		lines = append(lines, line)
	}
	return lines
}

// Prints of computations that are alike are those of the first of them.
func TestAlikeChangesNothing(t *testing.T) {
	for _, name := range pairs(t) {
		for _, file := range []string{name + ".txt", name + ".hlo.pb"} {
			m := readDump(t, "pairs/"+file)
			a, each := m.Alike(), unlike(m)
			prints := a.Prints()
			want := each.Prints()
			if prints.Module != want.Module {
				t.Errorf("%s: its fingerprint is %s, want %s", file, prints.Fingerprint(), want.Fingerprint())
			}
			for i := range m.Instrs {
				id := InstrID(i)
				full, family := prints.Op(id)
				wantFull, wantFamily := want.Op(id)
				if full != wantFull || family != wantFamily {
					t.Fatalf("%s: %s is hashed otherwise than its like", file, m.InstrName(id))
				}
			}
		}
	}
}

// Instructions that differ only in an attribute are not alike, and neither are those with control predecessors.
func TestAlikeSeesAttributes(t *testing.T) {
	const source = `HloModule m

%a (p: f32[2,2]) -> f32[2,2] {
  %p = f32[2,2]{1,0} parameter(0)
  ROOT %t = f32[2,2]{1,0} transpose(%p), dimensions={1,0}, metadata={op_name="a"}
}

%b (p: f32[2,2]) -> f32[2,2] {
  %p = f32[2,2]{1,0} parameter(0)
  ROOT %t = f32[2,2]{1,0} transpose(%p), dimensions={0,1}, metadata={op_name="a"}
}

%c (q: f32[2,2]) -> f32[2,2] {
  %q = f32[2,2]{1,0} parameter(0)
  ROOT %u = f32[2,2]{1,0} transpose(%q), dimensions={1,0}, metadata={op_name="c"}
}

%d (p: f32[2,2]) -> f32[2,2] {
  %p = f32[2,2]{1,0} parameter(0)
  ROOT %t = f32[2,2]{1,0} transpose(%p), dimensions={1,0}, control-predecessors={%p}, metadata={op_name="a"}
}

ENTRY %e (p: f32[2,2]) -> f32[2,2] {
  %p = f32[2,2]{1,0} parameter(0)
  ROOT %t = f32[2,2]{1,0} transpose(%p), dimensions={1,0}, control-predecessors={%p}, metadata={op_name="a"}
}
`
	m := parse(t, source)
	if got, want := m.Alike().first, []CompID{0, 1, 0, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("alike are %v, want %v", got, want)
	}
}

// Calls are equal when the same operands of both are one value, whatever the number of operands.
func TestCallsThatReadTheSameTwice(t *testing.T) {
	for _, n := range []int{3, 500} {
		var b strings.Builder
		b.WriteString("HloModule m\n\nENTRY %e (p: f32[2], q: f32[2]) -> f32[] {\n  %p = f32[2]{0} parameter(0)\n  %q = f32[2]{0} parameter(1)\n")
		for name, at := range map[string]int{"first": 0, "same": 0, "second": 1} {
			operands := slices.Repeat([]string{"%p"}, n)
			operands[at] = "%q"
			fmt.Fprintf(&b, "  %%%s = f32[%d]{0} concatenate(%s), dimensions={0}\n", name, 2*n, strings.Join(operands, ", "))
		}
		b.WriteString("  ROOT %r = f32[] constant(0)\n}\n")
		m := parse(t, b.String())
		a, calls := m.Alike(), map[string]uint64{}
		for i := range m.Instrs {
			calls[m.InstrName(InstrID(i))] = a.Call(InstrID(i))
		}
		if calls["first"] != calls["same"] || calls["first"] == calls["second"] {
			t.Errorf("%d operands: %x", n, calls)
		}
	}
}
