package report

import (
	"math"
	"testing"

	"github.com/xlagate/xlagate/internal/facts"
	"github.com/xlagate/xlagate/internal/phrase"
)

func TestChange(t *testing.T) {
	for _, c := range []struct {
		fact       facts.ID
		old, fresh float64
		want       string
	}{
		{"kernels.total", 1, 4, "1 → 4"}, {"kernels.total", 4, 4, "4"}, {"kernels.total", 1200, 1204, "1,200 → 1,204"},
		{"memory.temp_bytes", 0, 256, "0 B → 256 B"}, {"memory.temp_bytes", 1 << 20, 1<<20 + 1, "1,048,576 B → 1,048,577 B"}, {"memory.temp_bytes", 1024, 1024, "1.0 KiB"},
		{"kernels.total", math.NaN(), 4, "not dumped → 4"}, {"kernels.total", 4, math.NaN(), "4 → not dumped"},
		{"collectives.all-gather.bytes", 1024, 2048, "1.0 KiB → 2.0 KiB"},
	} {
		if got := change(c.fact, c.old, c.fresh); got != c.want {
			t.Errorf("%s %v %v: %q, wanted %q", c.fact, c.old, c.fresh, got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		actual, limit float64
		unit, want    string
	}{
		{19, 19, "", "19 of 19"}, {1288490189, 2 << 30, "bytes", "1.2 of 2.0 GiB"}, {512, 2 << 30, "bytes", "512 B of 2.0 GiB"}, {0, 0, "bytes", "0 of 0 B"}, {5, 1000, "", "5 of 1,000"}, {8.66e6, 9.6e6, "nanoseconds", "8.66 ms (limit 9.6 ms)"},
	} {
		if got := of(c.actual, c.limit, c.unit); got != c.want {
			t.Errorf("%v %v %s: %q, wanted %q", c.actual, c.limit, c.unit, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		part, whole float64
		want        string
	}{{0, 10, "0 %"}, {1, 10, "10 %"}, {10, 10, "100 %"}, {25, 10, "250 %"}, {1, 1000, "<1 %"}, {1, 100, "1 %"}, {0, 0, ""}, {3, 0, ""}, {3, -1, ""}} {
		if got := percent(c.part, c.whole); got != c.want {
			t.Errorf("%v of %v: %q, wanted %q", c.part, c.whole, got, c.want)
		}
	}
}

func TestPlural(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{{0, "kernel", "0 kernels"}, {1, "kernel", "1 kernel"}, {2, "kernel", "2 kernels"}, {1204, "kernel", "1,204 kernels"}, {2, "library", "2 libraries"}, {1, "library", "1 library"}, {2, "array", "2 arrays"}, {2, "match", "2 matches"}} {
		if got := phrase.Some(c.n, c.noun); got != c.want {
			t.Errorf("%d %s: %q, wanted %q", c.n, c.noun, got, c.want)
		}
	}
}

// Facts are called as people call them; those without a name of their own by what they count.
func TestFactLabels(t *testing.T) {
	for fact, want := range map[facts.ID]string{
		"kernels.total": "kernels", "kernels.loop": "loop kernels", "fusions.total": "fusions", "fusions.custom": "custom fusions", "memory.temp_bytes": "temp",
		"collectives.all-gather.count": "all-gather", "collectives.all-gather.bytes": "all-gather bytes", "dtypes.f64": "f64 values", "custom_calls.cublas": "cublas calls",
		"code.llvm_ir_bytes": "llvm ir bytes", "plain": "plain", "loops.trip_count": "trip count",
	} {
		if got := factLabel(fact); got != want {
			t.Errorf("%s: %q, wanted %q", fact, got, want)
		}
	}
}

// Two facts that one report shows side by side never have the same name.
func TestFactLabelsAreDistinct(t *testing.T) {
	seen := map[string]facts.ID{}
	for _, table := range [][]label{keyFacts, moreFacts} {
		for _, l := range table {
			if other, twice := seen[l.text]; twice {
				t.Errorf("%s and %s are both called %s", l.fact, other, l.text)
			}
			seen[l.text] = l.fact
		}
	}
}

func TestBudgetLabels(t *testing.T) {
	for _, c := range [][3]string{
		{"max-kernels", "kernels.all", "kernels"}, {"max-kernels", "kernels.total", "kernels"}, {"max-temp-bytes", "memory.temp_bytes", "temp"}, {"max-code-bytes", "code", "code bytes"}, {"min-collective-bytes", "x", "min collective bytes"},
	} {
		if got := budgetLabel(c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: %q, wanted %q", c[0], c[1], got, c[2])
		}
	}
}
