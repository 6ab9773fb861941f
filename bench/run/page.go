package main

import (
	"fmt"
	"strings"
)

// titles are the sections of the page.
var titles = []struct {
	form  form
	title string
}{{text, "HLO text"}, {proto, "HloProto"}, {pair, "Two modules that differ in one operation"}, {dir, "Dumps of many modules"}}

// tables shows all rows, a table for each form of input.
func tables(rows []row) string {
	var b strings.Builder
	for _, section := range titles {
		fmt.Fprintf(&b, "### %s\n\n| | | wall s | CPU s | MB/s a core | peak MB | private MB | of xlagate's CPU |\n|---|---|---:|---:|---:|---:|---:|---:|\n", section.title)
		var first row
		for _, r := range rows {
			if r.input.form != section.form {
				continue
			}
			if r.input.label != first.input.label {
				first = r
			}
			b.WriteString(line(r, first))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// line is a row of a table, beside the first one for the same input, which is xlagate's.
func line(r, first row) string {
	label := r.input.label
	if r.tool != first.tool {
		label = " "
	}
	if r.skipped != "" {
		return fmt.Sprintf("| %s | `%s` | not run: it %s | | | | | |\n", label, r.tool, r.skipped)
	}
	return fmt.Sprintf("| %s | `%s` | %.2f | %.2f | %.0f | %.0f | %s | %s |\n", label, r.tool, r.wall.Seconds(), r.cpu.Seconds(),
		float64(r.input.bytes)/1e6/r.cpu.Seconds(), float64(r.peak)/1e6, known(float64(r.private)/1e6), times(r, first))
}

func known(mb float64) string {
	if mb == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", mb)
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
