package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// codeSection lists what kernels take of a multiprocessor: those that spill first, then those that fill least of it.
func codeSection(v *facts.Variant) section {
	if v.Unassembled != "" {
		return section{Title: in(dim, "registers and occupancy are not known: "+v.Unassembled)}
	}
	kernels := assembled(v)
	if len(kernels) == 0 {
		return section{}
	}
	t := table{Head: []string{"registers", "spilled", "shared", "occupancy", "limited by", "kernel", "source", "name"}, Right: []bool{true, true, true, true}, Bare: true}
	for _, k := range kernels[:min(len(kernels), maxHot)] {
		share, limit := occupancy(k)
		t.Rows = append(t.Rows, []line{
			say(registerCount(k.Code.Registers)), spilled(k), say(sharedMemory(sharedBytes(k))), say(share), in(dim, limit),
			in(name, does(k)), in(name, location(k.Source)), in(name, modelName(k)),
		})
	}
	return section{Title: in(dim, "registers and occupancy, the lowest of "+phrase.Some(len(kernels), "kernel")), Blocks: []block{t}}
}

// assembled are the kernels whose code is known, each code once.
func assembled(v *facts.Variant) []*facts.Kernel {
	var kernels []*facts.Kernel
	seen := map[*facts.Code]bool{}
	for i := range v.Kernels {
		if k := &v.Kernels[i]; k.Code != nil && !seen[k.Code] {
			seen[k.Code] = true
			kernels = append(kernels, k)
		}
	}
	slices.SortStableFunc(kernels, func(a, b *facts.Kernel) int {
		return cmp.Or(cmp.Compare(b.Spilled(), a.Spilled()), cmp.Compare(fills(a), fills(b)), cmp.Compare(b.Code.Registers, a.Code.Registers))
	})
	return kernels
}

// fills is a kernel's occupancy; that of one which is not known counts as full.
func fills(k *facts.Kernel) float64 {
	if o, known := k.Occupancy(); known {
		return o.Share()
	}
	return 1
}

// occupancy is "6.25 % occupied" and "limited by shared memory".
func occupancy(k *facts.Kernel) (share, limit string) {
	o, known := k.Occupancy()
	if !known {
		return "", ""
	}
	if o.Limited != "" {
		limit = "limited by " + o.Limited
	}
	return phrase.Number(100*o.Share()) + " % occupied", limit
}

func registerCount(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d registers", n)
}

func spilled(k *facts.Kernel) line {
	if k.Spilled() == 0 {
		return nil
	}
	return in(warn, phrase.Bytes(float64(k.Spilled()))+" spilled")
}

// sharedBytes is the shared memory of a block: what the code reserves, and what the launch adds.
func sharedBytes(k *facts.Kernel) int64 {
	if k.Plan == nil {
		return k.Code.Shared
	}
	return k.Code.Shared + k.Plan.Shared
}
