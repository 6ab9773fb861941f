package facts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// fresh measures dumps anew: what was merged is used up.
func fresh(t *testing.T, names ...string) []*Report {
	t.Helper()
	var out []*Report
	for _, name := range names {
		r, err := Measure(context.Background(), open(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// contents spells programs, their variants and how often each was compiled, in no order.
func contents(r *Report) string {
	var out []string
	for _, p := range r.Programs {
		for _, v := range p.Variants {
			out = append(out, strings.Join([]string{p.Name, v.Signature, v.Fingerprint, strings.Repeat("×", len(v.Modules)), strings.Repeat("+", len(v.Elsewhere))}, " "))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

var joined = []string{"cpu-while", "recompile-weak_types", "cpu-scan", "recompile-static_args"}

// In which order dumps are joined makes no difference, nor which are joined first.
func TestMergeInAnyOrder(t *testing.T) {
	want := Merge(fresh(t, joined...))
	backwards := slices.Clone(joined)
	slices.Reverse(backwards)
	if got := contents(Merge(fresh(t, backwards...))); got != contents(want) {
		t.Errorf("backwards:\n%s\nwanted\n%s", got, contents(want))
	}
	list := fresh(t, joined...)
	if got := contents(Merge([]*Report{Merge(list[:2]), Merge(list[2:])})); got != contents(want) {
		t.Errorf("in pairs:\n%s\nwanted\n%s", got, contents(want))
	}
	var dumps []string
	for _, r := range list {
		dumps = append(dumps, r.Dump)
	}
	if got := strings.Join(dumps, ", "); want.Dump != got {
		t.Errorf("joined of %s, wanted %s", want.Dump, got)
	}
	names := programNames(want.Programs)
	if sorted := strings.Fields(names); !slices.IsSorted(sorted) || len(sorted) != 4 {
		t.Errorf("programs %s", names)
	}
}

// Joined dumps hold what each of them holds, unchanged.
func TestMergeChangesNothing(t *testing.T) {
	all := Merge(fresh(t, joined...))
	for _, r := range fresh(t, joined...) {
		for _, p := range r.Programs {
			at := slices.IndexFunc(all.Programs, func(q *Program) bool { return q.Name == p.Name })
			if at < 0 || len(all.Programs[at].Variants) != len(p.Variants) {
				t.Errorf("%s is not what it was", p.Name)
				continue
			}
			for i, v := range p.Variants {
				if got := all.Programs[at].Variants[i]; !maps.Equal(got.Facts, v.Facts) || len(got.Kernels) != len(v.Kernels) || len(got.Modules) != len(v.Modules) {
					t.Errorf("%s %s is not what it was", p.Name, v.Signature)
				}
			}
		}
	}
}

// One dump by itself is that dump, and two that hold the same program hold it once.
func TestMergeOfTheSame(t *testing.T) {
	one := fresh(t, "cpu-while")
	if Merge(one) != one[0] {
		t.Error("one dump became another")
	}
	if all := Merge(fresh(t, "cpu-while", "cpu-while")); len(all.Programs) != 1 || len(all.Programs[0].Variants) != 1 {
		t.Errorf("%s", contents(all))
	}
}

// Samples of one source are told apart by their compiles: too few or too many are no answer.
func TestSamplesAreCounted(t *testing.T) {
	for n, fine := range map[int]bool{1: false, 2: true, 3: false} {
		r, err := Samples(fresh(t, "cpu-while", "cpu-scan"), n)
		if (err == nil) != fine || fine && r.Samples != n || !fine && !strings.Contains(err.Error(), "independent compiles in it: 2, but the target says samples: ") {
			t.Errorf("%d samples: %v", n, err)
		}
	}
}

// Facts that two samples of one program agree on are stable; the others are named.
func TestUnstableFacts(t *testing.T) {
	v := &Variant{Facts: Values{"a": 1, "b": 2, "c": 3}, Origin: Origin{Compiles: []compile{{Facts: Values{"a": 1, "b": 2, "c": 3}}, {Facts: Values{"a": 1, "b": 9, "d": 4}}}}}
	if got := v.unstable(); !slices.Equal(got, []string{"b", "c", "d"}) {
		t.Errorf("%v", got)
	}
	v.Compiles = v.Compiles[:1]
	if got := v.unstable(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// Samples of which each lowers the program otherwise are compiles of one variant, whose input varies; two variants in one sample stay two.
func TestSamplesThatWereLoweredOtherwise(t *testing.T) {
	module := func(operation string) string {
		return "HloModule jit_f\n\nENTRY %e (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n  ROOT %r = f32[4]{0} " + operation + "(%p)\n}\n"
	}
	sample := func(numbered ...string) *Report {
		files := map[string]string{}
		for i, operation := range numbered {
			for _, stage := range []string{"before", "cpu_after"} {
				files[fmt.Sprintf("module_%04d.jit_f.%s_optimizations.txt", i, stage)] = module(operation)
			}
		}
		return writtenModules(t, files, Options{})
	}
	for _, c := range []struct {
		samples  []*Report
		compiles []int
		varies   bool
	}{
		{[]*Report{sample("negate"), sample("negate")}, []int{2}, false},
		{[]*Report{sample("negate"), sample("abs")}, []int{2}, true},
		{[]*Report{sample("negate", "abs"), sample("negate", "abs")}, []int{2, 2}, false},
		{[]*Report{sample("negate", "abs"), sample("negate", "sign")}, []int{2, 2}, true},
	} {
		r, err := Samples(c.samples, 2)
		if err != nil {
			t.Fatal(err)
		}
		var compiles []int
		varies := false
		for _, v := range r.Programs[0].Variants {
			compiles, varies = append(compiles, len(v.Compiles)), varies || v.InputVaries
		}
		if slices.Sort(compiles); !slices.Equal(compiles, c.compiles) || varies != c.varies {
			t.Errorf("compiles %v, the input varies: %v; wanted %v, %v", compiles, varies, c.compiles, c.varies)
		}
	}
}
