package hlo

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/wire"
	"pgregory.net/rapid"
)

// eachReal calls test for every real module of the tests, in both forms.
func eachReal(t *testing.T, test func(t *testing.T, m *Module)) {
	for _, name := range pairs(t) {
		for _, form := range []string{".txt", ".hlo.pb"} {
			t.Run(name+form, func(t *testing.T) {
				m, err := Parse(readFile(t, "pairs/"+name+form), name+form)
				if err != nil {
					t.Fatal(err)
				}
				test(t, m)
			})
		}
	}
}

// Users are the inverse of operands: each instruction that has another as an operand is its user once, in order, whichever is asked for first.
func TestUsersAreTheInverseOfOperands(t *testing.T) {
	eachReal(t, func(t *testing.T, m *Module) {
		want := make([][]InstrID, len(m.Instrs))
		for i := range m.Instrs {
			for _, o := range m.Operands(InstrID(i)) {
				if !slices.Contains(want[o], InstrID(i)) {
					want[o] = append(want[o], InstrID(i))
				}
			}
		}
		users := m.Users()
		for i := len(want) - 1; i >= 0; i-- {
			if got := users.Of(InstrID(i)); !slices.Equal(got, want[i]) {
				t.Fatalf("%s has the users %v, want %v", m.InstrName(InstrID(i)), got, want[i])
			}
		}
	})
}

// The instructions of a computation are numbered without gaps, operands before users and callees before callers.
func TestOrderOfAModule(t *testing.T) {
	eachReal(t, func(t *testing.T, m *Module) {
		counted := 0
		for c := range m.Comps {
			first, end := m.Body(CompID(c))
			counted += int(end - first)
			for i := first; i < end; i++ {
				if m.Instrs[i].Comp != CompID(c) {
					t.Fatalf("%s is in computation %d, not %d", m.InstrName(i), m.Instrs[i].Comp, c)
				}
				for _, o := range m.Operands(i) {
					if o < first || o >= i {
						t.Fatalf("%s comes before its operand %s", m.InstrName(i), m.InstrName(o))
					}
				}
				for _, callee := range m.Callees(i) {
					if callee >= CompID(c) {
						t.Fatalf("%s calls %s, which comes later", m.InstrName(i), m.CompName(callee))
					}
				}
			}
			if root := m.Comps[c].Root; root < first || root >= end {
				t.Errorf("the root of %s is outside of it", m.CompName(CompID(c)))
			}
		}
		if counted != len(m.Instrs) {
			t.Errorf("the computations hold %d of %d instructions", counted, len(m.Instrs))
		}
	})
}

// Parameters are found by number, instructions by name.
func TestParamsAndNames(t *testing.T) {
	eachReal(t, func(t *testing.T, m *Module) {
		wanted := map[string]InstrID{"no such instruction": NoInstr}
		last := map[string]InstrID{}
		for i := range m.Instrs {
			name := m.InstrName(InstrID(i))
			if name == "" {
				t.Fatalf("instruction %d has no name", i)
			}
			wanted[name], last[name] = NoInstr, InstrID(i)
		}
		m.FindInstrs(wanted)
		last["no such instruction"] = NoInstr
		if !maps.Equal(wanted, last) {
			t.Errorf("found %v, want %v", wanted, last)
		}
		for c := range m.Comps {
			for number, p := range m.Params(CompID(c)) {
				if p == NoInstr || m.Instrs[p].Opcode != OpParameter || int(m.Instrs[p].Param) != number || m.Instrs[p].Comp != CompID(c) {
					t.Errorf("parameter %d of %s is %d", number, m.CompName(CompID(c)), p)
				}
			}
		}
	})
}

