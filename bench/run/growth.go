package main

import (
	"fmt"
	"math"
	"strings"
)

// exponent is that of the power of the size with which a cost grows: the slope of the line through the logarithms.
func exponent(sizes, costs []float64) float64 {
	var meanX, meanY, xy, xx float64
	n := float64(len(sizes))
	for i := range sizes {
		meanX += math.Log(sizes[i]) / n
		meanY += math.Log(costs[i]) / n
	}
	for i := range sizes {
		x := math.Log(sizes[i]) - meanX
		xy += x * (math.Log(costs[i]) - meanY)
		xx += x * x
	}
	return xy / xx
}

// growthTable says how what xlagate takes grows with each form of input that was made.
func growthTable(rows []row) string {
	var b strings.Builder
	b.WriteString("### How cost grows\n\nThe exponent of the size, fitted over all sizes; 1 is linear. In brackets: over the last step alone.\n\n")
	b.WriteString("| | | CPU time | wall time | peak memory |\n|---|---|---:|---:|---:|\n")
	for _, f := range []form{text, proto, pair, dir} {
		for _, t := range tools {
			if series := ofTool(rows, f, t.name); len(series) > 1 && strings.HasPrefix(t.name, "xlagate") {
				fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", f, t.name, growth(series, func(r row) float64 { return r.cpu.Seconds() }),
					growth(series, func(r row) float64 { return r.wall.Seconds() }), growth(series, func(r row) float64 { return float64(r.peak) }))
			}
		}
	}
	return b.String() + "\n"
}

// ofTool are the rows of one tool over the sizes of one form.
func ofTool(rows []row, f form, tool string) []row {
	var series []row
	for _, r := range rows {
		if r.input.form == f && r.tool == tool && r.skipped == "" && r.input.made {
			series = append(series, r)
		}
	}
	return series
}

func growth(series []row, cost func(row) float64) string {
	var sizes, costs []float64
	for _, r := range series {
		sizes, costs = append(sizes, float64(r.input.bytes)), append(costs, cost(r))
	}
	last := len(sizes) - 2
	return fmt.Sprintf("%.2f (%.2f)", exponent(sizes, costs), exponent(sizes[last:], costs[last:]))
}
