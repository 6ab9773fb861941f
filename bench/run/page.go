package main

import (
	"fmt"
	"strings"
)

// madeTable shows what the inputs that were made took.
func madeTable(rows []row) string {
	var b strings.Builder
	b.WriteString("### Modules and dumps that were made\n\nThe best of three runs, for the Python readers without the start of Python. The peak includes mapped files. The last column is CPU time as a multiple of xlagate's.\n\n" +
		"| | | wall s | CPU s | peak MB | of xlagate's CPU |\n|---|---|---:|---:|---:|---:|\n")
	var first row
	for _, r := range rows {
		if !r.input.made {
			continue
		}
		if r.input.form != first.input.form || r.input.label != first.input.label {
			first = r
		}
		b.WriteString(line(r, first))
	}
	return b.String() + "\n"
}

// line is a row of a table, beside the first one for the same input, which is xlagate's.
func line(r, first row) string {
	label := fmt.Sprintf("%s, %s", r.input.form, r.input.label)
	if r.tool != first.tool {
		label = " "
	}
	if r.skipped != "" {
		return fmt.Sprintf("| %s | %s | not run: it %s | | | |\n", label, r.tool, r.skipped)
	}
	return fmt.Sprintf("| %s | %s | %.2f | %.2f | %.0f | %s |\n", label, r.tool, r.wall.Seconds(), r.cpu.Seconds(), float64(r.peak)/1e6, times(r, first))
}

// times is how many times the CPU time of the first row another took.
func times(r, first row) string {
	ratio := r.cpu.Seconds() / first.cpu.Seconds()
	if ratio >= 10 {
		return fmt.Sprintf("%.0f ×", ratio)
	}
	return fmt.Sprintf("%.2g ×", ratio)
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }
