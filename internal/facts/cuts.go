package facts

import (
	"strings"

	"github.com/xlagate/xlagate/internal/tensorflow"
)

// assignCuts gives each graph of PyTorch/XLA its cut. The log tells no module's name: the graphs of a process are compiled and dumped
// one after the other, so that the order tells, where there are as many of both and each takes as many arguments. Otherwise nothing is said.
func (s *Share) assignCuts() {
	if s.Beside == nil || s.Beside.Logs == nil || len(s.Beside.Logs.Cuts) == 0 {
		return
	}
	cuts, runs := s.Beside.Logs.Cuts, map[string][]*measurement{}
	for _, m := range s.Units {
		if m.Listed || m.Toolchain.Framework != TorchFramework {
			continue
		}
		if m.Variant == nil {
			return
		}
		run := m.Variant.Compiles[0].Run
		runs[run] = append(runs[run], m)
	}
	for _, graphs := range runs {
		if inStep(graphs, cuts) {
			for i, m := range graphs {
				m.cutAt(cuts[i])
			}
		}
	}
}

// inStep says whether graphs and cuts agree one by one. Many arguments are passed as one tuple.
func inStep(graphs []*measurement, cuts []tensorflow.Cut) bool {
	if len(graphs) != len(cuts) {
		return false
	}
	for i, m := range graphs {
		if n := len(m.Variant.Params); cuts[i].Inputs != n && cuts[i].Inputs != 0 && n != 1 {
			return false
		}
	}
	return true
}

func (out *measurement) cutAt(c tensorflow.Cut) {
	c.Where.File = strings.TrimPrefix(c.Where.File, out.Root)
	out.Variant.Cut = &c
	if c.Where.File != "" {
		out.Variant.CallSite = c.Where
	}
}
