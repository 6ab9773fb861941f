package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xlagate/xlagate/internal/facts"
)

// launches is how many kernels, calls of libraries and copies a step is predicted to launch.
func (r *run) launches() (n float64) {
	for _, k := range r.kernels {
		if k.Class != facts.ClassControl {
			n += k.Runs
		}
	}
	return n
}

// launched is how many the profiler saw, without what goes to the host or comes from it.
func (r *run) launched() (n float64) {
	for _, k := range r.side.Ran {
		if k.Kernel != "MemcpyD2H" && k.Kernel != "MemcpyH2D" {
			n += k.Count
		}
	}
	return n
}

// callsLibrary reports whether a step calls a library or sorts: either is one launch in a program, and as many kernels as the library likes.
func (r *run) callsLibrary() bool {
	return slices.ContainsFunc(r.kernels, func(k facts.Priced) bool {
		return k.Class == facts.ClassLibrary || k.Do.Times("sort") > 0 || strings.Contains(k.Target, "sort")
	})
}

// counts compares the launches of every step with those that the profiler saw.
func counts(all []run) string {
	var plain, calling []run
	for _, r := range all {
		if r.callsLibrary() {
			calling = append(calling, r)
		} else {
			plain = append(plain, r)
		}
	}
	var b strings.Builder
	b.WriteString("| launches of a step | programs | as many as predicted | within a tenth |\n|---|---:|---:|---:|\n")
	for _, row := range []struct {
		name string
		runs []run
	}{{"kernels of XLA and copies alone", plain}, {"calls of libraries, too", calling}} {
		same, near := agreeing(row.runs)
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", row.name, len(row.runs), same, near)
	}
	b.WriteString("\nPrograms without calls of libraries whose launches differ by more than a tenth:\n\n")
	b.WriteString(differing(plain))
	return b.String()
}

// agreeing counts the steps that launch as much as predicted, and nearly as much.
func agreeing(runs []run) (same, near int) {
	for _, r := range runs {
		if math.Round(r.launches()) == r.launched() {
			same++
		}
		if r.apart() <= 1.1 {
			near++
		}
	}
	return same, near
}

// apart is by how much the launches differ, as a factor of 1 or more.
func (r *run) apart() float64 {
	factor := r.launches() / r.launched()
	return max(factor, 1/factor)
}

// differing shows the steps whose launches differ much, the worst first.
func differing(runs []run) string {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return r.apart() <= 1.1 })
	if len(runs) == 0 {
		return "None.\n\n"
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(b.apart(), a.apart()) })
	var b strings.Builder
	b.WriteString("| program | launched | predicted |\n|---|---:|---:|\n")
	for _, r := range runs {
		fmt.Fprintf(&b, "| `%s` | %.0f | %.0f |\n", r.name, r.launched(), r.launches())
	}
	return b.String() + "\n"
}
