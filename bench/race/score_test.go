package race

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/xlagate/xlagate/bench/subject"
)

// An order is one with itself, against its reverse minus one, and nothing but the order counts.
func TestRankCorrelation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(0.001, 1e6), 2, 50, rapid.ID).Draw(t, "values")
		logs, opposite := make([]float64, len(values)), make([]float64, len(values))
		for i, v := range values {
			logs[i], opposite[i] = math.Log(v), -v
		}
		if same := RankCorrelation(values, logs); math.Abs(same-1) > 1e-9 {
			t.Errorf("with its logarithms: %v", same)
		}
		if other := RankCorrelation(values, opposite); math.Abs(other+1) > 1e-9 {
			t.Errorf("with its negatives: %v", other)
		}
	})
	if r := RankCorrelation([]float64{1, 2, 3, 10}, []float64{6, 5, 6, 5}); math.Abs(r+1/math.Sqrt(5)) > 1e-12 {
		t.Errorf("with ties: %v", r)
	}
	if r := RankCorrelation([]float64{1, 2}, []float64{3, 3}); !math.IsNaN(r) {
		t.Errorf("equal values have an order: %v", r)
	}
}

// The worked example of many textbooks, with a tie.
func TestRanksOfTies(t *testing.T) {
	if got, want := ranks([]float64{30, 10, 20, 10}), []float64{3, 0.5, 2, 0.5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func priced(us, predicted float64) Side {
	return Side{US: us, Noise: 0.01, Price: subject.Price{"step_ns": predicted * 1e3, "compute_ns": predicted * 1e3}}
}

func TestWrong(t *testing.T) {
	m := Measurement{JAX: "1", Pairs: []Pair{
		{Name: "right", Before: priced(100, 50), After: priced(200, 51)},
		{Name: "wrong", Before: priced(100, 50), After: priced(130, 49)},
		{Name: "silent", Before: priced(100, 50), After: priced(50, 50)},
		{Name: "near", Before: priced(100, 50), After: priced(110, 40)},
		{Name: "noisy", Before: Side{US: 100, Noise: 0.3, Price: subject.Price{"step_ns": 1}}, After: priced(130, 50)},
	}}
	wrong, apart := m.wrong()
	if apart != 3 || len(wrong) != 2 || wrong[0].Name != "silent" || wrong[1].Name != "wrong" {
		t.Errorf("of %d: %v", apart, wrong)
	}
	text := m.Report()
	for _, want := range []string{"3 pairs that differ by 20 % or more | 1 |", "`wrong`", "130 µs", "+30 %", "0, 100, 0, 0 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
