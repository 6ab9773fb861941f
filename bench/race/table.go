package race

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/bench/page"
)

// Report says how well the predictions agree with the stopwatch, and which pairs they have wrong.
func (m *Measurement) Report() string {
	took, _ := m.steps()
	wrong, _ := m.wrong()
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on one core of %s, JAX %s: %d pairs, steps of %s to %s. The two best sweeps of a program disagree by %.1f %% at the median and by %.0f %% at most.\n\n",
		page.Processor(), m.JAX, len(m.Pairs), Duration(slices.Min(took)), Duration(slices.Max(took)), 100*m.noise(0.5), 100*m.noise(1))
	b.WriteString(m.Agreement())
	b.WriteString("### Pairs with the wrong sign\n\n")
	b.WriteString(Table(wrong))
	return b.String()
}

// Agreement says in a table how well the predictions agree with the stopwatch.
func (m *Measurement) Agreement() string {
	took, said := m.steps()
	wrong, apart := m.wrong()
	var b strings.Builder
	fmt.Fprintf(&b, "| | |\n|---|---:|\n| rank correlation of predicted and measured steps, %d programs | %.3f |\n", len(took), RankCorrelation(took, said))
	fmt.Fprintf(&b, "| sign right, of %d pairs that differ by %.0f %% or more | %d |\n", apart, 100*(far-1), apart-len(wrong))
	for _, factor := range []float64{1.5, 2, 4} {
		fmt.Fprintf(&b, "| predicted step within a factor of %v of the measured one | %.0f %% |\n", factor, 100*within(factor, took, said))
	}
	b.WriteString("\n")
	return b.String()
}

// noise is a quantile of the noise of all programs.
func (m *Measurement) noise(quantile float64) float64 {
	var all []float64
	for _, p := range m.Pairs {
		all = append(all, p.Before.Noise, p.After.Noise)
	}
	slices.Sort(all)
	return all[int(quantile*float64(len(all)-1))]
}

// Table shows pairs, measured and predicted.
func Table(pairs []Pair) string {
	if len(pairs) == 0 {
		return "None.\n\n"
	}
	var b strings.Builder
	b.WriteString("| pair | what was done | measured | | predicted | | of which launches, compute, memory, host |\n|---|---|---:|---:|---:|---:|---|\n")
	for _, p := range pairs {
		fmt.Fprintf(&b, "| `%s` | %s | %s → %s | %s | %s → %s | %s | %s |\n", p.Name, p.What, Duration(p.Before.US), Duration(p.After.US), Percent(p.Took()),
			Duration(p.Before.Price.Step()), Duration(p.After.Price.Step()), Percent(p.Said()), p.parts())
	}
	b.WriteString("\n")
	return b.String()
}

// parts are the shares of the prediction after the edit.
func (p Pair) parts() string {
	var shares []string
	for _, part := range []string{"launch_ns", "compute_ns", "memory_ns", "host_ns"} {
		shares = append(shares, fmt.Sprintf("%.0f", 100*p.After.Price[part]/p.After.Price["step_ns"]))
	}
	return strings.Join(shares, ", ") + " %"
}

// Percent is a factor as growth.
func Percent(factor float64) string {
	if factor >= 10 {
		return fmt.Sprintf("× %.0f", factor)
	}
	return fmt.Sprintf("%+.0f %%", 100*(factor-1))
}

// Duration is a number of microseconds with three digits.
func Duration(us float64) string {
	unit := "µs"
	if us >= 1000 {
		us, unit = us/1000, "ms"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(max(us, 1)))))
	return fmt.Sprintf("%.*f %s", digits, us, unit)
}
