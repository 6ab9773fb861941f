package main

import (
	"fmt"
	"math"

	"github.com/xlagate/xlagate/bench/race"
)

// score compares predictions with a stopwatch, and with what is known of a change.
type score struct {
	predicted, measured         []float64
	differ, right, pairs, other int
}

// clear is from which share on a measured difference counts.
const clear = 0.2

func (s *score) add(p *pair) {
	if p.after == nil {
		return
	}
	before, after := step(p.before), step(p.after)
	predicted := after/before - 1
	line := fmt.Sprintf("%-32s %-12s %10.1f → %10.1f µs %+7.1f %%", p.name, p.Kind, before/1e3, after/1e3, 100*predicted)
	if w := p.Stopwatch; w != nil {
		s.predicted, s.measured = append(s.predicted, before, after), append(s.measured, w.Before, w.After)
		took := w.After/w.Before - 1
		line += fmt.Sprintf("   measured %10.1f → %10.1f µs %+7.1f %%", w.Before, w.After, 100*took)
		if math.Abs(took) >= clear && math.Abs(took) > w.Noise {
			s.differ++
			if predicted*took > 0 {
				s.right++
			} else {
				line += "   the sign is wrong"
			}
		}
	}
	s.pairs++
	if p.Kind == "regression" && predicted <= 0 || p.Kind == "improvement" && predicted > 0 || p.Kind == "benign" && math.Abs(predicted) > 0.001 {
		s.other++
		line += "   not as its kind"
	}
	fmt.Println(line)
}

func (s *score) print() {
	if s.pairs == 0 {
		return
	}
	fmt.Printf("%d of %d pairs are not as their kind\n", s.other, s.pairs)
	fmt.Printf("%d of %d signs are right; rank correlation %.3f over %d programs\n", s.right, s.differ, race.RankCorrelation(s.predicted, s.measured), len(s.predicted))
}
