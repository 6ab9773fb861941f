package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/internal/hlo"
)

// Whatever grows with a power of the size is said to grow with that power.
func TestExponent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		power, factor := rapid.Float64Range(0.1, 3).Draw(t, "power"), rapid.Float64Range(1e-6, 1e3).Draw(t, "factor")
		var sizes, costs []float64
		for _, size := range []float64{10, 100, 500} {
			sizes, costs = append(sizes, size), append(costs, factor*math.Pow(size, power))
		}
		if got := exponent(sizes, costs); math.Abs(got-power) > 1e-6 {
			t.Errorf("%v, want %v", got, power)
		}
	})
}

func TestSharesOf(t *testing.T) {
	shares, err := sharesOf([]byte(`File: run
Duration: 1s
-----------+-------------------------------------------------------
      20ms   /go/src/internal/bytealg/indexbyte_amd64.s
             /home/me/xlagate/internal/hlo/text_scan.go
             /home/me/xlagate/internal/facts/measure.go
-----------+-------------------------------------------------------
      70ms   /home/me/xlagate/internal/price/cost.go (inline)
             /home/me/xlagate/internal/facts/measure.go
-----------+-------------------------------------------------------
      10ms   /go/src/runtime/mgc.go
-----------+-------------------------------------------------------
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []share{{"cost", 0.7}, {"scanning", 0.2}, {unowned, 0.1}}
	if len(shares) != len(want) {
		t.Fatalf("%v, want %v", shares, want)
	}
	for i := range want {
		if shares[i].stage != want[i].stage || math.Abs(shares[i].part-want[i].part) > 1e-9 {
			t.Errorf("%v, want %v", shares, want)
		}
	}
}

// Every file that is named for its stage is still there.
func TestPartsExist(t *testing.T) {
	for _, p := range parts {
		if files, err := filepath.Glob("../../" + p.file + "*"); err != nil || len(files) == 0 {
			t.Errorf("no file begins with %s", p.file)
		}
	}
}

// sampleRows is a run in which everything doubles with the size.
func sampleRows() []row {
	var rows []row
	for i, mb := range []int64{10, 20} {
		in := input{form: text, label: []string{"10 MB", "20 MB"}[i], bytes: mb * 1e6, made: true}
		took := time.Duration(mb) * 10 * time.Millisecond
		rows = append(rows, row{tool: ours + "1", input: in, sample: sample{wall: took, cpu: took, peak: mb * 2e6, private: mb * 1e6}},
			row{tool: "XLA's reader", input: in, sample: sample{wall: 30 * took, cpu: 30 * took, peak: mb * 1e7}},
			row{tool: "cat", input: in, skipped: "would take too much"})
	}
	return rows
}

func TestTables(t *testing.T) {
	got := tables(sampleRows()) + growthTable(sampleRows())
	for _, want := range []string{
		"| 10 MB | `xlagate facts --jobs 1` | 0.10 | 0.10 | 100 | 20 | 10 | 1 × |\n",
		"|   | `XLA's reader` | 6.00 | 6.00 | 3 | 200 |  | 30 × |\n",
		"|   | `cat` | not run: it would take too much | | | | | |\n",
		"| HLO text | `xlagate facts --jobs 1` | 1.00 (1.00) | 1.00 (1.00) | 1.00 (1.00) |\n",
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
	s, err := execute([]string{os.Args[0], "-test.run=^TestExponent$"}, &out, false)
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
