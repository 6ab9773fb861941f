package main

import (
	"strings"
	"testing"

	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/price"
)

func kernel(name, function string, runs, us float64) facts.Priced {
	return facts.Priced{
		Kernel: &facts.Kernel{Form: &facts.Form{Kind: "loop"}, Name: name, Plan: &facts.Plan{Entry: function}}, Runs: runs, Once: price.Time{Launch: us * 1e3},
	}
}

// What the profiler names by its command buffer alone is told by the function that it launches.
func TestSingles(t *testing.T) {
	r := run{
		kernels: []facts.Priced{kernel("add.1", "add", 1, 2), kernel("add.2", "add", 3, 2), kernel("mul", "mul", 1, 5)},
		side: race.Side{Ran: []race.Ran{
			{Kernel: "add", Instruction: "command_buffer", Count: 4, US: 9}, {Kernel: "f<float>", Instruction: "mul", Count: 2, US: 6}, {Kernel: "MemcpyD2H", Instruction: "while", Count: 1, US: 1},
		}},
	}
	found := map[single]bool{}
	for _, s := range r.singles() {
		found[s] = true
	}
	if len(found) != 2 || !found[single{"loop", 9, 8}] || !found[single{"loop", 6, 5}] {
		t.Errorf("%v", found)
	}
	if r.launched() != 6 || r.launches() != 5 {
		t.Errorf("launched %v, predicted %v", r.launched(), r.launches())
	}
	if text := counts([]run{r}); !strings.Contains(text, "| kernels of XLA and copies alone | 1 | 0 | 0 |") {
		t.Error(text)
	}
}