// The names that a buffer assignment refers to by id are those of the module.
func TestNamesInProto(t *testing.T) {
	for _, name := range pairs(t) {
		src := readFile(t, "pairs/"+name+".hlo.pb")
		module, ok := wire.First(src, 1)
		if inner, nested := wire.First(module, 1); !ok || !nested || len(inner) == 0 {
			module = src // a bare HloModuleProto
		}
		var ids []int64
		for number, computation := range wire.Bodies(module) {
			if number != 3 {
				continue
			}
			for number, instruction := range wire.Bodies(computation) {
				var id int64
				if number == 2 && wire.Scan(instruction, wire.Fields{{Number: 35, Name: "id", To: &id}}) == nil && id > 0 {
					ids = append(ids, id)
				}
			}
		}
		if len(ids) == 0 {
			t.Errorf("%s: no instruction has an id", name)
		}
		names := map[int64]string{-7: ""}
		for _, id := range ids {
			names[id] = ""
		}
		NamesInProto(module, names)
		m, err := ParseProto(src, name)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for i := range m.Instrs {
			known[m.InstrName(InstrID(i))] = true
		}
		for id, instruction := range names {
			if (id == -7) == known[instruction] {
				t.Errorf("%s: %d is called %q", name, id, instruction)
			}
		}
	}
}

func TestLocation(t *testing.T) {
	for _, c := range []struct {
		at           Location
		short, named string
	}{
		{Location{}, "", ""},
		{Location{File: "train.py", Line: 9, Function: "step"}, "train.py:9", "step"},
		{Location{File: "/srv/model/attention.py", Line: 98, Function: "Attention.__call__"}, "attention.py:98", "Attention.__call__"},
		{Location{File: "a.py", Line: 1, Function: "make.<locals>.step"}, "a.py:1", "make.<locals>.step"},
		{Location{File: "a.py", Line: 1, Function: "step.<locals>.<lambda>"}, "a.py:1", "step"},
		{Location{File: "a.py", Line: 1, Function: "make.<locals>.step.<locals>.<listcomp>.<locals>.<lambda>"}, "a.py:1", "make.<locals>.step"},
		{Location{File: "a.py", Line: 1, Function: "<module>"}, "a.py:1", "<module>"},
		{Location{Line: 4}, "", ""},
	} {
		if c.at.Short() != c.short || c.at.NamedFunction() != c.named || c.at.IsZero() != (c.at.File == "") {
			t.Errorf("%+v: %q in %q", c.at, c.at.Short(), c.at.NamedFunction())
		}
	}
}

func TestShapeText(t *testing.T) {
	for _, c := range []struct {
		shape    ShapeText
		dtype    string
		dims     []string
		elements []string
	}{
		{"f32[8,64]", "f32", []string{"8", "64"}, []string{"f32[8,64]"}},
		{"bf16[]", "bf16", nil, []string{"bf16[]"}},
		{"pred[<=8,?]", "pred", []string{"<=8", "?"}, []string{"pred[<=8,?]"}},
		{"token[]", "token", nil, []string{"token[]"}},
		{"(f32[2], s32[])", "f32", nil, []string{"f32[2]", "s32[]"}},
		{"((f32[2,3], s32[]), u8[4])", "f32", nil, []string{"(f32[2,3], s32[])", "u8[4]"}},
	} {
		if c.shape.Type() != c.dtype || !slices.Equal(c.shape.Elements(), c.elements) || !strings.HasPrefix(string(c.shape), "(") && !slices.Equal(c.shape.Dims(), c.dims) {
			t.Errorf("%s: %s, %q, %q", c.shape, c.shape.Type(), c.shape.Dims(), c.shape.Elements())
		}
	}
	for _, c := range []struct {
		a, b       ShapeText
		dims, rank bool
	}{
		{"f32[8,64]", "bf16[8,64]", true, false},
		{"f32[8,64]", "f32[16,64]", false, true},
		{"f32[8,64]", "f32[8]", false, false},
		{"f32[]", "f64[]", true, false},
		{"f32[8]", "f32[8]", true, true},
	} {
		if c.a.SameDims(c.b) != c.dims || c.a.SameRank(c.b) != c.rank {
			t.Errorf("%s and %s: the same dimensions %v, the same rank %v", c.a, c.b, c.a.SameDims(c.b), c.a.SameRank(c.b))
		}
	}
}

