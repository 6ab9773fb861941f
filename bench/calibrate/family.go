package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/xlagate/xlagate/internal/changes"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

// pair is a timed pair with what is predicted of it.
type pair struct {
	name   string
	family price.Family
	second bool    // it is in the second half
	was    float64 // predicted before the edit, in nanoseconds
	costs  []changes.ClassCost
	micros [2]float64 // measured before and after
	took   float64    // the growth that was measured, as a share of the step before

	low, middle, high float64 // the growth that is predicted with the margins of its family
}

func newPair(s set, t *timing, programs map[string]*facts.Report) (*pair, error) {
	before, after := programs[t.Name+".before"], programs[t.Name+".after"]
	if before == nil || after == nil {
		return nil, fmt.Errorf("%s does not hold both programs of %s", s.Archive, t.Name)
	}
	v := changes.Compare(before, after).Programs[0].Variants[0]
	device := v.New.Device
	p := &pair{name: t.Name, family: device.Family, second: sha256.Sum256([]byte(t.Name))[31]%2 == 1, was: v.Old.Facts[facts.PriceStep], costs: v.StepByClass(), micros: [2]float64{t.Before, t.After}, took: t.After/t.Before - 1}
	if s.Kernels {
		p.was -= v.Old.CallNS(device)
		p.costs = append(p.costs, changes.ClassCost{Class: price.Launching, NS: v.Old.CallNS(device) - v.New.CallNS(device)})
	}
	return p, nil
}

// noise is the difference that the stopwatch cannot tell from none, as a share of the step.
const noise = 0.01

// interval is what the step is predicted to grow by with the margins, as a share of the step before.
func (p *pair) interval(margin func(price.Class) price.Margin) (low, middle, high float64) {
	i := changes.Interval(margin, p.costs)
	return i.Low / p.was, i.Middle / p.was, i.High / p.was
}

// ladder are the margins to choose from.
var ladder = []float64{1.25, 1.5, 2, 2.5, 3, 4, 6, 10}

// needs is the least margin below and above that covers what was measured, if all classes have the same.
func (p *pair) needs() (m price.Margin) {
	widest := ladder[len(ladder)-1]
	m = price.Margin{Below: widest, Above: widest}
	for _, k := range slices.Backward(ladder) {
		low, _, high := p.interval(func(price.Class) price.Margin { return price.Margin{Below: k, Above: k} })
		if p.took >= low-noise {
			m.Below = k
		}
		if p.took <= high+noise {
			m.Above = k
		}
	}
	return m
}

// mostly is the class that most of a pair's difference is in; false if there is none.
func (p *pair) mostly() (price.Class, bool) {
	var sums [price.NumClasses]float64
	for _, c := range p.costs {
		sums[c.Class] += c.NS
	}
	all, most := 0.0, price.Class(0)
	for c, ns := range sums {
		if all += math.Abs(ns); math.Abs(ns) > math.Abs(sums[most]) {
			most = price.Class(c)
		}
	}
	return most, all > 0 && math.Abs(sums[most]) >= 0.6*all
}

// family is a family of devices: its timed pairs, and the margins that they need.
type family struct {
	name    string
	sources []string
	pairs   []*pair
	margins [price.Transfers]price.Margin
	seen    [price.Transfers]int // pairs that the margins come from; 0 where it is that of all
}

func (f *family) from(source string) {
	if !slices.Contains(f.sources, source) {
		f.sources = append(f.sources, source)
	}
}

// calibrate sets the margin of each class to what the least shares of the pairs need that hold for all together: one more pair is below its interval with a
// probability of 5 in 100 at most, and above with 10. Below, that is 90 in 100 at least. The pairs are those that are mostly of the class, or all where these are few.
func (f *family) calibrate(all []*pair) {
	most := func(share float64) int { return int(share * float64(len(all)+1)) }
	for above := 0.5; above < 1; above += 0.025 {
		for _, below := range []float64{0.9, 0.925, 0.95} {
			f.setMargins(all, below, above)
			if low, high := f.holds(all); low <= most(0.05) && high <= most(0.10) {
				return
			}
		}
	}
}

// half are the pairs of one half.
func (f *family) half(second bool) []*pair {
	return slices.DeleteFunc(slices.Clone(f.pairs), func(p *pair) bool { return p.second != second })
}

// exchange predicts each half with the margins of the other.
func (f *family) exchange() {
	for _, second := range []bool{false, true} {
		f.calibrate(f.half(second))
		f.predict(f.half(!second))
	}
}

func (f *family) predict(pairs []*pair) {
	for _, p := range pairs {
		p.low, p.middle, p.high = p.interval(f.margin)
	}
}

// holds counts the pairs outside of their intervals.
func (f *family) holds(pairs []*pair) (below, above int) {
	for _, p := range pairs {
		low, _, high := p.interval(f.margin)
		below, above = below+count(p.took < low-noise), above+count(p.took > high+noise)
	}
	return below, above
}

func (f *family) setMargins(all []*pair, shareBelow, shareAbove float64) {
	const few = 10
	of := map[price.Class][]*pair{}
	for _, p := range all {
		if c, is := p.mostly(); is {
			of[c] = append(of[c], p)
		}
	}
	for c := range price.Transfers {
		list := of[c]
		if f.seen[c] = len(list); len(list) < few {
			f.seen[c], list = 0, all
		}
		below, above := make([]float64, len(list)), make([]float64, len(list))
		for i, p := range list {
			m := p.needs()
			below[i], above[i] = m.Below, m.Above
		}
		f.margins[c] = price.Margin{Below: quantile(below, shareBelow), Above: quantile(above, shareAbove)}
	}
}

// quantile is the least of a list that a further number does not exceed with a probability of q, if it is one of the same kind: of few, the largest.
func quantile(list []float64, q float64) float64 {
	slices.Sort(list)
	return list[min(len(list), int(math.Ceil(q*float64(len(list)+1))))-1]
}

func (f *family) write(w io.Writer) {
	for _, s := range f.sources {
		fmt.Fprintf(w, "\t// %s\n", s)
	}
	fmt.Fprintf(w, "\t%q: {\n", f.name)
	for c, m := range f.margins {
		why := "all pairs"
		if n := f.seen[c]; n > 0 {
			why = fmt.Sprintf("%d pairs", n)
		}
		fmt.Fprintf(w, "\t\t{%v, %v}, // %v: %s\n", m.Below, m.Above, price.Class(c), why)
	}
	fmt.Fprintf(w, "\t},\n")
}
