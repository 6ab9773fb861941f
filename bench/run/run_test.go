package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/xlagate/xlagate/internal/hlo"
)

// sampleRows is a run in which everything doubles with the size.
func sampleRows() []row {
	var rows []row
	for i, mb := range []int64{10, 20} {
		in := input{form: text, label: []string{"10 MB", "20 MB"}[i], bytes: mb * 1e6, made: true}
		took := time.Duration(mb) * 10 * time.Millisecond
		rows = append(rows, row{tool: "xlagate facts", input: in, sample: sample{wall: took, cpu: took, peak: mb * 2e6}},
			row{tool: "XLA's reader", input: in, sample: sample{wall: 30 * took, cpu: 30 * took, peak: mb * 1e7}},
			row{tool: "Python protobuf", input: in, skipped: "would take too much"})
	}
	return rows
}

func TestMadeTable(t *testing.T) {
	got := madeTable(sampleRows())
	for _, want := range []string{
		"| HLO text, 10 MB | xlagate facts | 0.10 | 0.10 | 20 | 1 × |\n",
		"|   | XLA's reader | 6.00 | 6.00 | 200 | 30 × |\n",
		"|   | Python protobuf | not run: it would take too much | | | |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line %q in\n%s", want, got)
		}
	}
}

func TestUnlike(t *testing.T) {
	saw := func(change func(*sight)) sight {
		s := sight{Computations: 2, Instructions: 9, InEntry: 4, Opcodes: map[string]int{"add": 9}, Cost: map[string]float64{"flops": 1000}}
		change(&s)
		return s
	}
	same := saw(func(s *sight) { s.Cost["flops"] = 1000.9 })
	if err := saw(func(*sight) {}).unlike(same); err != nil {
		t.Error(err)
	}
	for says, other := range map[string]sight{
		"2 computations, not 3":     saw(func(s *sight) { s.Computations = 3 }),
		"9 instructions, not 8":     saw(func(s *sight) { s.Instructions = 8 }),
		"entry computation, not 5":  saw(func(s *sight) { s.InEntry = 5 }),
		"not map[add:8 multiply:1]": saw(func(s *sight) { s.Opcodes = map[string]int{"add": 8, "multiply": 1} }),
		"flops 1000, not 1002":      saw(func(s *sight) { s.Cost["flops"] = 1002 }),
	} {
		if err := saw(func(*sight) {}).unlike(other); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// A process is measured, and what it says comes with its failure.
func TestExecute(t *testing.T) {
	var out strings.Builder
	s, err := execute([]string{os.Args[0], "-test.run=^TestUnlike$"}, &out, false)
	if err != nil || s.wall <= 0 || s.cpu <= 0 || !strings.Contains(out.String(), "PASS") {
		t.Errorf("%+v, %v: %s", s, err, out.String())
	}
	if _, err := execute([]string{os.Args[0], "-no-such-flag"}, &out, true); err == nil || !strings.Contains(err.Error(), "no-such-flag") {
		t.Errorf("%v", err)
	}
}

// What is made for a run differs just where it should.
func TestInputs(t *testing.T) {
	t.Chdir("../..")
	in, err := madeModule(t.TempDir(), pair, 1)
	if err != nil {
		t.Fatal(err)
	}
	var counts [2]map[string]int
	for i, path := range in.paths {
		counts[i] = map[string]int{}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := hlo.Parse(src, path)
		if err != nil {
			t.Fatal(err)
		}
		for j := range m.Instrs {
			counts[i][m.OpcodeName(m.Instrs[j].Opcode)]++
		}
	}
	if counts[0]["multiply"] != counts[1]["multiply"]+1 || counts[0]["subtract"] != counts[1]["subtract"]-1 {
		t.Errorf("%v, %v", counts[0], counts[1])
	}
}
