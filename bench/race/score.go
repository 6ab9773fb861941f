// Package race knows pairs of programs whose steps were timed in turn by race.py, and how well xlagate's predictions agree with that.
package race

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"

	"github.com/xlagate/xlagate/bench/subject"
)

// Measurement is what race.py shows.
type Measurement struct {
	JAX    string `json:"jax"`
	Device string `json:"device"` // an accelerator's name; "" for one core
	Pairs  []Pair `json:"pairs"`
}

// Pair is two programs: before an edit and after it.
type Pair struct {
	Name   string `json:"name"`
	What   string `json:"what"`
	Before Side   `json:"before"`
	After  Side   `json:"after"`
}

// Side is one of the programs: how long a step takes, and what xlagate predicts.
type Side struct {
	US        float64       `json:"us"`
	KernelsUS float64       `json:"kernels_us"` // what an accelerator computes of it
	Ran       []Ran         `json:"ran"`        // what an accelerator ran in it
	Noise     float64       `json:"noise"`
	Dump      string        `json:"dump"`
	Price     subject.Price `json:"-"`
}

// Ran is a kernel that a profiler saw.
type Ran struct {
	Kernel      string  `json:"kernel"`      // the function, or what is copied or set
	Instruction string  `json:"instruction"` // that it is of, or the command buffer
	Count       float64 `json:"count"`
	US          float64 `json:"us"` // all of them
}

// Predict asks xlagate for the price of every program.
func (m *Measurement) Predict(x subject.Xlagate, dumps string) error {
	for i := range m.Pairs {
		for _, s := range []*Side{&m.Pairs[i].Before, &m.Pairs[i].After} {
			price, err := x.Price(filepath.Join(dumps, s.Dump))
			if err != nil {
				return err
			}
			s.Price = price
		}
	}
	return nil
}

// Took is how much longer a step takes after the edit, as a factor.
func (p Pair) Took() float64 { return p.After.US / p.Before.US }

// Said is the same, as xlagate predicts it.
func (p Pair) Said() float64 { return p.After.Price.Step() / p.Before.Price.Step() }

// Noise is by how much the two best sweeps disagree.
func (p Pair) Noise() float64 { return max(p.Before.Noise, p.After.Noise) }

// far is the least difference of a pair whose sign a prediction must have right, as a factor.
const far = 1.2

// Apart reports whether two programs differ by far, beyond their noise.
func (p Pair) Apart() bool {
	took := max(p.Took(), 1/p.Took())
	return took >= far && took > 1+2*p.Noise()
}

// SignRight reports whether the prediction goes the way that the measurement went.
func (p Pair) SignRight() bool { return (p.Took() > 1) == (p.Said() > 1) && p.Said() != 1 }

// Wrong are the pairs that are apart and predicted with the other sign, the dearest errors first.
func (m *Measurement) Wrong() []Pair {
	wrong, _ := m.wrong()
	return wrong
}

func (m *Measurement) wrong() (wrong []Pair, apart int) {
	for _, p := range m.Pairs {
		if !p.Apart() {
			continue
		}
		apart++
		if !p.SignRight() {
			wrong = append(wrong, p)
		}
	}
	slices.SortFunc(wrong, func(a, b Pair) int { return cmp.Compare(size(b.Took()), size(a.Took())) })
	return wrong, apart
}

// size is how far a factor is from one, whichever way.
func size(factor float64) float64 { return math.Abs(math.Log(factor)) }

// steps are all programs' steps, measured and predicted, in microseconds.
func (m *Measurement) steps() (took, said []float64) {
	for _, p := range m.Pairs {
		took = append(took, p.Before.US, p.After.US)
		said = append(said, p.Before.Price.Step(), p.After.Price.Step())
	}
	return took, said
}

// within is the share of the programs whose prediction is off by no more than a factor.
func within(factor float64, took, said []float64) float64 {
	n := 0
	for i := range took {
		if size(said[i]/took[i]) <= math.Log(factor) {
			n++
		}
	}
	return float64(n) / float64(len(took))
}

// RankCorrelation is Spearman's: the correlation of the ranks of two lists. Equal values share the mean of their ranks. Where all are equal it is no number.
func RankCorrelation(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	mean := float64(len(a)-1) / 2
	var both, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mean, y[i]-mean
		both, xx, yy = both+dx*dy, xx+dx*dx, yy+dy*dy
	}
	return both / math.Sqrt(xx*yy)
}

func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			ranks[at] = float64(i+j-1) / 2
		}
		i = j
	}
	return ranks
}
