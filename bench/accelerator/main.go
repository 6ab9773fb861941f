// Command accelerator does on a GPU what stopwatch does on one core: it times pairs of programs, their steps and their kernels, counts the kernels, and
// prints how well xlagate predicts all that. Run it from the top of the repository, with a Python whose JAX sees the GPU:
//
//	go run ./bench/accelerator -python PYTHON [PAIR…]
//	go run ./bench/accelerator -dumps FOLDER
package main

import (
	"fmt"
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
	all, err := runs(m, t.Dumps)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	kernels := ofKernels(m, all)
	fmt.Fprintf(&b, "Measured on one %s, JAX %s: %d pairs.\n\nSteps, each with the call and the wait for its result:\n\n", m.Device, m.JAX, len(m.Pairs))
	b.WriteString(m.Agreement())
	b.WriteString("The kernels alone, by JAX's profiler:\n\n")
	b.WriteString(kernels.Agreement())
	b.WriteString("Pairs whose kernels have the wrong sign:\n\n")
	b.WriteString(race.Table(kernels.Wrong()))
	b.WriteString("How many kernels ran:\n\n")
	b.WriteString(counts(all))
	b.WriteString("Each kernel by itself:\n\n")
	b.WriteString(eachKernel(all))
	return b.String(), nil
}

// ofKernels is the same measurement of the time that the device computes: neither what the host takes is in it, nor the gaps between kernels.
func ofKernels(m *race.Measurement, all []run) *race.Measurement {
	kernels := &race.Measurement{JAX: m.JAX, Device: m.Device}
	for i, p := range m.Pairs {
		p.Before, p.After = all[2*i].kernelsAlone(), all[2*i+1].kernelsAlone()
		kernels.Pairs = append(kernels.Pairs, p)
	}
	return kernels
}

func (r *run) kernelsAlone() race.Side {
	s := r.side
	s.US, s.Price = s.KernelsUS, r.price()
	return s
}
