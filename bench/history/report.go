package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/bench/page"
	"github.com/xlagate/xlagate/bench/race"
	"github.com/xlagate/xlagate/bench/subject"
)

// told is the least difference, as a factor, that is shown of a program that passed.
const told = 1.1

// shown is how many programs are told of a commit, those first whose steps differ most.
const shown = 3

// report is the section of the document.
func report(commits []commit) string {
	var failed, moved, flagged int
	var all race.Measurement
	for _, c := range commits {
		if c.Failure != "" {
			failed++
		}
		if len(c.Pairs) > 0 {
			moved++
		}
		all.Pairs = append(all.Pairs, c.Pairs...)
		flagged += c.flagged()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d commits that change code, %s to %s; %d of them, or their parents, cannot be imported under this JAX. %d change what is lowered of %d programs, and xlagate flags %d of those. Timed on one core of %s.\n\n",
		len(commits), commits[0].Date, commits[len(commits)-1].Date, failed, moved, len(all.Pairs), flagged, page.Processor())
	b.WriteString(all.Agreement())
	b.WriteString("| commit | | programs that changed | flagged | steps, measured |\n|---|---|---:|---:|---|\n")
	for _, c := range commits {
		if len(c.Pairs) > 0 {
			fmt.Fprintf(&b, "| %s | %s | %d of %d | %d | %s |\n", c.Commit, cell(c.Subject), len(c.Pairs), c.Programs, c.flagged(), span(c.Pairs))
		}
	}
	b.WriteString("\nWhat is flagged, and what passes and takes a tenth more or less:\n\n| commit | program | measured | predicted | xlagate |\n|---|---|---:|---:|---|\n")
	for _, c := range commits {
		c.details(&b)
	}
	b.WriteString("\n")
	return b.String()
}

func (c commit) flagged() int {
	n := 0
	for _, v := range c.verdicts {
		if v.Failed {
			n++
		}
	}
	return n
}

func (c commit) details(b *strings.Builder) {
	var order []int
	for i := range c.Pairs {
		if c.verdicts[i].Failed || differs(c.Pairs[i]) >= told {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(differs(c.Pairs[j]), differs(c.Pairs[i])) })
	for _, i := range order[:min(shown, len(order))] {
		p := c.Pairs[i]
		fmt.Fprintf(b, "| %s | `%s` | %s → %s, %s | %s | %s |\n", c.Commit, p.Name, race.Duration(p.Before.US), race.Duration(p.After.US), race.Percent(p.Took()), race.Percent(p.Said()), says(c.verdicts[i]))
	}
	if more := len(order) - shown; more > 0 {
		fmt.Fprintf(b, "| %s | … %d more | | | |\n", c.Commit, more)
	}
}

// differs is by which factor the steps of a pair differ.
func differs(p race.Pair) float64 { return max(p.Took(), 1/p.Took()) }

// says is a verdict in a cell.
func says(v subject.Verdict) string {
	if !v.Failed {
		return "passes"
	}
	return cell("fails: " + strings.Join(v.Rules, ", "))
}

// span is the least and the most of what pairs took.
func span(pairs []race.Pair) string {
	least, most := pairs[0].Took(), pairs[0].Took()
	for _, p := range pairs {
		least, most = min(least, p.Took()), max(most, p.Took())
	}
	if len(pairs) == 1 {
		return race.Percent(most)
	}
	return race.Percent(least) + " to " + race.Percent(most)
}

// cell is text that may stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
