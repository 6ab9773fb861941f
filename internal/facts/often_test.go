package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xlagate/xlagate/internal/artifacts"
)

// Loops in loops that say they run very often run very often, rather than a number that came round to nothing.
func TestLoopsThatMultiply(t *testing.T) {
	var b strings.Builder
	b.WriteString("HloModule loops\n\n%cond (q: f32[4]) -> pred[] {\n  %q = f32[4]{0} parameter(0)\n  ROOT %t = pred[] constant(true)\n}\n\n")
	b.WriteString("%c0 (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n  ROOT %r = f32[4]{0} negate(%p)\n}\n\n")
	for i := 1; i <= 12; i++ {
		entry := ""
		if i == 12 {
			entry = "ENTRY "
		}
		fmt.Fprintf(&b, "%s%%c%d (p: f32[4]) -> f32[4] {\n  %%p = f32[4]{0} parameter(0)\n", entry, i)
		fmt.Fprintf(&b, "  ROOT %%r = f32[4]{0} while(%%p), condition=%%cond, body=%%c%d, backend_config={\"known_trip_count\":{\"n\":\"1000000000\"}}\n}\n\n", i-1)
	}
	r, w := walked(t, b.String())
	all := Values{}
	for _, l := range w.launches {
		k, before := r.kernel(l), all[KernelsWeighted]
		if all.kernel(&k); all[KernelsWeighted] < before || k.Times < 1 {
			t.Errorf("%s runs %d times, all together %v times, were %v", k.Name, k.Times, all[KernelsWeighted], before)
		}
	}
	if all[KernelsWeighted] != float64(maxRuns) {
		t.Errorf("%v times in all", all[KernelsWeighted])
	}
}

func TestOften(t *testing.T) {
	for _, c := range [][3]int64{{0, 9, 0}, {9, 0, 0}, {3, 4, 12}, {maxRuns, 1, maxRuns}, {maxRuns, maxRuns, maxRuns}, {1, 1 << 62, maxRuns}, {1 << 31, 1 << 31, maxRuns}} {
		if got := timesProduct(c[0], c[1]); got != c[2] {
			t.Errorf("%d times %d is %d, wanted %d", c[0], c[1], got, c[2])
		}
	}
}

// A drawing in which every computation calls the next one twice is given up, not followed to its end.
func TestDrawnCallsThatMultiply(t *testing.T) {
	d := &artifacts.Drawing{}
	for i := range 60 {
		d.Groups = append(d.Groups, artifacts.Group{Parent: -1})
		for range 2 {
			if i < 59 {
				d.Calls = append(d.Calls, artifacts.Call{Node: len(d.Nodes), Group: i + 1})
			}
			d.Nodes = append(d.Nodes, artifacts.Node{Name: "call", Opcode: "call", Group: i})
		}
	}
	info := Drawing{}
	c := &drawnCount{d: d, info: &info, backend: "cpu"}
	c.collect()
	c.group(0, 0, false)
	if info.Why != errTooDeep.Error() || c.steps > 2*maxLaunches {
		t.Errorf("%d steps: %q", c.steps, info.Why)
	}
}
