package facts

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/dump"
	"github.com/xlagate/xlagate/internal/hlo"
)

// open opens one of the archived dumps in testdata.
func open(t *testing.T, name string) *dump.Dump {
	t.Helper()
	d, err := dump.Open(context.Background(), filepath.Join("testdata", name+".tar.gz"), dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func measure(t *testing.T, name string, opts Options) *Report {
	t.Helper()
	r, err := Measure(context.Background(), open(t, name), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Errorf("problem: %s: %s", p.File, p.Message)
	}
	return r
}

// walked reads a module and lists its launches.
func walked(t testing.TB, text string) (*reader, *walk) {
	t.Helper()
	m, err := hlo.ParseText([]byte(text), "m.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(m)
	w, err := r.walk()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// only measures a dump that holds one program in one variant.
func only(t *testing.T, name string) *Variant {
	t.Helper()
	r := measure(t, name, Options{})
	if len(r.Programs) != 1 || len(r.Programs[0].Variants) != 1 {
		t.Fatalf("%s: got %d programs, want one with one variant", name, len(r.Programs))
	}
	return r.Programs[0].Variants[0]
}

func (f Values) want(t *testing.T, want Values) {
	t.Helper()
	for name, n := range want {
		if got, ok := f[name]; !ok || got != n {
			t.Errorf("%s = %v (known: %t), want %v", name, got, ok, n)
		}
	}
}

// The main program is the one whose run is predicted to take longest, though another one's module is larger.
func TestMainProgram(t *testing.T) {
	r, err := Measure(t.Context(), opened(t, "../../testdata/tf-named/dump.tar.xz"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var main Values
	larger := false
	for _, p := range r.Programs {
		if p.Main {
			main = p.Variants[0].Facts
		}
	}
	for _, p := range r.Programs {
		v := p.Variants[0].Facts
		larger = larger || v[InstructionsAfter] > main[InstructionsAfter]
		if v[PriceStep] > main[PriceStep] {
			t.Errorf("%s takes %v ns, the main program %v", p.Name, v[PriceStep], main[PriceStep])
		}
	}
	if !larger {
		t.Error("no other program is larger")
	}
}

func TestMeasureScan(t *testing.T) {
	r := measure(t, "cpu-scan", Options{})
	p := r.Programs[0]
	if p.Name != "rnn" || !p.Main {
		t.Errorf("program %q, main %t", p.Name, p.Main)
	}
	v := p.Variants[0]
	if want := "(w: f32[32,32], u: f32[16,32], xs: f32[20,4,16])"; v.Signature != want {
		t.Errorf("signature %s, want %s", v.Signature, want)
	}
	v.Facts.want(t, Values{"loops.while": 2, "loops.trip_count": 40, "loops.unknown": 0, "donation.aliased": 0})
	if v.Facts["kernels.weighted"] <= v.Facts["kernels.total"] || v.Facts["kernels.entry"] >= v.Facts["kernels.total"] {
		t.Errorf("kernels: %v in all, %v in the entry, %v weighted", v.Facts["kernels.total"], v.Facts["kernels.entry"], v.Facts["kernels.weighted"])
	}
	if v.Facts["cost.weighted_flops"] <= v.Facts["cost.flops"] {
		t.Errorf("flops %v, weighted %v", v.Facts["cost.flops"], v.Facts["cost.weighted_flops"])
	}
	for _, k := range v.Kernels {
		if k.InLoop && !strings.Contains(k.Loop, "while") {
			t.Errorf("%s stands in loop %q", k.Name, k.Loop)
		}
	}
	if r.Toolchain.Framework != "jax" || r.Toolchain.Backend != "cpu" {
		t.Errorf("toolchain %+v", r.Toolchain)
	}
}

// The order in which modules are measured, and how many at once, must not show.
func TestMeasureIsIndependentOfJobs(t *testing.T) {
	one, many := measure(t, "cpu-noisy", Options{Jobs: 1, AllStages: true}), measure(t, "cpu-noisy", Options{Jobs: 8, AllStages: true})
	if a, b := digest(t, one), digest(t, many); a != b {
		t.Errorf("one job:\n%s\neight jobs:\n%s", a, b)
	}
}

func TestMeasureLeavesOut(t *testing.T) {
	d := open(t, "cpu-noisy")
	r, err := Measure(context.Background(), d, Options{Include: []string{"_normal", "mlp_*"}})
	if err != nil {
		t.Fatal(err)
	}
	if names := programNames(r.Programs); names != "_normal mlp_train_step" {
		t.Errorf("programs %s", names)
	}
	r, err = Measure(context.Background(), d, Options{Exclude: []string{"mlp_*"}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(programNames(r.Programs), "mlp") {
		t.Errorf("programs %s", programNames(r.Programs))
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, open(t, "cpu-noisy"), Options{}); err == nil {
		t.Error("a cancelled measurement gave a report")
	}
}

func TestMeasureKeepsModules(t *testing.T) {
	r := measure(t, "cpu-while", Options{KeepModules: true})
	if m := r.Programs[0].Variants[0].Module; m == nil || m.Name != "jit_newton" {
		t.Errorf("module %v", m)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func programNames(programs []*Program) string {
	var names []string
	for _, p := range programs {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

func measureAt(t *testing.T, path string, opts Options) *Report {
	t.Helper()
	d, err := dump.Open(t.Context(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(t.Context(), d, opts)
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return r
}

func opened(t *testing.T, path string) *dump.Dump {
	t.Helper()
	d, err := dump.Open(t.Context(), path, dump.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}
