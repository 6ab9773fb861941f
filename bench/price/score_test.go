package main

import "testing"

func TestRankCorrelation(t *testing.T) {
	a := []float64{1, 2, 3, 10}
	for _, c := range []struct {
		b    []float64
		want float64
	}{{[]float64{5, 6, 7, 8}, 1}, {[]float64{8, 7, 6, 5}, -1}, {[]float64{6, 5, 6, 5}, -0.4472135954999579}} {
		if got := rankCorrelation(a, c.b); got != c.want {
			t.Errorf("%v and %v: %v, want %v", a, c.b, got, c.want)
		}
	}
}
