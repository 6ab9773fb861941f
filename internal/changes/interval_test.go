package changes

import (
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// Loops that are alike run equally often: what comes into one and what goes from it grow together, however long it is.
func TestIntervalOfALoop(t *testing.T) {
	half := func(price.Class) price.Margin { return price.Margin{Below: 2, Above: 2} }
	products, moves := ClassCost{Class: price.Products, NS: 800, Guess: 4}, ClassCost{Class: price.Moves, NS: -100, Guess: 4}
	other := moves
	other.Guess, other.Most = 8, 64
	named, elsewhere := products, moves
	named.Loop, elsewhere.Loop = "jit(f)/while", "jit(f)/while/body/while"
	branch := ClassCost{Class: price.Products, NS: 900, Branch: true}
	come, gone := ClassCost{Class: price.Reductions, Does: "sum", NS: 500}, ClassCost{Class: price.Reductions, Does: "mean", NS: -300}
	others := ClassCost{Class: price.Reductions, Does: "max", NS: -200}
	looped := []ClassCost{come, gone}
	for i := range looped {
		looped[i].Guess = 4
	}
	for _, c := range []struct {
		name  string
		costs []ClassCost
		want  price.Interval
	}{
		{"nothing", nil, price.Interval{}},
		{"one loop", []ClassCost{products, moves}, price.Interval{Low: 50, Middle: 700, High: 6200}},
		{"two loops that are as long", []ClassCost{named, elsewhere}, price.Interval{Low: 100 - 800, Middle: 700, High: 6400 - 12.5}},
		{"two loops", []ClassCost{products, other}, price.Interval{Low: -1500, Middle: 700, High: 6393.75}},
		{"kernels that do different things", []ClassCost{come, gone}, price.Interval{Low: 100 - 30, Middle: 200, High: 400 + 30}},
		{"in another order", []ClassCost{gone, come}, price.Interval{Low: 100 - 30, Middle: 200, High: 400 + 30}},
		{"kernels whose prices cancel", []ClassCost{come, others, gone}, price.Interval{Low: -50, High: 50}},
		{"in a loop", looped, price.Interval{Low: 25 - 7.5, Middle: 200, High: 1600 + 120}},
		{"kernels that only come", []ClassCost{come, {Class: price.Reductions, Does: "mean", NS: 300}}, price.Interval{Low: 400, Middle: 800, High: 1600}},
		{"a branch", []ClassCost{branch, {Class: price.Products, NS: -100}}, price.Interval{Low: -200, Middle: 800, High: 3410}},
	} {
		if got := Interval(half, c.costs); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	var many []ClassCost
	for i := range int64(1000) {
		many = append(many, ClassCost{Class: price.Moves, NS: 1, Guess: i + 12})
	}
	if got := Interval(half, many); got.Low <= 0 || got.Middle != 1000 || got.High <= 1000 {
		t.Errorf("a thousand loops: %+v", got)
	}
	come, gone = ClassCost{Class: price.Products, NS: 4e6, Guess: 10, Most: 1000}, ClassCost{Class: price.Products, NS: -1e6, Guess: 11, Most: 1100}
	alone, among := Interval(half, []ClassCost{come, gone}), Interval(half, append(many, come, gone))
	if alone.Low >= 0 || among.Low >= 0 {
		t.Errorf("two loops: %+v; among others: %+v", alone, among)
	}
}

// A kernel at another size does the same, so its costs cancel. One that does something else starts as the first does.
func TestCostsOfKernels(t *testing.T) {
	v := &facts.Variant{Device: price.Named("cpu")}
	kernel := func(family string, elements float64) []facts.Kernel {
		form := &facts.Form{Kind: "loop", Fusion: true, Family: family}
		form.Work[price.Vector] = elements
		return []facts.Kernel{{Form: form, Site: &facts.Site{Times: 1}}}
	}
	for _, c := range []struct {
		family string
		costs  int
	}{{"a sum", 2}, {"a mean", 3}} {
		costs := classCosts{}
		costs.add(v, kernel("a sum", 1e6), -1)
		costs.add(v, kernel(c.family, 2e6), 1)
		if list := costs.list(); len(list) != c.costs || list[0].NS != 0 || list[0].Class != price.Launching {
			t.Errorf("to %s: %+v", c.family, list)
		}
	}
}
