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
	branch := ClassCost{Class: price.Products, NS: 900, Branch: true}
	for _, c := range []struct {
		name  string
		costs []ClassCost
		want  price.Interval
	}{
		{"nothing", nil, price.Interval{}},
		{"one loop", []ClassCost{products, moves}, price.Interval{Low: 50, Middle: 700, High: 6200}},
		{"two loops", []ClassCost{products, other}, price.Interval{Low: -1500, Middle: 700, High: 6393.75}},
		{"a branch", []ClassCost{branch, {Class: price.Products, NS: -100}}, price.Interval{Low: -200, Middle: 800, High: 3550}},
	} {
		if got := Interval(half, c.costs); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	var many []ClassCost
	for i := range int64(100) {
		many = append(many, ClassCost{Class: price.Moves, NS: 1, Guess: i + 2})
	}
	if got := Interval(half, many); got.Low <= 0 || got.Middle != 100 || got.High <= 100 {
		t.Errorf("a hundred loops: %+v", got)
	}
}
