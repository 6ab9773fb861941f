package price

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/fuzztest"
	"github.com/xlagate/xlagate/internal/hlo"
	"github.com/xlagate/xlagate/internal/testfile"
)

// costOf lists real dumps with what hlo_module_cost_analysis of jaxlib 0.10.2 says about them. The names tell the stage: the
// input of the optimizer (before), a pass in between, or the optimized module of a backend.
var costOf = []struct {
	file string
	want Cost // flops, transcendentals, bytes
}{
	{"argmax.before.txt", Cost{567, 0, 1296}},
	{"awkward.gpu.txt", Cost{27635652, 4096, 22515148}}, // triangular solves among others
	{"callback.cpu.txt", Cost{-1, 0, -1}},
	{"cholesky.gpu.txt", Cost{103765, 0, 271368}},
	{"cnn.before.hlo.pb", Cost{33746080, 0, 7290684}},
	{"collectives.cpu.txt", Cost{68, 0, 2168}},
	{"collectives.gpu.txt", Cost{68, 0, 3064}}, // most of them asynchronous
	{"complex.before.txt", Cost{2448, 256, 25115}},
	{"conditional.before.hlo.pb", Cost{8451, 512, 9266}},
	{"conditional.cpu.txt", Cost{8451, 512, 7224}},
	{"conditional.pass.txt", Cost{8451, 512, 7232}},
	{"conv.cpu.txt", Cost{50784, 0, 11104}},
	{"conv.tpu.txt", Cost{137438953472, 0, 469762080}},
	{"custom_call.gpu.txt", Cost{-1, 0, -1}},
	{"dyn.before.txt", Cost{31, 32, 840}},
	{"dyn.cpu.hlo.pb", Cost{95, 32, 160}},
	{"dyn.cpu.txt", Cost{95, 32, 160}},
	{"dynamic_slice.cpu.txt", Cost{0, 0, 68}},
	{"f8.cpu.txt", Cost{1024, 0, 6672}},
	{"fft.gpu.txt", Cost{1048576, 0, 131584}},
	{"input_fusion.gpu.txt", Cost{0, 0, 524312}},
	{"maxpool_grad.before.txt", Cost{1536, 0, 15368}},
	{"maxpool_grad.cpu.txt", Cost{13056, 0, 102940}},
	{"newton.before.hlo.pb", Cost{10, 0, 173}},
	{"ragged.cpu.txt", Cost{4614, 0, 5040}},
	{"reduce_window.cpu.txt", Cost{1020000, 0, 200004}},
	{"scan.gpu.txt", Cost{258, 0, 17537}},
	{"scatter.before.txt", Cost{0, 0, 52}},
	{"scatter.cpu.txt", Cost{11, 0, 214}},
	{"sort.gpu.txt", Cost{20971520, 0, 8388608}},
	{"topk.gpu.txt", Cost{0, 0, 1052688}},
	{"triton_softmax.gpu.txt", Cost{916480, 131072, 524288}},
	{"while.cpu.txt", Cost{540544, 6144, 164988}},
}

func TestCostOfRealDumps(t *testing.T) {
	for _, c := range costOf {
		t.Run(c.file, func(t *testing.T) { checkCost(t, readDump(t, "cost/"+c.file), c.want) })
	}
}

// TestCostOfOperations goes through small modules written for one operation each, with odd windows, nested fusions and the like.
// XLA's numbers stand above each of them.
func TestCostOfOperations(t *testing.T) {
	for _, c := range operationCases(t) {
		t.Run(c.m.Name, func(t *testing.T) { checkCost(t, c.m, c.want) })
	}
}

// TestEveryOperationIsPriced keeps the list of operations that no dump here has.
func TestEveryOperationIsPriced(t *testing.T) {
	missing := map[string]string{
		"atan":              "newer than the jaxlib that gave the numbers",
		"collective-reduce": "newer than the jaxlib that gave the numbers",
		"shuffle":           "newer than the jaxlib that gave the numbers",
		"trace":             "gone since 2020",
		"tuple-select":      "gone since 2021",
	}
	seen := make([]bool, hlo.NumOpcodes)
	note := func(m *hlo.Module) {
		for i := range m.Instrs {
			seen[m.Instrs[i].Opcode] = true
		}
	}
	for _, c := range costOf {
		note(readDump(t, "cost/"+c.file))
	}
	for _, c := range operationCases(t) {
		note(c.m)
	}
	for op := range hlo.NumOpcodes {
		name := (&hlo.Module{}).OpcodeName(hlo.Opcode(op))
		if _, known := missing[name]; known == seen[op] {
			t.Errorf("%s: in a dump: %v, listed as missing: %v", name, seen[op], known)
		}
	}
}

