package facts

import (
	"math"
	"testing"
)

func TestParameterName(t *testing.T) {
	for _, c := range []struct{ opName, instruction, want string }{
		{"p['w1']", "p__w1__.1", "p['w1']"},
		{"x", "Arg_0.1", "x"},
		{"XLA_Args", "arg0.1", "arg0"},
		{"xla__device_data", "p12.268", "p12"},
		{"", "Arg_3.4.0", "Arg_3"},
		{"", "param.1.clone.2", "param"},
		{"", "x.y", "x.y"},
		{"", ".1", ".1"},
	} {
		if got := parameterName(c.opName, c.instruction); got != c.want {
			t.Errorf("parameterName(%q, %q) = %q, want %q", c.opName, c.instruction, got, c.want)
		}
	}
}

func TestTrips(t *testing.T) {
	for _, c := range []struct {
		first, step, bound int64
		direction          string
		want               int64
	}{
		{0, 1, 20, "LT", 20},
		{0, 3, 20, "LT", 7},
		{1, 1, 20, "LE", 20},
		{20, -1, 0, "GT", 20},
		{20, -1, 0, "GE", 21},
		{0, 2, 10, "NE", 5},
		{0, 3, 10, "NE", unknownTrips},
		{5, 1, 5, "LT", 0},
		{9, 1, 5, "LT", 0},
		{0, 0, 5, "LT", unknownTrips},
		{0, 1, 5, "GT", unknownTrips},
		{0, -1, 5, "LT", unknownTrips},
		{0, 1, 5, "EQ", unknownTrips},
		{0, 1, math.MaxInt64, "LE", unknownTrips}, // no sum overflows
		{math.MinInt64, 1, math.MaxInt64, "LT", unknownTrips},
		{0, -1, math.MinInt64, "GE", unknownTrips},
		{0, math.MinInt64, -5, "GT", unknownTrips},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, "NE", unknownTrips},
		{0, 1, 1 << 40, "LT", 1 << 40},
	} {
		if got := trips(c.first, c.step, c.bound, c.direction); got != c.want {
			t.Errorf("trips(%d, %d, %d, %s) = %d, want %d", c.first, c.step, c.bound, c.direction, got, c.want)
		}
	}
}
