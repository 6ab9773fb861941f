package changes

import (
	"testing"

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
	for _, c := range []struct {
		name  string
		costs []ClassCost
		want  price.Interval
	}{
		{"nothing", nil, price.Interval{}},
		{"one loop", []ClassCost{products, moves}, price.Interval{Low: 50, Middle: 700, High: 6200}},
		{"two loops that are as long", []ClassCost{named, elsewhere}, price.Interval{Low: 100 - 800, Middle: 700, High: 6400 - 12.5}},
		{"two loops", []ClassCost{products, other}, price.Interval{Low: -1500, Middle: 700, High: 6393.75}},
		{"a branch", []ClassCost{branch, {Class: price.Products, NS: -100}}, price.Interval{Low: -200, Middle: 800, High: 3400}},
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
	come, gone := ClassCost{Class: price.Products, NS: 4e6, Guess: 10, Most: 1000}, ClassCost{Class: price.Products, NS: -1e6, Guess: 11, Most: 1100}
	alone, among := Interval(half, []ClassCost{come, gone}), Interval(half, append(many, come, gone))
	if alone.Low >= 0 || among.Low >= 0 {
		t.Errorf("two loops: %+v; among others: %+v", alone, among)
	}
}
