package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// profileSection lists the kernels that took longest, with their lines of the model.
func profileSection(p *facts.Profile, o Options) section {
	const maxMeasured = 20 // instructions that took longest
	if p == nil {
		return section{}
	}
	sum := phrase.Nanoseconds(float64(p.Time)) + " on " + phrase.Some(len(p.Devices), "device")
	runs := phrase.Map(byCount(p.Runs), func(program string) string { return program + " ran " + phrase.Times(p.Runs[program]) })
	s := section{Title: in(strong, "measured").and("   "+sum).with(": ", say(strings.Join(runs, ", ")))}
	t := table{Head: []string{"share", "own time", "ran", "rate", "kernel", "source", "name"}, Right: []bool{true, true, true, true}}
	t.Rows = each(p.Hot[:o.shown(len(p.Hot), maxMeasured)], func(h *facts.HotKernel) []line { return hotRow(h, p.Time) })
	s.add(t, more(len(p.Hot)-len(t.Rows), "instruction"))
	for _, m := range p.Unknown {
		s.add(para{in(warn, "not in the dump: ").in(name, m.Name).and(" ran for " + phrase.Nanoseconds(float64(m.Time)))})
	}
	return s
}

func hotRow(h *facts.HotKernel, total time.Duration) []line {
	cells := []line{say(percent(float64(h.Self), float64(total))), say(phrase.Nanoseconds(float64(h.Self))), say(fmt.Sprintf("%d×", h.Count))}
	switch {
	case h.Kernel == nil && h.Buffered:
		return append(cells, line{}, in(name, h.Name), line{}, in(dim, "a copy, a sort or a library's, in a command buffer"))
	case h.Kernel == nil:
		return append(cells, line{}, in(name, h.Name), line{}, in(dim, "the dumped module launches no such kernel"))
	}
	label := in(name, modelName(h.Kernel))
	if h.Ambiguous {
		label = label.in(dim, " (ambiguous: several modules have an instruction of this name)")
	}
	if h.Alike > 0 {
		label = label.in(dim, fmt.Sprintf(" (and %s with the same code)", phrase.Some(h.Alike, "more kernel")))
	}
	rate := "" // how fast it moved its bytes: what it reads and writes once, over the time of one run
	if h.Self > 0 && h.Kernel.Bytes > 0 && !h.Ambiguous && h.Kernel.Class != facts.ClassControl {
		rate = phrase.Bytes(float64(h.Kernel.Bytes)*float64(h.Count)/h.Self.Seconds()) + "/s"
	}
	return append(cells, say(rate), in(name, does(h.Kernel)), in(name, location(h.Kernel.Source)), label)
}

// drawingSection is what was drawn of modules that were dumped in no other form.
func drawingSection(drawings []facts.Drawing) section {
	t := table{Head: []string{"drawn only", "computation", "stage", "instructions drawn", "fusions", "kernels", ""}, Right: []bool{false, false, false, true, true, true}}
	t.Rows = each(drawings, func(d *facts.Drawing) []line {
		note := in(warn, prefixed("not exact: ", d.Why))
		if d.Main {
			note = say("the main program").with("; ", note)
		}
		return []line{in(name, d.Module), in(name, d.Name), in(name, d.Stage+" ("+d.Format+")"), count(d.Nodes), count(d.Fusions), count(d.Kernels), note}
	})
	return titled(in(strong, "drawings").and("   a drawing can be counted; it has no types, sizes, memory, cost or donation"), t)
}

// codeSection lists what kernels take of a multiprocessor: those that spill first, then those that fill least of it.
func codeSection(v *facts.Variant) section {
	if v.Unassembled != "" {
		return section{Title: in(dim, "registers and occupancy are unknown: "+v.Unassembled)}
	}
	kernels := assembled(v)
	t := table{Head: []string{"registers", "spilled", "shared", "occupancy", "limited by", "kernel", "source", "name"}, Right: []bool{true, true, true, true}, Bare: true}
	for _, k := range kernels[:min(len(kernels), maxHot)] {
		share, limit := "", ""
		if o := k.Occupancy; o != nil {
			share, limit = phrase.Number(100*o.Share())+" % occupied", prefixed("limited by ", o.Limited)
		}
		var spilled line
		if n := k.Spilled(); n > 0 {
			spilled = in(warn, phrase.Bytes(float64(n))+" spilled")
		}
		shared := k.Code.Shared // what the code reserves, and what the launch adds
		if k.Plan != nil {
			shared += k.Plan.Shared
		}
		cells := []line{say(some(int(k.Code.Registers), "register")), spilled, say(sharedMemory(shared)), say(share), in(dim, limit)}
		t.Rows = append(t.Rows, append(cells, kernelCells(k)...))
	}
	return titled(in(dim, "registers and occupancy, the lowest of "+phrase.Some(len(kernels), "kernel")), t)
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
	if k.Occupancy != nil {
		return k.Occupancy.Share()
	}
	return 1
}

// launchSection names the launches that use next to nothing of the device.
func launchSection(v *facts.Variant) section {
	tiny := slices.SortedStableFunc(v.KernelsThat((*facts.Kernel).Tiny), func(a, b *facts.Kernel) int { return cmp.Compare(b.Bytes, a.Bytes) })
	t := table{Head: []string{"grid", "block", "shared", "moved", "kernel", "source", "name"}, Right: []bool{false, false, true, true}, Bare: true}
	for _, k := range tiny[:min(len(tiny), maxHot)] {
		cells := []line{in(name, "grid "+triple(k.Plan.Grid)), in(name, "block "+triple(k.Plan.Block)), say(sharedMemory(k.Plan.Shared)), say(phrase.Bytes(float64(k.Bytes)))}
		t.Rows = append(t.Rows, append(cells, kernelCells(k)...))
	}
	known := phrase.Number(v.Facts[facts.LaunchesKnown])
	return titled(in(dim, phrase.Number(float64(len(tiny)))+" of "+known+" launches use little of the device: a single warp, or a single block for a large array"), t)
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
