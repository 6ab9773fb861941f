package facts

import (
	"slices"
	"testing"
)

func TestJoint(t *testing.T) {
	part := func(name string, n Values, from ...int32) *Program {
		return &Program{Name: name, Variants: []*Variant{{Facts: n, Compiled: Compiled{Kernels: []Kernel{{Name: name}, {Name: name + "'", From: from}}}}}}
	}
	a := part("cluster_0", Values{"kernels.total": 2, "kernels.loop": 2, "memory.temp_bytes": 8, "memory.peak_bytes": 9}, 0)
	b := part("cluster_1", Values{"kernels.total": 2, "memory.temp_bytes": 1}, 0)
	v := Joint("cluster_0 + cluster_1", []*Program{a, b}).Variants[0]
	for name, want := range map[ID]float64{"kernels.total": 4, "kernels.loop": 2, "memory.temp_bytes": 8} { // they run one after the other
		if v.Facts[name] != want {
			t.Errorf("%s is %v, wanted %v", name, v.Facts[name], want)
		}
	}
	if _, ok := v.Facts["memory.peak_bytes"]; ok {
		t.Error("the peak of one part is not known, and the sum is")
	}
	if len(v.Kernels) != 4 || !slices.Equal(v.Kernels[3].From, []int32{2}) || !slices.Equal(b.Variants[0].Kernels[1].From, []int32{0}) {
		t.Errorf("kernels read from %q, and the part's from %q", v.Kernels[3].From, b.Variants[0].Kernels[1].From)
	}
}

// The first compilation of a program runs with the only one of another, and so does the second.
func TestJointOfSeveralCompilations(t *testing.T) {
	compiled := func(kernels ...float64) *Program {
		p := &Program{}
		for _, n := range kernels {
			p.Variants = append(p.Variants, &Variant{Facts: Values{"kernels.total": n}})
		}
		return p
	}
	var got []float64
	for _, v := range Joint("step + step-2", []*Program{compiled(3, 5), compiled(2)}).Variants {
		got = append(got, v.Facts["kernels.total"])
	}
	if !slices.Equal(got, []float64{5, 7}) {
		t.Errorf("%v kernels, wanted 5 and 7", got)
	}
}

func TestClusterNames(t *testing.T) {
	for name, want := range map[string][2]bool{
		"cluster_0": {true, false}, "cluster_12": {true, false}, "cluster_1154007346014236116_0": {true, true}, "cluster_261314581948273306__": {true, true},
		"cluster_": {}, "cluster_head": {}, "train_step": {},
	} {
		if p := (&Program{Name: name}); p.IsCluster() != want[0] || p.IsHashed() != want[1] {
			t.Errorf("%s: a cluster: %v, hashed: %v", name, p.IsCluster(), p.IsHashed())
		}
	}
}
