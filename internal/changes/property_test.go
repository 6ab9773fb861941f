package changes_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
)

// pairs are the names of all packed pairs.
func pairs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*-before.tar.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dumps: %v", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), "-before.tar.gz"))
	}
	return names
}

func TestSelf(t *testing.T) {
	for _, name := range pairs(t) {
		for _, side := range []string{"-before", "-after"} {
			r := measured(t, name+side, facts.Options{})
			if d := changes.Compare(r, r); !d.Identical {
				t.Errorf("%s%s differs from itself", name, side)
			}
			if d := changes.Compare(stored(t, r), r); !d.Identical {
				t.Errorf("%s%s differs from its own baseline", name, side)
			}
		}
	}
}

// Every kernel of either side is told of exactly once.
func TestConservation(t *testing.T) {
	for _, name := range pairs(t) {
		old, fresh := measured(t, name+"-before", facts.Options{}), measured(t, name+"-after", facts.Options{})
		for _, v := range []*changes.Variant{only(t, changes.Compare(old, fresh)), only(t, changes.Compare(fresh, old)), only(t, changes.Compare(stored(t, old), fresh))} {
			k := &v.Kernels
			both := k.Kept + len(k.Changed) + len(k.Moved)
			before, after := both+len(k.Removed)+len(k.Split)+len(k.Unrolled), both+len(k.Added)+len(k.Merged)
			for _, g := range k.Split {
				after += len(g.Many)
			}
			for _, u := range k.Unrolled {
				after += len(u.Many)
			}
			for _, g := range k.Merged {
				before += len(g.Many)
			}
			if before != len(v.Old.Kernels) || after != len(v.New.Kernels) {
				t.Errorf("%s: told of %d and %d kernels, there are %d and %d", name, before, after, len(v.Old.Kernels), len(v.New.Kernels))
			}
			if came, went, _ := k.Tally(); v.Old.Facts[facts.KernelsTotal]+float64(came-went) != v.New.Facts[facts.KernelsTotal] {
				t.Errorf("%s: %v kernels, %d came and %d went, but there are %v", name, v.Old.Facts[facts.KernelsTotal], came, went, v.New.Facts[facts.KernelsTotal])
			}
		}
	}
}

// What is the same one way is the same the other way, and every fact changes back.
func TestMirror(t *testing.T) {
	for _, name := range pairs(t) {
		old, fresh := measured(t, name+"-before", facts.Options{}), measured(t, name+"-after", facts.Options{})
		there, back := changes.Compare(old, fresh), changes.Compare(fresh, old)
		if there.Identical != back.Identical {
			t.Errorf("%s is identical one way only", name)
		}
		a, b := only(t, there), only(t, back)
		if a.Change != b.Change || a.Rescaled != b.Rescaled || len(a.Params) != len(b.Params) || len(a.Facts) != len(b.Facts) {
			t.Fatalf("%s: %s, %d arguments, %d facts one way; %s, %d, %d the other", name, a.Change, len(a.Params), len(a.Facts), b.Change, len(b.Params), len(b.Facts))
		}
		for i := range a.Facts {
			if x, y := a.Facts[i], b.Facts[i]; x.Name != y.Name || !same(x.Old, y.New) || !same(x.New, y.Old) {
				t.Errorf("%s: %+v one way, %+v the other", name, x, y)
			}
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Names and the order of the ledger do not matter.
func TestRenamingAndReordering(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range pairs(t) {
		old, fresh := measured(t, name+"-after", facts.Options{}), measured(t, name+"-after", facts.Options{})
		v := fresh.Programs[0].Variants[0]
		v.Fingerprint = "of another spelling" // so that kernels are compared at all
		v.Kernels = slices.Clone(v.Kernels)
		random.Shuffle(len(v.Kernels), func(i, j int) { v.Kernels[i], v.Kernels[j] = v.Kernels[j], v.Kernels[i] })
		for i := range v.Kernels {
			v.Kernels[i].Name, v.Kernels[i].From, v.Kernels[i].Until = fmt.Sprintf("renamed.%d", i), nil, 0
		}
		if got := only(t, changes.Compare(old, fresh)).Kernels; got.Kept != len(v.Kernels) {
			t.Errorf("%s: %d of %d kernels kept, changed %d, added %d, moved %d", name, got.Kept, len(v.Kernels), len(got.Changed), len(got.Added), len(got.Moved))
		}
	}
}

// Two runs of the comparison say the same.
func TestDeterministic(t *testing.T) {
	for _, name := range pairs(t) {
		old, fresh := measured(t, name+"-before", facts.Options{}), measured(t, name+"-after", facts.Options{})
		first := fmt.Sprintf("%+v", summaries(only(t, changes.Compare(old, fresh))))
		for range 5 {
			if again := fmt.Sprintf("%+v", summaries(only(t, changes.Compare(old, fresh)))); again != first {
				t.Fatalf("%s: %s\nthen %s", name, first, again)
			}
		}
	}
}

func summaries(v *changes.Variant) []string {
	var out []string
	for _, c := range v.Causes {
		out = append(out, fmt.Sprint(c.Kind, c.Title, c.OpName, c.Source, len(c.Before), len(c.After)))
	}
	return out
}

// A ledger of a hundred thousand kernels is matched in one go.
func BenchmarkLargeLedger(b *testing.B) {
	old, fresh := ledger(100_000), ledger(100_000)
	for i := 0; i < len(fresh.Variants[0].Kernels); i += 10 {
		k := &fresh.Variants[0].Kernels[i]
		k.Print, k.Do = k.Print+"'", append(slices.Clone(k.Do), facts.OpcodeTimes{Opcode: "clamp", Times: 1})
	}
	fresh.Variants[0].Fingerprint = "fresh"
	for b.Loop() {
		changes.Compare(&facts.Report{Programs: []*facts.Program{old}}, &facts.Report{Programs: []*facts.Program{fresh}})
	}
}

func ledger(n int) *facts.Program {
	v := &facts.Variant{Facts: facts.Values{}, Compiled: facts.Compiled{Fingerprint: "old"}}
	for i := range n {
		v.Kernels = append(v.Kernels, facts.Kernel{
			Form: &facts.Form{
				Kind: "loop", Fusion: true, Do: facts.OpcodesOf("add", "multiply", "tanh"), Root: "tanh", Out: fmt.Sprintf("f32[%d,64]", 8+i%50),
				Print: fmt.Sprint("print", i), Family: fmt.Sprint("family", i%7),
			},
			Name: fmt.Sprint("fusion.", i), Site: &facts.Site{OpName: fmt.Sprintf("jit(step)/layer%d/mlp/tanh", i/20)}, From: []int32{int32(max(0, i-1))},
		})
	}
	return &facts.Program{Name: "step", Variants: []*facts.Variant{v}}
}
