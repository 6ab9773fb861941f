package hlo

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// oracle is the result of XLA's own parser (jaxlib 0.10.2) for a text.
type oracle struct {
	Module            string
	Entry             string
	Instructions      int               `json:"num_instructions"`
	EntryInstructions int               `json:"num_entry_instructions"`
	Opcodes           map[string]int    `json:"opcode_counts"`
	Targets           map[string]int    `json:"custom_call_targets"`
	HasSchedule       bool              `json:"has_schedule"`
	Attributes        map[string]string `json:"frontend_attributes"`
	Aliases           []struct {
		Output     []int64
		Param      int64
		ParamIndex []int64 `json:"param_index"`
		Kind       string
	} `json:"input_output_alias"`
	Donors []struct {
		Param int64
		Index []int64
	} `json:"buffer_donor"`
	Computations []struct {
		Name         string
		Instructions []oracleInstruction
	}
}

type oracleInstruction struct {
	Name          string
	Opcode        string
	Shape         string
	Operands      []string
	Calls         []string
	OpName        string `json:"op_name"`
	Source        []any
	Root          bool
	Parameter     *int32 `json:"parameter_number"`
	TupleIndex    *int32 `json:"tuple_index"`
	Target        string `json:"custom_call_target"`
	FusionKind    string `json:"fusion_kind"`
	BackendConfig string `json:"backend_config"`
}

func TestTextAgreesWithXLA(t *testing.T) {
	for _, name := range fixtures(t, "text/*/*.oracle.json") {
		t.Run(name, func(t *testing.T) {
			var want oracle
			if err := json.Unmarshal(readFile(t, name+".oracle.json"), &want); err != nil {
				t.Fatal(err)
			}
			m := readDump(t, name+".txt")
			checkModule(t, m, &want)
			checkHeader(t, m, &want)
			for _, c := range want.Computations {
				checkComputation(t, m, c.Name, c.Instructions)
			}
		})
	}
}

// fixtures returns the files of testdata that match, without their suffixes.
func fixtures(t testing.TB, pattern string) (names []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/" + pattern + ".gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	for _, file := range files {
		name := strings.TrimPrefix(filepath.ToSlash(file), "testdata/")
		names = append(names, strings.TrimSuffix(name, strings.TrimPrefix(filepath.Base(pattern), "*")+".gz"))
	}
	return names
}

func checkModule(t *testing.T, m *Module, want *oracle) {
	t.Helper()
	if m.Name != want.Module || m.CompName(m.Entry) != want.Entry || len(m.Comps) != len(want.Computations) {
		t.Errorf("read %s, %s, %d computations, want %s, %s, %d",
			m.Name, m.CompName(m.Entry), len(m.Comps), want.Module, want.Entry, len(want.Computations))
	}
	if len(m.Instrs) != want.Instructions || int(m.Comps[m.Entry].Count) != want.EntryInstructions {
		t.Errorf("read %d instructions, %d in the entry, want %d and %d",
			len(m.Instrs), m.Comps[m.Entry].Count, want.Instructions, want.EntryInstructions)
	}
	targets := map[string]int{}
	for i := range m.Instrs {
		if target, ok := m.Attr(InstrID(i), "custom_call_target"); ok {
			targets[target]++
		}
	}
	if got := opcodeCounts(m); !maps.Equal(got, want.Opcodes) || !maps.Equal(targets, want.Targets) {
		t.Errorf("read %v, %v, want %v, %v", got, targets, want.Opcodes, want.Targets)
	}
}

func opcodeCounts(m *Module) map[string]int {
	counts := map[string]int{}
	for i := range m.Instrs {
		counts[m.OpcodeName(m.Instrs[i].Opcode)]++
	}
	return counts
}

func checkHeader(t *testing.T, m *Module, want *oracle) {
	t.Helper()
	h := m.Header
	if h.IsScheduled != want.HasSchedule || len(h.Aliases) != len(want.Aliases) || len(h.Donors) != len(want.Donors) {
		t.Fatalf("read header %+v, want %+v", h, want)
	}
	for i, a := range h.Aliases {
		w := want.Aliases[i]
		if fmt.Sprint(a) != fmt.Sprint(Alias{w.Output, w.Param, w.ParamIndex, w.Kind == "MUST_ALIAS"}) {
			t.Errorf("read alias %v, want %v", a, w)
		}
	}
	for i, d := range h.Donors {
		if w := want.Donors[i]; fmt.Sprint(d) != fmt.Sprint(Donor{w.Param, w.Index}) {
			t.Errorf("read donor %v, want %v", d, w)
		}
	}
	if !maps.Equal(h.Attributes, want.Attributes) {
		t.Errorf("read attributes %q, want %q", h.Attributes, want.Attributes)
	}
}

