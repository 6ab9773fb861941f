// Command accelerator does on a GPU what stopwatch does on one core: it times pairs of programs, their steps and their kernels, and writes how well
// xlagate predicts both into docs/price-measured.md. Run it from the top of the repository, with a Python whose JAX sees the GPU:
//
//	go run ./bench/accelerator -python PYTHON [PAIR…]
//	go run ./bench/accelerator -dumps FOLDER
package main

import (
	"fmt"
	"maps"
	"strings"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/bench/subject"
)

func main() { subject.Main("accelerator", accelerator) }

// accelerator times the pairs and says how well xlagate predicts them.
func accelerator(t subject.Timing) (string, error) {
	m, err := race.Measured(t, "bench/accelerator/accelerator.py")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	kernels := ofKernels(m)
	fmt.Fprintf(&b, "Measured on one %s, JAX %s: %d pairs.\n\nSteps, each with the call and the wait for its result:\n\n", m.Device, m.JAX, len(m.Pairs))
	b.WriteString(m.Agreement())
	b.WriteString("The kernels alone, by JAX's profiler:\n\n")
	b.WriteString(kernels.Agreement())
	b.WriteString("Pairs whose kernels have the wrong sign:\n\n")
	b.WriteString(race.Table(kernels.Wrong()))
	b.WriteString("All pairs of the large programs, their steps:\n\n")
	b.WriteString(race.Table(large(m)))
	return b.String(), nil
}

// ofKernels is the same measurement of the time that the device computes: neither what the host takes is in it, nor the gaps between kernels.
func ofKernels(m *race.Measurement) *race.Measurement {
	kernels := &race.Measurement{JAX: m.JAX, Device: m.Device}
	for _, p := range m.Pairs {
		p.Before, p.After = kernelsOf(p.Before), kernelsOf(p.After)
		kernels.Pairs = append(kernels.Pairs, p)
	}
	return kernels
}

func kernelsOf(s race.Side) race.Side {
	s.US, s.Price = s.KernelsUS, maps.Clone(s.Price)
	s.Price["step_ns"] -= s.Price["host_ns"]
	s.Price["host_ns"] = 0
	return s
}

// large are the pairs of programs/large.py.
func large(m *race.Measurement) (pairs []race.Pair) {
	for _, p := range m.Pairs {
		if strings.HasPrefix(p.Name, "big_") {
			pairs = append(pairs, p)
		}
	}
	return pairs
}
