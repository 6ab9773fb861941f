package main

import (
	"cmp"
	"crypto/sha256"
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
	b.WriteString(verdicts(commits))
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

// verdicts says how right the verdicts on time are, of the programs that were looked at while prices were made, and of the others: half of them by a hash of
// the name.
func verdicts(commits []commit) string {
	var b strings.Builder
	b.WriteString("| programs | pairs | time errors, and slower by 2 % | errors of those slower by 20 % | told of those slower by 5 % | below the interval | above |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, held := range []bool{false, true} {
		var n, red, right, slow, caught, slower, told, below, above int
		for _, c := range commits {
			for i, p := range c.Pairs {
				if (sha256.Sum256([]byte(p.Name))[31]%2 == 1) != held {
					continue
				}
				v, took, noise := c.verdicts[i], p.Took()-1, 0.01+p.Noise()
				n++
				red, right = red+one(v.Slower == "error"), right+one(v.Slower == "error" && took > 0.02)
				slow, caught = slow+one(took > 0.2), caught+one(took > 0.2 && v.Slower == "error")
				slower, told = slower+one(took > 0.05), told+one(took > 0.05 && v.Slower != "")
				below, above = below+one(took < v.Low/p.Before.Price.Step()-noise), above+one(took > v.High/p.Before.Price.Step()+noise)
			}
		}
		which := "looked at"
		if held {
			which = "**held back**"
		}
		fmt.Fprintf(&b, "| %s | %d | %d of %d | %d of %d | %d of %d | %d | %d |\n", which, n, right, red, caught, slow, told, slower, below, above)
	}
	return b.String() + "\n"
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
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