// checkComputation compares the instructions that the oracle has, where the names are those of the text: XLA adds numbers to names that two
// computations have.
func checkComputation(t *testing.T, m *Module, name string, want []oracleInstruction) {
	t.Helper()
	byName := map[string]InstrID{}
	for c := range m.Comps {
		if m.CompName(CompID(c)) != name {
			continue
		}
		for i, end := m.Body(CompID(c)); i < end; i++ {
			byName[m.InstrName(i)] = i
		}
	}
	if len(byName) == 0 {
		t.Errorf("computation %s was not read", name)
	}
	for _, w := range want {
		if i, ok := byName[w.Name]; ok {
			checkInstruction(t, m, i, w)
		} else if !renumbered.MatchString(w.Name) {
			t.Errorf("%s of %s was not read", w.Name, name)
		}
	}
}

var (
	renumbered   = regexp.MustCompile(`\.(\d+|anon)$`)
	indexComment = regexp.MustCompile(`/\*index=\d+\*/`)
)

func checkInstruction(t *testing.T, m *Module, i InstrID, want oracleInstruction) {
	t.Helper()
	in := &m.Instrs[i]
	got := oracleInstruction{
		Name: m.InstrName(i), Opcode: m.OpcodeName(in.Opcode), Shape: m.ShapeLayoutText(in.Shape),
		OpName: m.Metadata(i).OpName, Root: m.Comps[in.Comp].Root == i,
	}
	for _, o := range m.Operands(i) {
		got.Operands = append(got.Operands, withoutNumber(m.InstrName(o)))
	}
	for _, c := range m.Callees(i) {
		got.Calls = append(got.Calls, m.CompName(c))
	}
	if p := m.Metadata(i).Source; p.File != "" {
		got.Source = []any{p.File, p.Line, p.Function}
	}
	got.Target, _ = m.Attr(i, "custom_call_target")
	got.FusionKind, _ = m.Attr(i, "kind")
	got.BackendConfig, _ = m.Attr(i, "backend_config")
	got.BackendConfig = strings.ToValidUTF8(got.BackendConfig, "\uFFFD")
	switch in.Opcode {
	case OpParameter:
		got.Parameter = &in.Param
	case OpGetTupleElement:
		got.TupleIndex = &in.Param
	}
	want.Shape = indexComment.ReplaceAllString(want.Shape, "")
	for n := range want.Operands {
		want.Operands[n] = withoutNumber(want.Operands[n])
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != strings.ReplaceAll(string(w), `"Operands":[]`, `"Operands":null`) {
		t.Errorf("read %s\nwant %s", g, w)
	}
}

func withoutNumber(name string) string { return renumbered.ReplaceAllString(name, "") }

// The styles in which XLA prints a module are read as one module.
func TestTextStyles(t *testing.T) {
	nested := map[string]int{"gpu_like": 4, "tokens": 4, "async_tpu": 0}
	for _, module := range []string{"gpu_like", "tokens", "async_tpu"} {
		plain := readDump(t, "text/styles/"+module+"/default.txt")
		for _, name := range fixtures(t, "text/styles/"+module+"/*.txt") {
			m := readDump(t, name+".txt")
			if m.Comps[m.Entry].Count != plain.Comps[plain.Entry].Count {
				t.Errorf("%s: %d instructions in the entry, want %d", name, m.Comps[m.Entry].Count, plain.Comps[plain.Entry].Count)
			}
			switch filepath.Base(name) {
			case "canonical":
				if got := len(m.Comps) - len(plain.Comps); module != "async_tpu" && got != nested[module] {
					t.Errorf("%s: %d nested computations, want %d", name, got, nested[module])
				}
			case "fingerprint", "compact":
			default:
				if !maps.Equal(opcodeCounts(m), opcodeCounts(plain)) {
					t.Errorf("%s: read %v, want %v", name, opcodeCounts(m), opcodeCounts(plain))
				}
			}
		}
	}
}

// The numbers of the fixtures without an oracle are those of XLA's parser.
func TestTextCounts(t *testing.T) {
	for name, want := range map[string][2]int{
		"tf23_cpu": {12, 82}, "tf212_cpu": {10, 61}, "h100_shardmap_sugar": {10, 52}, "mi300_shardmap": {10, 52},
	} {
		m := readDump(t, "text/real/"+name+".txt")
		if got := [2]int{len(m.Comps), len(m.Instrs)}; got != want {
			t.Errorf("%s: %d computations and instructions, want %d", name, got, want)
		}
	}
}