// Every shape of a real module is printed as the text has it, and its size is that of its elements.
func TestShapesOfRealModules(t *testing.T) {
	eachReal(t, func(t *testing.T, m *Module) {
		for id := range m.ShapeIDs() {
			s, text := m.Shape(ShapeID(id)), ShapeText(m.ShapeText(ShapeID(id)))
			switch {
			case s.Type == Buffer: // b(f32[4,4])
			case s.Type == Tuple:
				var bytes int64
				for _, e := range s.Elements {
					bytes += m.ShapeBytes(e)
				}
				if len(text.Elements()) != len(s.Elements) && len(s.Elements) > 0 || bytes != m.ShapeBytes(ShapeID(id)) {
					t.Errorf("%s has %d elements and %d bytes", text, len(s.Elements), m.ShapeBytes(ShapeID(id)))
				}
			case text.Type() != s.Type.String() || len(text.Dims()) != len(s.Dims):
				t.Errorf("%s is a %s of %d dimensions", text, s.Type, len(s.Dims))
			case s.ElementCount()*s.Type.Bytes() != m.ShapeBytes(ShapeID(id)):
				t.Errorf("%s has %d bytes", text, m.ShapeBytes(ShapeID(id)))
			}
			if order := s.DimensionOrder(); s.Type != Tuple && len(order) == len(s.Dims) && !isIota(slices.Sorted(slices.Values(order))) {
				t.Errorf("%s is stored in the order %v", m.ShapeLayoutText(ShapeID(id)), order)
			}
		}
	})
}

// The devices along some axes of a mesh are those whose other coordinates are zero.
func TestDevicesAlong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var axes []MeshAxis
		for _, size := range rapid.SliceOfN(rapid.Int64Range(1, 4), 1, 4).Draw(t, "sizes") {
			axes = append(axes, MeshAxis{Name: string(rune('a' + len(axes))), Size: size})
		}
		chosen := rapid.SliceOfN(rapid.Bool(), len(axes), len(axes)).Draw(t, "chosen")
		total, _ := product(sizesOf(axes))
		var want []int64
		for device := range total {
			rest, along := device, true
			for i := len(axes) - 1; i >= 0; i-- {
				along = along && (chosen[i] || rest%axes[i].Size == 0)
				rest /= axes[i].Size
			}
			if along {
				want = append(want, device)
			}
		}
		got := slices.Sorted(slices.Values(DevicesAlong(axes, func(axis int) bool { return chosen[axis] })))
		if !slices.Equal(got, want) {
			t.Errorf("%v along %v: %v, want %v", axes, chosen, got, want)
		}
	})
	if got := DevicesAlong([]MeshAxis{{"a", 1 << 30}, {"b", 1 << 30}}, func(int) bool { return true }); got != nil {
		t.Errorf("%d devices of a mesh that there cannot be", len(got))
	}
}

// The vocabularies are sorted, hold each word once, and find their own words.
func TestVocabularies(t *testing.T) {
	for what, words := range map[string][]string{"opcodes": OpcodeNames(), "types": TypeNames()} {
		if len(words) < 30 || !slices.IsSorted(words) || len(slices.Compact(slices.Clone(words))) != len(words) {
			t.Errorf("%s: %d words, %q", what, len(words), words)
		}
	}
	for _, name := range OpcodeNames() {
		if _, known := LookupOpcode(name); !known {
			t.Errorf("%s is not found", name)
		}
	}
	for name, want := range map[string]bool{"add": true, "all-reduce-start": true, "Add": false, "": false, "fusion.1": false} {
		if _, known := LookupOpcode(name); known != want {
			t.Errorf("%q: %v", name, known)
		}
	}
	for _, word := range []string{"f32", "bf16", "pred", "f8e4m3fn", "s4"} {
		if !slices.Contains(TypeNames(), word) {
			t.Errorf("%s is no type", word)
		}
	}
	if slices.Contains(TypeNames(), "tuple") || slices.Contains(TypeNames(), "token") {
		t.Error("arrays have no elements that are tuples or tokens")
	}
}

// A quoted text is read back by the reader of texts.
func TestQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if back := string(unquoted([]byte(Quoted(text)))); back != text {
			t.Errorf("%q is quoted as %s and read as %q", text, Quoted(text), back)
		}
	})
}
