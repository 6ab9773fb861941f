package report

import (
	"fmt"
	"sort"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// launchSection names the launches that use next to nothing of the device.
func launchSection(v *facts.Variant) section {
	var tiny []*facts.Kernel
	for i := range v.Kernels {
		if v.Kernels[i].Tiny() {
			tiny = append(tiny, &v.Kernels[i])
		}
	}
	sort.SliceStable(tiny, func(i, j int) bool { return tiny[i].Bytes > tiny[j].Bytes })
	t := table{Head: []string{"grid", "block", "shared", "moved", "kernel", "source", "name"}, Right: []bool{false, false, true, true}, Bare: true}
	for _, k := range tiny[:min(len(tiny), maxHot)] {
		t.Rows = append(t.Rows, []line{
			in(name, "grid "+triple(k.Plan.Grid)), in(name, "block "+triple(k.Plan.Block)), say(sharedMemory(k.Plan.Shared)), say(phrase.Bytes(float64(k.Bytes))),
			in(name, does(k)), in(name, location(k.Source)), in(name, modelName(k)),
		})
	}
	if len(tiny) == 0 {
		return section{}
	}
	known := phrase.Number(v.Facts[facts.LaunchesKnown])
	return section{Title: in(dim, phrase.Some(len(tiny), "launch")+" of "+known+" of one warp, or of one block for much"), Blocks: []block{t}}
}

func triple(n [3]int64) string {
	if n[1] <= 1 && n[2] <= 1 {
		return fmt.Sprint(n[0])
	}
	return fmt.Sprintf("%d×%d×%d", n[0], n[1], n[2])
}

func sharedMemory(n int64) string {
	if n <= 0 {
		return ""
	}
	return phrase.Bytes(float64(n)) + " shared"
}