func TestCostsWeighsLoops(t *testing.T) {
	m := readDump(t, "cost/while.cpu.txt")
	once, weighed := Analyze(m.Alike(), m.Users(), nil), Analyze(m.Alike(), m.Users(), m.KnownTrips)
	loop := slices.IndexFunc(m.Instrs, func(in hlo.Instruction) bool { return in.Opcode == hlo.OpWhile })
	if trips := m.KnownTrips(hlo.InstrID(loop)); trips != 10 {
		t.Fatalf("the loop runs %d times, want 10", trips)
	}
	callees := m.Callees(hlo.InstrID(loop))
	body, condition := once.Comp(callees[0]), once.Comp(callees[1])
	if got, want := once.Instr(hlo.InstrID(loop)), body.plus(condition); got != want {
		t.Errorf("once through the loop: %v, want %v", got, want)
	}
	if got, want := weighed.Instr(hlo.InstrID(loop)), body.times(10).plus(condition.times(11)); got != want {
		t.Errorf("ten times through the loop: %v, want %v", got, want)
	}
	grown := weighed.Comp(m.Entry).Flops - once.Comp(m.Entry).Flops
	if want := 9*body.Flops + 10*condition.Flops; grown != want {
		t.Errorf("the entry grew by %v flops, want %v", grown, want)
	}
	unknown := Analyze(m.Alike(), m.Users(), func(hlo.InstrID) int64 { return -1 })
	if !maps.Equal(costsByName(m, unknown), costsByName(m, once)) {
		t.Error("a loop without a known count is not counted once")
	}
}

// A conditional costs what its dearest branch does.
func TestConditionalCostsItsDearestBranch(t *testing.T) {
	m := readDump(t, "cost/conditional.cpu.txt")
	prices := Analyze(m.Alike(), m.Users(), nil)
	at := hlo.InstrID(slices.IndexFunc(m.Instrs, func(in hlo.Instruction) bool { return in.Opcode == hlo.OpConditional }))
	var flops []float64
	for _, branch := range m.Callees(at) {
		flops = append(flops, prices.Comp(branch).Flops)
	}
	if slices.Min(flops) == slices.Max(flops) {
		t.Fatalf("the branches cost the same, %v", flops)
	}
	if got := prices.Instr(at).Flops; got != slices.Max(flops) {
		t.Errorf("%v flops, want the dearest of %v", got, flops)
	}
}

func costsByName(m *hlo.Module, c *Costs) map[string]Cost {
	byName := make(map[string]Cost)
	for i := range m.Instrs {
		byName[m.InstrName(hlo.InstrID(i))] = c.Instr(hlo.InstrID(i))
	}
	return byName
}

func TestKnownTripsIsNegativeWhenUnknown(t *testing.T) {
	m := readDump(t, "cost/newton.before.hlo.pb")
	for i := range m.Instrs {
		if got := m.KnownTrips(hlo.InstrID(i)); got != -1 {
			t.Errorf("%s: %d", m.InstrName(hlo.InstrID(i)), got)
		}
	}
}

// TestCostsNotesWhatItCannotPrice spoils attributes and operations in real dumps.
func TestCostsNotesWhatItCannotPrice(t *testing.T) {
	for _, c := range []struct{ file, old, new, culprit string }{
		{"conv.cpu.txt", "window={size=", "window={size=3x3x", "convolution"},
		{"conv.cpu.txt", "dim_labels=b", "dim_labels=x", "convolution"},
		{"conv.cpu.txt", "dim_labels=b01f_", "dim_labels=b01x_", "convolution"},
		{"conv.cpu.txt", "->b01f", "->b01x", "convolution"},
		{"conv.cpu.txt", "dim_labels=b", "feature_group_count=0, dim_labels=b", "convolution"},
		{"conv.cpu.txt", "dim_labels=b", "batch_group_count=0, dim_labels=b", "convolution"},
		{"cholesky.gpu.txt", "transpose(%Arg_0.1), dimensions={1,0}", "transpose(%Arg_0.1), dimensions={1}", "transpose"},
		{"maxpool_grad.before.txt", "select-and-scatter(", "select-and-shuffle(", "select-and-shuffle"},
		{"fft.gpu.txt", "fft_length={", "fft_length={x", "fft"},
		{"complex.before.txt", "lhs_contracting_dims={1}", "lhs_contracting_dims={7}", "dot"},
	} {
		source := strings.Replace(string(readFile(t, "cost/"+c.file)), c.old, c.new, 1)
		m, err := hlo.ParseText([]byte(source), c.file)
		if err != nil {
			t.Fatal(err)
		}
		unknown := Analyze(m.Alike(), m.Users(), nil).Unknowns
		first := slices.Sorted(maps.Keys(unknown))
		if len(unknown) != 1 || m.OpcodeName(m.Instrs[first[0]].Opcode) != c.culprit {
			t.Errorf("%s with %s: %d instructions are unknown, want one %s", c.file, c.new, len(unknown), c.culprit)
		}
	}
}

