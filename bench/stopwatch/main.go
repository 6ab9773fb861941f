// Command stopwatch runs pairs of programs under JAX on one core, times their steps, asks xlagate what it predicts for the same
// programs from their dumps, and prints how well both agree. Run it from the top of the repository, with a
// Python that has what bench/requirements.txt names:
//
//	go run ./bench/stopwatch -python PYTHON [PAIR…]
//	go run ./bench/stopwatch -dumps FOLDER
//
// A PAIR is a regular expression. -dumps keeps the dumps and the times in a folder, or takes them from
// there: a prediction can be tried again without another run.
package main

import (
	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/bench/subject"
)

func main() { subject.Main("stopwatch", stopwatch) }

// stopwatch times the pairs and says how well xlagate predicts them.
func stopwatch(t subject.Timing) (string, error) {
	m, err := race.Measured(t, "bench/stopwatch/stopwatch.py")
	if err != nil {
		return "", err
	}
	return m.Report(), nil
}
