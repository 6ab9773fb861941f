package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

// maxMeasured is how many of the instructions that took longest are shown.
const maxMeasured = 20

// profileSection is the hot list: what took how long, and which line of the model asked for it.
func profileSection(p *facts.Profile, o Options) section {
	if p == nil {
		return section{}
	}
	s := section{Title: in(strong, "measured").and("   " + profileSum(p))}
	t := table{Head: []string{"share", "own time", "ran", "rate", "kernel", "source", "name"}, Right: []bool{true, true, true, true}}
	for i := range p.Hot {
		if i == maxMeasured && !o.All {
			break
		}
		t.Rows = append(t.Rows, hotRow(&p.Hot[i], p.Time))
	}
	s.add(t)
	if n := len(p.Hot) - len(t.Rows); n > 0 {
		s.add(para{in(dim, "… "+phrase.Some(n, "more instruction")+" (--all lists them)")})
	}
	for _, m := range p.Strange {
		s.add(para{in(warn, "not in the dump: ").in(name, m.Name).and(" ran for " + duration(m.Time))})
	}
	return s
}

func profileSum(p *facts.Profile) string {
	sum := duration(p.Time) + " on " + phrase.Some(len(p.Devices), "device")
	var runs []string
	for _, program := range byCount(p.Runs) {
		runs = append(runs, program+" ran "+times(p.Runs[program]))
	}
	if len(runs) > 0 {
		sum += ": " + strings.Join(runs, ", ")
	}
	return sum
}

func hotRow(h *facts.HotKernel, total time.Duration) []line {
	cells := []line{say(percent(float64(h.Self), float64(total))), say(duration(h.Self)), say(fmt.Sprintf("%d×", h.Count))}
	if h.Kernel == nil {
		return append(cells, line{}, in(name, h.Name), line{}, in(dim, "no launch of the dumped module"))
	}
	label := in(name, modelName(h.Kernel))
	if h.Several {
		label = label.in(dim, " (several compiles have such an instruction)")
	}
	return append(cells, say(rate(h)), in(name, does(h.Kernel)), in(name, location(h.Kernel.Source)), label)
}

// rate is how fast a kernel moved its bytes: what it reads and writes once, over the time of one run.
func rate(h *facts.HotKernel) string {
	if h.Self <= 0 || h.Kernel.Bytes <= 0 || h.Several || h.Kernel.Class == facts.ClassControl {
		return ""
	}
	return phrase.Bytes(float64(h.Kernel.Bytes)*float64(h.Count)/h.Self.Seconds()) + "/s"
}

// duration writes a time with three digits: "1.23 ms".
func duration(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.size {
			return fmt.Sprintf("%.3g %s", float64(d)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d ns", d.Nanoseconds())
}

// drawingSection is what was drawn of modules that were dumped in no other form.
func drawingSection(drawings []facts.Drawing) section {
	t := table{Head: []string{"drawn only", "computation", "stage", "instructions drawn", "fusions", "kernels", ""}, Right: []bool{false, false, false, true, true, true}}
	for i := range drawings {
		d := &drawings[i]
		note := line{}
		if d.Why != "" {
			note = in(warn, "not exact: "+d.Why)
		}
		if d.Main {
			note = say("the main program").with("; ", note)
		}
		t.Rows = append(t.Rows, []line{in(name, d.Module), in(name, d.Name), in(name, d.Stage+" ("+d.Format+")"), count(d.Nodes), count(d.Fusions), count(d.Kernels), note})
	}
	if len(t.Rows) == 0 {
		return section{}
	}
	return section{Title: in(strong, "drawings").and("   what is drawn can be counted; types, sizes, memory, cost and donation cannot be had from it"), Blocks: []block{t}}
}