// TestCostsEndsOnRecursion ties a computation to itself, which no compiler does.
func TestCostsEndsOnRecursion(t *testing.T) {
	for _, file := range []string{"argmax.before.txt", "maxpool_grad.cpu.txt", "while.cpu.txt"} {
		m := readDump(t, "cost/"+file)
		for i := range m.Instrs {
			for k := range m.Callees(hlo.InstrID(i)) {
				m.Callees(hlo.InstrID(i))[k] = m.Instrs[i].Comp
			}
		}
		if len(Analyze(m.Alike(), m.Users(), nil).Unknowns) == 0 {
			t.Errorf("%s: recursion went unnoticed", file)
		}
	}
}

// TestInputsReadEqualsCounting compares the closed form with counting for all small windows.
func TestInputsReadEqualsCounting(t *testing.T) {
	for n := range 5 * 4 * 5 * 17 * 6 {
		w := windowDim{stride: int64(n%5 + 1), lhsDilate: int64(n/5%4 + 1)}
		input, base, output := int64(n/20%5), int64(n/100%17-8), int64(n/1700)
		want := int64(0)
		for o := range output {
			if at := base + o*w.stride; at >= 0 && at%w.lhsDilate == 0 && at/w.lhsDilate < input {
				want++
			}
		}
		if got := w.inputsRead(base, input, output); got != want {
			t.Fatalf("%+v from %d, %d inputs, %d outputs: %d, want %d", w, base, input, output, got, want)
		}
	}
}

func FuzzParseWindow(f *testing.F) {
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, s []byte) error {
		window, ok := parseWindow(string(s))
		for _, w := range window {
			if ok && (w.stride < 1 || w.lhsDilate < 1) {
				t.Errorf("%q: %+v", s, w)
			}
		}
		return nil
	}, []byte("{size=3x3 stride=2x2 pad=1_1x0_1 lhs_dilate=2x2 rhs_dilate=2x2 rhs_reversal=1x0}"), []byte("{size=3x5 pad=-1_0x3_3}"), []byte("{}"))
}

// FuzzCosts prices whatever the reader lets through: each cost is a number. XLA counts -1 for what it cannot tell.
func FuzzCosts(f *testing.F) {
	source, err := os.ReadFile("../hlo/testdata/cost/operations.txt")
	if err != nil {
		f.Fatal(err)
	}
	fuzztest.Run(f, fuzztest.Text, func(t *testing.T, source []byte) error {
		m, err := hlo.ParseText(source, "fuzz")
		if err != nil {
			return err
		}
		if c := entryCost(m); math.IsNaN(c.Flops + c.Transcendentals + c.BytesAccessed) {
			t.Errorf("%+v", c)
		}
		return nil
	}, bytes.Split(source, []byte("\n\n"))...)
}

type operationCase struct {
	m    *hlo.Module
	want Cost
}

func operationCases(t *testing.T) (cases []operationCase) {
	t.Helper()
	source, err := os.ReadFile("../hlo/testdata/cost/operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(source), "\n// ")[1:] {
		var c operationCase
		if _, err := fmt.Sscanf(part, "%g flops, %g transcendentals, %g bytes",
			&c.want.Flops, &c.want.Transcendentals, &c.want.BytesAccessed); err != nil {
			t.Fatalf("%.60s: %v", part, err)
		}
		if c.m, err = hlo.ParseText([]byte("// "+part), "operations.txt"); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// checkCost allows for XLA's single precision.
func checkCost(t *testing.T, m *hlo.Module, want Cost) {
	t.Helper()
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }
	got := entryCost(m)
	if !near(got.Flops, want.Flops) || !near(got.Transcendentals, want.Transcendentals) || !near(got.BytesAccessed, want.BytesAccessed) {
		t.Errorf("%s costs %+v, want %+v", m.Name, got, want)
	}
	if unknown := Analyze(m.Alike(), m.Users(), nil).Unknowns; len(unknown) > 0 {
		t.Errorf("%s: %s is unknown", m.Name, m.InstrName(slices.Sorted(maps.Keys(unknown))[0]))
	}
}

func readDump(t testing.TB, file string) *hlo.Module {
	t.Helper()
	m, err := hlo.Parse(readFile(t, file), file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readFile(t testing.TB, file string) []byte {
	return testfile.Unpack(t, "../hlo/testdata/"+file+".gz")
}

// pairs names the programs that are in testdata as text and as proto.
func pairs(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../hlo/testdata/pairs/*.hlo.pb.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pairs: %v", err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".hlo.pb.gz"))
	}
	return names
}

func parse(t testing.TB, src string) *hlo.Module {
	t.Helper()
	m, err := hlo.ParseText([]byte(src), "t")
	if err != nil {
		t.Fatal(err)
	}
	return m
}
